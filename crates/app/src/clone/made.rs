//! From a person's games to her mind, and to what it is worth.

use std::{sync::Arc, time::Instant};

use chess::{Brain, Moment, Random, Wants};
use nets::{
    WeightError, WeightFile,
    human::{
        Choices, Habits, HumanConfig, Person,
        clone::{CloneSettings, Cloning, Lesson},
    },
};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

use super::{
    foresight::{Foresight, Interval, Mark, foresight, gains},
    games::{Own, OwnGame},
};

/// With fewer games nothing can be measured.
pub(crate) const FEWEST_GAMES: usize = 40;
/// Choices that are learned from at most; the latest ones.
const MOST_LESSONS: usize = 80_000;
/// Positions that are judged in one go.
const BATCH: usize = 256;
/// What the network's word may count for beside a person's own choices.
const PRIORS: [f32; 7] = [0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Times that the network goes through the games, at most; 0 for her own choices alone.
    pub(crate) epochs: usize,
    pub(crate) learning: CloneSettings,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { epochs: 4, learning: CloneSettings::default() }
    }
}

/// How much better a clone foresees its person than the network that it was made of, on games kept apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = CloneReport)]
pub(crate) struct Report {
    pub(crate) games: usize,
    pub(crate) moves: usize,
    pub(crate) held_out_games: usize,
    pub(crate) held_out_moves: usize,
    /// People of the person's rating.
    pub(crate) base: Foresight,
    /// The same with her own choices in positions that her games know.
    pub(crate) habits: Foresight,
    /// That with what the network learned.
    pub(crate) clone: Foresight,
    pub(crate) top1_gain: Interval,
    pub(crate) loss_gain: Interval,
    /// Times that the network went through the games; 0 where that made nothing better.
    pub(crate) epochs: usize,
    pub(crate) seconds: f64,
}

impl Report {
    /// Whether the clone foresees its person better than people of her rating do, beyond what chance may give.
    pub(crate) fn is_better(&self) -> bool {
        self.loss_gain.high < 0.0 && self.top1_gain.value > 0.0
    }
}

/// A clone and what it is worth.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) file: WeightFile,
    pub(crate) person: Person,
    pub(crate) report: Report,
}

#[derive(Debug, Error)]
pub(crate) enum CloneError {
    #[error("{0} has {1} games of ten plies and more here; a clone needs {FEWEST_GAMES}")]
    TooFew(String, usize),
    #[error(transparent)]
    Weights(#[from] WeightError),
}

/// Parts of a person's games: to learn from, to decide by, and kept apart.
struct Parts {
    learn: Vec<(usize, Lesson)>,
    decide: Vec<(usize, Lesson)>,
    apart: Vec<(usize, Lesson)>,
}

/// Makes a clone of the human network in `base`. `tell` hears of the share that is done.
pub(crate) fn make(
    base: &WeightFile,
    own: &Own,
    settings: Settings,
    tell: &mut dyn FnMut(f32),
) -> Result<Made, CloneError> {
    let began = Instant::now();
    if own.games.len() < FEWEST_GAMES {
        return Err(CloneError::TooFew(own.player.clone(), own.games.len()));
    }
    let mut cloning = Cloning::begin(base, settings.learning)?;
    let config = cloning.config().clone();
    let Parts { mut learn, decide, apart } = parts(own, settings.learning.seed);
    learn.drain(..learn.len().saturating_sub(MOST_LESSONS));
    let habits = Habits::of(choices(&learn), 1.0);
    // Progress by what takes time: positions that are learned from, and those that are judged at a third of the cost.
    let (learning, judging) = (learn.len() as f32, (decide.len() as f32) / 3.0);
    let all = settings.epochs as f32 * (learning + judging) + judging + apart.len() as f32;
    let mut done = 0.0;

    let plain = brain(&config, base)?;
    let told = policies(&*plain, &decide);
    let (mut best, mut chosen) = (blended(&decide, &told, &habits).loss, (base.clone(), 0));
    done += judging;
    tell(done / all);
    let lessons: Vec<&Lesson> = learn.iter().map(|(_, lesson)| lesson).collect();
    let mut worse = 0;
    for epoch in 1..=settings.epochs {
        cloning.epoch(&lessons, &mut |share| tell((done + share.min(1.0) * learning) / all));
        let now = cloning.now();
        let loss = blended(&decide, &policies(&*brain(&config, &now)?, &decide), &habits).loss;
        done += learning + judging;
        if loss < best {
            (best, chosen, worse) = (loss, (now, epoch), 0);
        } else {
            worse += 1;
        }
        // What got worse twice goes on to learn the games by heart.
        if worse == 2 {
            break;
        }
    }
    let (file, epochs) = chosen;
    let learned = brain(&config, &file)?;
    let told = policies(&*learned, &decide);
    let loss = |prior: &f32| blended(&decide, &told, &Habits { prior: *prior, ..habits.clone() }).loss;
    let losses: Vec<(f32, f64)> = PRIORS.iter().map(|prior| (*prior, loss(prior))).collect();
    let (prior, _) = losses.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are priors");

    let habits = Habits { prior, ..habits };
    let (base_told, clone_told) = (policies(&*plain, &apart), policies(&*learned, &apart));
    let alone = marks(&apart, &base_told, None);
    let clone = marks(&apart, &clone_told, Some(&habits));
    let [top1_gain, loss_gain] = gains(&clone, &alone, 1);
    let held_out_games = own.games.len() - count_games(&learn, &decide);
    let report = Report {
        games: own.games.len(),
        moves: learn.len() + decide.len() + apart.len(),
        held_out_games,
        held_out_moves: apart.len(),
        base: foresight(&alone),
        habits: foresight(&marks(&apart, &base_told, Some(&habits))),
        clone: foresight(&clone),
        top1_gain,
        loss_gain,
        epochs,
        seconds: began.elapsed().as_secs_f64(),
    };
    // Measured without them, it may know the choices of all games.
    let whole = Habits::of([&learn[..], &decide[..], &apart[..]].into_iter().flat_map(choices), prior);
    let person =
        Person { name: own.player.clone(), rating: own.rating, games: own.games.len() as u32, habits: whole };
    let mut file = file;
    set_person(&mut file, &person);
    set_figures(&mut file, &report);
    tell(1.0);
    Ok(Made { file, person, report })
}

/// A person's choices alone, without anything that a network would learn or that was measured.
pub(crate) fn habits_only(own: &Own) -> Person {
    let lessons: Vec<(usize, Lesson)> =
        own.games.iter().flat_map(OwnGame::lessons).map(|lesson| (0, lesson)).collect();
    Person {
        name: own.player.clone(),
        rating: own.rating,
        games: own.games.len() as u32,
        habits: Habits::of(choices(&lessons), Habits::default().prior),
    }
}

/// Makes the network in a file that of a person.
pub(crate) fn set_person(file: &mut WeightFile, person: &Person) {
    file.card.network["person"] = serde_json::to_value(person).expect("plain data");
}

fn set_figures(file: &mut WeightFile, report: &Report) {
    let figures = [
        ("held-out moves", report.held_out_moves as f64),
        ("top-1", report.clone.top1),
        ("top-1 of the base", report.base.top1),
        ("move loss", report.clone.loss),
        ("move loss of the base", report.base.loss),
    ];
    file.card.figures = figures.map(|(name, value)| (name.to_owned(), value)).into();
}

fn brain(config: &HumanConfig, file: &WeightFile) -> Result<Arc<dyn Brain>, WeightError> {
    let mut card = file.card.clone();
    let plain = HumanConfig { person: None, ..config.clone() };
    card.network = serde_json::to_value(plain).expect("plain configuration");
    nets::mind_of(&WeightFile { card, weights: file.weights.clone() })
}

/// A fifth of the games is kept apart, a tenth decides.
fn parts(own: &Own, seed: u64) -> Parts {
    let mut parts = Parts { learn: Vec::new(), decide: Vec::new(), apart: Vec::new() };
    let mut random = Random::keyed(seed, 0x9a2e);
    let mut order: Vec<usize> = (0..own.games.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &game)| place[game] = at);
    for (number, game) in own.games.iter().enumerate() {
        let part = match place[number] % 10 {
            0 | 5 => &mut parts.apart,
            3 => &mut parts.decide,
            _ => &mut parts.learn,
        };
        part.extend(game.lessons().into_iter().map(|lesson| (number, lesson)));
    }
    parts
}

fn count_games(learn: &[(usize, Lesson)], decide: &[(usize, Lesson)]) -> usize {
    let mut games: Vec<usize> = learn.iter().chain(decide).map(|(game, _)| *game).collect();
    games.dedup();
    games.sort_unstable();
    games.dedup();
    games.len()
}

fn choices(lessons: &[(usize, Lesson)]) -> impl Iterator<Item = (&Moment, chess::shakmaty::Move, usize)> {
    lessons.iter().map(|(_, lesson)| (&lesson.moment, lesson.played, lesson.ply))
}

fn policies(brain: &dyn Brain, lessons: &[(usize, Lesson)]) -> Vec<Vec<f32>> {
    let some = |some: &[(usize, Lesson)]| {
        let moments: Vec<Moment> = some.iter().map(|(_, lesson)| lesson.moment.clone()).collect();
        let opinions = brain.judge(&moments, Wants::POLICY);
        opinions.into_iter().map(|opinion| opinion.policy.unwrap_or_default()).collect::<Vec<_>>()
    };
    lessons.chunks(BATCH).flat_map(some).collect()
}

fn marks(lessons: &[(usize, Lesson)], policies: &[Vec<f32>], habits: Option<&Habits>) -> Vec<Mark> {
    let known = habits.map(Choices::of);
    let mark = |((game, lesson), policy): (&(usize, Lesson), &Vec<f32>)| {
        let mut policy = policy.clone();
        if let Some(known) = &known {
            known.blend(&lesson.moment, &mut policy);
        }
        let played = lesson.moment.legal_moves().iter().position(|&m| m == lesson.played);
        Mark::new(*game, &policy, played.unwrap_or(usize::MAX))
    };
    lessons.iter().zip(policies).map(mark).collect()
}

fn blended(lessons: &[(usize, Lesson)], policies: &[Vec<f32>], habits: &Habits) -> Foresight {
    foresight(&marks(lessons, policies, Some(habits)))
}
