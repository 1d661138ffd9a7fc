//! Move generation against published counts.

use std::thread::available_parallelism;

use chess::{
    Moment,
    perft::{Table, divide},
    shakmaty::{CastlingMode, fen::Fen},
};

const SUITE: &str = include_str!("../../../testdata/perft.epd");
const NODE_LIMIT: u64 = 200_000_000;
/// The table is checked on less: it saves little on counts that fit a test.
const NODE_LIMIT_WITH_TABLE: u64 = 5_000_000;

#[test]
fn counts_are_the_published_ones() {
    let threads = available_parallelism().map_or(1, |count| count.get());
    let table = Table::with_megabytes(16);
    for entry in SUITE.lines().filter(|line| !line.starts_with('#')) {
        let (fen, counts) = entry.split_once(';').expect("a FEN, then counts");
        let setup: Fen = fen.trim().parse().expect("a FEN");
        let position = Moment::from_fen(fen, CastlingMode::detect(setup.as_setup())).expect(fen).position;
        for (depth, expected) in
            counts.split(';').map(depth_and_count).filter(|(_, count)| *count <= NODE_LIMIT)
        {
            let total =
                |table| divide(&position, depth, threads, table).iter().map(|(_, count)| count).sum::<u64>();
            assert_eq!(total(None), expected, "{fen} depth {depth}");
            if expected <= NODE_LIMIT_WITH_TABLE {
                assert_eq!(total(Some(&table)), expected, "{fen} depth {depth} with a table");
            }
        }
    }
}

fn depth_and_count(field: &str) -> (u32, u64) {
    let (depth, count) =
        field.trim().strip_prefix('D').and_then(|rest| rest.split_once(' ')).expect("`D6 119060324`");
    (depth.parse().expect("a depth"), count.trim().parse().expect("a count"))
}
