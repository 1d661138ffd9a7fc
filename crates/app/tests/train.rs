//! From a file of games to a mind that plays, by the binary alone, and through kills on the way.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

fn tabiya(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    tabiya(folder).args(arguments).output().unwrap()
}

fn must(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const CONFIG: &str = r#"
family = "human"
[network.swift]
channels = 8
blocks = 1
accumulator = 16
hidden = 16
[train]
batch = 8
steps = 30
warmup = 2
validate-every = 10
validation-samples = 8
checkpoint-seconds = 0
policy = "all"
"#;

/// A folder with a dataset of generated games and a small configuration.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let game = |seed: usize| {
        let opening = ["1. e4 e5 2. Nf3 Nc6", "1. d4 d5 2. c4 e6", "1. e4 c5 2. Nf3 d6"][seed % 3];
        let rest = ["3. Bc4 Nf6 4. d3", "3. Nc3 Nf6 4. e3", "3. g3 Nf6 4. Bg2"][seed / 3 % 3];
        format!(
            "[Site \"https://lichess.org/game{seed:04}\"]\n[White \"a\"]\n[Black \"b\"]\n[WhiteElo \"1500\"]\n\
             [BlackElo \"1600\"]\n[TimeControl \"300+0\"]\n[Result \"1-0\"]\n\n{opening} {rest} 1-0\n\n"
        )
    };
    fs::write(folder.path().join("games.pgn"), (0..80).map(game).collect::<String>()).unwrap();
    fs::write(folder.path().join("tiny.toml"), CONFIG).unwrap();
    must(folder.path(), &["data", "import", "games.pgn", "--out", "data"]);
    folder
}

/// All arrays of a checkpoint; the header before them holds the time, which differs.
fn arrays(checkpoint: &Path) -> Vec<u8> {
    let bytes = fs::read(checkpoint).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    bytes[8 + header..].to_vec()
}

#[test]
fn a_run_killed_at_any_moment_ends_as_if_it_had_not_been() {
    let folder = prepared();
    let path = folder.path();
    let train = |out: &str, resume: bool| {
        let mut command = tabiya(path);
        command.args(["train", "tiny.toml", "--data", "data", "--out", out]);
        if resume {
            command.arg("--resume")
        } else {
            &mut command
        };
        command
    };
    assert!(train("whole", false).output().unwrap().status.success());
    let checkpoint = path.join("broken/checkpoint.safetensors");
    for kill in 0..4 {
        let mut child = train("broken", kill > 0).spawn().unwrap();
        let log = path.join("broken/metrics.jsonl");
        let lines = || fs::read_to_string(&log).map_or(0, |text| text.lines().count());
        // Somewhere within a few steps after its first checkpoint: what is being done then is up to chance.
        while !checkpoint.exists() || lines() < 5 + 6 * kill {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(train("broken", true).output().unwrap().status.success());
    assert!(arrays(&checkpoint) == arrays(&path.join("whole/checkpoint.safetensors")), "the weights differ");
}

#[test]
fn games_become_a_mind_that_plays() {
    let folder = prepared();
    let path = folder.path();
    must(path, &["train", "tiny.toml", "--data", "data", "--out", "run"]);
    assert!(must(path, &["models", "run"]).contains("human (swift)"));
    assert!(must(path, &["train", "plot", "run", "--out", "plots"]).contains("training-loss.svg"));
    let weights = "run/best.safetensors";
    let table = must(path, &["opinion", "e2e4", "e7e5", "--weights", weights, "--ratings", "1100,2000"]);
    assert!(table.lines().any(|line| line.starts_with("expected score")), "{table}");
    let mut child = tabiya(path).stdin(Stdio::piped()).arg("uci").spawn().unwrap();
    let commands =
        format!("setoption name Weights value {weights}\nposition startpos moves e2e4\ngo movetime 100\n");
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(text.lines().any(|line| line.starts_with("bestmove ") && line.len() >= 13), "{text}");
}

#[test]
fn mistakes_are_told_in_one_sentence() {
    let folder = prepared();
    for (arguments, words) in [
        (&["train", "oracle", "--data", "data", "--out", "x"][..], "there is no family `oracle`"),
        (&["train", "human", "--data", "nowhere", "--out", "x"], "nowhere"),
        (
            &["train", "human", "--data", "data", "--out", "x", "--set", "train.bath=3"],
            "unknown field `bath`",
        ),
        (&["train", "human", "--data", "data", "--out", "x", "--resume"], "no checkpoint to resume from"),
        (
            &["train", "human", "--data", "data", "--out", "x", "--init", "games.pgn"],
            "not a whole safetensors file",
        ),
        (&["opinion", "e2e5"], "e2e5 cannot be played"),
        (&["train", "plot", "nowhere"], "nowhere"),
    ] {
        let output = run(folder.path(), arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let sentences: Vec<_> = error.lines().filter(|line| line.starts_with("tabiya: ")).collect();
        assert_eq!((output.status.code(), sentences.len()), (Some(2), 1), "{arguments:?}: {error}");
        assert!(sentences[0].contains(words), "{arguments:?}: {error}");
    }
}
