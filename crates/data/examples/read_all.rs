//! Reads suites (.epd) and puzzles (.csv), packed or not, and says how many lines were read and why others were not:
//! `cargo run -p data --example read_all -- FILES...`

use std::{collections::BTreeMap, path::PathBuf};

use data::{Source, read_epd, read_puzzles};

fn main() {
    for path in std::env::args().skip(1).map(PathBuf::from) {
        let name = path.display().to_string();
        let source = Source::open(&path).expect("a readable file");
        let outcomes: Vec<Result<(), String>> = if name.contains(".csv") {
            read_puzzles(source.lines())
                .map(|puzzle| puzzle.map(drop).map_err(|error| error.reason))
                .collect()
        } else {
            read_epd(source.lines()).map(|epd| epd.map(drop).map_err(|error| error.reason)).collect()
        };
        let mut reasons: BTreeMap<&String, u64> = BTreeMap::new();
        outcomes
            .iter()
            .filter_map(|outcome| outcome.as_ref().err())
            .for_each(|reason| *reasons.entry(reason).or_default() += 1);
        println!("{name}: {} lines, {} refused", outcomes.len(), reasons.values().sum::<u64>());
        for (reason, count) in reasons.iter().take(10) {
            println!("{count:>8}  {reason}");
        }
    }
}
