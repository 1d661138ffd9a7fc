//! What GUIs are shown must be sane: at equal clocks and ratings nobody has won in the opening, and both sides agree on who stands better.

use super::*;
use crate::embedded::WEIGHTS;

/// Known openings without an exchange, after which neither side stands better.
const OPENINGS: [&str; 30] = [
    "e2e4",
    "d2d4",
    "c2c4",
    "g1f3",
    "e2e4 e7e5",
    "e2e4 c7c5",
    "e2e4 e7e6",
    "e2e4 c7c6",
    "d2d4 d7d5",
    "d2d4 g8f6",
    "c2c4 e7e5",
    "c2c4 c7c5",
    "g1f3 d7d5",
    "g1f3 g8f6",
    "e2e4 e7e5 g1f3",
    "e2e4 e7e5 g1f3 b8c6",
    "e2e4 e7e5 g1f3 b8c6 f1c4",
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5",
    "e2e4 e7e5 b1c3 g8f6",
    "e2e4 c7c5 g1f3 d7d6",
    "e2e4 c7c5 b1c3 b8c6",
    "e2e4 e7e6 d2d4 d7d5",
    "e2e4 c7c6 d2d4 d7d5",
    "d2d4 d7d5 c2c4 e7e6",
    "d2d4 d7d5 c2c4 c7c6",
    "d2d4 d7d5 g1f3 g8f6",
    "d2d4 g8f6 c2c4 e7e6",
    "d2d4 g8f6 c2c4 g7g6",
    "c2c4 e7e5 b1c3 g8f6",
    "g1f3 d7d5 g2g3 g8f6",
];
/// Bounds for minds that judge people's games, which know nothing of a tempo, and for all others.
const LARGEST: i32 = 80;
const AGREES_WITHIN: i32 = 60;
/// The comparator, with weights of a short training, gives White up to 186 in sound openings.
const LARGEST_OF_OTHERS: i32 = 200;

/// The score of the last line in the answer to `go`, for the side to move.
fn score(gui: &mut Gui, position: &str, go: &str) -> i32 {
    gui.say(&format!("position {position}"));
    gui.say(go);
    let lines = std::iter::from_fn(|| gui.next_line()).take_while(|line| !line.starts_with("bestmove"));
    let told = lines.filter_map(|line| {
        let (_, rest) = line.split_once(" score cp ")?;
        rest.split(' ').next()?.parse().ok()
    });
    told.last().expect("a score")
}

/// The same board with the other side to move.
fn turned(moves: &str) -> String {
    let moment = chess::Moment::default().after_uci(moves.split(' ')).unwrap();
    let fen = moment.fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    format!("fen {} {side} {} - 0 {}", fields[0], fields[2], fields[5])
}

#[test]
fn at_equal_clocks_and_ratings_no_mind_sees_an_opening_as_won_and_both_sides_agree() {
    for mind in std::iter::once("heuristic").chain(WEIGHTS.iter().map(|weights| weights.name)) {
        let traits = Names::parse(mind).mind().unwrap().brain.traits().clone();
        if !traits.value {
            continue;
        }
        let largest = if traits.think { LARGEST } else { LARGEST_OF_OTHERS };
        let mut gui = Gui::new(super::super::hooks::build);
        gui.say(&format!("setoption name Brain value {mind}"));
        gui.say("setoption name BlunderGuard value Off");
        let go = if traits.think { "go wtime 60000 btime 60000 winc 1000 binc 1000" } else { "go nodes 400" };
        for opening in OPENINGS {
            let own = score(&mut gui, &format!("startpos moves {opening}"), go);
            assert!(own.abs() < largest, "{mind} after {opening}: {own}");
            // Other minds know nothing of clocks and ratings; being on move is worth something to them.
            if traits.think {
                let theirs = score(&mut gui, &turned(opening), go);
                assert!((own + theirs).abs() <= AGREES_WITHIN, "{mind} after {opening}: {own} and {theirs}");
            }
        }
    }
}
