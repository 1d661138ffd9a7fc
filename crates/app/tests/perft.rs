//! `tabiya perft` as a user sees it.

use std::process::{Command, Output};

fn tabiya(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya")).arg("perft").args(arguments).output().expect("tabiya starts")
}

fn stdout(arguments: &[&str]) -> String {
    let output = tabiya(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_total_is_all_that_is_printed() {
    for (arguments, total) in [
        (vec!["0"], "1\n"),
        (vec!["3"], "8902\n"),
        (vec!["4", "--threads", "3", "--hash", "1"], "197281\n"),
        (vec!["2", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], "0\n"),
    ] {
        assert_eq!(stdout(&arguments), total, "{arguments:?}");
    }
}

#[test]
fn divide_lists_the_moves_in_the_notation_of_the_game() {
    let fen = "4k3/8/8/8/8/8/5PPP/5RKR w F - 0 1";
    let expected = "f1a1: 5\nf1b1: 5\nf1c1: 5\nf1d1: 3\nf1e1: 4\nf2f3: 5\nf2f4: 5\n";
    let printed = stdout(&["2", "--divide", "--chess960", "--fen", fen]);
    assert!(printed.starts_with(expected), "{printed}");
    let castling = stdout(&["1", "--divide", "--fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]);
    assert!(castling.contains("e1g1: 1\n"), "{castling}");
    let castling = stdout(&["1", "--divide", "--chess960", "--fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]);
    assert!(castling.contains("e1h1: 1\n"), "{castling}");
}

#[test]
fn a_bad_position_is_named_and_exits_with_two() {
    let output = tabiya(&["3", "--fen", "nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "tabiya: `nonsense` is not a FEN\n");
}
