//! Imports of whole files: what comes out, and what is left after a crash.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use data::{Card, Dataset, Filters, Game, ImportError, ImportOptions, Reason, import};

fn pgn(count: usize, first: usize) -> String {
    let openings =
        ["1. e4 { [%clk 0:03:00] } e5 { [%clk 0:02:59] }", "1. d4 d5 2. c4 e6", "1. c4 { [%eval 0.1] } g6"];
    (first..first + count)
        .map(|n| {
            format!(
                "[Event \"Rated game\"]\n[Site \"https://lichess.org/game{n:04}\"]\n[White \"w{n}\"]\n[Black \"b\"]\n\
                [Result \"1-0\"]\n[WhiteElo \"{}\"]\n[BlackElo \"1500\"]\n[TimeControl \"180+0\"]\n\n{} 1-0\n\n",
                1000 + n,
                openings[n % 3]
            )
        })
        .collect()
}

fn options() -> ImportOptions {
    ImportOptions { threads: 2, shard_games: 10, chunk_bytes: 1_000, ..ImportOptions::default() }
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn games(folder: &Path) -> Vec<Game> {
    let mut all = Vec::new();
    Dataset::open(folder)
        .unwrap()
        .for_each_group(|games| {
            all.extend(games);
            Ok::<_, data::DatasetError>(())
        })
        .unwrap();
    all
}

/// The folder reads, holds what its card says, and no game twice.
fn check(folder: &Path) -> Card {
    let card = Dataset::open(folder).unwrap().card;
    let games = games(folder);
    assert_eq!(games.len() as u64, card.games);
    let mut ids: Vec<_> = games.iter().map(|game| game.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), games.len(), "a game is there twice");
    let mut scratch = Vec::new();
    let sum = games.iter().fold(0u128, |sum, game| sum.wrapping_add(game.fingerprint(&mut scratch)));
    assert_eq!(sum, card.fingerprint.0);
    card
}

#[test]
fn packed_files_give_the_same_rows_as_plain_ones() {
    let folder = tempfile::tempdir().unwrap();
    let text = pgn(60, 0);
    let plain = write(folder.path(), "a.pgn", &text);
    let packed = write(folder.path(), "a.pgn.zst", zstd::encode_all(text.as_bytes(), 1).unwrap());
    let mut cards = Vec::new();
    for (path, out, threads) in [(&plain, "one", 1), (&plain, "two", 3), (&packed, "three", 2)] {
        let out = folder.path().join(out);
        let (tally, _) =
            import(std::slice::from_ref(path), &out, &ImportOptions { threads, ..options() }, |_| {})
                .unwrap();
        assert_eq!((tally.read, tally.kept), (60, 60));
        cards.push(check(&out));
    }
    assert!(
        cards.iter().all(|card| card.fingerprint == cards[0].fingerprint && card.shards == cards[0].shards)
    );
    assert!(cards[0].shards.len() > 2, "shards are bounded");
}

#[test]
fn a_second_import_adds_and_drops_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (first, second) =
        (write(folder.path(), "1.pgn", pgn(30, 0)), write(folder.path(), "2.pgn", pgn(30, 20)));
    import(&[first], &out, &options(), |_| {}).unwrap();
    let (tally, card) = import(&[second], &out, &options(), |_| {}).unwrap();
    assert_eq!(tally.dropped().collect::<Vec<_>>(), [(Reason::Duplicate, 10)]);
    assert_eq!(card.games, 50);
    check(&out);
}

#[test]
fn a_crash_at_any_step_and_a_resume_end_as_an_undisturbed_run() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [write(folder.path(), "1.pgn", pgn(50, 0)), write(folder.path(), "2.pgn", pgn(50, 40))];
    let calm = folder.path().join("calm");
    import(&paths, &calm, &options(), |_| {}).unwrap();
    let calm = check(&calm);
    for crash_at in [0, 1, 2, 5, 9, 14, 22, 27] {
        let out = folder.path().join(format!("crash{crash_at}"));
        let mut steps = 0;
        let crashed = catch_unwind(AssertUnwindSafe(|| {
            import(&paths, &out, &options(), |_| {
                steps += 1;
                assert!(steps <= crash_at, "crash");
            })
        }));
        if crashed.is_err() && out.join("dataset.json").exists() {
            check(&out);
        }
        import(&paths, &out, &ImportOptions { resume: true, ..options() }, |_| {}).unwrap();
        let card = check(&out);
        assert_eq!((card.fingerprint, &card.shards), (calm.fingerprint, &calm.shards), "crash at {crash_at}");
        assert_eq!(card.histograms, calm.histograms);
        let counts = |card: &Card| {
            card.sources.iter().map(|s| (s.read, s.kept, s.dropped.clone())).collect::<Vec<_>>()
        };
        assert_eq!(counts(&card), counts(&calm));
    }
}

#[test]
fn an_interrupted_import_keeps_what_it_read_and_leaves_no_unfinished_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "1.pgn", pgn(60, 0));
    let (calm, out) = (folder.path().join("calm"), folder.path().join("out"));
    import(std::slice::from_ref(&path), &calm, &options(), |_| {}).unwrap();
    let options = ImportOptions { resume: true, shard_games: 1_000, ..options() };
    for _ in 0..3 {
        let stop = Arc::clone(&options.stop);
        stop.store(false, Ordering::Relaxed);
        let stopped =
            import(std::slice::from_ref(&path), &out, &options, |_| stop.store(true, Ordering::Relaxed));
        assert!(matches!(stopped, Err(ImportError::Interrupted)), "{stopped:?}");
        check(&out);
        let unfinished = |name: PathBuf| name.extension().is_some_and(|extension| extension == "tmp");
        assert!(!fs::read_dir(&out).unwrap().any(|entry| unfinished(entry.unwrap().path())));
    }
    options.stop.store(false, Ordering::Relaxed);
    import(&[path], &out, &options, |_| {}).unwrap();
    assert_eq!(check(&out).fingerprint, check(&calm).fingerprint);
}

#[test]
fn an_error_leaves_no_unfinished_file() {
    let folder = tempfile::tempdir().unwrap();
    let path =
        write(folder.path(), "bad.pgn", pgn(30, 0) + "[Event \"bad\"]\n[Result \"1-0\"]\n\n1. e5 1-0\n");
    let out = folder.path().join("out");
    let strict = ImportOptions { strict: true, shard_games: 1_000, ..options() };
    import(&[path], &out, &strict, |_| {}).unwrap_err();
    let names: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{names:?}");
}

#[test]
fn resume_skips_finished_input_and_refuses_other_filters() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let path = write(folder.path(), "1.pgn", pgn(30, 0));
    import(std::slice::from_ref(&path), &out, &options(), |_| {}).unwrap();
    let resume = ImportOptions { resume: true, ..options() };
    let (tally, card) = import(std::slice::from_ref(&path), &out, &resume, |_| {}).unwrap();
    assert_eq!((tally.read, card.games, card.sources.len()), (0, 30, 1));
}

#[test]
fn strict_names_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}[Event \"bad\"]\n[Result \"1-0\"]\n\n1. e5 1-0\n\n{}", pgn(3, 0), pgn(2, 3));
    let line = text.lines().position(|line| line.contains("bad")).unwrap() as u64 + 1;
    let path = write(folder.path(), "bad.pgn", &text);
    let strict = ImportOptions { strict: true, ..options() };
    match import(std::slice::from_ref(&path), &folder.path().join("out"), &strict, |_| {}) {
        Err(ImportError::Bad { line: found, reason: Reason::IllegalMove, .. }) => assert_eq!(found, line),
        other => panic!("{other:?}"),
    }
    let (tally, _) = import(&[path], &folder.path().join("lax"), &options(), |_| {}).unwrap();
    assert_eq!((tally.read, tally.kept), (6, 5));
}

#[test]
fn a_cut_off_archive_keeps_what_came_before() {
    let folder = tempfile::tempdir().unwrap();
    let packed = zstd::encode_all(pgn(400, 0).as_bytes(), 1).unwrap();
    let path = write(folder.path(), "cut.pgn.zst", &packed[..packed.len() - 20]);
    let (tally, _) = import(&[path], &folder.path().join("out"), &options(), |_| {}).unwrap();
    assert!(tally.dropped().any(|(reason, _)| reason == Reason::DamagedArchive));
    check(&folder.path().join("out"));
}

#[test]
fn filters_reach_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "1.pgn", pgn(30, 0));
    let filters = Filters { max_rating: 1509, ..Filters::default() };
    let out = folder.path().join("out");
    import(
        &[path],
        &out,
        &ImportOptions { filters: Filters { min_rating: 1010, ..filters }, ..options() },
        |_| {},
    )
    .unwrap();
    assert_eq!(games(&out).len(), 20);
}
