//! One game between two players, from the opening to its record. Nothing a player does ends more than its game.

use std::{sync::atomic::AtomicBool, time::Duration};

use chess::{
    Claim, Ending, Moment,
    shakmaty::{ByColor, Color},
};
use engine::Score;

use super::{
    adjudication::Adjudication,
    book::Opening,
    clock::Clock,
    pace::Pace,
    player::{Failure, Patience, Player, Question, Thought},
    record::{End, Outcome, Played},
};

/// What holds for every game of a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) adjudication: Adjudication,
    pub(crate) patience: Patience,
}

/// A game that came to an end.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) outcome: Outcome,
    pub(crate) end: End,
    pub(crate) note: Option<String>,
    pub(crate) moves: Vec<Played>,
    /// The side whose player must be started anew.
    pub(crate) broken: Option<Color>,
}

/// The arena was stopped in the middle of the game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aborted;

/// Plays a game. Both players have been told that a new one begins.
pub(crate) fn play(
    players: ByColor<&mut dyn Player>,
    paces: &ByColor<Pace>,
    opening: &Opening,
    rules: &Rules,
    abort: &AtomicBool,
) -> Result<Finished, Aborted> {
    let mut game = Game::new(opening, paces);
    let ByColor { white, black } = players;
    loop {
        if let Some((outcome, end)) = game.ended(&rules.adjudication) {
            return Ok(game.finish(outcome, end, None, None));
        }
        let turn = game.moment.turn();
        let player: &mut dyn Player = turn.fold_wb(&mut *white, &mut *black);
        let question = Question {
            moment: &game.moment,
            start_fen: opening.start_fen.as_deref(),
            moves: &game.texts,
            clocks: game.clocks,
            rating: None,
            pace: paces.get(turn),
            patience: &rules.patience,
            abort,
        };
        let fault = match player.think(&question) {
            Ok(thought) if thought.resigns => {
                return Ok(game.finish(Outcome::won_by(!turn), End::Resigned, None, None));
            }
            Ok(thought) => game.accept(&thought, paces.get(turn), rules.patience.margin),
            Err(Failure::Aborted) => return Err(Aborted),
            Err(Failure::Hung) => Err(Fault { end: End::Hang, note: "no answer".to_owned() }),
            Err(failure) => Err(Fault { end: End::Crash, note: failure.to_string() }),
        };
        if let Err(Fault { end, note }) = fault {
            let broken = matches!(end, End::Hang | End::Crash | End::IllegalMove).then_some(turn);
            return Ok(game.finish(Outcome::won_by(!turn), end, Some(note), broken));
        }
    }
}

/// The loss of a player that never got ready for the game.
pub(crate) fn lost_before_the_first_move(side: Color, failure: &Failure, opening: &Opening) -> Finished {
    let end = if *failure == Failure::Hung { End::Hang } else { End::Crash };
    let game = Game::new(opening, &ByColor::default());
    game.finish(Outcome::won_by(!side), end, Some(failure.to_string()), Some(side))
}

struct Fault {
    end: End,
    note: String,
}

struct Game {
    moment: Moment,
    clocks: ByColor<Option<Clock>>,
    /// All moves in UCI notation, the opening's included.
    texts: Vec<String>,
    moves: Vec<Played>,
    /// For White, one for each move after the opening.
    scores: Vec<Option<Score>>,
}

impl Game {
    fn new(opening: &Opening, paces: &ByColor<Pace>) -> Game {
        Game {
            moment: opening.moment(),
            clocks: paces.map(|pace| pace.clock.map(Clock::start)),
            texts: opening.moves.clone(),
            moves: opening.moves.iter().map(|uci| Played::book(uci)).collect(),
            scores: Vec::new(),
        }
    }

    fn ended(&self, adjudication: &Adjudication) -> Option<(Outcome, End)> {
        if let Some(ending) = self.moment.ending() {
            let outcome = ending.winner().map_or(Outcome::Draw, Outcome::won_by);
            let end = match ending {
                Ending::Checkmate { .. } => End::Checkmate,
                Ending::Stalemate => End::Stalemate,
                Ending::InsufficientMaterial => End::InsufficientMaterial,
                Ending::FivefoldRepetition => End::Repetition,
                Ending::SeventyFiveMoves => End::FiftyMoves,
            };
            return Some((outcome, end));
        }
        match self.moment.claim() {
            Some(Claim::ThreefoldRepetition) => Some((Outcome::Draw, End::Repetition)),
            Some(Claim::FiftyMoves) => Some((Outcome::Draw, End::FiftyMoves)),
            None => adjudication.judge(&self.scores, self.moves.len()),
        }
    }

    /// Plays the move that a player answered with, if it came in time and is legal.
    fn accept(&mut self, thought: &Thought, pace: &Pace, margin: Duration) -> Result<(), Fault> {
        let turn = self.moment.turn();
        let late = |allowed: Duration| Fault {
            end: End::TimeForfeit,
            note: format!(
                "{} ms for a move with {} ms left",
                thought.elapsed.as_millis(),
                allowed.as_millis()
            ),
        };
        if let Some(time) = pace.move_time
            && thought.elapsed > time + margin
        {
            return Err(late(time));
        }
        if let Some(clock) = self.clocks.get_mut(turn) {
            let left = clock.left;
            clock.press(thought.elapsed, margin).map_err(|_| late(left))?;
        }
        let legal = self.moment.parse_uci(&thought.text);
        let m = legal.map_err(|error| Fault { end: End::IllegalMove, note: error.to_string() })?;
        let uci = self.moment.uci(m);
        let score = thought.score.map(|score| turn.fold_wb(score, score.flipped()));
        self.moves.push(Played {
            uci: uci.clone(),
            cp: score.and_then(centipawns),
            mate: score.and_then(Score::mate_in),
            clock_ms: self.clocks.get(turn).map(|clock| millis(clock.left)),
            think_ms: Some(millis(thought.elapsed)),
        });
        self.moment.play(m);
        self.texts.push(uci);
        self.scores.push(score);
        Ok(())
    }

    fn finish(self, outcome: Outcome, end: End, note: Option<String>, broken: Option<Color>) -> Finished {
        Finished { outcome, end, note, moves: self.moves, broken }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn centipawns(score: Score) -> Option<i32> {
    match score {
        Score::Centipawns(cp) => Some(cp),
        Score::Mates(_) | Score::Mated(_) => None,
    }
}

#[cfg(test)]
mod tests;
