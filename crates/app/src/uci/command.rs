//! What a GUI may ask: one line in, one command out, and back.

use std::fmt;

use super::go::Go;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Uci,
    Debug(bool),
    IsReady,
    SetOption {
        name: String,
        value: Option<String>,
    },
    Register,
    NewGame,
    Position(Place),
    Go(Go),
    Stop,
    PonderHit,
    Quit,
    /// `d`: show the board.
    Display,
    /// `eval`: show the parts of the hand-made evaluation.
    Eval,
    Bench,
    /// A command that cannot be carried out, with the sentence that says why.
    Malformed(&'static str),
    /// The same of a `position`, after which there is none.
    NoPosition(&'static str),
}

/// Where a game began and what has been played since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// `None` is the usual starting position.
    pub(crate) fen: Option<String>,
    pub(crate) moves: Vec<String>,
}

impl Command {
    /// The command in a line. Words before it that mean nothing are skipped, as the protocol asks for; `None`
    /// if no word means anything.
    pub(crate) fn parse(line: &str) -> Option<Command> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        (0..words.len()).find_map(|skipped| recognise(&words[skipped..]))
    }
}

fn recognise(words: &[&str]) -> Option<Command> {
    Some(match words {
        ["uci", ..] => Command::Uci,
        ["debug", "on", ..] => Command::Debug(true),
        ["debug", "off", ..] => Command::Debug(false),
        ["isready", ..] => Command::IsReady,
        ["setoption", rest @ ..] => set_option(rest),
        ["register", ..] => Command::Register,
        ["ucinewgame", ..] => Command::NewGame,
        ["position", rest @ ..] => position(rest),
        ["go", rest @ ..] => Command::Go(Go::parse(rest)),
        ["stop", ..] => Command::Stop,
        ["ponderhit", ..] => Command::PonderHit,
        ["quit", ..] => Command::Quit,
        ["d", ..] => Command::Display,
        ["eval", ..] => Command::Eval,
        ["bench", ..] => Command::Bench,
        _ => return None,
    })
}

/// Names and values may both hold spaces; the word `value` parts them.
fn set_option(words: &[&str]) -> Command {
    let ["name", words @ ..] = words else {
        return Command::Malformed("setoption needs the word `name` and the name of an option after it");
    };
    let (name, value) = split_at_word(words, "value");
    if name.is_empty() {
        return Command::Malformed("setoption needs the name of an option");
    }
    Command::SetOption { name: name.join(" "), value: value.map(|value| value.join(" ")) }
}

fn position(words: &[&str]) -> Command {
    let (start, moves) = split_at_word(words, "moves");
    let fen = match start {
        ["startpos", ..] => None,
        ["fen", fen @ ..] if !fen.is_empty() => Some(fen.join(" ")),
        _ => return Command::NoPosition("position needs `startpos`, or `fen` and a FEN after it"),
    };
    let moves = moves.unwrap_or_default().iter().map(ToString::to_string).collect();
    Command::Position(Place { fen, moves })
}

/// What stands before the first `word`, and what stands after it if it is there.
fn split_at_word<'a, 'b>(words: &'a [&'b str], word: &str) -> (&'a [&'b str], Option<&'a [&'b str]>) {
    match words.iter().position(|&other| other == word) {
        Some(at) => (&words[..at], Some(&words[at + 1..])),
        None => (words, None),
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Uci => f.write_str("uci"),
            Command::Debug(on) => write!(f, "debug {}", if *on { "on" } else { "off" }),
            Command::IsReady => f.write_str("isready"),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            Command::Register => f.write_str("register"),
            Command::NewGame => f.write_str("ucinewgame"),
            Command::Position(place) => write!(f, "position {place}"),
            Command::Go(go) => write!(f, "go{go}"),
            Command::Stop => f.write_str("stop"),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::Quit => f.write_str("quit"),
            Command::Display => f.write_str("d"),
            Command::Eval => f.write_str("eval"),
            Command::Bench => f.write_str("bench"),
            Command::Malformed(why) | Command::NoPosition(why) => write!(f, "nothing: {why}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fen {
            None => f.write_str("startpos")?,
            Some(fen) => write!(f, "fen {fen}")?,
        }
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::uci::go::tests::any_go;

    #[test]
    fn lines_are_read_as_the_protocol_says() {
        let option = |name: &str, value: Option<&str>| {
            Some(Command::SetOption { name: name.to_owned(), value: value.map(str::to_owned) })
        };
        for (line, command) in [
            ("", None),
            ("   \t \r\n", None),
            ("uci\r\n", Some(Command::Uci)),
            ("  isready  ", Some(Command::IsReady)),
            ("joho debug on", Some(Command::Debug(true))),
            ("debug joho on", None),
            ("debug", None),
            ("UCI", None),
            ("setoption name Hash value 64", option("Hash", Some("64"))),
            ("setoption name Clear Hash", option("Clear Hash", None)),
            ("setoption name A B value c  d", option("A B", Some("c d"))),
            ("setoption name Hash value", option("Hash", Some(""))),
            ("register later", Some(Command::Register)),
            ("position startpos moves", Some(Command::Position(Place::default()))),
            ("d", Some(Command::Display)),
        ] {
            assert_eq!(Command::parse(line), command, "{line:?}");
        }
        for line in ["setoption", "setoption name", "setoption name value 1"] {
            assert!(matches!(Command::parse(line), Some(Command::Malformed(_))), "{line:?}");
        }
        for line in ["position", "position fen", "position fen moves e2e4"] {
            assert!(matches!(Command::parse(line), Some(Command::NoPosition(_))), "{line:?}");
        }
    }

    fn any_command() -> impl Strategy<Value = Command> {
        use proptest::{collection::vec, option};
        let words = || vec("[A-Z][A-Za-z0-9_]{0,6}", 1..4).prop_map(|words| words.join(" "));
        let place = (option::of("[a-h1-8/]{1,20} [wb] - -"), vec("[a-h][1-8][a-h][1-8]", 0..5));
        prop_oneof![
            any::<bool>().prop_map(Command::Debug),
            (words(), option::of(words())).prop_map(|(name, value)| Command::SetOption { name, value }),
            place.prop_map(|(fen, moves)| Command::Position(Place { fen, moves })),
            any_go().prop_map(Command::Go),
            proptest::sample::select(vec![
                Command::Uci,
                Command::IsReady,
                Command::Register,
                Command::NewGame,
                Command::Stop,
                Command::PonderHit,
                Command::Quit,
                Command::Display,
                Command::Eval,
                Command::Bench,
            ]),
        ]
    }

    proptest! {
        #[test]
        fn a_written_command_reads_back_the_same(command in any_command()) {
            prop_assert_eq!(Command::parse(&command.to_string()), Some(command));
        }

        #[test]
        fn no_line_is_too_strange_to_read(line in ".*") {
            let _ = Command::parse(&line);
        }
    }
}
