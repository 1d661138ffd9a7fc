//! How each program writes down its engines, and where.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{entry::Entry, merge};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Program {
    Cutechess,
    Fastchess,
    GnomeChess,
    Pychess,
    Xboard,
    EnCroissant,
    Banksia,
    Nibbler,
    LichessBot,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().expect("no value is skipped").get_name())
    }
}

impl Program {
    /// What stands in the program's file, or on its command line.
    pub(super) fn text(self, binary: &Path, entries: &[Entry]) -> String {
        let path = binary.to_string_lossy();
        let list = |entry: fn(&str, &Entry) -> Value| {
            let list: Vec<Value> = entries.iter().map(|one| entry(&path, one)).collect();
            pretty(&Value::Array(list))
        };
        match self {
            Program::Cutechess => list(cutechess),
            Program::Pychess => list(pychess),
            Program::EnCroissant => list(en_croissant),
            Program::Banksia => list(banksia),
            // Its list has one entry for a file.
            Program::Nibbler => {
                let first = entries.first().map(Entry::arguments).unwrap_or_default();
                let key = path.to_string();
                pretty(&json!({ key: {
                    "args": first, "options": {}, "search_nodes": null, "search_nodes_special": 10000,
                    "limit_by_time": false,
                } }))
            }
            Program::GnomeChess => entries.iter().map(|entry| gnome_chess(&path, entry)).collect(),
            Program::Xboard => entries.iter().map(|entry| xboard(&path, entry)).collect(),
            Program::Fastchess => entries.iter().map(|entry| fastchess(&path, entry)).collect(),
            Program::LichessBot => {
                entries.first().map(|entry| lichess_bot(binary, entry)).unwrap_or_default()
            }
        }
    }

    /// Where the program keeps its list; `None` for those that have none, or one that is better edited by hand.
    pub(super) fn file(self, home: Option<&Path>) -> Option<PathBuf> {
        let place = match self {
            Program::Cutechess => ".config/cutechess/engines.json",
            Program::GnomeChess => ".config/gnome-chess/engines.conf",
            Program::Pychess => ".config/pychess/engines.json",
            Program::EnCroissant => ".local/share/org.encroissant.app/engines/engines.json",
            Program::Nibbler => ".config/Nibbler/engines.json",
            Program::Banksia | Program::Xboard | Program::Fastchess | Program::LichessBot => return None,
        };
        Some(home?.join(place))
    }

    /// The list that the program reads as long as the user has none of his own, which then stands for both.
    pub(super) fn shared_file(self) -> Option<&'static Path> {
        (self == Program::GnomeChess).then_some(Path::new("/etc/gnome-chess/engines.conf"))
    }

    /// What is in a file already, and the entries.
    pub(super) fn merged(self, before: &str, entries: &str) -> anyhow::Result<String> {
        match self {
            Program::GnomeChess => Ok(merge::sections(before, entries)),
            Program::Nibbler => merge::objects(before, entries),
            Program::Xboard | Program::Fastchess | Program::LichessBot => Ok(format!("{before}{entries}")),
            _ => merge::lists(before, entries),
        }
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn cutechess(path: &str, entry: &Entry) -> Value {
    let option =
        |(name, value): &(&str, String)| json!({"name": name, "type": "text", "value": value, "default": ""});
    json!({
        "name": entry.name, "command": path, "protocol": "uci", "workingDirectory": "", "stderrFile": "",
        "options": entry.options.iter().map(option).collect::<Vec<_>>(), "variants": ["standard", "fischerandom"],
    })
}

fn pychess(path: &str, entry: &Entry) -> Value {
    json!({
        "name": entry.name, "command": path, "args": entry.arguments(), "protocol": "uci", "country": "unknown",
        "comment": "", "recheck": true, "variants": ["fischerandom"],
    })
}

fn en_croissant(path: &str, entry: &Entry) -> Value {
    let option = |(name, value): &(&str, String)| json!({"name": name, "value": value});
    json!({
        "type": "local", "name": entry.name, "version": env!("CARGO_PKG_VERSION"), "path": path, "loaded": true,
        "settings": entry.options.iter().map(option).collect::<Vec<_>>(),
    })
}

fn banksia(path: &str, entry: &Entry) -> Value {
    json!({
        "name": entry.name, "command": path, "arguments": entry.arguments(), "protocol": "uci", "workingFolder": "",
        "options": [], "variants": ["standard", "chess960"],
    })
}

/// Only what belongs to one of its three strengths is read. The level is the entry's, so all three are the same.
fn gnome_chess(path: &str, entry: &Entry) -> String {
    let arguments = entry.arguments();
    let numbered = |strength: &str| {
        let lines = arguments.iter().enumerate();
        lines.map(|(number, word)| format!("arg-{strength}-{number}={word}\n")).collect::<String>()
    };
    let arguments: String = ["easy", "normal", "hard"].map(numbered).concat();
    format!("[{}]\nprotocol=uci\nbinary={path}\ndelay-before-move=0\n{arguments}\n", entry.name)
}

/// A line of the list `firstChessProgramNames` in the user's settings.
fn xboard(path: &str, entry: &Entry) -> String {
    format!("\"{}\" -fcp '{}' -fUCI\n", entry.name, shell(path, entry))
}

fn fastchess(path: &str, entry: &Entry) -> String {
    let options: String =
        entry.options.iter().map(|(name, value)| format!(" option.{name}={value}")).collect();
    format!("-engine cmd={path} name=\"{}\"{options}\n", entry.name)
}

fn shell(path: &str, entry: &Entry) -> String {
    let words = [path.to_owned()].into_iter().chain(entry.arguments());
    let quoted = |word: String| if word.contains(' ') { format!("\"{word}\"") } else { word };
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn lichess_bot(binary: &Path, entry: &Entry) -> String {
    let folder = binary.parent().unwrap_or(Path::new(".")).display();
    let name = binary.file_name().unwrap_or_default().to_string_lossy();
    let options: String =
        entry.options.iter().map(|(name, value)| format!("    {name}: \"{value}\"\n")).collect();
    format!(
        "engine:\n  dir: \"{folder}\"\n  name: \"{name}\"\n  protocol: \"uci\"\n  ponder: false\n  uci_options:\n    \
         Move Overhead: 100\n    Threads: 1\n    Hash: 256\n{options}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        vec![
            Entry::level(1500),
            Entry::calculating(),
            Entry::network(Path::new("/nets/maia-1100.pb.gz"), None),
        ]
    }

    #[test]
    fn every_program_gets_every_entry_and_its_list_takes_them_once() {
        for &program in Program::value_variants() {
            let text = program.text(Path::new("/opt/tabiya"), &entries());
            assert!(
                text.contains("tabiya") && text.contains("1500") && text.ends_with('\n'),
                "{program}: {text}"
            );
            if !matches!(program, Program::Nibbler | Program::LichessBot) {
                assert!(text.contains("Tabiya maia-1100"), "{program}: {text}");
            }
            if program.file(Some(Path::new("/home"))).is_some() {
                let once = program.merged("", &text).unwrap();
                assert_eq!(program.merged(&once, &text).unwrap(), once, "{program}");
            }
        }
    }

    #[test]
    fn engines_of_others_stay() {
        let ours = Program::Cutechess.text(Path::new("/opt/tabiya"), &entries());
        let both = Program::Cutechess.merged(r#"[{"name": "Toga", "command": "toga2"}]"#, &ours).unwrap();
        assert!(both.contains("Toga") && both.contains("Tabiya human 1500"), "{both}");
        assert!(Program::Cutechess.merged("{not json", &ours).is_err());
        let ours = Program::GnomeChess.text(Path::new("/opt/tabiya"), &entries());
        let both = Program::GnomeChess.merged("[Toga]\nbinary=toga2\n", &ours).unwrap();
        assert!(
            both.starts_with("[Toga]\nbinary=toga2\n") && both.contains("arg-hard-6=UCI_Elo=1500"),
            "{both}"
        );
    }

    #[test]
    fn the_words_of_an_entry_are_a_command_line_of_this_program() {
        use clap::Parser;
        for entry in entries() {
            let words = ["tabiya".to_owned()].into_iter().chain(entry.arguments());
            let verb = crate::Cli::try_parse_from(words).unwrap().verb;
            assert!(matches!(verb, Some(crate::verbs::Verb::Uci(_))), "{entry:?}");
            let told = shell("/opt/my programs/tabiya", &entry);
            let words = shlex::split(&told).unwrap();
            assert_eq!((words[0].as_str(), &words[1..]), ("/opt/my programs/tabiya", &entry.arguments()[..]));
        }
    }
}
