//! The games of a generation, side by side: all that wait for the same mind are thought about at once.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicBool, Ordering},
};

use chess::{
    Moment, Random,
    pgn::{Eval, Game},
    shakmaty::{Color, KnownOutcome, Move, Outcome},
};
use engine::{
    Score,
    puct::{GameTree, Seat, Simul, Visited},
};

use super::config::GamesConfig;
use crate::arena::book::Opening;

/// The newest mind, and the earlier one that it meets in some games.
pub(super) struct Players<'a> {
    pub(super) newest: &'a Simul,
    pub(super) earlier: Option<&'a Simul>,
}

/// A game that is to be played.
#[derive(Clone, Debug)]
pub(super) struct Fixture {
    pub(super) number: usize,
    pub(super) opening: Opening,
    /// The colour of the earlier mind, if it plays.
    pub(super) earlier: Option<Color>,
    pub(super) random: Random,
}

/// A game that was played.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) number: usize,
    pub(super) earlier: Option<Color>,
    /// Without tags.
    pub(super) game: Game,
}

struct Table {
    fixture: Fixture,
    moment: Moment,
    game: Game,
    /// Of White and Black; the newest mind against itself has one.
    trees: [GameTree; 2],
    plies: usize,
}

/// Plays all games. Each is told when it is over; `stop` ends the work between two moves.
pub(super) fn play(
    players: &Players<'_>,
    fixtures: Vec<Fixture>,
    config: &GamesConfig,
    stop: &AtomicBool,
    mut tell: impl FnMut(Played) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut waiting: VecDeque<Fixture> = fixtures.into();
    let mut tables: Vec<Table> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        while tables.len() < config.at_once {
            let Some(fixture) = waiting.pop_front() else { break };
            tables.push(Table::new(fixture));
        }
        let (over, going): (Vec<Table>, Vec<Table>) =
            tables.into_iter().partition(|table| table.result(config).is_some());
        tables = going;
        for table in over {
            tell(table.finish(config))?;
        }
        if tables.is_empty() && waiting.is_empty() {
            break;
        }
        step(players.newest, tables.iter_mut().filter(|table| !table.waits_for_earlier()), config);
        if let Some(earlier) = players.earlier {
            step(earlier, tables.iter_mut().filter(|table| table.waits_for_earlier()), config);
        }
    }
    Ok(())
}

/// One move in each of the games.
fn step<'a>(mind: &Simul, tables: impl Iterator<Item = &'a mut Table>, config: &GamesConfig) {
    let mut tables: Vec<&mut Table> = tables.collect();
    if tables.is_empty() {
        return;
    }
    let mut seats: Vec<Seat<'_>> = tables.iter_mut().map(|table| table.seat()).collect();
    let found = mind.think(&mut seats);
    for (table, found) in tables.into_iter().zip(found) {
        table.play(&found, config);
    }
}

impl Table {
    fn new(fixture: Fixture) -> Table {
        let start = fixture.opening.start();
        let mut table = Table {
            moment: start.clone(),
            game: Game::new(start),
            trees: <[GameTree; 2]>::default(),
            plies: 0,
            fixture,
        };
        for uci in table.fixture.opening.moves.clone() {
            let m = table.moment.parse_uci(&uci).expect("openings are legal");
            table.push(m, None);
        }
        table
    }

    fn waits_for_earlier(&self) -> bool {
        self.fixture.earlier == Some(self.moment.turn())
    }

    fn seat(&mut self) -> Seat<'_> {
        let own = self.fixture.earlier.is_some() && self.moment.turn() == Color::Black;
        Seat {
            moment: &self.moment,
            tree: &mut self.trees[usize::from(own)],
            random: &mut self.fixture.random,
        }
    }

    fn play(&mut self, found: &Visited, config: &GamesConfig) {
        let m = match self.plies < config.drawn_plies {
            true => drawn(found, &mut self.fixture.random),
            false => found.moves[0].0,
        };
        let score = self.moment.turn().fold_wb(found.score, found.score.flipped());
        let eval = match score {
            Score::Centipawns(centipawns) => Eval::Centipawns(centipawns),
            mate => Eval::Mate(mate.mate_in().unwrap_or(0)),
        };
        self.push(m, Some(eval));
        self.plies += 1;
    }

    fn push(&mut self, m: Move, eval: Option<Eval>) {
        self.moment.play(m);
        self.game.push(m, None, eval);
    }

    /// The result, if the game is over or too long. Draws that could be claimed are.
    fn result(&self, config: &GamesConfig) -> Option<KnownOutcome> {
        if let Some(ending) = self.moment.ending() {
            return Some(match ending.winner() {
                Some(winner) => KnownOutcome::Decisive { winner },
                None => KnownOutcome::Draw,
            });
        }
        let drawn = self.moment.claim().is_some() || self.game.moves.len() >= config.longest_plies;
        drawn.then_some(KnownOutcome::Draw)
    }

    fn finish(mut self, config: &GamesConfig) -> Played {
        self.game.outcome = Outcome::Known(self.result(config).expect("a game that is over"));
        Played { number: self.fixture.number, earlier: self.fixture.earlier, game: self.game }
    }
}

/// A move by the number of its visits; a proven win is played.
fn drawn(found: &Visited, random: &mut Random) -> Move {
    let all: u32 = found.moves.iter().map(|(_, visits)| visits).sum();
    if all == 0 || matches!(found.score, Score::Mates(_)) {
        return found.moves[0].0;
    }
    let mut left = random.below(all as usize) as u32;
    for &(m, visits) in &found.moves {
        if left < visits {
            return m;
        }
        left -= visits;
    }
    unreachable!("a number below the sum of all visits")
}
