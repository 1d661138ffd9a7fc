//! A mind that plays like a person, asked through the protocol.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, OnceLock},
};

use chess::{
    Brain, Clocks, Evaluated, Moment, MoveScores, Opinion, ThinkTime, Traits, Wants, search_name,
    shakmaty::{ByColor, Chess},
};
use engine::{HumanSettings, Limits, Mind, Settings, Signals, Task};
use proptest::prelude::*;

use super::*;

/// A mind whose opinion depends on all that a moment holds, so that nothing can be lost or turned round unseen.
struct Whim(Traits);

impl Brain for Whim {
    fn traits(&self) -> &Traits {
        &self.0
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
        let opinion = |moment: &Moment| {
            let mut hasher = DefaultHasher::new();
            let clocks = moment.clocks.map(|clocks| (clocks.left_cs, clocks.increment_cs, clocks.base_cs));
            let players = moment.players.map(|players| (players.white, players.black));
            (moment.fen(), moment.past.keys(), clocks, players).hash(&mut hasher);
            moment.past.moves().for_each(|m| m.hash(&mut hasher));
            moment.past.positions().for_each(|position| position.hash(&mut hasher));
            let whim = |number: usize| {
                let mut hasher = hasher.clone();
                number.hash(&mut hasher);
                (hasher.finish() % 1000) as f32
            };
            let policy = (0..moment.legal_moves().len()).map(|index| whim(index).powi(4)).collect();
            Opinion { policy: Some(policy), think: Some(hours()), ..Opinion::default() }
        };
        moments.iter().map(opinion).collect()
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

/// Nobody sits through a test that really waits.
fn hours() -> ThinkTime {
    ThinkTime::from_weights(&[36_000.0, 72_000.0], &[1.0])
}

fn mind() -> Mind {
    let (policy, search) = (Some(MoveScores::Chances), search_name::INSTANT);
    let (value, think, line, context, hand_made) = (false, true, false, true, false);
    let traits =
        Traits { policy, value, think, line, context, bins: None, hand_made, most_effort: 0, search };
    Mind::new("whim", Arc::new(Whim(traits)))
}

fn whim(names: &Names) -> Result<Built, String> {
    engine::build(&mind(), &names.search).map(built).map_err(|error| error.to_string())
}

/// A game of random moves in UCI notation.
fn random_game() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(any::<prop::sample::Index>(), 0..80).prop_map(|choices| {
        let (mut moment, mut moves) = (Moment::default(), Vec::new());
        for choice in choices {
            let legal = moment.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[choice.index(legal.len())];
            moves.push(moment.uci(m));
            moment.play(m);
        }
        moves
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// The bar for the real network too: both colours, from the first ply on, with clocks, ratings and history.
    #[test]
    fn the_protocol_gives_the_move_of_the_library(
        moves in random_game(),
        seed in 1u64..1000,
        left_ms in (1000u32..600_000, 1000u32..600_000),
        increment_ms in 0u32..20_000,
        ratings in (600u16..2600, 1u16..3000),
    ) {
        let human = HumanSettings { rating: ratings.0, opponent: Some(ratings.1), guard: engine::Guard::Off, seed: Some(seed), ..HumanSettings::default() };
        let mut library = engine::build(&mind(), search_name::INSTANT).unwrap();
        library.configure(&Settings { human, ..Settings::default() });
        let mut gui = Gui::new(whim);
        for (name, value) in [("UCI_Elo", u64::from(ratings.0)), ("OpponentElo", ratings.1.into()), ("Seed", seed)] {
            gui.say(&format!("setoption name {name} value {value}"));
        }
        gui.say("setoption name BlunderGuard value Off");
        gui.say("ucinewgame");
        let mut base_cs = None;
        for plies in (0..=moves.len()).step_by(3) {
            let mut moment = Moment::default().after_uci(moves[..plies].iter().map(String::as_str)).unwrap();
            if moment.legal_moves().is_empty() {
                break;
            }
            let left_cs = ByColor { white: left_ms.0 / 10, black: left_ms.1 / 10 };
            if plies < 2 {
                base_cs = Some(*left_cs.get(moment.turn()));
            }
            let both = ByColor { white: increment_ms / 10, black: increment_ms / 10 };
            moment.clocks = Some(Clocks { left_cs, increment_cs: both, base_cs });
            let task = Task { limits: Limits::clock(), signals: &Signals::new(), report: &mut |_| {} };
            let expected = library.choose(&moment, task).best.unwrap();
            gui.say(&format!("position startpos moves {}", moves[..plies].join(" ")));
            gui.say(&format!("go wtime {} btime {} winc {increment_ms} binc {increment_ms}", left_ms.0, left_ms.1));
            prop_assert_eq!(best_move(&gui), moment.uci(expected), "{}", moment.fen());
        }
    }
}

/// The network that comes with the program, loaded once.
fn embedded() -> &'static Mind {
    static MIND: OnceLock<Mind> = OnceLock::new();
    MIND.get_or_init(|| Names::parse("human").mind().unwrap())
}

#[test]
fn the_shipped_network_plays_the_same_through_the_protocol_a_thousand_times() {
    let mut library = engine::build(embedded(), search_name::INSTANT).unwrap();
    let human =
        HumanSettings { rating: 1700, seed: Some(9), guard: engine::Guard::Off, ..HumanSettings::default() };
    library.configure(&Settings { human, ..Settings::default() });
    let mut gui = Gui::new(|names| {
        engine::build(embedded(), &names.search).map(built).map_err(|error| error.to_string())
    });
    for command in ["UCI_Elo value 1700", "Seed value 9", "BlunderGuard value Off"] {
        gui.say(&format!("setoption name {command}"));
    }
    let mut random = chess::Random::new(5);
    let mut seen = [0; 2];
    while seen.iter().sum::<usize>() < 1000 {
        gui.say("ucinewgame");
        let (mut moment, mut moves) = (Moment::default(), Vec::new());
        let mut base_cs = None;
        for _ in 0..120 {
            let legal = moment.legal_moves();
            if legal.is_empty() {
                break;
            }
            let left_cs = ByColor {
                white: 100 + random.below(30_000) as u32,
                black: 100 + random.below(30_000) as u32,
            };
            if moves.len() < 2 {
                base_cs = Some(*left_cs.get(moment.turn()));
            }
            let clocks = Clocks { left_cs, increment_cs: ByColor { white: 200, black: 200 }, base_cs };
            let now = Moment { clocks: Some(clocks), ..moment.clone() };
            let task = Task { limits: Limits::clock(), signals: &Signals::new(), report: &mut |_| {} };
            let expected = library.choose(&now, task).best.unwrap();
            gui.say(&format!("position startpos moves {}", moves.join(" ")));
            gui.say(&format!(
                "go wtime {} btime {} winc 2000 binc 2000",
                10 * left_cs.white,
                10 * left_cs.black
            ));
            assert_eq!(best_move(&gui), moment.uci(expected), "{}", moment.fen());
            seen[moves.len() % 2] += 1;
            let m = legal[random.below(legal.len())];
            moves.push(moment.uci(m));
            moment.play(m);
        }
    }
    assert!(seen.iter().all(|&count| count >= 400), "both colours: {seen:?}");
}

/// The next best move; thinking aloud is passed over.
fn best_move(gui: &Gui) -> String {
    let mut lines = std::iter::from_fn(|| gui.next_line());
    let line = lines.find(|line| line.starts_with("bestmove ")).expect("an answer");
    line.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn human_timing_waits_until_stop_or_quit_and_counts_from_the_ponder_hit() {
    let clock = "wtime 999999999 btime 999999999";
    for (go, commands) in [
        (format!("go {clock}"), &["stop"][..]),
        (format!("go ponder {clock}"), &["ponderhit", "stop"]),
        (format!("go ponder {clock}"), &["stop"]),
        (format!("go {clock}"), &["quit"]),
    ] {
        let mut gui = Gui::new(whim);
        gui.say("setoption name HumanTiming value true");
        gui.say("setoption name BlunderGuard value Off");
        gui.say(&go);
        let (last, before) = commands.split_last().unwrap();
        before.iter().for_each(|command| gui.say(command));
        gui.say("isready");
        assert_eq!(
            gui.next_line().as_deref(),
            Some("readyok"),
            "{go}: still thinking, and not a word of the move"
        );
        gui.say(last);
        best_move(&gui);
    }
}

#[test]
fn without_human_timing_or_without_a_clock_the_answer_comes_at_once() {
    for (timing, go) in
        [("false", "go wtime 999999999 btime 999999999"), ("true", "go depth 1"), ("true", "go nodes 5")]
    {
        let mut gui = Gui::new(whim);
        gui.say(&format!("setoption name HumanTiming value {timing}"));
        gui.say(go);
        best_move(&gui);
    }
}
