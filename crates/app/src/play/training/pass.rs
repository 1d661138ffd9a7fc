//! Many games looked over for one player: a quick look at every position, a longer one at what seem to be her worst mistakes, and a
//! sample of her moves for the rating that they tell.

use chess::{
    Moment, Opinion, Ratings,
    pgn::{Eval, Game},
    shakmaty::{Color, KnownOutcome, Move, Outcome, Position, san::SanPlus},
};
use engine::{Limits, Score};

use super::{
    card::Card,
    profile::{LADDER, Profile},
};
use crate::play::{
    game::setup::RATINGS,
    minds::{
        catalogue::{ENGINE, Minds},
        evaluator::Evaluator,
        turns::Asker,
    },
    openings::Openings,
    review::score::expectation,
};

/// A thousand games have eighty thousand positions: two thousandths of a second for each.
const QUICK_NODES: u64 = 2_000;
/// For what is going to be a puzzle.
const THOROUGH_NODES: u64 = 60_000;
const CHOICES: usize = 3;
/// Every game begins with moves that nobody thinks about.
const BOOK_PLIES: usize = 4;
const MISTAKE: f32 = 0.10;
/// A quick look is not certain.
const SUSPICION: f32 = 0.08;
/// Nobody learns from the last blunder of a lost game.
const HOPELESS: f32 = 0.15;
/// What people so much stronger find is the next thing to learn.
const STRONGER: u16 = 250;
const FINDABLE: f32 = 0.2;
const AS_GOOD: f32 = 0.03;
const MOST_CARDS: usize = 300;
/// Moves whose likelihood is asked for at every rating.
const SAMPLE: usize = 1_200;
const LINE_LENGTH: usize = 6;
/// Plies of the opening, and pieces besides kings and pawns from which on it is an endgame.
const OPENING_PLIES: usize = 20;
const ENDGAME_PIECES: usize = 6;

/// A game and the side that the player had.
pub(super) struct Played {
    pub(super) game: Game,
    pub(super) side: Color,
}

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) cards: Vec<Card>,
    pub(super) profile: Profile,
}

/// A move of hers that gave something away.
struct Suspect {
    game: usize,
    ply: usize,
    rating: u16,
    loss: f32,
}

/// Looks everything over; `progress` hears the share that is done.
pub(super) async fn look_over(
    minds: &Minds,
    asker: &Asker,
    games: &[Played],
    usual_rating: u16,
    mut progress: impl FnMut(f32),
) -> Found {
    let mut found = Found::default();
    let mut suspects = Vec::new();
    for (index, played) in games.iter().enumerate() {
        quick_look(minds, asker, index, played, usual_rating, &mut suspects, &mut found.profile).await;
        progress(0.7 * (index + 1) as f32 / games.len() as f32);
    }
    let Some(people) = minds.people() else { return found };
    sample(people, games, &mut found.profile, |share| progress(0.7 + 0.1 * share)).await;
    suspects.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    suspects.truncate(4 * MOST_CARDS);
    let all = suspects.len().max(1) as f32;
    for (index, suspect) in suspects.iter().enumerate() {
        if found.cards.len() >= MOST_CARDS {
            break;
        }
        found.cards.extend(puzzle(minds, people, asker, &games[suspect.game], suspect).await);
        progress(0.8 + 0.2 * (index + 1) as f32 / all);
    }
    found.cards.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
    found
}

fn name(side: Color) -> &'static str {
    side.fold_wb("white", "black")
}

fn rating_of(played: &Played, usual: u16) -> u16 {
    let told = played.game.start.players.and_then(|players| players.of(played.side));
    told.unwrap_or(usual).clamp(*RATINGS.start(), *RATINGS.end())
}

/// What every position is worth, and so what her moves gave away.
async fn quick_look(
    minds: &Minds,
    asker: &Asker,
    index: usize,
    played: &Played,
    usual_rating: u16,
    suspects: &mut Vec<Suspect>,
    profile: &mut Profile,
) {
    let moments: Vec<Moment> = played.game.moments().collect();
    let opening = family(&played.game);
    count_game(played, opening, profile);
    let mut before: Option<f32> = None;
    for ply in BOOK_PLIES.min(moments.len() - 1)..moments.len() {
        // Expected points of White.
        let white = white_points(minds, asker, &played.game, &moments, ply).await;
        if let (Some(was), Some(is), true) =
            (before, white, ply > 0 && moments[ply - 1].turn() == played.side)
        {
            let loss = played.side.fold_wb(was - is, is - was).max(0.0);
            let had = played.side.fold_wb(was, 1.0 - was);
            for (kind, name) in slices(&moments[ply - 1], ply - 1, opening) {
                profile.of(kind, name).judge(loss);
            }
            if loss >= SUSPICION && had >= HOPELESS {
                let rating = rating_of(played, usual_rating);
                suspects.push(Suspect { game: index, ply: ply - 1, rating, loss });
            }
        }
        before = white;
    }
}

/// From the game's own comments where it has them, else from a quick look.
async fn white_points(
    minds: &Minds,
    asker: &Asker,
    game: &Game,
    moments: &[Moment],
    ply: usize,
) -> Option<f32> {
    let moment = &moments[ply];
    if let Some(end) = moment.ending() {
        return Some(end.winner().map_or(0.5, |winner| winner.fold_wb(1.0, 0.0)));
    }
    let told = ply.checked_sub(1).and_then(|last| game.evals.get(last).copied().flatten());
    if let Some(told) = told {
        return Some(expectation(match told {
            Eval::Centipawns(value) => Score::Centipawns(value),
            Eval::Mate(moves) if moves > 0 => Score::mates(moves.unsigned_abs()),
            Eval::Mate(moves) => Score::mated(moves.unsigned_abs()),
        }));
    }
    let limits = Limits::nodes(QUICK_NODES);
    let seen = minds.searches.think(asker, ENGINE, moment.clone(), limits, 1).await?;
    let own = expectation(seen.score?);
    Some(moment.turn().fold_wb(own, 1.0 - own))
}

fn count_game(played: &Played, opening: &str, profile: &mut Profile) {
    let points = match played.game.outcome {
        Outcome::Known(KnownOutcome::Draw) => 0.5,
        Outcome::Known(KnownOutcome::Decisive { winner }) => f64::from(u8::from(winner == played.side)),
        Outcome::Unknown => return,
    };
    for (kind, name) in [("all", ""), ("opening", opening), ("colour", name(played.side))] {
        let slice = profile.of(kind, name);
        slice.games += 1;
        slice.points += points;
    }
}

/// The opening without its variations.
fn family(game: &Game) -> &'static str {
    let opening = Openings::shared().of_line(&game.start, game.moves.iter().copied());
    opening.map_or("Other", |opening| opening.name.split([':', ',']).next().unwrap_or(opening.name))
}

/// What a move belongs to.
fn slices(moment: &Moment, ply: usize, opening: &'static str) -> Vec<(&'static str, &'static str)> {
    let board = moment.position.board();
    let pieces = (board.occupied() & !board.pawns() & !board.kings()).count();
    let phase = match () {
        () if ply < OPENING_PLIES => "opening",
        () if pieces <= ENDGAME_PIECES => "endgame",
        () => "middlegame",
    };
    let mut all = vec![("all", ""), ("phase", phase), ("opening", opening), ("colour", name(moment.turn()))];
    if let Some(clocks) = moment.clocks {
        let left_s = *clocks.left_cs.get(moment.turn()) / 100;
        all.push((
            "clock",
            if left_s < 20 {
                "under 20 seconds"
            } else if left_s < 60 {
                "20 to 60 seconds"
            } else {
                "over a minute"
            },
        ));
    }
    all
}

/// Asks people of every rating for some of her moves, spread evenly over all games.
async fn sample(people: &Evaluator, games: &[Played], profile: &mut Profile, mut progress: impl FnMut(f32)) {
    let own = |played: &Played| played.game.moves.len().saturating_sub(BOOK_PLIES) / 2;
    let total: usize = games.iter().map(own).sum();
    let every = total.div_ceil(SAMPLE).max(1);
    let mut seen = 0;
    for (index, played) in games.iter().enumerate() {
        let moments: Vec<Moment> = played.game.moments().collect();
        let opening = family(&played.game);
        for (ply, moment) in moments.iter().enumerate().take(played.game.moves.len()).skip(BOOK_PLIES) {
            if moment.turn() != played.side {
                continue;
            }
            seen += 1;
            if seen % every != 0 {
                continue;
            }
            let chances = chances(people, moment, played.game.moves[ply]).await;
            for (kind, name) in slices(moment, ply, opening) {
                profile.of(kind, name).observe(&chances);
            }
        }
        progress((index + 1) as f32 / games.len() as f32);
    }
}

/// How likely each rung of the ladder would play the move.
async fn chances(people: &Evaluator, moment: &Moment, played: Move) -> Vec<f32> {
    let at = |&rating: &u16| of_rating(moment, rating);
    let opinions = people.ask_all(LADDER.iter().map(at).collect()).await;
    opinions.iter().map(|opinion| chance(opinion, moment, played)).collect()
}

fn of_rating(moment: &Moment, rating: u16) -> Moment {
    Moment { players: Some(Ratings::lichess(Some(rating), Some(rating))), ..moment.clone() }
}

fn chance(opinion: &Opinion, moment: &Moment, played: Move) -> f32 {
    let index = moment.legal_moves().iter().position(|&m| m == played);
    index.and_then(|index| opinion.policy.as_ref()?.get(index).copied()).unwrap_or(0.0)
}

/// A puzzle, if the mistake is one on a longer look, too, and people a little stronger find what is right.
async fn puzzle(
    minds: &Minds,
    people: &Evaluator,
    asker: &Asker,
    played: &Played,
    suspect: &Suspect,
) -> Option<Card> {
    let moments: Vec<Moment> = played.game.moments().collect();
    let (moment, m) = (&moments[suspect.ply], played.game.moves[suspect.ply]);
    let stronger = (suspect.rating + STRONGER).min(*RATINGS.end());
    let search = |moment: &Moment, lines| {
        minds.searches.think_anew(asker, ENGINE, moment.clone(), THOROUGH_NODES, lines)
    };
    let opinions =
        people.ask_all([suspect.rating, stronger].map(|rating| of_rating(moment, rating)).to_vec()).await;
    // No need to search for what hardly anybody plays: something must be findable.
    let most =
        opinions.get(1)?.policy.as_ref()?.iter().zip(moment.legal_moves()).filter(|(_, other)| *other != m);
    if most.map(|(&chance, _)| chance).fold(0.0, f32::max) < FINDABLE {
        return None;
    }
    let seen = search(moment, CHOICES).await?;
    let best = seen.best.filter(|&best| best != m)?;
    let was = expectation(seen.score?);
    let is = match moments[suspect.ply + 1].ending() {
        Some(end) => {
            if end.winner().is_some() {
                1.0
            } else {
                0.5
            }
        }
        None => 1.0 - expectation(search(&moments[suspect.ply + 1], 1).await?.score?),
    };
    let [own, finds] = [0, 1].map(|index: usize| chance(&opinions[index], moment, best));
    if was - is < MISTAKE || finds < FINDABLE {
        return None;
    }
    let as_good = seen.lines.iter().filter(|line| expectation(line.score) >= was - AS_GOOD);
    let mut accepted: Vec<Move> =
        as_good.filter_map(|line| line.moves.first().copied()).filter(|&other| other != m).collect();
    if !accepted.contains(&best) {
        accepted.push(best);
    }
    let line = seen.lines.first().map(|line| line.moves.as_slice()).unwrap_or_default();
    let before = suspect.ply.checked_sub(1).map(|last| &moments[last]);
    let tag = |name: &str| played.game.tag(name).unwrap_or("?");
    let moment_key = moment.past.key() ^ played.game.moves.len() as u64;
    Some(Card {
        id: format!("{moment_key:016x}"),
        game: format!("{} – {}, {}", tag("White"), tag("Black"), tag("Date")),
        ply: suspect.ply,
        before_fen: before.unwrap_or(moment).fen(),
        lead_in: before.map(|before| before.uci(played.game.moves[suspect.ply - 1])),
        fen: moment.fen(),
        side: played.side.into(),
        played: moment.uci(m),
        played_san: san(moment, m),
        best: moment.uci(best),
        accepted: accepted.into_iter().map(|m| moment.uci(m)).collect(),
        line: sans(moment, line),
        loss: was - is,
        rating: suspect.rating,
        chance: own,
        stronger,
        stronger_chance: finds,
    })
}

fn san(moment: &Moment, m: Move) -> String {
    SanPlus::from_move(moment.position.clone(), m).to_string()
}

fn sans(moment: &Moment, moves: &[Move]) -> Vec<String> {
    let mut at = moment.clone();
    let told = moves.iter().take(LINE_LENGTH).map(|&m| {
        let word = san(&at, m);
        at.play(m);
        word
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::minds::{catalogue::tests::minds, turns::Urgency};

    const GAMES: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"1500\"]\n[Result \"0-1\"]\n\n\
        1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Nxd5 6. Qg4 Bxg4 0-1\n\n";

    #[tokio::test]
    async fn a_lost_queen_is_seen_and_counted_where_it_happened() {
        let games: Vec<Played> = chess::pgn::games(GAMES.as_bytes())
            .map(|game| Played { game: game.unwrap(), side: Color::White })
            .collect();
        let mut shares = Vec::new();
        let asker = Asker::new("ann", Urgency::Review);
        let found = look_over(&minds(), &asker, &games, 1500, |share| shares.push(share)).await;
        assert!(shares.is_sorted() && shares.last().is_some_and(|&last| last > 0.7));
        let slice = |key: &str| found.profile.0[key].clone();
        assert_eq!((slice("all/").games, slice("all/").points), (1, 0.0));
        assert_eq!(slice("colour/white").judged, 4);
        assert!(slice("phase/opening").loss > 0.3, "{:?}", slice("phase/opening"));
        assert!(slice("all/").moves > 0);
        // The test network holds all moves for equally likely, so nobody finds anything.
        assert!(found.cards.iter().all(|card| card.loss >= MISTAKE && card.stronger_chance >= FINDABLE));
    }
}
