//! Long lists of nonsense, half commands and words in the wrong place: no panic, and one answer for every `go`.

use proptest::{collection::vec, prelude::*, sample};

use super::*;
use crate::uci::command::Command;

const SENSIBLE: &[&str] = &[
    "uci",
    "isready",
    "debug on",
    "ucinewgame",
    "register later",
    "setoption name Hash value 16",
    "setoption name Clear Hash",
    "setoption name UCI_Chess960 value true",
    "setoption name MultiPV value 3",
    "position startpos moves e2e4 e7e5 g1f3",
    "position fen r3k2r/pppq1ppp/2n5/3pp3/3PP3/2N5/PPPQ1PPP/R3K2R w KQkq - 0 9 moves e1c1 e8g8",
    "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9 moves g1h1",
    "go wtime 300 btime -20 winc 10 binc 10 movestogo 2",
    "go depth 3 nodes 50 movetime 10 searchmoves e2e4 d2d4",
    "go infinite",
    "go ponder wtime 1000 btime 1000",
    "go mate 2",
    "go perft 2",
    "go depth abc",
    "go wtime 99999999999999999999",
    "position startpos moves e2e5",
    "setoption name UCI_LimitStrength value true",
    "stop",
    "ponderhit",
    "d",
    "eval",
];

const WORDS: &[&str] = &[
    "go",
    "position",
    "setoption",
    "name",
    "value",
    "fen",
    "startpos",
    "moves",
    "depth",
    "nodes",
    "wtime",
    "btime",
    "movetime",
    "infinite",
    "ponder",
    "searchmoves",
    "mate",
    "perft",
    "stop",
    "ponderhit",
    "isready",
    "Hash",
    "Threads",
    "MultiPV",
    "UCI_Chess960",
    "true",
    "0",
    "1",
    "-1",
    "2",
    "e2e4",
    "e7e8q",
    "0000",
    "P@e4",
    "8/8/8/8/8/8/8/8",
    "k6K/8/8/8/8/8/8/8",
    "w",
    "KQkq",
    "-",
    "99999999999999999999",
    "joho",
    "debug",
    "on",
    "\u{0}",
    "<empty>",
    "♞",
];

fn line() -> impl Strategy<Value = String> {
    let half = (sample::select(SENSIBLE), any::<sample::Index>())
        .prop_map(|(line, cut)| line[..cut.index(line.len() + 1)].to_owned());
    let mixture = vec(sample::select(WORDS), 0..12).prop_map(|words| words.join(" "));
    prop_oneof![
        3 => sample::select(SENSIBLE).prop_map(str::to_owned),
        2 => half,
        3 => mixture,
        1 => ".*",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_go_has_one_answer_whatever_is_said_around_it(lines in vec(line(), 0..60)) {
        let mut gui = Gui::new(first_move);
        let mut asked = 0;
        for line in &lines {
            if let Some(Command::Go(go)) = Command::parse(line) {
                asked += usize::from(go.perft.is_none());
            }
            gui.say(line);
        }
        gui.say("quit");
        let answers = gui.remaining().iter().filter(|line| line.starts_with("bestmove ")).count();
        prop_assert_eq!(answers, asked);
    }
}
