//! `tabiya eval human` from outside, on three small games.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/games.pgn");

/// A dataset that goes away with the test.
struct Dataset(PathBuf);

impl Dataset {
    fn new(test: &str) -> Dataset {
        let folder = std::env::temp_dir().join(format!("tabiya-eval-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let imported = tabiya(&["data", "import", GAMES, "--out", folder.to_str().unwrap()]);
        assert!(imported.status.success(), "{imported:?}");
        Dataset(folder)
    }

    fn eval(&self, arguments: &[&str]) -> Output {
        let data = self.0.to_str().unwrap();
        tabiya(&[&["eval", "human", "--data", data, "--split", "all"], arguments].concat())
    }
}

impl Drop for Dataset {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn tabiya(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya")).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_guess_and_an_engine_stand_in_one_table_on_the_same_positions() {
    let dataset = Dataset::new("table");
    let plots = dataset.0.join("plots");
    let report = json(&dataset.eval(&["heuristic;depth=1", "--json", "--plots", plots.to_str().unwrap()]));
    assert_eq!(report["models"], serde_json::json!(["uniform", "heuristic"]));
    let all = &report["conventions"][0];
    assert_eq!((all["positions"].as_u64(), all["games"].as_u64()), (Some(19), Some(3)));
    let figure = |model: usize, name: &str| all["overall"][model][name]["value"].as_f64();
    let guess = figure(0, "top1").unwrap();
    assert!((0.02..0.08).contains(&guess), "{guess}");
    let chance = figure(0, "chance").unwrap();
    assert!((chance - guess).abs() < 1e-6, "a guess is right as often as it is likely: {chance}");
    assert!(figure(1, "top1").is_some() && figure(1, "outcome_auc").is_some());
    assert_eq!(figure(1, "chance"), None, "an engine names one move and no chances");
    let by_ply: u64 =
        all["by"][3]["bins"].as_array().unwrap().iter().map(|bin| bin["positions"].as_u64().unwrap()).sum();
    assert_eq!(by_ply, 19);
    assert_eq!(report["conventions"][1]["positions"], 0, "no game is long enough for Maia's convention");
    assert!(Path::new(&plots).join("accuracy-by-rating.svg").is_file());
}

#[test]
fn filters_and_limits_keep_what_they_say() {
    let dataset = Dataset::new("filters");
    let positions = |arguments: &[&str]| {
        json(&dataset.eval(&[arguments, &["--json"]].concat()))["conventions"][0]["positions"].as_u64()
    };
    assert_eq!(positions(&["--speed", "blitz"]), Some(7));
    assert_eq!(positions(&["--ratings", "1700-1800"]), Some(3 + 4), "the moves of one player in two games");
    assert_eq!(positions(&["--max-per-account", "2"]), Some(2 + 2 + 2 + 2));
    assert_eq!(positions(&["--positions", "5"]), Some(5));
}

#[test]
fn what_cannot_be_measured_is_refused_in_a_sentence() {
    let dataset = Dataset::new("refused");
    for (arguments, words) in [
        (&["--speed", "classical"][..], "no position of this dataset passes the filters"),
        (&["nowhere.safetensors"], "nowhere.safetensors"),
        (&["/nowhere/engine"], "cannot start `/nowhere/engine`"),
        (&["--ratings", "1900"], "two ratings such as 1100-1900"),
    ] {
        let output = dataset.eval(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(words), "{arguments:?}: {text}");
    }
}
