//! The words of UCI: what engines say.

/// What a line of an engine means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    UciOk,
    ReadyOk,
    /// What it calls itself.
    Name(String),
    Option(EngineOption),
    Info(Info<'a>),
    BestMove(&'a str),
    Other,
}

/// An option that an engine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    pub name: String,
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
pub struct Spin {
    pub default: i64,
    pub least: i64,
    pub most: i64,
}

/// What an engine thinks of a line of moves, for the side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info<'a> {
    pub depth: Option<u16>,
    /// The line's rank, from 1; engines that tell one line leave it out.
    pub multipv: Option<usize>,
    pub value: Option<Value>,
    /// Whether the value is only known to be so much at least, or at most.
    pub is_bound: bool,
    pub line: Vec<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Centipawns(i32),
    /// In so many moves; negative, or zero, if the side to move is mated.
    Mate(i32),
}

impl Said<'_> {
    pub fn parse(line: &str) -> Said<'_> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("uciok") => Said::UciOk,
            Some("readyok") => Said::ReadyOk,
            Some("bestmove") => Said::BestMove(words.next().unwrap_or_default()),
            Some("info") => Info::parse(words).map_or(Said::Other, Said::Info),
            Some("id") if words.next() == Some("name") => Said::Name(words.collect::<Vec<_>>().join(" ")),
            Some("option") if words.next() == Some("name") => {
                let rest: Vec<&str> = words.collect();
                let until = rest.iter().position(|&word| word == "type").unwrap_or(rest.len());
                let (name, kind) = rest.split_at(until);
                Said::Option(EngineOption { name: name.join(" "), kind: OptionKind::parse(kind) })
            }
            _ => Said::Other,
        }
    }
}

impl<'a> Info<'a> {
    /// `None` where a number is none. Free text after `string` is not searched.
    fn parse(mut words: impl Iterator<Item = &'a str>) -> Option<Info<'a>> {
        let mut info = Info::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = Some(words.next()?.parse().ok()?),
                "multipv" => info.multipv = Some(words.next()?.parse().ok()?),
                "score" => {
                    info.value = match (words.next()?, words.next()?.parse().ok()?) {
                        ("cp", value) => Some(Value::Centipawns(value)),
                        ("mate", moves) => Some(Value::Mate(moves)),
                        _ => return None,
                    };
                }
                "lowerbound" | "upperbound" => info.is_bound = true,
                "pv" => info.line = words.by_ref().collect(),
                "string" => break,
                _ => {}
            }
        }
        Some(info)
    }
}

impl EngineOption {
    /// The line that sets it.
    pub fn set(&self, value: &str) -> String {
        match self.kind {
            OptionKind::Button => format!("setoption name {}", self.name),
            _ => format!("setoption name {} value {value}", self.name),
        }
    }

    pub fn spin(&self) -> Option<Spin> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_engines_are_understood() {
        let option = |name: &str, kind| Said::Option(EngineOption { name: name.to_owned(), kind });
        let spin = Spin { default: 16, least: 1, most: 9 };
        let info = |value, line: &[&'static str]| {
            Said::Info(Info { depth: Some(9), value: Some(value), line: line.to_vec(), ..Info::default() })
        };
        let table = [
            ("uciok", Said::UciOk),
            ("  readyok ", Said::ReadyOk),
            ("id name Deep  Thought 2", Said::Name("Deep Thought 2".to_owned())),
            ("id author its authors", Said::Other),
            ("bestmove e2e4 ponder e7e5", Said::BestMove("e2e4")),
            ("bestmove", Said::BestMove("")),
            ("option name Hash type spin default 16 min 1 max 9", option("Hash", OptionKind::Spin(spin))),
            ("option name Hash type spin default 16 min 9 max 1", option("Hash", OptionKind::Other)),
            ("option name Hash type spin", option("Hash", OptionKind::Other)),
            ("option name Clear Hash type button", option("Clear Hash", OptionKind::Button)),
            ("option name Book File type string default", option("Book File", OptionKind::Other)),
            (
                "info depth 9 score cp -31 nodes 5 pv e2e4 e7e5",
                info(Value::Centipawns(-31), &["e2e4", "e7e5"]),
            ),
            ("info depth 9 score mate -2 pv e2e4", info(Value::Mate(-2), &["e2e4"])),
            (
                "info multipv 2 score cp 10 lowerbound",
                Said::Info(Info {
                    multipv: Some(2),
                    value: Some(Value::Centipawns(10)),
                    is_bound: true,
                    ..Info::default()
                }),
            ),
            ("info string score cp 10", Said::Info(Info::default())),
            ("info score cp", Said::Other),
            ("info score cp many", Said::Other),
            ("info depth", Said::Other),
            ("", Said::Other),
            ("Stockfish 15.1 by its authors", Said::Other),
        ];
        for (line, meaning) in table {
            assert_eq!(Said::parse(line), meaning, "{line}");
        }
    }
}
