//! The words of UCI, from the GUI's side: what engines say, and what they are asked.

use std::fmt::Write;

use chess::shakmaty::Color;
use engine::Score;

use super::player::Question;

/// What a line of an engine means to the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    UciOk,
    ReadyOk,
    Option(EngineOption),
    /// Of the best line, for the side to move.
    Score(Score),
    BestMove(String),
    Other,
}

/// An option that an engine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineOption {
    pub(crate) name: String,
    kind: OptionKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum OptionKind {
    Button,
    Spin(Spin),
    Other,
}

/// A number within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spin {
    pub(crate) default: i64,
    pub(crate) least: i64,
    pub(crate) most: i64,
}

impl Said {
    pub(crate) fn parse(line: &str) -> Said {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["uciok", ..] => Said::UciOk,
            ["readyok", ..] => Said::ReadyOk,
            ["bestmove", rest @ ..] => Said::BestMove(rest.first().copied().unwrap_or_default().to_owned()),
            ["option", "name", rest @ ..] => {
                let until = rest.iter().position(|&word| word == "type").unwrap_or(rest.len());
                let (name, kind) = rest.split_at(until);
                Said::Option(EngineOption { name: name.join(" "), kind: OptionKind::parse(kind) })
            }
            ["info", rest @ ..] => score(rest).map_or(Said::Other, Said::Score),
            _ => Said::Other,
        }
    }
}

/// The score in an `info` line of the best line. Free text after `string` is not searched.
fn score(words: &[&str]) -> Option<Score> {
    let text = words.iter().position(|&word| word == "string").unwrap_or(words.len());
    let words = &words[..text];
    let after = |key: &str| words.iter().position(|&word| word == key).map(|at| &words[at + 1..]);
    if after("multipv").and_then(|rest| rest.first()).is_some_and(|&rank| rank != "1") {
        return None;
    }
    match after("score")? {
        ["cp", value, ..] => Some(Score::Centipawns(value.parse().ok()?)),
        ["mate", moves, ..] => {
            let moves: i32 = moves.parse().ok()?;
            Some(if moves > 0 {
                Score::mates(moves.unsigned_abs())
            } else {
                Score::mated(moves.unsigned_abs())
            })
        }
        _ => None,
    }
}

impl EngineOption {
    pub(crate) fn set(&self, value: &str) -> String {
        match self.kind {
            OptionKind::Button => format!("setoption name {}", self.name),
            _ => format!("setoption name {} value {value}", self.name),
        }
    }

    pub(crate) fn spin(&self) -> Option<Spin> {
        match self.kind {
            OptionKind::Spin(spin) => Some(spin),
            _ => None,
        }
    }
}

impl OptionKind {
    /// From `type` on.
    fn parse(words: &[&str]) -> OptionKind {
        let number = |key: &str| {
            let at = words.iter().position(|&word| word == key)?;
            words.get(at + 1)?.parse::<i64>().ok()
        };
        let spin = || Some(Spin { default: number("default")?, least: number("min")?, most: number("max")? });
        match words.get(1) {
            Some(&"button") => OptionKind::Button,
            Some(&"spin") => {
                spin().filter(|spin| spin.least <= spin.most).map_or(OptionKind::Other, OptionKind::Spin)
            }
            _ => OptionKind::Other,
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_engines_are_understood() {
        let option = |name: &str, kind| Said::Option(EngineOption { name: name.to_owned(), kind });
        let spin = Spin { default: 16, least: 1, most: 9 };
        let table = [
            ("uciok", Said::UciOk),
            ("  readyok ", Said::ReadyOk),
            ("bestmove e2e4 ponder e7e5", Said::BestMove("e2e4".to_owned())),
            ("bestmove", Said::BestMove(String::new())),
            ("option name Hash type spin default 16 min 1 max 9", option("Hash", OptionKind::Spin(spin))),
            ("option name Hash type spin default 16 min 9 max 1", option("Hash", OptionKind::Other)),
            ("option name Hash type spin", option("Hash", OptionKind::Other)),
            ("option name Clear Hash type button", option("Clear Hash", OptionKind::Button)),
            ("option name Book File type string default", option("Book File", OptionKind::Other)),
            ("info depth 9 score cp -31 nodes 5 pv e2e4", Said::Score(Score::Centipawns(-31))),
            ("info depth 9 score mate -2 pv e2e4", Said::Score(Score::mated(2))),
            ("info depth 9 score mate 3 multipv 1", Said::Score(Score::mates(3))),
            ("info depth 9 multipv 2 score cp 10", Said::Other),
            ("info string score cp 10", Said::Other),
            ("info score cp", Said::Other),
            ("info score cp many", Said::Other),
            ("", Said::Other),
            ("Stockfish 15.1 by its authors", Said::Other),
        ];
        for (line, meaning) in table {
            assert_eq!(Said::parse(line), meaning, "{line}");
        }
    }
}
