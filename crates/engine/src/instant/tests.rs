//! How the instant search plays, tried with minds that are easy to read.

use std::sync::atomic::{AtomicUsize, Ordering};

use chess::{
    Clocks, Evaluated, MoveScores, ThinkTime, Traits,
    shakmaty::{ByColor, CastlingMode, Chess},
};
use proptest::prelude::*;

use super::*;
use crate::{
    HumanSettings, Limits, Signals,
    testing::{Whim, random_game, traits},
};

/// Wants one move above all, and thinks little of the others.
struct Prefers(&'static str, Traits);

fn prefers(m: &'static str) -> Prefers {
    Prefers(m, traits(Some(MoveScores::Chances), true))
}

impl Brain for Prefers {
    fn traits(&self) -> &Traits {
        &self.1
    }

    fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
        let opinion = |moment: &Moment| {
            let legal = moment.legal_moves();
            let policy = legal.iter().map(|&m| if moment.uci(m) == self.0 { 1.0 } else { 1e-4 }).collect();
            let think = ThinkTime::from_weights(&[0.0, 1.0, 5.0], &[1.0, 1.0]);
            let wdl = chess::Wdl::from_weights(0.0, 0.0, 1.0);
            Opinion { policy: Some(policy), wdl: Some(wdl), think: Some(think), line: Vec::new() }
        };
        moments.iter().map(opinion).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

fn search(brain: impl Brain + 'static, human: HumanSettings) -> Instant {
    let mut search = Instant::new(Arc::new(brain));
    search.configure(&Settings { human, ..Settings::default() });
    search
}

fn ask(search: &mut Instant, moment: &Moment, limits: Limits) -> Choice {
    search.choose(moment, Task { limits, signals: &Signals::new(), report: &mut |_| {} })
}

fn unguarded() -> HumanSettings {
    HumanSettings { guard: Guard::Off, seed: Some(7), ..HumanSettings::default() }
}

/// White to move; g2g4 allows Qh4 mate, and f2f3 has been played.
fn before_fools_mate() -> Moment {
    Moment::default().after_uci(["f2f3", "e7e5"]).unwrap()
}

#[test]
fn the_guard_vetoes_a_mate_in_one_for_a_strong_player_and_lets_a_weak_one_err() {
    let play = |guard, rating| {
        let settings = HumanSettings { guard, rating, temperature: 0.0, ..unguarded() };
        let moment = before_fools_mate();
        let best = ask(&mut search(prefers("g2g4"), settings), &moment, Limits::nodes(1)).best.unwrap();
        moment.uci(best)
    };
    assert_eq!(play(Guard::Off, 2400), "g2g4");
    assert_ne!(play(Guard::Human, 2400), "g2g4");
    assert_ne!(play(Guard::Strict, 1100), "g2g4");
    assert_eq!(play(Guard::Human, 700), "g2g4");
}

#[test]
fn the_guard_lets_sound_moves_pass() {
    for wanted in ["d2d4", "b1c3", "e2e4"] {
        let settings = HumanSettings { guard: Guard::Strict, rating: 2000, temperature: 0.0, ..unguarded() };
        let best = ask(&mut search(prefers(wanted), settings), &before_fools_mate(), Limits::nodes(1)).best;
        assert_eq!(before_fools_mate().uci(best.unwrap()), wanted);
    }
}

#[test]
fn a_single_legal_move_is_played_however_bad() {
    let moment = Moment::from_fen("7k/8/8/8/8/7q/5r2/7K w - - 0 1", CastlingMode::Standard).unwrap();
    assert_eq!(moment.legal_moves().len(), 1);
    let settings = HumanSettings { guard: Guard::Strict, rating: 2600, ..unguarded() };
    assert!(ask(&mut search(Whim::default(), settings), &moment, Limits::nodes(1)).best.is_some());
}

#[test]
fn lines_tell_the_chances_and_the_score_of_the_mind() {
    let mut told = Vec::new();
    let mut search = search(prefers("d2d4"), unguarded());
    for multipv in [1, 3] {
        search.settings.multipv = multipv;
        let mut report = |info: &Info| told.push((info.multipv, info.chance, info.score, info.line.clone()));
        let task = Task { limits: Limits::nodes(1), signals: &Signals::new(), report: &mut report };
        search.choose(&Moment::default(), task);
    }
    assert_eq!(told.iter().map(|line| line.0).collect::<Vec<_>>(), [1, 1, 2, 3]);
    assert_eq!((told[0].1, told[0].2), (Some(1.0), Score::Centipawns(-1500)), "the worth of the position");
    // This mind takes whoever is to move for lost.
    assert!(told[1..].iter().all(|line| line.2 == Score::Centipawns(1500)), "each move's own worth");
    assert_eq!(Moment::default().uci(told[1].3[0]), "d2d4");
}

#[test]
fn a_lost_game_is_given_up_and_think_time_told_only_when_asked_for() {
    let mut person = search(prefers("d2d4"), HumanSettings { resigns: true, timing: true, ..unguarded() });
    let moment = Moment { clocks: Some(chess::Clocks::start(300, 0)), ..Moment::default() };
    let choices: Vec<Choice> = (0..4).map(|_| ask(&mut person, &moment, Limits::clock())).collect();
    assert_eq!(choices.iter().map(|choice| choice.resigns).collect::<Vec<_>>(), [false, false, true, true]);
    assert!(choices[0].think.is_some());
    person.new_game();
    assert!(!ask(&mut person, &moment, Limits::clock()).resigns);
    let silent = ask(&mut search(prefers("d2d4"), unguarded()), &moment, Limits::clock());
    assert_eq!((silent.think, silent.resigns), (None, false));
}

#[test]
fn moves_are_drawn_as_often_as_the_mind_gives_them_chances() {
    struct Even(Traits);
    impl Brain for Even {
        fn traits(&self) -> &Traits {
            &self.0
        }

        fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
            let even = |moment: &Moment| vec![0.05; moment.legal_moves().len()];
            moments
                .iter()
                .map(|moment| Opinion { policy: Some(even(moment)), ..Opinion::default() })
                .collect()
        }

        fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
            Evaluated::by_judging(self, positions, wants)
        }

        fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
            None
        }
    }
    let mut counts = std::collections::HashMap::new();
    for seed in 0..2000 {
        let mut search = search(
            Even(traits(Some(MoveScores::Chances), false)),
            HumanSettings { seed: Some(seed), top_p: 1.0, ..unguarded() },
        );
        *counts.entry(ask(&mut search, &Moment::default(), Limits::nodes(1)).best.unwrap()).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 20);
    assert!(counts.values().all(|&count| (60..150).contains(&count)), "{counts:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_answer_depends_on_seed_and_moment_alone(game in random_game(60), seed: u64) {
        let settings = HumanSettings { seed: Some(seed), ..unguarded() };
        let mut played_through = search(Whim::default(), settings.clone());
        for moment in game.iter().filter(|moment| !moment.legal_moves().is_empty()) {
            let along = ask(&mut played_through, moment, Limits::nodes(1)).best;
            let afresh = ask(&mut search(Whim::default(), settings.clone()), moment, Limits::nodes(1)).best;
            prop_assert_eq!(along, afresh, "{}", moment.fen());
        }
    }

    #[test]
    fn only_the_moves_that_are_asked_for_are_played(game in random_game(60), pick: prop::sample::Index) {
        let moment = game.last().unwrap();
        let legal = moment.legal_moves();
        prop_assume!(!legal.is_empty());
        let only = legal[pick.index(legal.len())];
        let limits = Limits { search_moves: vec![only], ..Limits::nodes(1) };
        for guard in [Guard::Off, Guard::Human] {
            let settings = HumanSettings { guard, ..unguarded() };
            let best = ask(&mut search(Whim::default(), settings), moment, limits.clone()).best;
            prop_assert_eq!(best, Some(only));
        }
    }
}

/// Prefers the first legal move, and with each effort the one after it.
struct Patient(Traits);

impl Brain for Patient {
    fn traits(&self) -> &Traits {
        &self.0
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        let opinion = |moment: &Moment| {
            let mut policy = vec![0.0; moment.legal_moves().len()];
            policy[wants.effort as usize] = 1.0;
            Opinion { policy: Some(policy), ..Opinion::default() }
        };
        moments.iter().map(opinion).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

#[test]
fn a_mind_that_can_think_longer_does_so_where_there_is_time() {
    let moment = Moment::default();
    let legal = moment.legal_moves();
    let long = Limits::move_time(time::Duration::from_secs(60));
    for (most_effort, limits, effort) in [
        (3, long.clone(), 3),
        (0, long, 0),
        (3, Limits::default(), 0),
        (3, Limits::move_time(time::Duration::ZERO), 0),
    ] {
        let traits = Traits { most_effort, ..traits(Some(MoveScores::Chances), false) };
        let best = ask(&mut search(Patient(traits), unguarded()), &moment, limits.clone()).best;
        assert_eq!(best, Some(legal[effort]), "{most_effort}, {limits:?}");
    }
}

/// Counts the positions that it is shown.
struct Counted(Prefers, Arc<AtomicUsize>);

impl Brain for Counted {
    fn traits(&self) -> &Traits {
        self.0.traits()
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        self.1.fetch_add(moments.len(), Ordering::Relaxed);
        self.0.judge(moments, wants)
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

#[test]
fn with_hardly_any_time_left_the_mind_is_asked_once_and_the_game_is_not_given_up() {
    for (left_cs, shown, resigns) in [(60_000, 3, true), (10, 1, false)] {
        let both = |cs| ByColor { white: cs, black: cs };
        let clocks = Clocks { left_cs: both(left_cs), increment_cs: both(1), base_cs: Some(60_000) };
        let moment = Moment { clocks: Some(clocks), ..Moment::default() };
        let count = Arc::new(AtomicUsize::new(0));
        let traits = Traits { context: true, ..traits(Some(MoveScores::Chances), true) };
        let brain = Counted(Prefers("e2e4", traits), Arc::clone(&count));
        let mut search = search(brain, HumanSettings { resigns: true, ..unguarded() });
        for _ in 0..8 {
            count.store(0, Ordering::Relaxed);
            assert_eq!(ask(&mut search, &moment, Limits::clock()).best, moment.parse_uci("e2e4").ok());
            assert_eq!(count.load(Ordering::Relaxed), shown, "{left_cs}");
        }
        assert_eq!(ask(&mut search, &moment, Limits::clock()).resigns, resigns, "{left_cs}");
    }
}
