//! Games between puppets: nothing here depends on real time.

use chess::shakmaty::CastlingMode;

use super::*;
use crate::arena::book::Book;

/// Answers with what it was given, in order.
struct Puppet(std::vec::IntoIter<Result<Thought, Failure>>);

impl Player for Puppet {
    fn new_game(&mut self, _: &AtomicBool) -> Result<(), Failure> {
        Ok(())
    }

    fn think(&mut self, _: &Question<'_>) -> Result<Thought, Failure> {
        self.0.next().expect("the game should have ended")
    }
}

/// A move with its time in milliseconds and its score for the mover: `e2e4 120 31`.
fn thought(text: &str) -> Result<Thought, Failure> {
    let mut words = text.split(' ');
    let text = words.next().unwrap_or_default().to_owned();
    let mut number = || words.next().map(|word| word.parse::<i32>().unwrap());
    let elapsed = Duration::from_millis(number().unwrap_or(0).unsigned_abs().into());
    Ok(Thought { text, elapsed, score: number().map(Score::Centipawns), resigns: false })
}

fn opening() -> Opening {
    let mut opening = Book::own(CastlingMode::Standard).openings[0].clone();
    opening.moves.clear();
    opening
}

fn rules() -> Rules {
    let adjudication = Adjudication { resign: Some("500,2".parse().unwrap()), draw: None, max_plies: 12 };
    let (margin, forever) = (Duration::from_millis(10), Duration::from_secs(9));
    Rules { adjudication, patience: Patience { margin, grace: forever, untimed: forever } }
}

/// Plays a game at 1+0.1 in which the two sides answer in turns.
fn play_out(answers: Vec<Result<Thought, Failure>>) -> Result<Finished, Aborted> {
    let side =
        |first: usize| Puppet(answers.iter().skip(first).step_by(2).cloned().collect::<Vec<_>>().into_iter());
    let (mut white, mut black) = (side(0), side(1));
    let pace = Pace { clock: Some("1+0.1".parse().unwrap()), ..Pace::default() };
    let players = ByColor { white: &mut white as &mut dyn Player, black: &mut black };
    play(players, &ByColor { white: pace, black: pace }, &opening(), &rules(), &AtomicBool::new(false))
}

#[test]
fn games_end_as_they_should() {
    let table: &[(&[&str], Outcome, End)] = &[
        (&["f2f3", "e7e5", "g2g4", "d8h4"], Outcome::BlackWins, End::Checkmate),
        (&["e2e4", "e7e5", "e1e3"], Outcome::BlackWins, End::IllegalMove),
        (&["e2e4", "xyzzy"], Outcome::WhiteWins, End::IllegalMove),
        (&["0000"], Outcome::BlackWins, End::IllegalMove),
        (&[""], Outcome::BlackWins, End::IllegalMove),
        (&["e2e4 1010", "e7e5"], Outcome::BlackWins, End::IllegalMove), // `` after a move within the margin
        (&["e2e4 1011"], Outcome::BlackWins, End::TimeForfeit),
        (&["e2e4 500", "e7e5", "g1f3 611"], Outcome::BlackWins, End::TimeForfeit),
        (&["f2f3", "e7e5", "g2g4", "d8h4 1111"], Outcome::WhiteWins, End::TimeForfeit), // too late to mate
        (&["e2e4 1 600", "e7e5 1 -600", "g1f3 1 600", "b8c6 1 -600"], Outcome::WhiteWins, End::Resigned),
        (&["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"], Outcome::Draw, End::Repetition),
        (
            &["a2a3", "a7a6", "b2b3", "b7b6", "c2c3", "c7c6", "d2d3", "d7d6", "e2e3", "e7e6", "f2f3", "f7f6"],
            Outcome::Draw,
            End::TooLong,
        ),
    ];
    for (moves, outcome, end) in table {
        let answers = moves.iter().copied().chain([""]).map(thought).collect();
        let finished = play_out(answers).unwrap();
        assert_eq!((finished.outcome, finished.end), (*outcome, *end), "{moves:?}");
        let must_restart = matches!(end, End::IllegalMove);
        assert_eq!(finished.broken.is_some(), must_restart, "{moves:?}");
    }
}

#[test]
fn a_player_that_breaks_down_loses_its_game() {
    for (failure, end) in [(Failure::Hung, End::Hang), (Failure::Crashed("exit".to_owned()), End::Crash)] {
        let finished = play_out(vec![thought("e2e4"), Err(failure)]).unwrap();
        assert_eq!((finished.outcome, finished.end), (Outcome::WhiteWins, end));
        assert_eq!(finished.broken, Some(Color::Black));
        assert_eq!(finished.moves.len(), 1, "what was played is kept");
    }
    assert!(play_out(vec![Err(Failure::Aborted)]).is_err(), "nobody loses a game that the arena drops");
}

#[test]
fn clocks_and_evals_are_recorded() {
    let finished = play_out(["e2e4 250 31", "e7e5 40 -20", "e1e3"].map(thought).to_vec()).unwrap();
    let expected = [("e2e4", Some(31), 850, 250), ("e7e5", Some(20), 1060, 40)];
    let played =
        finished.moves.iter().map(|m| (m.uci.as_str(), m.cp, m.clock_ms.unwrap(), m.think_ms.unwrap()));
    assert!(played.eq(expected), "{:?}", finished.moves);
}

#[test]
fn a_fixed_time_for_each_move_is_a_limit_too() {
    let pace = Pace { move_time: Some(Duration::from_millis(100)), ..Pace::default() };
    for (elapsed, end) in [("110", End::IllegalMove), ("111", End::TimeForfeit)] {
        let mut white = Puppet(vec![thought(&format!("e1e5 {elapsed}"))].into_iter());
        let mut black = Puppet(Vec::new().into_iter());
        let players = ByColor { white: &mut white as &mut dyn Player, black: &mut black };
        let paces = ByColor { white: pace, black: pace };
        let finished = play(players, &paces, &opening(), &rules(), &AtomicBool::new(false)).unwrap();
        assert_eq!(finished.end, end, "{elapsed} ms");
    }
}
