//! The arena from outside: command lines, kills, resumption. Players are the random mover and scripted engines.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread::sleep,
    time::Duration,
};

const SCRIPTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/engines/scripted.sh");

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tabiya-arena-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `arguments` are separated by spaces, with `_` for a space within one.
fn arena(folder: &Folder, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.arg("arena").args(arguments.split(' ').map(|argument| argument.replace('_', " ")));
    command.current_dir(&folder.0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Folder, arguments: &str) -> Output {
    arena(folder, arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Each game of a PGN as round, players, result and movetext: all but the date.
fn games(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let games = text.split("[Event ").skip(1);
    // Clocks differ from run to run.
    let without_comments = |game: &str| {
        let mut rest = game;
        let mut kept = String::new();
        while let Some((before, after)) = rest.split_once('{') {
            kept += before;
            rest = after.split_once('}').unwrap().1;
        }
        kept + rest
    };
    let tidy = |game: &str| without_comments(game).split_whitespace().collect::<Vec<_>>().join(" ");
    games.map(|game| tidy(game.split_once("[Round").unwrap().1)).collect()
}

/// Long enough for the slowest machine, and still an end.
fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    for _ in 0..24_000 {
        if happened() {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("in two minutes it has not happened that {what}");
}

fn wait_for_lines(path: &Path, lines: usize) {
    let count = || std::fs::read_to_string(path).map_or(0, |text| text.lines().count());
    wait_until("the journal grew", || count() >= lines);
}

#[test]
fn bad_command_lines_are_answered_in_a_sentence() {
    let folder = Folder::new("bad");
    let table = [
        ("random", "2 values required"),
        ("random random --games 3", "--games 3: every opening is played with both colours"),
        ("random random --games 0", "must be even"),
        ("random random --tc soon", "`soon` is not a time control"),
        ("random random --sprt 5,0", "ELO0 is not below ELO1"),
        ("random random random --sprt 0,5", "--sprt is a test between two players"),
        ("random random --resign 5", "`5` is not CP,MOVES"),
        ("random random --draw x", "`x` is not CP,MOVES,AFTER"),
        ("random random --resume", "--resume needs --pgn or --journal"),
        ("random random --resume --pgn none.pgn", "cannot resume from the journal none.pgn.journal"),
        ("random random --book none.epd", "cannot open the book none.epd"),
        ("random random --part 3/2 --pgn x.pgn", "`3/2` is no part"),
        ("random random --part 1/2", "--part needs --journal or --pgn"),
        ("random random --part 1/2 --pgn x.pgn --sprt 0,5", "give it to `tabiya arena merge`"),
        ("merge none.journal", "cannot read the journal none.journal"),
        ("random random --concurrency 0", "--concurrency 0 plays no games"),
        ("random nobody:knows", "there is no mind `nobody`"),
        ("random /nowhere/engine", "cannot start `/nowhere/engine`"),
        ("random random;colour=red", "`colour` is none of name, tc"),
        ("random random;option.Elo=9", "there is no option `Elo`"),
    ];
    for (arguments, words) in table {
        let output = run(&folder, arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
        assert!(error.contains(words), "{arguments}: {error}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn every_opening_of_a_book_is_played_with_both_colours() {
    let folder = Folder::new("book");
    let book = "1. a3 a6 2. h3 *\n\n1. b3 b6 2. g3 *\n\n1. c3 c6 2. f3 *\n\n1. nonsense *\n\n";
    std::fs::write(folder.path("book.pgn"), book).unwrap();
    let output = run(
        &folder,
        "random random;name=other --games 6 --depth 1 --book book.pgn --book-plies 2 --pgn out.pgn",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let games = games(&folder.path("out.pgn"));
    assert_eq!(games.len(), 6);
    for opening in ["1. a3 a6 2.", "1. b3 b6 2.", "1. c3 c6 2."] {
        let whites: BTreeSet<bool> = games
            .iter()
            .filter(|game| game.contains(opening))
            .map(|game| game.contains("[White \"other\"]"))
            .collect();
        assert_eq!(whites.len(), 2, "{opening}");
    }
}

#[test]
fn faults_are_counted_by_player_and_lose_games() {
    let folder = Folder::new("faults");
    for (word, fault) in
        [("crash", "crashes"), ("hang", "crashes"), ("e2e5", "illegal_moves"), ("nonsense", "illegal_moves")]
    {
        // As White it breaks down at once; as Black it resigns itself to the same after White's first move.
        let players = format!("random {SCRIPTED}_'{word}_{word}';name=rogue;movetime=50");
        std::fs::write(folder.path("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
            .unwrap();
        let arguments =
            format!("{players} --games 2 --depth 1 --grace 1 --timemargin 60000 --book start.epd --json");
        let arguments = if word == "hang" { arguments.replace("60000", "10") } else { arguments };
        let output = run(&folder, &arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let rogue = &json(&output)["players"][1];
        assert_eq!(
            (&rogue["name"], &rogue["losses"], &rogue[fault]),
            (&"rogue".into(), &2.into(), &2.into()),
            "{word}"
        );
        let reports = text(&output.stderr);
        assert_eq!(reports.matches("rogue lost by").count(), 2, "{word}: {reports}");
    }
}

#[test]
fn a_scripted_mate_is_scored_for_the_side_that_mates() {
    let folder = Folder::new("mate");
    std::fs::write(folder.path("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
        .unwrap();
    let engine = format!("{SCRIPTED}_'f2f3=-90_e7e5=80_g2g4=-900_d8h4=900'");
    let arguments =
        format!("{engine};name=a {engine};name=b --games 2 --depth 1 --book start.epd --pgn out.pgn");
    let output = run(&folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let pgn = std::fs::read_to_string(folder.path("out.pgn")).unwrap();
    assert_eq!(pgn.matches("[Result \"0-1\"]").count(), 2);
    assert!(pgn.contains("1. f3 { [%eval -0.90] } 1... e5 { [%eval -0.80] }"), "{pgn}");
    assert!(text(&output.stdout).contains("a - b: +0.0 ± - Elo, 1/0/1, 50.0%"), "{}", text(&output.stdout));
}

#[test]
fn a_killed_match_resumes_to_the_same_games() {
    let folder = Folder::new("kill");
    let players = "random random;name=other";
    let whole = format!("{players} --depth 1 --games 120 --pgn whole.pgn");
    assert!(run(&folder, &whole).status.success());
    let mut expected = games(&folder.path("whole.pgn"));
    expected.sort();

    let arguments = format!("{players} --depth 1 --games 120 --concurrency 2 --pgn out.pgn --json");
    std::fs::write(folder.path("out.pgn"), "[Event \"before\"]\n[Round \"-\"]\n\n*\n\n").unwrap();
    let mut child = arena(&folder, &arguments).spawn().unwrap();
    let journal = folder.path("out.pgn.journal");
    for lines in [5, 40] {
        wait_for_lines(&journal, lines);
        child.kill().unwrap();
        child.wait().unwrap();
        child = arena(&folder, &format!("{arguments} --resume")).spawn().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(json(&output)["players"][0]["games"], 120);
    let mut resumed = games(&folder.path("out.pgn"));
    assert_eq!(resumed.remove(0), "\"-\"] *", "what the file held before is still there");
    resumed.sort();
    assert_eq!(resumed, expected);
    assert!(
        run(&folder, &format!("{arguments} --resume")).status.success(),
        "a finished match resumes to its table"
    );

    let other = run(&folder, &format!("{arguments} --resume --seed 9"));
    let error = text(&other.stderr);
    assert_eq!(other.status.code(), Some(2));
    assert!(error.contains("belongs to another match: its book is"), "{error}");
}

#[test]
fn an_interrupt_saves_what_is_finished_and_leaves_no_engine() {
    use nix::{
        sys::signal::{Signal, kill},
        unistd::Pid,
    };
    let folder = Folder::new("interrupt");
    std::fs::write(folder.path("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
        .unwrap();
    // It plays a mate as Black in the first game and thinks for ever as White in the second.
    let rogue = format!("{SCRIPTED}_'hang_e7e5_hang_d8h4'_rogue.pid;name=rogue");
    let mated = format!("{SCRIPTED}_'f2f3_hang_g2g4_hang';name=mated");
    let arguments = format!("{mated} {rogue} --games 2 --depth 1 --book start.epd --pgn out.pgn");
    for (signal, code) in [(Some(Signal::SIGINT), Some(130)), (None, None)] {
        let mut child = arena(&folder, &arguments).spawn().unwrap();
        wait_until("the first game was saved", || folder.path("out.pgn").exists());
        match signal {
            Some(signal) => kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap(),
            None => child.kill().unwrap(),
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), code, "{}", text(&output.stderr));
        let engine: i32 = std::fs::read_to_string(folder.path("rogue.pid")).unwrap().trim().parse().unwrap();
        // A dead process keeps its number until its new parent has noticed.
        let is_dead = || {
            std::fs::read_to_string(format!("/proc/{engine}/stat")).is_ok_and(|stat| stat.contains(") Z "))
        };
        // A killed arena leaves this to its guard, which needs a moment.
        wait_until("the engine ended", || kill(Pid::from_raw(engine), None).is_err() || is_dead());
        assert_eq!(games(&folder.path("out.pgn")).len(), 1);
        std::fs::remove_file(folder.path("out.pgn")).unwrap();
        std::fs::remove_file(folder.path("out.pgn.journal")).unwrap();
    }
}

#[test]
fn a_test_stops_when_it_is_decided() {
    let folder = Folder::new("sprt");
    std::fs::write(folder.path("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
        .unwrap();
    let loser = format!("{SCRIPTED}_'x_x';name=loser");
    for (players, games, verdict, code) in [
        (format!("random {loser}"), 200, "h1", 0),
        (format!("{loser} random"), 200, "h0", 1),
        (format!("random {loser}"), 2, "undecided", 1),
    ] {
        let arguments = format!("{players} --sprt 0,100 --games {games} --depth 1 --book start.epd --json");
        let output = run(&folder, &arguments);
        assert_eq!(output.status.code(), Some(code), "{players}");
        let json = json(&output);
        assert_eq!(json["sprt"]["verdict"], verdict);
        let played = json["players"][0]["games"].as_u64().unwrap();
        assert_eq!(played < games, verdict != "undecided", "{players}: {played}");
    }
}

#[test]
fn parts_of_a_match_are_judged_as_the_whole() {
    let folder = Folder::new("parts");
    let players = "random random;name=other random;name=third --depth 1 --games 20 --journal";
    let whole = run(&folder, &format!("{players} whole.journal --json"));
    for part in 1..=3 {
        let output = run(&folder, &format!("{players} part{part}.journal --part {part}/3"));
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    // A journal twice is one machine that was asked twice.
    let merge = "merge part3.journal part1.journal part2.journal part1.journal --json --pgn merged.pgn";
    let merged = run(&folder, merge);
    assert_eq!(json(&merged), json(&whole), "{}", text(&merged.stderr));
    assert_eq!(games(&folder.path("merged.pgn")).len(), 60);

    let other = run(&folder, "random random --depth 1 --games 2 --journal other.journal");
    assert!(other.status.success());
    let refused = run(&folder, "merge part1.journal other.journal");
    let error = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && error.contains("belongs to another match"), "{error}");
}
