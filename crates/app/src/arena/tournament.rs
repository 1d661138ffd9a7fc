//! Plays the games of a schedule on several threads, and hands each finished one to a single listener.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{Sender, channel},
    },
    time::Duration,
};

use anyhow::Context;
use chess::shakmaty::{ByColor, Color};

use data::date;

use super::{
    book::Opening,
    entrant::{Common, Entrant},
    game::{self, Finished, Rules},
    player::{Failure, Player},
    record::Record,
    schedule::{Fixture, Schedule},
};

/// An engine that broke down may need a moment before it starts again.
const RESTART_PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(3)];

#[derive(Debug)]
pub(crate) struct Tournament<'a> {
    pub(crate) entrants: &'a [Entrant],
    pub(crate) common: &'a Common,
    pub(crate) schedule: &'a Schedule,
    /// Round `n` plays opening `n`, from the beginning again when they are used up.
    pub(crate) openings: &'a [Opening],
    pub(crate) rules: &'a Rules,
    pub(crate) concurrency: usize,
    /// Ends everything: running games are dropped.
    pub(crate) abort: &'a AtomicBool,
}

/// What the listener wants after a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    Stop,
}

/// Players that wait for a game, by number.
type Bench = Mutex<Vec<Vec<Box<dyn Player>>>>;

impl Tournament<'_> {
    /// Plays `games` (numbers of the schedule). The listener is called on this thread, in the order in which
    /// games end; if it fails or stops, running games are dropped.
    pub(crate) fn run(
        &self,
        games: impl Iterator<Item = usize> + Send,
        mut listener: impl FnMut(Record) -> anyhow::Result<Next>,
    ) -> anyhow::Result<()> {
        let games = Mutex::new(games);
        let bench: Bench = Mutex::new(self.entrants.iter().map(|_| Vec::new()).collect());
        let (sender, finished) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency {
                let sender = sender.clone();
                scope.spawn(|| self.work(&games, &bench, sender));
            }
            drop(sender);
            let mut result = Ok(());
            for record in finished {
                // After an abort only what has been finished still arrives.
                let next = match result {
                    Ok(()) => record.and_then(&mut listener),
                    Err(_) => continue,
                };
                if !matches!(next, Ok(Next::GoOn)) {
                    self.abort.store(true, Ordering::Relaxed);
                }
                result = next.map(|_| ());
            }
            result
        })
    }

    fn work(
        &self,
        games: &Mutex<impl Iterator<Item = usize>>,
        bench: &Bench,
        sender: Sender<anyhow::Result<Record>>,
    ) {
        while !self.abort.load(Ordering::Relaxed) {
            let Some(game) = games.lock().expect("no worker panics").next() else { return };
            let played = self.play(self.schedule.fixture(game), bench).transpose();
            let Some(played) = played else { return };
            if sender.send(played).is_err() {
                return;
            }
        }
    }

    /// `None` if the arena is being stopped.
    fn play(&self, fixture: Fixture, bench: &Bench) -> anyhow::Result<Option<Record>> {
        let opening = &self.openings[fixture.round % self.openings.len()];
        let numbers = ByColor { white: fixture.white, black: fixture.black };
        let entrants = numbers.map(|number| &self.entrants[number]);
        let (white, black) = match (self.take(fixture.white, bench), self.take(fixture.black, bench)) {
            // A start that was cut short by an abort says nothing about the player.
            (Err(_), _) | (_, Err(_)) if self.abort.load(Ordering::Relaxed) => return Ok(None),
            (white, black) => (white?, black?),
        };
        let mut players = ByColor { white, black };
        let mut finished = None;
        for color in Color::ALL {
            match players.get_mut(color).new_game(self.abort) {
                Ok(()) => {}
                Err(Failure::Aborted) => return Ok(None),
                Err(failure) => finished = Some(game::lost_before_the_first_move(color, &failure, opening)),
            }
        }
        if finished.is_none() {
            let ByColor { white, black } = &mut players;
            let both = ByColor { white: &mut **white as &mut dyn Player, black: &mut **black };
            let paces = entrants.map(|entrant| entrant.pace);
            finished = game::play(both, &paces, opening, self.rules, self.abort).ok();
        }
        let Some(finished) = finished else { return Ok(None) };
        for (color, player) in [(Color::White, players.white), (Color::Black, players.black)] {
            if finished.broken != Some(color) {
                bench.lock().expect("no worker panics")[*numbers.get(color)].push(player);
            }
        }
        Ok(Some(self.record(fixture, entrants, opening, finished)))
    }

    /// A waiting player, or a new one.
    fn take(&self, number: usize, bench: &Bench) -> anyhow::Result<Box<dyn Player>> {
        if let Some(player) = bench.lock().expect("no worker panics")[number].pop() {
            return Ok(player);
        }
        let entrant = &self.entrants[number];
        let mut result = entrant.start(self.common, self.abort);
        for pause in RESTART_PAUSES {
            if result.is_err() && !self.abort.load(Ordering::Relaxed) {
                std::thread::sleep(pause);
                result = entrant.start(self.common, self.abort);
            }
        }
        result.with_context(|| format!("{} cannot be started", entrant.name))
    }

    fn record(
        &self,
        fixture: Fixture,
        entrants: ByColor<&Entrant>,
        opening: &Opening,
        finished: Finished,
    ) -> Record {
        Record {
            game: fixture.game,
            round: fixture.round_tag(),
            date: date::day_of(date::now_s()),
            white: entrants.white.name.clone(),
            black: entrants.black.name.clone(),
            pace: [entrants.white.pace.to_string(), entrants.black.pace.to_string()],
            chess960: self.common.chess960,
            start_fen: opening.start_fen.clone(),
            outcome: finished.outcome,
            end: finished.end,
            note: finished.note,
            moves: finished.moves,
        }
    }
}
