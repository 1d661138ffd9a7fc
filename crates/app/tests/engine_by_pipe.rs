//! The binary as GUIs and scripts start it: through pipes.

use std::{
    io::Write,
    process::{Child, Command, Stdio},
};

/// What the program prints when it reads `input` and then the end of it.
fn answer(arguments: &[&str], input: &[u8]) -> String {
    let mut child = start(arguments);
    child.stdin.take().expect("piped").write_all(input).expect("the program reads to the end");
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "{:?} {}", arguments, output.status);
    String::from_utf8(output.stdout).expect("only text is printed")
}

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

#[test]
fn without_a_verb_a_pipe_means_uci() {
    for arguments in [&[][..], &["uci"]] {
        let text = answer(arguments, b"uci\nposition startpos\ngo depth 2\n");
        assert!(text.contains("\nuciok\n"), "{text}");
        assert!(text.lines().last().unwrap().starts_with("bestmove "), "{text}");
    }
}

#[test]
fn the_command_line_sets_what_stands_until_the_gui_sets_it() {
    let arguments = ["uci", "--brain", "human", "--elo", "1700", "--option", "HumanTiming=true"];
    let text = answer(&arguments, b"uci\nisready\n");
    for line in [
        "id name Tabiya human 1700",
        "option name UCI_Elo type spin default 1700 min 600 max 2600",
        "option name HumanTiming type check default true",
        "readyok",
    ] {
        assert!(text.lines().any(|told| told == line), "{line} in {text}");
    }
    for (option, sentence) in [("Nonsense=1", "no option `Nonsense`"), ("Hash", "is not NAME=VALUE")] {
        let output = start(&["uci", "--option", option]).wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(sentence), "{error}");
    }
}

#[test]
fn bytes_that_are_no_text_and_a_line_without_end_are_taken_as_they_come() {
    let text = answer(&[], b"\xff\xfe\r\nisready\r\n\0\0\nisready");
    let words: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("info string not understood")).collect();
    assert_eq!(words, ["readyok", "readyok"], "{text}");
    assert_eq!(answer(&[], b""), "");
}

#[test]
fn a_closed_stdout_ends_the_process_without_a_word() {
    let mut child = start(&[]);
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"uci\n").unwrap();
    // The input stays open: it is the lost output that must end the process.
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    let mut child = command.arg("models").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_is_an_error_in_one_sentence() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    let output = command.arg("models").stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("tabiya: ") && error.lines().count() == 1, "{error}");
}
