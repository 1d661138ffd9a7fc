//! Conversations on file, held with every search: `> ` is said, `< ` must be the next answer, `<< ` one of those that come, and `$ ` is the
//! command line that begins another conversation.
//!
//! In an answer `*` stands for any text. Thinking aloud is passed over unless it is the answer.

use std::{fs, path::Path};

use clap::Parser;

use super::*;
use crate::{Cli, uci::hooks, verbs::Verb};

#[test]
fn conversations_go_as_written() {
    hold_all("testdata/uci", &[first_move, hooks::build]);
}

#[test]
fn conversations_with_our_own_minds_go_as_written() {
    hold_all("testdata/uci/minds", &[hooks::build]);
}

fn hold_all(folder: &str, builds: &[Build]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        for &build in builds {
            hold(&fs::read_to_string(&file).unwrap(), build, &file.file_name().unwrap().to_string_lossy());
        }
    }
}

fn hold(transcript: &str, build: Build, name: &str) {
    let mut gui = Gui::new(build);
    for (number, line) in transcript.lines().enumerate() {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("$", command) => end(std::mem::replace(&mut gui, Gui::with(build, defaults(command))), name),
            (">", said) => gui.say(said),
            ("<<", expected) => {
                let found = std::iter::from_fn(|| gui.next_line()).any(|line| matches(expected, &line));
                assert!(found, "{name}:{}: no {expected}", number + 1);
            }
            ("<", expected) => {
                let mut lines = std::iter::from_fn(|| gui.next_line());
                let answer = lines.find(|line| matches(expected, line) || !line.starts_with("info depth"));
                let fits = answer.as_ref().is_some_and(|answer| matches(expected, answer));
                assert!(fits, "{name}:{}: {answer:?} is not {expected}", number + 1);
            }
            _ => assert!(line.is_empty() || line.starts_with('#'), "{name}:{}: {line}", number + 1),
        }
    }
    end(gui, name);
}

/// What a command line sets.
fn defaults(command: &str) -> Defaults {
    let words = shlex::split(command).expect("words of a shell");
    match Cli::try_parse_from(words).expect("a command line").verb {
        Some(Verb::Uci(args)) => args.defaults().expect("options that are there"),
        verb => panic!("{command}: {verb:?}"),
    }
}

/// The end of a conversation, in which all that is said was expected.
fn end(gui: Gui, name: &str) {
    let rest: Vec<String> =
        gui.remaining().into_iter().filter(|line| !line.starts_with("info depth")).collect();
    assert!(rest.is_empty(), "{name}: unexpected {rest:?}");
}

/// Whether `text` is `pattern` with any text in place of each `*`.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| matches(tail, &rest[at..]))
        }),
    }
}

#[test]
fn stars_stand_for_any_text() {
    for (pattern, text, fits) in [
        ("bestmove *", "bestmove e2e4", true),
        ("bestmove e2e4*", "bestmove e2e4", true),
        ("*score*pv", "info score cp 3 pv", true),
        ("readyok", "readyok ", false),
        ("a*c", "ab", false),
    ] {
        assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
    }
}
