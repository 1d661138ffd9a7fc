//! A game as JSON shows it: to the page, after every change, and to whoever asks.

use chess::{
    Moment, pgn,
    shakmaty::{Color, Position},
};
use data::date;
use serde::Serialize;
use tokio::time::Instant;
use utoipa::ToSchema;

use super::{
    clock::TimeControl,
    setup::Setup,
    side::Side,
    state::Game,
    verdict::{Reason, VerdictJson},
};
use crate::play::{
    minds::catalogue::{plays_at_rating, title_of},
    openings::{Opening, Openings},
};

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Game)]
pub(crate) struct View {
    id: String,
    created_s: u64,
    setup: Setup,
    /// Where the moves start.
    start_fen: String,
    fen: String,
    turn: Side,
    check: bool,
    /// Half-moves that were on the board when the game began.
    given: usize,
    moves: Vec<PlyView>,
    clock: Option<ClockView>,
    verdict: Option<VerdictJson>,
    score: String,
    opening: Option<Opening>,
    draw_declined: bool,
    draw_offered: bool,
    can_take_back: bool,
    can_abort: bool,
    /// What the player should know besides: that the last move was not saved, that the file is damaged.
    pub(crate) remark: Option<String>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Ply)]
struct PlyView {
    uci: String,
    san: String,
    spent_ms: u64,
    left_ms: Option<u64>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Clock)]
struct ClockView {
    base_s: u32,
    increment_s: u32,
    white_ms: u64,
    black_ms: u64,
    running: Option<Side>,
}

impl View {
    pub(crate) fn of(game: &Game, openings: &Openings, now: Instant) -> View {
        let running = game.running();
        let left = |side| game.clock.left_ms(side, running, now);
        View {
            id: game.id.clone(),
            created_s: game.created_s,
            setup: game.setup.clone(),
            start_fen: game.first.fen(),
            fen: game.now.fen(),
            turn: game.turn().into(),
            check: game.now.position.is_check(),
            given: game.given,
            moves: game
                .plies
                .iter()
                .map(|ply| PlyView {
                    uci: ply.uci.clone(),
                    san: ply.san.clone(),
                    spent_ms: ply.spent_ms,
                    left_ms: ply.left_ms,
                })
                .collect(),
            clock: game.clock.control().map(|control| ClockView {
                base_s: control.base_s,
                increment_s: control.increment_s,
                white_ms: left(Color::White),
                black_ms: left(Color::Black),
                running: running.map(Side::from),
            }),
            verdict: game.verdict.map(Into::into),
            score: game.verdict.map_or("*".to_owned(), |verdict| verdict.outcome().to_string()),
            opening: openings.of_line(&game.first, game.plies.iter().map(|ply| ply.played)),
            draw_declined: game.offer.is_some_and(|offer| offer.declined),
            draw_offered: game.offer_stands(),
            can_take_back: game.takeback_plies().is_some(),
            can_abort: game.can_abort(),
            remark: game.remark.clone(),
        }
    }
}

impl View {
    pub(crate) fn is_over(&self) -> bool {
        self.verdict.is_some()
    }
}

/// One line of the list of past games.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Summary {
    id: String,
    created_s: u64,
    mind: String,
    rating: u16,
    color: Side,
    time: Option<TimeControl>,
    title: Option<String>,
    plies: usize,
    fen: String,
    verdict: Option<VerdictJson>,
    opening: Option<Opening>,
    remark: Option<String>,
}

impl Summary {
    /// A file that nothing can be told of but that it is there.
    pub(crate) fn unreadable(id: String, created_s: u64, remark: &str) -> Summary {
        Summary {
            id,
            created_s,
            mind: "?".to_owned(),
            rating: 0,
            color: Side::White,
            time: None,
            title: None,
            plies: 0,
            fen: Moment::default().fen(),
            verdict: None,
            opening: None,
            remark: Some(remark.to_owned()),
        }
    }

    pub(crate) fn of(game: &Game, openings: &Openings) -> Summary {
        Summary {
            id: game.id.clone(),
            created_s: game.created_s,
            mind: game.setup.mind.clone(),
            rating: game.setup.rating,
            color: game.setup.color.into(),
            time: game.setup.time,
            title: game.setup.title.clone(),
            plies: game.plies.len(),
            fen: game.now.fen(),
            verdict: game.verdict.map(Into::into),
            opening: openings.of_line(&game.first, game.plies.iter().map(|ply| ply.played)),
            remark: game.remark.clone(),
        }
    }
}

/// The game in PGN, with clocks as Lichess writes them.
pub(crate) fn to_pgn(game: &Game, openings: &Openings) -> pgn::Game {
    let setup = &game.setup;
    let mut out = pgn::Game::new(game.first.clone());
    out.set_tag("Event", "Casual game");
    out.set_tag("Date", date::day_of(game.created_s));
    let opponent = format!("{} (Tabiya)", title_of(&setup.mind));
    let player = setup.name.clone().unwrap_or_else(|| "Player".to_owned());
    let (white, black) = setup.color.fold_wb((player.clone(), opponent.clone()), (opponent, player));
    out.set_tag("White", white);
    out.set_tag("Black", black);
    let (white, black) = setup.color.fold_wb(("human", "program"), ("program", "human"));
    out.set_tag("WhiteType", white);
    out.set_tag("BlackType", black);
    let ratings = setup.ratings();
    for (tag, side, rating) in
        [("WhiteElo", Color::White, ratings.white), ("BlackElo", Color::Black, ratings.black)]
    {
        let rating = rating.filter(|_| side == setup.color || plays_at_rating(&setup.mind));
        out.set_tag(tag, rating.map_or("?".to_owned(), |rating| rating.to_string()));
    }
    let time = setup.time.map_or("-".to_owned(), |time| format!("{}+{}", time.base_s, time.increment_s));
    out.set_tag("TimeControl", time);
    if let Some(opening) = openings.of_line(&game.first, game.plies.iter().map(|ply| ply.played)) {
        out.set_tag("ECO", opening.eco);
        out.set_tag("Opening", opening.name);
    }
    for ply in &game.plies {
        let left_cs = ply.left_ms.and_then(|ms| u32::try_from(ms / 10).ok());
        out.push(ply.played, left_cs, None);
    }
    if let Some(verdict) = game.verdict {
        out.outcome = verdict.outcome();
        let termination = match verdict.reason {
            Reason::Time => "time forfeit",
            Reason::Aborted => "abandoned",
            _ => "normal",
        };
        out.set_tag("Termination", termination);
    }
    out
}
