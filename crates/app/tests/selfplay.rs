//! A network that learns from games against itself, by the binary alone, and through a cut on the way.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya")).current_dir(folder).args(arguments).output().unwrap()
}

fn must(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const NETWORK: &str = r#"
family = "FAMILY"
[network]
NETWORK
[train]
batch = 8
steps = 2
validate-every = 2
validation-samples = 8
policy = "all"
validation-policy = "all"
"#;

const SELFPLAY: &str = r#"
start = "start.safetensors"
generations = 2
[games]
count = 96
at-once = 5
visits = 4
drawn-plies = 6
longest-plies = 12
past = 0.5
[learn]
generations = 2
[learn.train]
steps = 2
batch = 8
validate-every = 2
validation-samples = 8
"#;

/// A folder with a small network of the family.
fn prepared(family: &str, network: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let game = |seed: usize| {
        let opening = ["1. e4 e5 2. Nf3 Nc6", "1. d4 d5 2. c4 e6", "1. e4 c5 2. Nf3 d6"][seed % 3];
        format!(
            "[Site \"https://lichess.org/game{seed:04}\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n{opening} 1-0\n\n"
        )
    };
    fs::write(path.join("games.pgn"), (0..80).map(game).collect::<String>()).unwrap();
    fs::write(path.join("tiny.toml"), NETWORK.replace("FAMILY", family).replace("NETWORK", network)).unwrap();
    fs::write(path.join("selfplay.toml"), SELFPLAY).unwrap();
    must(path, &["data", "import", "games.pgn", "--out", "data"]);
    must(path, &["train", "tiny.toml", "--data", "data", "--out", "run"]);
    fs::copy(path.join("run/best.safetensors"), path.join("start.safetensors")).unwrap();
    folder
}

fn rounds(pgn: &str) -> Vec<&str> {
    let mut rounds: Vec<&str> =
        pgn.lines().filter_map(|line| line.strip_prefix("[Round \"")?.strip_suffix("\"]")).collect();
    rounds.sort_unstable();
    rounds
}

#[test]
fn generations_play_and_learn_and_go_on_where_they_were_cut() {
    for (family, network) in [
        ("recycler", "layers = 1\nwidth = 16\nheads = 2\nhidden = 16\ndropout = 0.0\npasses = 2"),
        ("graph", "layers = 1\nwidth = 16\nheads = 2\nfeed = 16\nhidden = 16"),
    ] {
        let folder = prepared(family, network);
        let path = folder.path();
        let told = must(path, &["selfplay", "selfplay.toml", "--out", "out"]);
        assert_eq!(told.lines().count(), 3, "{told}");
        let pgn = fs::read_to_string(path.join("out/0000/games.pgn")).unwrap();
        assert_eq!(rounds(&pgn).len(), 96);
        assert!(pgn.matches("[%eval ").count() > 12 && !pgn.contains("[Result \"*\"]"));
        let second = fs::read_to_string(path.join("out/0001/games.pgn")).unwrap();
        assert!(second.contains("\"generation 0\"") && second.contains("\"generation 1\""));
        let weights =
            |generation: &str| fs::read(path.join("out").join(generation).join("weights.safetensors"));
        assert_ne!(weights("0000").unwrap(), weights("0002").unwrap());

        // Half of the games of the last generation are lost, one of them in the middle of a move.
        fs::write(path.join("out/0001/games.pgn"), &second[..second.len() / 2]).unwrap();
        fs::remove_dir_all(path.join("out/0002")).unwrap();
        must(path, &["selfplay", "selfplay.toml", "--out", "out"]);
        let again = fs::read_to_string(path.join("out/0001/games.pgn")).unwrap();
        assert_eq!(rounds(&again), rounds(&second));
        assert!(weights("0002").is_ok());
    }
}

#[test]
fn what_cannot_play_against_itself_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("none.toml"), "start = \"nowhere\"").unwrap();
    let output = run(folder.path(), &["selfplay", "none.toml", "--out", "out"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("`nowhere` is no mind that comes with the program"), "{error}");
}
