//! Labelling with engines that misbehave. The engine is a shell script, so that no real one is needed.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use data::{Dataset, ImportOptions, LabelCard, LabelOptions, Labels, Limit, Part, Policy, import, label};

/// Plays a2a3 or a7a6, which every position below allows. `$1` answers, then it dies; it dies at once when the FEN holds `$2`.
const ENGINE: &str = r#"
left=$1
while read -r line; do
    case "$line" in
        uci) echo "id name Script"; echo uciok ;;
        isready) echo readyok ;;
        ucinewgame) echo again >> "$0.forgot" ;;
        position*) fen="$line" ;;
        go*)
            case "$fen" in *$2*) exit 1 ;; esac
            [ "$left" -eq 0 ] && exit 1
            left=$((left - 1))
            case "$fen" in *" w "*) move=a2a3 ;; *) move=a7a6 ;; esac
            echo "info depth 3 multipv 1 score cp 25 pv $move"
            echo "bestmove $move" ;;
    esac
done
"#;

fn dataset(folder: &Path) -> PathBuf {
    let text: String = (0..12)
        .map(|n| {
            let moves = format!("{}e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7# 1-0", "Nf3 Nf6 Ng1 Ng8 ".repeat(n % 4));
            format!(
                "[Event \"x\"]\n[Site \"https://lichess.org/game{n:04}\"]\n[Result \"1-0\"]\n\n{moves}\n\n"
            )
        })
        .collect();
    fs::write(folder.join("games.pgn"), text).unwrap();
    fs::write(folder.join("engine.sh"), ENGINE).unwrap();
    import(&[folder.join("games.pgn")], &folder.join("set"), &ImportOptions::default(), |_| {}).unwrap();
    folder.join("set")
}

fn options(folder: &Path, answers: u32, poison: &str) -> LabelOptions {
    LabelOptions {
        name: "script".to_owned(),
        engine: Some(format!("sh {} {answers} {poison}", folder.join("engine.sh").display())),
        limit: Limit::Depth(3),
        multipv: 1,
        keep_memory: false,
        evals: false,
        policy: Policy::named("all").unwrap(),
        split: None,
        seed: 0,
        sample: 0,
        part: None,
        engines: 2,
        patience: Duration::from_secs(20),
        resume: false,
        stop: Default::default(),
    }
}

#[test]
fn an_engine_that_dies_now_and_then_loses_nothing_and_equal_positions_are_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    let (card, progress) = label(&set, &options(folder.path(), 2, "none"), |_| {}).unwrap();
    let plies = Dataset::open(&set).unwrap().card.plies;
    assert_eq!((card.rows, progress.gave_up), (plies, 0));
    assert!(progress.restarts >= 2, "{progress:?}");
    assert_eq!(
        card.analysed, 10,
        "the start, three knight moves and six positions of the line are all there are"
    );
    let labels = Labels::read(&set, "script").unwrap();
    assert_eq!(labels.len() as u64, plies);
    assert_eq!(labels.get("game0001", 1).unwrap().best.len(), 1);
}

#[test]
fn a_position_that_kills_the_engine_three_times_is_given_up_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    let (card, progress) = label(&set, &options(folder.path(), 1000, "4p2Q"), |_| {}).unwrap();
    assert_eq!((progress.gave_up, progress.restarts), (2, 6), "{card:?}");
    let (again, _) =
        label(&set, &LabelOptions { resume: true, ..options(folder.path(), 1000, "none") }, |_| {}).unwrap();
    assert_eq!(
        again.rows,
        Dataset::open(&set).unwrap().card.plies,
        "a later run with a sound engine fills the holes"
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let other = dataset(elsewhere.path());
    let (calm, _) = label(&other, &options(elsewhere.path(), 1000, "none"), |_| {}).unwrap();
    assert_eq!(again.fingerprint, calm.fingerprint);
}

#[test]
fn a_missing_engine_is_an_error_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    let missing =
        LabelOptions { engine: Some("no-such-engine".to_owned()), ..options(folder.path(), 1, "none") };
    assert!(label(&set, &missing, |_| {}).unwrap_err().to_string().contains("no-such-engine"));
    assert!(!set.join("labels-script.json").exists());
}

#[test]
fn an_engine_forgets_between_positions_unless_it_is_to_keep_its_memory() {
    for keep_memory in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let set = dataset(folder.path());
        let options = LabelOptions { keep_memory, ..options(folder.path(), 1000, "none") };
        let (card, _) = label(&set, &options, |_| {}).unwrap();
        let forgot = fs::read_to_string(folder.path().join("engine.sh.forgot")).unwrap_or_default();
        let expected = if keep_memory { 0 } else { card.analysed };
        assert_eq!(forgot.lines().count() as u64, expected);
        assert_eq!(card.recipe.keep_memory, keep_memory);
    }
}

#[test]
fn a_stop_ends_the_work_at_once_and_every_engine_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    // It thinks about its first position for ever.
    let script = format!(
        "echo $$ >> '{}'; while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) sleep 1000;; esac; done",
        folder.path().join("pids").display()
    );
    fs::write(folder.path().join("silent.sh"), script).unwrap();
    let engine = Some(format!("sh {}", folder.path().join("silent.sh").display()));
    let options =
        LabelOptions { engine, patience: Duration::from_secs(1000), ..options(folder.path(), 0, "none") };
    let pids = || fs::read_to_string(folder.path().join("pids")).unwrap_or_default();
    std::thread::scope(|scope| {
        let labelling = scope.spawn(|| label(&set, &options, |_| {}));
        // The one that was tried first, and two of the pool.
        while pids().lines().count() < 3 {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(100));
        options.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let error = labelling.join().unwrap().unwrap_err();
        assert!(error.to_string().starts_with("interrupted"), "{error}");
    });
    for pid in pids().lines() {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z "), "engine {pid} is still there: {state}");
    }
}

#[test]
fn parts_made_apart_are_the_set_that_one_run_makes() {
    let folder = tempfile::tempdir().unwrap();
    let set = dataset(folder.path());
    let (whole, _) = label(&set, &options(folder.path(), 1000, "none"), |_| {}).unwrap();
    let part = |number| LabelOptions {
        name: "shared".to_owned(),
        part: Part::new(number, 3),
        ..options(folder.path(), 1000, "none")
    };
    for number in [3, 1] {
        label(&set, &part(number), |_| {}).unwrap();
    }
    let missing = Labels::read(&set, "shared").unwrap_err().to_string();
    assert!(missing.starts_with("part 2/3 of the labels `shared` is missing"), "{missing}");
    label(&set, &part(2), |_| {}).unwrap();
    // A part may be repeated: it is there already.
    label(&set, &LabelOptions { resume: true, ..part(2) }, |_| {}).unwrap();
    let card = LabelCard::read(&set, "shared").unwrap().unwrap();
    assert_eq!((card.rows, card.analysed, card.fingerprint), (whole.rows, whole.analysed, whole.fingerprint));
    assert_eq!(Labels::read(&set, "shared").unwrap().len() as u64, whole.rows);
}
