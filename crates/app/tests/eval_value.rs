//! `tabiya eval value` from outside, on a small game with evaluations.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::Value;

/// White wins a queen on the fourth move; the last two positions are mates, which no evaluation by itself sees.
const GAME: &str = r#"[Site "https://lichess.org/abcdefgh"]
[White "a"]
[Black "b"]
[Result "1-0"]

1. e4 { [%eval 0.2] } d5 { [%eval 0.6] } 2. exd5 { [%eval 0.5] } Qxd5 { [%eval 0.6] } 3. Nc3 { [%eval 0.6] } Qe4+ { [%eval 9.0] }
4. Nxe4 { [%eval 9.1] } e6 { [%eval 9.4] } 5. Nf3 { [%eval 9.0] } Ke7 { [%eval 11.0] } 6. d4 { [%eval 10.5] } f6 { [%eval #7] }
7. Bg5 { [%eval #9] } a6 { [%eval #8] } 8. Qd3 1-0
"#;

struct Dataset(PathBuf);

impl Dataset {
    fn new(test: &str) -> Dataset {
        let folder = std::env::temp_dir().join(format!("tabiya-eval-value-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("game.pgn");
        std::fs::write(&file, GAME).unwrap();
        let out = folder.join("data");
        let imported = tabiya(&["data", "import", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        assert!(imported.status.success(), "{imported:?}");
        Dataset(folder)
    }

    fn eval(&self, arguments: &[&str]) -> Output {
        let data = self.0.join("data");
        tabiya(&[&["eval", "value", "--data", data.to_str().unwrap(), "--split", "all"], arguments].concat())
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

#[test]
fn minds_and_searches_are_compared_on_the_same_positions() {
    let dataset = Dataset::new("table");
    let output = dataset.eval(&["heuristic", "heuristic:alpha-beta;depth=2", "human", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["models"].as_array().unwrap().len(), 3);
    let count = |part: usize| report["parts"][part]["positions"].as_u64().unwrap();
    assert_eq!((count(0), count(1), count(2)), (9, 6, 3));
    for model in 0..3 {
        let figure = |name: &str| report["parts"][0]["figures"][model][name]["value"].as_f64().unwrap();
        // Every second position is Black's, who is lost: nobody gets that wrong.
        assert!(figure("pair_accuracy") > 0.6 && figure("tau_a") > 0.2, "{model}: {report}");
        assert!(figure("spearman") <= 1.0 && figure("tau_b").abs() <= 1.0);
    }
}

#[test]
fn what_cannot_be_measured_is_refused_in_a_sentence() {
    let dataset = Dataset::new("refused");
    for (arguments, words) in [
        (&["nowhere.safetensors"][..], "nowhere.safetensors"),
        (&["heuristic", "--policy", "maia"], "there is no policy `maia`"),
        (&["heuristic", "--labels", "deep"], "labels-deep.json"),
        (&["heuristic", "--positions", "1"], "fewer than two positions"),
    ] {
        let output = dataset.eval(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(words), "{arguments:?}: {text}");
    }
}
