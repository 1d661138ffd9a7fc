//! When an answer may come, and that it comes whatever happens.

use chess::Moment;
use engine::{Choice, Settings, Task};

use super::*;

#[test]
fn an_endless_search_that_has_ended_keeps_its_move_until_stop() {
    for go in ["go infinite", "go", "go ponder wtime 1000 btime 1000", "go ponder", "go infinite depth 1"] {
        let mut gui = Gui::new(first_move);
        gui.say(go);
        // The worker has more to do after the search: it would get there if it did not wait.
        gui.say("ucinewgame");
        gui.say("isready");
        assert_eq!(gui.next_answer().as_deref(), Some("readyok"), "{go}");
        gui.say("stop");
        assert!(gui.next_answer().unwrap().starts_with("bestmove a2a3 ponder "), "{go}");
        gui.say("isready");
        assert_eq!(gui.next_answer().as_deref(), Some("readyok"), "{go}");
        assert_eq!(gui.remaining(), [""; 0], "{go}");
    }
}

#[test]
fn a_ponder_hit_frees_the_move_unless_the_search_is_infinite() {
    for (go, freed) in [("go ponder depth 3", true), ("go ponder infinite", false), ("go ponder", false)] {
        let mut gui = Gui::new(first_move);
        gui.say(go);
        gui.say("ponderhit");
        if !freed {
            gui.say("isready");
            assert_eq!(gui.next_answer().as_deref(), Some("readyok"), "{go}");
            gui.say("stop");
        }
        assert!(gui.next_answer().unwrap().starts_with("bestmove"), "{go}");
    }
}

#[test]
fn the_end_of_input_lets_what_is_finite_finish() {
    for (go, last_depth) in [("go depth 33", "33"), ("go depth 5", "5")] {
        let mut gui = Gui::new(first_move);
        gui.say(go);
        let lines = gui.remaining();
        let deepest = lines.iter().rev().find(|line| line.starts_with("info depth")).unwrap();
        assert_eq!(deepest.split(' ').nth(2), Some(last_depth), "{go}");
        assert!(lines.last().unwrap().starts_with("bestmove"), "{go}");
    }
    let mut gui = Gui::new(first_move);
    gui.say("go infinite");
    assert!(gui.remaining().last().unwrap().starts_with("bestmove"));
}

#[test]
fn orders_given_together_are_answered_one_by_one() {
    let mut gui = Gui::new(first_move);
    for line in ["go depth 2", "position startpos moves a2a3", "go infinite", "go movetime 5", "quit"] {
        gui.say(line);
    }
    let moves: Vec<String> =
        gui.remaining().into_iter().filter(|line| line.starts_with("bestmove")).collect();
    assert_eq!(moves.len(), 3, "{moves:?}");
    assert!(moves[0].starts_with("bestmove a2a3") && moves[2] == moves[1], "{moves:?}");
}

/// Falls over the first time it is asked anything.
struct Clumsy;

impl Search for Clumsy {
    fn choose(&mut self, _: &Moment, _: Task<'_>) -> Choice {
        panic!("made to fail by a test");
    }

    fn configure(&mut self, _: &Settings) {}

    fn new_game(&mut self) {}
}

#[test]
fn a_search_that_fails_or_cannot_be_built_still_moves() {
    for build in [(|_| Ok(built(Box::new(Clumsy)))) as Build, |_| Err("cannot be built".to_owned())] {
        let mut gui = Gui::new(build);
        gui.say("go depth 3 searchmoves e2e4");
        assert!(gui.next_answer().unwrap().starts_with("info string "));
        assert_eq!(gui.next_answer().as_deref(), Some("bestmove e2e4"));
        gui.say("isready");
        assert_eq!(gui.next_answer().as_deref(), Some("readyok"));
    }
}
