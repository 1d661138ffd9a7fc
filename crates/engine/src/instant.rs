//! No tree: the mind is asked once, and one of the moves it names is played. The human mind's normal way to play.

mod draw;
#[cfg(test)]
mod tests;
mod value;

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time,
};

pub use self::draw::temper;

use chess::{
    Brain, Moment, Opinion, Random, Wants, search_name,
    shakmaty::{Move, Position},
};

use crate::{
    Bound, Choice, Info, Score, Search, SearchEntry, Settings, Task, TimeBudget,
    blunder_guard::{BlunderGuard, Question},
    chances::{even_money, score_of},
    human::{Effort, Guard, Mood, level_temperature, think_time},
};

/// Vetoes after which the guard names the move itself.
const MOST_VETOES: usize = 12;

pub(crate) const ENTRY: SearchEntry = SearchEntry {
    name: search_name::INSTANT,
    about: "No tree: one of the moves that the mind names, drawn by its chances.",
    needs: Wants::POLICY,
    at_once: true,
    make: |brain, settings| {
        let mut search = Instant::new(brain);
        search.configure(&settings);
        Box::new(search)
    },
};

pub struct Instant {
    brain: Arc<dyn Brain>,
    settings: Settings,
    mood: Mood,
    seed: u64,
}

/// A move that may be played, and the chance that the mind gives it.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    m: Move,
    chance: f32,
}

impl Instant {
    pub fn new(brain: Arc<dyn Brain>) -> Instant {
        let settings = Settings::default();
        Instant { brain, settings, mood: Mood::default(), seed: fresh_seed() }
    }

    /// Numbers that depend on the seed and the moment alone, so that a game can be taken up anywhere.
    fn random(&self, moment: &Moment) -> Random {
        let visit = moment.past.repetitions() as u64;
        let number = u64::from(moment.position.fullmoves().get());
        Random::keyed(self.seed, moment.past.key().wrapping_add(number << 8 | visit))
    }

    /// The mind's opinion; one that thinks as long as it is told has the time that the clock allows for.
    fn ask(&self, moment: &Moment, task: &Task<'_>, started: time::Instant) -> Opinion {
        let ask = |effort: u32| {
            let wants = Wants { effort, ..Wants::ALL };
            self.brain.judge(std::slice::from_ref(moment), wants).pop().unwrap_or_default()
        };
        let mut opinion = ask(0);
        let most = self.brain.traits().most_effort;
        let budget = TimeBudget::new(moment, &task.limits, self.settings.move_overhead_ms);
        let Some(allowed) = budget.soft.or(budget.hard).filter(|_| moment.legal_moves().len() > 1) else {
            return opinion;
        };
        // The next thought may take up to four times as long as the one before.
        const NEXT: u32 = 4;
        let mut last = started.elapsed();
        for effort in 1..=most {
            if task.signals.is_stopped() || started.elapsed() + NEXT * last > allowed {
                break;
            }
            let begun = time::Instant::now();
            opinion = ask(effort);
            last = begun.elapsed();
        }
        opinion
    }

    /// Draws until the guard has nothing against the move. Also what the guard thinks the position is worth, if the mind itself
    /// has no word on that.
    fn draw(
        &self,
        moment: &Moment,
        candidates: &[Candidate],
        random: &mut Random,
        task: &Task<'_>,
        started: time::Instant,
        has_value: bool,
    ) -> (Move, Option<Score>) {
        let Settings { human, move_overhead_ms, .. } = &self.settings;
        // Where there is no choice there is nothing to guard.
        let guarded = human.guard != Guard::Off && (candidates.len() > 1 || !has_value);
        let effort = Effort::within(moment, &task.limits, *move_overhead_ms).filter(|_| guarded);
        let hard = TimeBudget::new(moment, &task.limits, *move_overhead_ms).hard;
        let deadline = hard.map(|hard| task.signals.clock_started(started) + hard);
        let mut guard = effort.and_then(|_| BlunderGuard::take(deadline));
        let mut check = guard.as_mut().zip(effort).and_then(|(guard, effort)| {
            let only = &task.limits.search_moves;
            guard.check(Question { moment, only, signals: task.signals, effort, deadline }, human)
        });
        let score = check.as_mut().filter(|_| !has_value).and_then(|check| Some(check.best()?.1));
        let temperature = human.temperature * level_temperature(human.rating);
        let mut chances: Vec<f32> = candidates.iter().map(|candidate| candidate.chance).collect();
        for _ in 0..MOST_VETOES {
            let weights = draw::temper(&chances, temperature, human.top_p);
            let Some(index) = draw::draw(&weights, random.part()) else { break };
            let Some(check) = &mut check else { return (candidates[index].m, score) };
            if !check.vetoes(candidates[index].m) {
                return (candidates[index].m, score);
            }
            if check.is_exhausted() {
                break;
            }
            chances[index] = 0.0;
        }
        let best = check.and_then(|mut check| Some(check.best()?.0));
        (best.unwrap_or(candidates[0].m), score)
    }

    /// One line for the move that is played, or, where several are wanted, for the likeliest, each with its own score.
    fn tell(&self, seen: &Moment, candidates: &[Candidate], played: Move, word: Info, task: Task<'_>) {
        let mut told: Vec<&Candidate> = candidates.iter().collect();
        match self.settings.multipv {
            1 => told.retain(|candidate| candidate.m == played),
            _ => told.sort_by(|a, b| b.chance.total_cmp(&a.chance)),
        }
        told.truncate(self.settings.multipv);
        let moves: Vec<Move> = told.iter().map(|candidate| candidate.m).collect();
        let scores = match word.wdl {
            Some(_) if moves.len() > 1 => value::after(&*self.brain, seen, &moves),
            _ => vec![None; moves.len()],
        };
        for (rank, (candidate, score)) in told.into_iter().zip(scores).enumerate() {
            let line = match word.line.first() {
                Some(&first) if first == candidate.m => word.line.clone(),
                _ => vec![candidate.m],
            };
            let chance = Some(candidate.chance);
            let score = score.unwrap_or(word.score);
            (task.report)(&Info { multipv: rank + 1, score, chance, line, ..word.clone() });
        }
    }
}

impl Search for Instant {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let started = time::Instant::now();
        let seen = self.settings.human.seat(moment, moment.turn());
        if seen.legal_moves().is_empty() {
            return Choice::default();
        }
        let opinion = self.ask(&seen, &task, started);
        let candidates = candidates(&seen, &opinion, &task);
        if candidates.is_empty() {
            return Choice::default();
        }
        let mut random = self.random(&seen);
        let (best, guard_score) =
            self.draw(&seen, &candidates, &mut random, &task, started, opinion.wdl.is_some());
        let Settings { human, move_overhead_ms, .. } = &self.settings;
        let think = opinion.think.as_ref().filter(|_| human.timing);
        let think =
            think.and_then(|think| think_time(think, &seen, &task.limits, *move_overhead_ms, &mut random));
        // With hardly any time left the mind is asked once and no more: what it says then owes much to the clock, and changes no mood.
        let hurried = Effort::within(&seen, &task.limits, *move_overhead_ms).is_none();
        let wdl = if hurried { opinion.wdl } else { value::chances(&*self.brain, &seen, &opinion) };
        if let Some(wdl) = wdl.or(guard_score.map(even_money)).filter(|_| !hurried) {
            self.mood.feel(wdl, human.rating);
        }
        let score = wdl.map(score_of).or(guard_score);
        let ponder = opinion.line.get(1).copied().filter(|_| opinion.line.first() == Some(&best));
        let word = Info { wdl, ..word(&opinion, score, started) };
        self.tell(&seen, &candidates, best, word, task);
        Choice {
            best: Some(best),
            ponder,
            score,
            nodes: 1,
            think,
            resigns: self.mood.resigns(&self.settings.human),
            offers_draw: self.mood.offers_draw(&seen, &self.settings.human),
            ..Choice::default()
        }
    }

    fn configure(&mut self, settings: &Settings) {
        if settings.human.seed != self.settings.human.seed {
            self.seed = settings.human.seed.unwrap_or_else(fresh_seed);
        }
        self.settings = settings.clone();
    }

    fn new_game(&mut self) {
        self.mood = Mood::default();
        self.seed = self.settings.human.seed.unwrap_or_else(fresh_seed);
    }
}

/// The legal moves that the task allows, with sound chances.
fn candidates(moment: &Moment, opinion: &Opinion, task: &Task<'_>) -> Vec<Candidate> {
    let legal = moment.legal_moves();
    let given = opinion.policy.as_ref().filter(|policy| policy.len() == legal.len());
    let policy = given.map_or_else(|| vec![0.0; legal.len()], Clone::clone);
    let wanted = &task.limits.search_moves;
    let allowed = |m: &Move| wanted.is_empty() || wanted.contains(m);
    let (moves, chances): (Vec<Move>, Vec<f32>) =
        legal.into_iter().zip(policy).filter(|(m, _)| allowed(m)).unzip();
    let chances = draw::sound(chances);
    moves.into_iter().zip(chances).map(|(m, chance)| Candidate { m, chance }).collect()
}

/// What every line of thinking aloud has in common; `line` is the one that the mind expects.
fn word(opinion: &Opinion, score: Option<Score>, started: time::Instant) -> Info {
    Info {
        depth: 1,
        seldepth: opinion.line.len().max(1) as u32,
        multipv: 1,
        score: score.unwrap_or(Score::Centipawns(0)),
        bound: Bound::Exact,
        wdl: opinion.wdl,
        nodes: 1,
        time: started.elapsed(),
        hashfull: 0,
        tbhits: 0,
        chance: None,
        line: opinion.line.clone(),
        current: None,
        remark: None,
    }
}

/// A number that nobody can foretell.
fn fresh_seed() -> u64 {
    RandomState::new().hash_one(0)
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instant with seed {}", self.seed)
    }
}
