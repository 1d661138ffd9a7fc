//! Review of a game: what the engine thinks of every position and move, and what people would have played.

use chess::{
    Moment,
    pgn::{self, GameError},
    shakmaty::san::SanPlus,
};
use engine::Score;
use thiserror::Error;
use tokio::sync::mpsc::Sender;

use super::{
    line::{PlayedMove, ReviewGame, ReviewLine, ReviewMove, ReviewPosition},
    people,
    score::{Judgement, WhiteScore, expectation},
};
use crate::play::{
    game::side::Side,
    minds::catalogue::{ENGINE, Minds},
    minds::search_pool::SearchResult,
    minds::turns::Asker,
    openings::Openings,
};

/// About a tenth of a second for each position, and the same judgement every time.
const NODES: u64 = 150_000;
const LONGEST_GAME: usize = 600;
/// Moves of the engine's line that are told.
const LINE_LENGTH: usize = 8;

/// A game to review.
#[derive(Debug)]
pub(crate) struct Reviewed {
    game: pgn::Game,
    /// Before each move, and after the last.
    moments: Vec<Moment>,
}

#[derive(Debug, Error)]
pub(crate) enum ReviewError {
    #[error("{}", told(.0))]
    Pgn(#[from] GameError),
    #[error("a game of more than {LONGEST_GAME} moves is too long")]
    TooLong,
}

/// A fault of a PGN as one tells it to whoever pasted it.
fn told(error: &GameError) -> String {
    match error {
        GameError::Empty | GameError::Syntax(_) => {
            "there is no game in this text; a game in PGN looks like: 1. e4 e5 2. Nf3 Nc6".to_owned()
        }
        GameError::Illegal { ply, san, .. } => {
            let dots = if ply % 2 == 1 { "." } else { "..." };
            format!("{}{dots} {san} cannot be played where it stands", ply.div_ceil(2))
        }
        other => other.to_string(),
    }
}

impl Reviewed {
    pub(crate) fn read(text: &str) -> Result<Reviewed, ReviewError> {
        let game = pgn::games(text.as_bytes()).next();
        let game = game.unwrap_or(Err(GameError::Empty))?;
        if game.moves.len() > LONGEST_GAME {
            return Err(ReviewError::TooLong);
        }
        Ok(Reviewed { moments: game.moments().collect(), game })
    }

    pub(crate) fn tags(&self) -> Vec<(String, String)> {
        self.game.tags.clone()
    }

    fn overview(&self) -> ReviewGame {
        let played = self.game.moves.iter().enumerate().map(|(ply, &m)| {
            let before = &self.moments[ply];
            PlayedMove {
                uci: before.uci(m),
                san: SanPlus::from_move(before.position.clone(), m).to_string(),
                fen: self.moments[ply + 1].fen(),
                left_ms: self.game.clocks_cs[ply].map(|cs| 10 * u64::from(cs)),
                spent_s: self.spent_s(ply),
            }
        });
        ReviewGame {
            tags: self.game.tags.clone(),
            start_fen: self.game.start.fen(),
            moves: played.collect(),
            score: self.game.outcome.to_string(),
            opening: Openings::shared().of_line(&self.game.start, self.game.moves.iter().copied()),
        }
    }

    /// Seconds that a move took, where both clocks are known.
    fn spent_s(&self, ply: usize) -> Option<f32> {
        let side = self.moments[ply].turn();
        let clocks = self.moments[ply].clocks?;
        let after = self.game.clocks_cs[ply]?;
        let spent_cs = i64::from(*clocks.left_cs.get(side)) + i64::from(*clocks.increment_cs.get(side))
            - i64::from(after);
        // The first moves are free, and give their increment all the same or not; neither says how long they took.
        (ply >= 2).then(|| spent_cs.max(0) as f32 / 100.0)
    }
}

/// Says everything about the game, line after line, until it is all said or nobody listens.
pub(crate) async fn review(
    minds: &Minds,
    asker: &Asker,
    reviewed: &Reviewed,
    own: Option<u16>,
    lines: &Sender<ReviewLine>,
) {
    if lines.send(ReviewLine::Game(reviewed.overview())).await.is_err() {
        return;
    }
    let mut before = None;
    for (ply, moment) in reviewed.moments.iter().enumerate() {
        let seen = evaluate(minds, asker, moment).await;
        if lines.send(ReviewLine::Position(position(ply, moment, &seen))).await.is_err() {
            return;
        }
        if let Some(before) = before.replace(seen.clone()) {
            let line = judged(minds, reviewed, own, ply - 1, &before, &seen).await;
            if lines.send(ReviewLine::Move(line)).await.is_err() {
                return;
            }
        }
    }
    // Whoever left does not need to know that it is done.
    drop(lines.send(ReviewLine::Done {}).await);
}

/// What the engine sees: for the side to move.
#[derive(Clone, Debug)]
struct Seen {
    score: Score,
    thought: SearchResult,
}

async fn evaluate(minds: &Minds, asker: &Asker, moment: &Moment) -> Seen {
    let ended = moment.ending().map(|end| match end.winner() {
        Some(_) => Score::mated(0),
        None => Score::Centipawns(0),
    });
    let thought = match ended {
        Some(_) => SearchResult::default(),
        None => {
            let thought = minds.searches.think_anew(asker, ENGINE, moment.clone(), NODES, 1).await;
            thought.unwrap_or_default()
        }
    };
    Seen { score: ended.or(thought.score).unwrap_or(Score::Centipawns(0)), thought }
}

fn position(ply: usize, moment: &Moment, seen: &Seen) -> ReviewPosition {
    let expected = expectation(seen.score);
    let mut at = moment.clone();
    let mut line = Vec::new();
    let moves = seen.thought.lines.first().map(|line| line.moves.as_slice()).unwrap_or_default();
    for &m in moves.iter().take(LINE_LENGTH) {
        line.push(SanPlus::from_move(at.position.clone(), m).to_string());
        at.play(m);
    }
    let winner = moment.ending().and_then(|ending| ending.winner());
    ReviewPosition {
        ply,
        score: match winner {
            Some(winner) => WhiteScore::Mated((!winner).into()),
            None => WhiteScore::new(seen.score, moment.turn()),
        },
        white: moment.turn().fold_wb(expected, 1.0 - expected),
        best: seen.thought.best.map(|m| moment.uci(m)),
        line,
    }
}

async fn judged(
    minds: &Minds,
    reviewed: &Reviewed,
    own: Option<u16>,
    ply: usize,
    before: &Seen,
    after: &Seen,
) -> ReviewMove {
    let moment = &reviewed.moments[ply];
    let played = reviewed.game.moves[ply];
    let (was, is) = (expectation(before.score), 1.0 - expectation(after.score));
    // The game says whose move it was better than the one who looks at it.
    let known = moment.players.and_then(|players| players.of(moment.turn()));
    let rated = known.or(own);
    let rated = rated.map(|rating| rating.clamp(600, 2600));
    let people = match minds.people() {
        Some(people) => Some(people::ask(people, moment, rated, Some(played)).await),
        None => None,
    };
    ReviewMove {
        ply,
        side: Side::from(moment.turn()),
        judgement: Judgement::of(was, is, before.thought.best == Some(played)),
        loss: (was - is).max(0.0),
        rating: rated,
        rating_known: known.is_some(),
        people,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::sync::mpsc;

    use super::*;
    use crate::play::minds::{catalogue::tests::minds, turns::Urgency};

    async fn lines_of(pgn: &str) -> Vec<Value> {
        let (lines, mut written) = mpsc::channel(1000);
        review(
            &minds(),
            &Asker::new("reader", Urgency::Review),
            &Reviewed::read(pgn).unwrap(),
            Some(1400),
            &lines,
        )
        .await;
        let mut all = Vec::new();
        while let Ok(line) = written.try_recv() {
            all.push(serde_json::to_value(line).unwrap());
        }
        all
    }

    #[tokio::test]
    async fn a_fools_mate_is_told_as_one() {
        let lines = lines_of("1. f3 e5 2. g4 Qh4# 0-1\n").await;
        let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
        let expected = ["game", "position"].into_iter().chain(["position", "move"].repeat(4)).chain(["done"]);
        assert!(kinds.iter().copied().eq(expected), "{kinds:?}");
        let moves: Vec<&Value> = lines.iter().filter(|line| line["type"] == "move").collect();
        assert_eq!(moves[2]["judgement"], "blunder");
        assert_eq!(moves[3]["judgement"], "best");
        let ratings = moves[0]["people"]["ratings"].as_array().unwrap();
        assert!(ratings.contains(&json!(1400)));
        let curves = moves[0]["people"]["moves"].as_array().unwrap();
        assert!(curves.iter().any(|curve| curve["san"] == "f3"), "the played move is always told");
        assert!(curves.iter().all(|curve| curve["chances"].as_array().unwrap().len() == ratings.len()));
        let last = &lines[lines.len() - 3];
        assert_eq!((&last["score"], &last["white"]), (&json!({ "mated": "white" }), &json!(0.0)));
    }

    #[test]
    fn what_is_no_game_is_refused() {
        for text in ["", "1. e5 *", "[FEN \"nonsense\"]\n\n1. e4 *"] {
            assert!(Reviewed::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn time_spent_comes_from_the_clocks() {
        let text = "[TimeControl \"60+2\"]\n\n1. e4 { [%clk 0:01:00] } e5 { [%clk 0:01:00] } 2. d4 { [%clk 0:00:52] } *\n";
        let reviewed = Reviewed::read(text).unwrap();
        assert_eq!([0, 1, 2].map(|ply| reviewed.spent_s(ply)), [None, None, Some(10.0)]);
    }
}
