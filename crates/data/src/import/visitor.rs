//! Builds one row from the events of a PGN reader.

use std::ops::ControlFlow;

use chess::{
    Annotation, Evaluation, PackedMove,
    shakmaty::{CastlingMode, Chess, Color, KnownOutcome, Outcome, Position, fen::Fen},
};
use pgn_reader::{RawComment, RawTag, SanPlus, Visitor};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    Filters, Game, GameResult, TimeControl, date,
    import::{Reason, Tally},
};

/// No real game is longer: the 75-move rule ends every game before.
const MOST_PLIES: usize = 17_700;

pub(crate) struct GameVisitor<'a> {
    pub(crate) filters: &'a Filters,
    /// Counts only the games that ended before their moves began.
    pub(crate) tally: Tally,
}

pub(crate) struct Tags {
    game: Game,
    position: Option<Chess>,
    has_id: bool,
    has_event: bool,
    any: bool,
    refused: Option<Reason>,
}

pub(crate) struct Movetext {
    game: Game,
    position: Chess,
    has_id: bool,
    any_tag: bool,
    clocks: Vec<Option<u32>>,
    evals: Vec<Option<i16>>,
    outcome: Option<GameResult>,
}

impl Tags {
    fn new() -> Tags {
        let game = Game {
            id: String::new(),
            date: None,
            white: String::new(),
            black: String::new(),
            white_title: None,
            black_title: None,
            white_elo: None,
            black_elo: None,
            control: None,
            result: GameResult::Unknown,
            termination: None,
            eco: None,
            start_fen: None,
            moves: Vec::new(),
            clocks_cs: None,
            evals: None,
        };
        Tags { game, position: None, has_id: false, has_event: false, any: false, refused: None }
    }

    fn set_id(&mut self, id: Option<String>) {
        if let Some(id) = id.filter(|_| !self.has_id) {
            self.game.id = id;
            self.has_id = true;
        }
    }

    fn set_start(&mut self, fen: &[u8]) {
        let parsed = Fen::from_ascii(fen).ok().and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
        match parsed {
            Some(position) if position == Chess::default() => {}
            Some(position) => {
                self.game.start_fen =
                    Some(Fen::from_position(&position, chess::shakmaty::EnPassantMode::Legal).to_string());
                self.position = Some(position);
            }
            None => self.refused = self.refused.or(Some(Reason::BadStart)),
        }
    }
}

impl Visitor for GameVisitor<'_> {
    type Tags = Tags;
    type Movetext = Movetext;
    type Output = Result<Game, Reason>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::new())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        // A second event means that the game before it had no moves at all.
        if name == b"Event" && std::mem::replace(&mut tags.has_event, true) {
            self.tally.drop(Reason::CutOff);
            *tags = Tags { has_event: true, ..Tags::new() };
        }
        tags.any = true;
        let known = || text(value).filter(|text| text != "?" && text != "-");
        match name {
            b"GameId" => {
                let id = known();
                tags.has_id &= id.is_none();
                tags.set_id(id);
            }
            b"Site" => tags.set_id(lichess_id(value.as_bytes())),
            b"Link" => tags.set_id(chess_com_id(value.as_bytes())),
            b"UTCDate" => tags.game.date = date::parse(value.as_bytes()).or(tags.game.date),
            b"Date" => tags.game.date = tags.game.date.or_else(|| date::parse(value.as_bytes())),
            b"White" => tags.game.white = text(value).unwrap_or_default(),
            b"Black" => tags.game.black = text(value).unwrap_or_default(),
            b"WhiteTitle" => tags.game.white_title = known(),
            b"BlackTitle" => tags.game.black_title = known(),
            b"WhiteElo" => tags.game.white_elo = number(value.as_bytes()),
            b"BlackElo" => tags.game.black_elo = number(value.as_bytes()),
            b"TimeControl" => tags.game.control = TimeControl::parse(value.as_bytes()),
            b"Termination" => tags.game.termination = known(),
            b"ECO" => tags.game.eco = known(),
            b"FEN" => tags.set_start(value.as_bytes()),
            b"Result" => match GameResult::parse(value.as_bytes()) {
                Some(result) => tags.game.result = result,
                None => tags.refused = tags.refused.or(Some(Reason::BadTag)),
            },
            b"Variant" if !is_standard(value.as_bytes()) => tags.refused = Some(Reason::Variant),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut tags: Tags) -> ControlFlow<Self::Output, Movetext> {
        if let Some(reason) = tags.refused {
            return ControlFlow::Break(Err(reason));
        }
        // chess.com puts the winner's name before "won by checkmate".
        if let Some(termination) = &mut tags.game.termination {
            for name in [&tags.game.white, &tags.game.black].into_iter().filter(|name| !name.is_empty()) {
                if let Some(rest) = termination
                    .strip_prefix(name.as_str())
                    .and_then(|rest| rest.strip_prefix(' '))
                    .filter(|rest| rest.starts_with("won "))
                {
                    *termination = rest.to_owned();
                    break;
                }
            }
        }
        if let Some(reason) = self.filters.refuse_tags(&tags.game).filter(|_| tags.any) {
            return ControlFlow::Break(Err(reason));
        }
        tags.game.moves.reserve(100);
        ControlFlow::Continue(Movetext {
            position: tags.position.unwrap_or_default(),
            game: tags.game,
            has_id: tags.has_id,
            any_tag: tags.any,
            clocks: Vec::new(),
            evals: Vec::new(),
            outcome: None,
        })
    }

    fn san(&mut self, movetext: &mut Movetext, san: SanPlus) -> ControlFlow<Self::Output> {
        let Ok(m) = san.san.to_move(&movetext.position) else {
            return ControlFlow::Break(Err(Reason::IllegalMove));
        };
        if movetext.game.moves.len() == MOST_PLIES {
            return ControlFlow::Break(Err(Reason::TooLong));
        }
        movetext.game.moves.push(PackedMove::from(m));
        movetext.position.play_unchecked(m);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, movetext: &mut Movetext, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let Some(ply) = movetext.game.moves.len().checked_sub(1) else { return ControlFlow::Continue(()) };
        let annotation = Annotation::parse(comment.as_bytes());
        place(&mut movetext.clocks, ply, annotation.clock_cs);
        place(&mut movetext.evals, ply, annotation.eval.map(|eval| Evaluation::from(eval).0));
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, movetext: &mut Movetext, outcome: Outcome) -> ControlFlow<Self::Output> {
        movetext.outcome = Some(match outcome {
            Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => GameResult::White,
            Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => GameResult::Black,
            Outcome::Known(KnownOutcome::Draw) => GameResult::Draw,
            Outcome::Unknown => GameResult::Unknown,
        });
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, movetext: Movetext) -> Self::Output {
        finish(movetext, self.filters)
    }
}

fn finish(movetext: Movetext, filters: &Filters) -> Result<Game, Reason> {
    let Movetext { mut game, has_id, any_tag, mut clocks, mut evals, outcome, .. } = movetext;
    if !any_tag {
        return Err(if game.moves.is_empty() { Reason::NoGame } else { Reason::BadTag });
    }
    match outcome {
        None => return Err(Reason::CutOff),
        Some(outcome) if outcome != game.result => return Err(Reason::ResultConflict),
        Some(_) => {}
    }
    let plies = game.moves.len();
    game.clocks_cs = (!clocks.is_empty()).then(|| {
        clocks.resize(plies, None);
        clocks
    });
    game.evals = (!evals.is_empty()).then(|| {
        evals.resize(plies, None);
        evals
    });
    if !has_id {
        game.id = derived_id(&game);
    }
    match filters.refuse_moves(&game) {
        Some(reason) => Err(reason),
        None => Ok(game),
    }
}

/// Puts a value at `ply`, with holes before it.
fn place<T: Clone>(list: &mut Vec<Option<T>>, ply: usize, value: Option<T>) {
    if value.is_some() {
        list.reserve(if list.is_empty() { 100 } else { 0 });
        list.resize(ply, None);
        list.push(value);
    }
}

/// The tag's text, with escaped quotes and backslashes resolved from left to right.
fn text(value: RawTag<'_>) -> Option<String> {
    let raw = String::from_utf8_lossy(value.as_bytes());
    if !raw.contains('\\') {
        return Some(raw.trim().to_owned()).filter(|text| !text.is_empty());
    }
    let mut text = String::with_capacity(raw.len());
    let mut letters = raw.trim().chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(escaped @ ('"' | '\\')) => text.push(escaped),
                Some(other) => text.extend(['\\', other]),
                None => text.push('\\'),
            },
            _ => text.push(letter),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// Ratings; `?`, `-`, 0 and nonsense are unknown.
fn number(value: &[u8]) -> Option<u16> {
    std::str::from_utf8(value).ok()?.trim().parse().ok().filter(|&rating| rating > 0)
}

/// `From Position` is standard chess with a FEN.
fn is_standard(variant: &[u8]) -> bool {
    [&b"Standard"[..], b"From Position", b"Chess", b"Normal", b"?", b""]
        .iter()
        .any(|name| variant.eq_ignore_ascii_case(name))
}

/// The eight letters of `https://lichess.org/abcdefgh`, with whatever colour or ply follows.
fn lichess_id(site: &[u8]) -> Option<String> {
    let site = std::str::from_utf8(site).ok()?;
    let path = site.split_once("lichess.org/")?.1;
    let id = path.get(..8)?;
    let ends = path.as_bytes().get(8).is_none_or(|byte| !byte.is_ascii_alphanumeric() || path.len() == 12);
    (ends && id.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| id.to_owned())
}

fn chess_com_id(link: &[u8]) -> Option<String> {
    let link = std::str::from_utf8(link).ok()?;
    let number = link.split_once("chess.com/")?.1.rsplit('/').next()?;
    let number = number.split(['?', '#']).next()?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| format!("chess.com/{number}"))
}

/// The same players, day, start and moves are the same game, wherever it was found.
fn derived_id(game: &Game) -> String {
    let mut bytes = Vec::with_capacity(64 + 2 * game.moves.len());
    for text in [&game.white, &game.black, game.start_fen.as_ref().unwrap_or(&String::new())] {
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    }
    bytes.extend_from_slice(&game.date.unwrap_or(i32::MIN).to_le_bytes());
    bytes.extend(game.moves.iter().flat_map(|m| m.0.to_le_bytes()));
    format!("~{:016x}", xxh3_64(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_by_site() {
        let table = [
            ("https://lichess.org/5eUjvqhl", Some("5eUjvqhl")),
            ("https://lichess.org/5eUjvqhl/black#12", Some("5eUjvqhl")),
            ("https://lichess.org/5eUjvqhlABCD", Some("5eUjvqhl")),
            ("https://lichess.org/tournaments", None),
            ("https://lichess.org/ü", None),
            ("Hastings ENG", None),
        ];
        for (site, id) in table {
            assert_eq!(lichess_id(site.as_bytes()).as_deref(), id, "{site}");
        }
        assert_eq!(
            chess_com_id(b"https://www.chess.com/game/live/145591166861?x=1").as_deref(),
            Some("chess.com/145591166861")
        );
    }
}
