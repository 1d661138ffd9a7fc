//! Small datasets and batches for tests.

use std::{fmt::Write, fs, path::Path};

use chess::shakmaty::{Chess, Position, san::SanPlus};
use data::{Dataset, Random, Sample, Sampler, SamplerOptions};

/// A dataset of random games with clocks, ratings and evaluations, made through the importer as a user would.
pub(crate) fn dataset(folder: &Path, games: u64) -> Dataset {
    let text: String = (0..games).map(random_game).collect();
    let file = folder.join("games.pgn");
    fs::write(&file, text).unwrap();
    let out = folder.join("data");
    data::import(&[file], &out, &data::ImportOptions::default(), |_| {}).unwrap();
    Dataset::open(&out).unwrap()
}

fn random_game(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = format!(
        "[Site \"https://lichess.org/{seed:08}\"]\n[White \"a\"]\n[Black \"b\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n\
         [TimeControl \"300+2\"]\n[Result \"1-0\"]\n\n",
        1000 + 10 * random.below(100),
        1000 + 10 * random.below(100)
    );
    let mut position = Chess::default();
    for ply in 0..40 {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let san = SanPlus::from_move_and_play_unchecked(&mut position, legal[random.below(legal.len())]);
        let clock = 300 - 5 * (ply / 2) - random.below(4);
        let eval = match random.below(10) {
            0 => format!("#{}", random.below(9) as i64 - 4),
            _ => format!("{}.{}", random.below(9) as i64 - 4, random.below(10)),
        };
        write!(text, "{san} {{ [%eval {eval}] [%clk 0:{:02}:{:02}] }} ", clock / 60, clock % 60).unwrap();
    }
    text + "1-0\n\n"
}

/// The first samples of a dataset.
pub(crate) fn samples(data: &Dataset, count: usize) -> Vec<Sample> {
    let policy = data::Policy::named("all").unwrap();
    let options = SamplerOptions { batch: count, ..SamplerOptions::new(policy, None, 3) };
    Sampler::new(data, &options).next().unwrap().unwrap()
}
