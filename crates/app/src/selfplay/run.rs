//! A run of self-play: a folder with a folder for each generation, which holds its weights and its games. What is there already is not
//! made again, so that a run that was ended at any moment goes on.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use anyhow::{Context, ensure};
use chess::{
    Brain, Random,
    shakmaty::{CastlingMode, Color, KnownOutcome, Outcome},
};
use data::{date, durable};
use engine::puct::Simul;
use nets::WeightFile;

use super::{
    config::SelfplayConfig,
    games::{self, Fixture, Played, Players},
    learning,
    pgn_file::PgnFile,
};
use crate::{
    arena::book::{Book, Opening},
    embedded,
    terminal::progress::bar,
};

const WEIGHTS: &str = "weights.safetensors";
const GAMES: &str = "games.pgn";

pub(crate) struct Run<'a> {
    pub(crate) config: &'a SelfplayConfig,
    pub(crate) out: &'a Path,
    pub(crate) stop: &'a Arc<AtomicBool>,
}

/// What became of the games of a generation.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) games: usize,
    pub(crate) plies: usize,
    /// White wins, draws, Black wins.
    pub(crate) results: [usize; 3],
    /// Of the newest mind against its past: wins, draws, losses.
    pub(crate) against_past: [usize; 3],
    pub(crate) seconds: f64,
}

impl Run<'_> {
    /// `tell` hears of the games that each generation played in this run of the program.
    pub(crate) fn go(&self, mut tell: impl FnMut(usize, &Tally)) -> anyhow::Result<()> {
        let openings = self.openings()?;
        self.begin()?;
        for generation in 0..self.config.generations {
            if self.weights(generation + 1).exists() {
                continue;
            }
            let tally = self.play(generation, &openings)?;
            tell(generation, &tally);
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            self.learn(generation)?;
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    }

    fn folder(&self, generation: usize) -> PathBuf {
        self.out.join(format!("{generation:04}"))
    }

    fn weights(&self, generation: usize) -> PathBuf {
        self.folder(generation).join(WEIGHTS)
    }

    fn openings(&self) -> anyhow::Result<Vec<Opening>> {
        let book = match &self.config.games.book {
            Some(path) => Book::read(path, None, CastlingMode::Standard)?,
            None => Book::own(CastlingMode::Standard),
        };
        ensure!(!book.openings.is_empty(), "the book has no openings");
        Ok(book.openings)
    }

    /// Puts the first weights in their place. A folder that was begun otherwise is refused.
    fn begin(&self) -> anyhow::Result<()> {
        let (file, text) = (self.out.join("config.toml"), toml::to_string(self.config)?);
        fs::create_dir_all(self.folder(0)).with_context(|| self.out.display().to_string())?;
        if let Ok(begun) = fs::read_to_string(&file) {
            let begun = SelfplayConfig::parse(&begun).with_context(|| file.display().to_string())?;
            let same = SelfplayConfig { generations: self.config.generations, ..begun } == *self.config;
            ensure!(
                same,
                "`{}` was begun with other settings; only `generations` may change",
                self.out.display()
            );
        }
        durable::write(&file, text.as_bytes()).with_context(|| file.display().to_string())?;
        let first = self.weights(0);
        if first.exists() {
            return Ok(());
        }
        let start = &self.config.start;
        let known = embedded::WEIGHTS.iter().find(|weights| weights.name == start);
        let bytes = match known {
            Some(weights) => weights.bytes.to_vec(),
            None => fs::read(start).with_context(|| {
                format!("`{start}` is no mind that comes with the program, and no file of weights")
            })?,
        };
        learning::run_config(&WeightFile::from_bytes(&bytes)?, &self.config.learn.train)?;
        durable::write(&first, &bytes).with_context(|| first.display().to_string())
    }

    fn simul(&self, generation: usize) -> anyhow::Result<Simul> {
        let path = self.weights(generation);
        let brain: Arc<dyn Brain> = nets::load(&path)?;
        let traits = brain.traits();
        let able = traits.policy.is_some() && traits.value;
        ensure!(able, "the network in {} has no policy and no value to play with", path.display());
        Ok(Simul::new(brain, self.config.games.simul()))
    }

    fn play(&self, generation: usize, openings: &[Opening]) -> anyhow::Result<Tally> {
        let path = self.folder(generation).join(GAMES);
        let mut file = PgnFile::open(&path).with_context(|| path.display().to_string())?;
        let mut random = Random::keyed(self.config.seed, generation as u64);
        // One earlier mind a generation, so that its batches are full as well.
        let earlier = (generation > 0 && self.config.games.past > 0.0).then(|| random.below(generation));
        let left: Vec<Fixture> = (0..self.config.games.count)
            .map(|number| self.fixture(generation, number, earlier.is_some(), openings))
            .filter(|fixture| !file.rounds.contains(&round(generation, fixture.number)))
            .collect();
        let mut tally = Tally::default();
        if left.is_empty() {
            return Ok(tally);
        }
        let newest = self.simul(generation)?;
        let past = earlier.map(|earlier| self.simul(earlier)).transpose()?;
        let players = Players { newest: &newest, earlier: past.as_ref() };
        let bar = bar(Some(left.len() as u64), "{bar:24} {pos}/{len} games  {elapsed}  left {eta}");
        let began = Instant::now();
        games::play(&players, left, &self.config.games, self.stop, |played| {
            tally.add(&played);
            bar.inc(1);
            file.push(&tagged(played, generation, earlier).game).with_context(|| path.display().to_string())
        })?;
        file.sync().with_context(|| path.display().to_string())?;
        bar.finish_and_clear();
        tally.seconds = began.elapsed().as_secs_f64();
        Ok(tally)
    }

    fn fixture(&self, generation: usize, number: usize, past: bool, openings: &[Opening]) -> Fixture {
        let mut random = Random::keyed(self.config.seed, ((generation as u64) << 32) | (number as u64 + 1));
        let opening = openings[random.below(openings.len())].clone();
        let meets_past = past && random.chance(self.config.games.past);
        let color = if random.chance(0.5) { Color::White } else { Color::Black };
        Fixture { number, opening, earlier: meets_past.then_some(color), random }
    }

    fn learn(&self, generation: usize) -> anyhow::Result<()> {
        let first = (generation + 1).saturating_sub(self.config.learn.generations);
        let games: Vec<PathBuf> = (first..=generation).map(|past| self.folder(past).join(GAMES)).collect();
        let next = self.folder(generation + 1);
        fs::create_dir_all(&next).with_context(|| next.display().to_string())?;
        let (from, to) = (self.weights(generation), self.weights(generation + 1));
        learning::learn(&from, &games, &self.config.learn.train, &next, &to, self.stop)
    }
}

impl Tally {
    fn add(&mut self, played: &Played) {
        let winner = match played.game.outcome {
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner),
            _ => None,
        };
        self.games += 1;
        self.plies += played.game.moves.len();
        let place = |winner: Option<Color>, us: Color| match winner {
            None => 1,
            Some(winner) if winner == us => 0,
            Some(_) => 2,
        };
        self.results[place(winner, Color::White)] += 1;
        if let Some(earlier) = played.earlier {
            self.against_past[place(winner, !earlier)] += 1;
        }
    }
}

fn round(generation: usize, number: usize) -> String {
    format!("{generation}.{}", number + 1)
}

fn tagged(mut played: Played, generation: usize, earlier: Option<usize>) -> Played {
    let name = |color: Color| match played.earlier == Some(color) {
        true => format!("generation {}", earlier.unwrap_or(generation)),
        false => format!("generation {generation}"),
    };
    let (white, black) = (name(Color::White), name(Color::Black));
    let game = &mut played.game;
    game.set_tag("Event", "Tabiya self-play");
    game.set_tag("Date", date::day_of(date::now_s()));
    game.set_tag("Round", round(generation, played.number));
    game.set_tag("White", white);
    game.set_tag("Black", black);
    game.set_tag("TimeControl", "-");
    played
}
