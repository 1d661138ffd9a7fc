//! What an engine is asked in a match.

use std::fmt::Write;

use chess::shakmaty::Color;

use super::player::Question;

/// The two lines that ask for a move.
#[derive(Debug)]
pub(crate) struct Go {
    pub(crate) position: String,
    pub(crate) go: String,
}

impl Go {
    pub(crate) fn new(question: &Question<'_>) -> Go {
        let mut position = match question.start_fen {
            Some(fen) => format!("position fen {fen}"),
            None => "position startpos".to_owned(),
        };
        if !question.moves.is_empty() {
            position += " moves ";
            position += &question.moves.join(" ");
        }
        Go { position, go: go(question) }
    }
}

fn go(question: &Question<'_>) -> String {
    let mut go = "go".to_owned();
    let mut add = |key: &str, value: u128| write!(go, " {key} {value}").expect("a string grows");
    // A player off the clock is told nothing of the other's.
    if question.clock().is_some() {
        for (color, time, increment) in [(Color::White, "wtime", "winc"), (Color::Black, "btime", "binc")] {
            if let Some(clock) = question.clocks.get(color) {
                add(time, clock.left.as_millis().max(1));
                add(increment, clock.control.increment.as_millis());
            }
        }
    }
    let pace = question.pace;
    let parts = [
        ("movestogo", question.clock().and_then(|clock| clock.moves_to_go()).map(u128::from)),
        ("movetime", pace.move_time.map(|time| time.as_millis())),
        ("nodes", pace.nodes.map(u128::from)),
        ("depth", pace.depth.map(u128::from)),
    ];
    for (key, value) in parts {
        if let Some(value) = value {
            add(key, value);
        }
    }
    go
}
