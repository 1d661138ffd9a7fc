//! Valid inputs to begin from: games with everything that dumps contain, suites, puzzles, settings.

use std::fmt::Write;

use chess::shakmaty::{Chess, EnPassantMode, Position, fen::Fen, san::SanPlus};
use data::{POLICIES, Random};

pub(crate) const PGN_WORDS: &[&[u8]] = &[
    b"\n\n[Event \"x\"]\n",
    b"[Site \"https://lichess.org/abcdefgh\"]\n",
    b"[Variant \"Chess960\"]\n",
    b"[Result \"1-0\"]\n",
    b"[FEN \"8/5k2/8/8/3P4/8/2K5/8 w - - 0 1\"]\n",
    b"[FEN \"",
    b"[SetUp \"1\"]\n",
    b"[White \"\\\\\\\"\"]\n",
    b"[TimeControl \"180+2\"]\n",
    b"[TimeControl \"40/5400:1800\"]\n",
    b"[WhiteElo \"99999\"]\n",
    b"[UTCDate \"2026.02.30\"]\n",
    b"[GameId \"\"]\n",
    b"1-0",
    b"0-1",
    b"1/2-1/2",
    b"*",
    b" O-O ",
    b" O-O-O+ ",
    b" 0-0 ",
    b" e8=Q# ",
    b" exd6 e.p. ",
    b" -- ",
    b" Z0 ",
    b" P@e4 ",
    b" ({;})$1 ",
    b"$99999999999",
    b"{ [%clk 0:00:01] }",
    b"{ [%clk 99999999:99:99.99] }",
    b"{ [%eval #-3] }",
    b"{ [%eval 999999999] [%clk 1:2:3] }",
    b"{ [%clk",
    b"} ",
    b"{",
    b"; rest\n",
    b"\n% escaped\n",
    b"(1. d4 (1. c4) d5)",
    b"\xef\xbb\xbf",
];
pub(crate) const EPD_WORDS: &[&[u8]] = &[
    b" bm Nf3;",
    b" am e4;",
    b" dm 3;",
    b" bm #2;",
    b" id \"",
    b" c0 \"e4=10, Nf3=7\";",
    b" c8 \"10 7\"; c9 \"e2e4 g1f3\";",
    b";;;",
    b"\"",
    b" - ",
    b" w ",
    b" b ",
    b" KQkq ",
    b" HAha ",
    b" e3 ",
    b"/8/8/8/",
    b"99999999999",
    b" ce -32000;",
    b" pv e2e4 e7e5;",
    b"\r\n",
    b"#",
];
pub(crate) const CSV_WORDS: &[&[u8]] = &[
    b",",
    b",,,,,,",
    b"PuzzleId,FEN,Moves,Rating",
    b"FEN",
    b" e2e4",
    b" e7e8q",
    b" 0000",
    b"\"",
    b"\r\n",
    b"-1",
    b"70000",
    b" a1a1",
    b"mate mateIn2",
];
pub(crate) const TOML_WORDS: &[&[u8]] = &[
    b"min-rating = 1\n",
    b"speeds = [\"blitz\"]\n",
    b"bots = \"only\"\n",
    b"[games]\n",
    b"[positions]\n",
    b"window = 4\n",
    b"window = 0\n",
    b"early = { growth = 1e308, divisor = 0.0 }\n",
    b"early = { growth = -nan, divisor = inf }\n",
    b"per-game = 4294967295\n",
    b"first-ply = 4294967295\n",
    b"gap-rates = [nan, -1.0]\n",
    b"rating-edges = [65535, 0]\n",
    b"bands = [{ from = 9, to = 1, rate = inf }]\n",
    b"= ",
    b"\"\"\"",
    b"[[",
    b"\n",
];
pub(crate) const JSON_WORDS: &[&[u8]] = &[
    b"\"games\": 18446744073709551615",
    b"\"version\": 1",
    b"null",
    b"[]",
    b"{}",
    b"\"../../etc/passwd\"",
    b"\"games-00000.parquet\"",
    b"0",
    b"-1",
    b"18446744073709551615",
    b"1e400",
    b"true",
    b"\"\"",
    b",",
    b"\"ffffffffffffffffffffffffffffffff\"",
    b"\"finished\": false",
];

const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "8/5k2/8/8/3P4/8/2K5/8 w - - 0 1",
    "r3k2r/pppq1ppp/2npbn2/4p3/4P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 4 9",
    "8/P6k/8/8/8/8/p6K/8 w - - 0 1",
];

fn start(random: &mut Random) -> Chess {
    let fen: Fen = STARTS[random.below(8).saturating_sub(4)].parse().expect("ours");
    fen.into_position(chess::shakmaty::CastlingMode::Standard).expect("ours")
}

fn play(random: &mut Random, position: &mut Chess) -> Option<String> {
    let legal = position.legal_moves();
    let m = *legal.get(random.below(legal.len().max(1)))?;
    Some(SanPlus::from_move_and_play_unchecked(position, m).to_string())
}

/// A few games played at random.
pub(crate) fn pgn(random: &mut Random) -> Vec<u8> {
    (0..1 + random.below(4)).map(|_| game(random)).collect::<String>().into_bytes()
}

fn game(random: &mut Random) -> String {
    let mut position = start(random);
    let result = ["1-0", "0-1", "1/2-1/2", "*"][random.below(7).min(3).min(random.below(4))];
    let id = random.bits();
    let site = [format!("https://lichess.org/{:08x}", id as u32), "?".to_owned()][random.below(2)].clone();
    let fen = Fen::from_position(&position, EnPassantMode::Legal);
    let mut text = format!(
        "[Event \"Rated game\"]\n[Site \"{site}\"]\n[Date \"2026.01.{:02}\"]\n[White \"w{}\"]\n[Black \"b\"]\n[Result \"{result}\"]\n\
        [WhiteElo \"{}\"]\n[BlackElo \"?\"]\n[TimeControl \"{}+{}\"]\n[Termination \"w won by resignation\"]\n[FEN \"{fen}\"]\n\n",
        random.below(40),
        random.below(9),
        random.below(4000),
        random.below(2000),
        random.below(10)
    );
    let (clocks, evals) = (random.chance(0.6), random.chance(0.3));
    for ply in 0..random.below(60) {
        let Some(san) = play(random, &mut position) else { break };
        let _ = write!(text, "{}. {san} ", ply / 2 + 1);
        if clocks {
            let _ = write!(
                text,
                "{{ [%clk 0:{:02}:{:02}.{}] }} ",
                random.below(60),
                random.below(60),
                random.below(10)
            );
        }
        if evals {
            let _ = write!(text, "{{ [%eval {}.{:02}] }} ", random.below(20) as i32 - 10, random.below(100));
        }
        if random.chance(0.02) {
            let _ = write!(
                text,
                "({}. {} $3) ",
                ply / 2 + 1,
                play(random, &mut position.clone()).unwrap_or_default()
            );
        }
    }
    text + result + "\n\n"
}

pub(crate) fn epd(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    for number in 0..1 + random.below(4) {
        let mut position = start(random);
        (0..random.below(20)).for_each(|_| drop(play(random, &mut position)));
        let board = Fen::from_position(&position, EnPassantMode::Legal).to_string();
        let best = play(random, &mut position).unwrap_or_default();
        let _ = writeln!(
            text,
            "{board} bm {best}; id \"T.{number}\"; dm 2; c0 \"{best}=10\"; c7 \"{best}\"; c8 \"10\";"
        );
    }
    text.into_bytes()
}

pub(crate) fn puzzles(random: &mut Random) -> Vec<u8> {
    let mut text =
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
            .to_owned();
    for number in 0..1 + random.below(4) {
        let mut position = start(random);
        let board = Fen::from_position(&position, EnPassantMode::Legal).to_string();
        let mut line = Vec::new();
        for _ in 0..2 + random.below(4) {
            let legal = position.legal_moves();
            let Some(&m) = legal.get(random.below(legal.len().max(1))) else { break };
            line.push(m.to_uci(chess::shakmaty::CastlingMode::Standard).to_string());
            position.play_unchecked(m);
        }
        let _ = writeln!(
            text,
            "{number},{board},{},1500,80,90,1000,mate short,https://lichess.org/x,",
            line.join(" ")
        );
    }
    text.into_bytes()
}

pub(crate) fn toml(random: &mut Random) -> Vec<u8> {
    let filters = "min-rating = 1000\nmax-rating = 2000\nspeeds = [\"blitz\", \"rapid\"]\nmin-plies = 10\nclocks = true\nbots = \"keep\"\n";
    let at = random.below(POLICIES.len() + 1);
    POLICIES.get(at).map_or(filters, |policy| policy.1).as_bytes().to_vec()
}
