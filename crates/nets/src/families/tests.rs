//! What every family must do, looped over all of them.

use std::collections::BTreeMap;

use chess::{
    Clocks, Moment, Ratings,
    shakmaty::{CastlingMode, Position},
};
use tempfile::tempdir;

use super::*;
use crate::{
    card::{self, DataCard},
    optimiser::Optimiser,
    testing::{dataset, samples},
    train::TrainConfig,
};

/// Losses of `steps` on one batch.
fn overfit<F: Family>(config: &F::Config, samples: &[Sample], steps: usize) -> Vec<f64> {
    let device = device().autodiff();
    let mut network = F::init(config, 7, &device);
    let mut optimiser = Optimiser::new(Weights::of(&network));
    let train = TrainConfig { weight_decay: 0.0, ..TrainConfig::default() };
    let batch = F::prepare(config, samples);
    (0..steps)
        .map(|_| {
            let total = network.objective(config, &batch).total;
            let loss = f64::from(crate::weights::values(total.clone())[0]);
            let gradients = Weights::gradients(&network, &total.backward());
            optimiser.step(&gradients, 0.01, &train);
            network = optimiser.weights.install(network.clone());
            loss
        })
        .collect()
}

#[test]
fn every_family_overfits_one_batch() {
    let folder = tempdir().unwrap();
    let samples = samples(&dataset(folder.path(), 8), 16);
    for config in NetConfig::all_tiny() {
        let losses = match &config {
            NetConfig::Human(human) => {
                // That all legal moves are equally likely cannot be learned away.
                let mut human = human.clone();
                human.weights.legal = 0.0;
                overfit::<Human>(&human, &samples, 80)
            }
            NetConfig::Ranker(ranker) => overfit::<Ranker>(ranker, &samples, 80),
        };
        assert!(losses[79] < 0.25 * losses[0], "{config:?}: {} to {}", losses[0], losses[79]);
    }
}

fn weight_file(config: &NetConfig, seed: u64) -> WeightFile {
    let (network, weights) = match config {
        NetConfig::Human(human) => {
            (serde_json::to_value(human).unwrap(), Weights::of(&Human::init(human, seed, &device())))
        }
        NetConfig::Ranker(ranker) => {
            (serde_json::to_value(ranker).unwrap(), Weights::of(&Ranker::init(ranker, seed, &device())))
        }
    };
    let card = Card {
        version: card::VERSION,
        family: config.family().to_owned(),
        network,
        training: serde_json::Value::Null,
        encoding: "test".to_owned(),
        parameters: weights.count() as u64,
        step: 0,
        samples: 0,
        hours: 0.0,
        data: DataCard::default(),
        figures: BTreeMap::new(),
        curve: Vec::new(),
    };
    WeightFile { card, weights }
}

fn moments() -> Vec<Moment> {
    let folder = tempdir().unwrap();
    samples(&dataset(folder.path(), 6), 12).into_iter().map(|sample| sample.moment).collect()
}

fn close(a: &chess::Opinion, b: &chess::Opinion) -> bool {
    let near =
        |a: &[f32], b: &[f32]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-3);
    let wdl = |opinion: &chess::Opinion| {
        opinion.wdl.map(|wdl| [wdl.win(), wdl.draw(), wdl.loss()]).unwrap_or_default()
    };
    near(a.policy.as_deref().unwrap_or_default(), b.policy.as_deref().unwrap_or_default())
        && near(&wdl(a), &wdl(b))
}

#[test]
fn saved_and_loaded_is_the_same_mind() {
    let folder = tempdir().unwrap();
    for config in NetConfig::all_tiny() {
        let file = weight_file(&config, 5);
        let path = folder.path().join("net.safetensors");
        file.write(&path).unwrap();
        let read = WeightFile::read(&path).unwrap();
        assert_eq!(read.card, file.card);
        let (before, after) = (build(file).unwrap(), load(&path).unwrap());
        let moments = moments();
        for (a, b) in before.judge(&moments).iter().zip(&after.judge(&moments)) {
            assert!(close(a, b), "{config:?}: {a:?} {b:?}");
        }
    }
}

#[test]
fn batched_is_one_by_one() {
    for config in NetConfig::all_tiny() {
        let brain = build(weight_file(&config, 5)).unwrap();
        let mut moments = moments();
        // A finished game in the middle must not shift the others.
        let mated = Moment::from_fen("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", CastlingMode::Standard).unwrap();
        moments.insert(3, mated);
        let together = brain.judge(&moments);
        assert_eq!(together.len(), moments.len());
        for (moment, opinion) in moments.iter().zip(&together) {
            let alone = &brain.judge(std::slice::from_ref(moment))[0];
            assert!(close(alone, opinion), "{config:?} in {}", moment.fen());
            assert_eq!(opinion.policy.as_ref().unwrap().len(), moment.legal_moves().len());
        }
    }
}

#[test]
fn a_flipped_position_gets_the_flipped_opinion() {
    let table = [
        "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5",
        "8/P4k2/8/2pP4/8/8/5K1p/8 w - c6 0 40",
    ];
    let clocks =
        Clocks { increment_cs: chess::shakmaty::ByColor { white: 0, black: 300 }, ..Clocks::start(60, 0) };
    let players = Ratings::lichess(Some(1200), Some(2100));
    for config in NetConfig::all_tiny() {
        let brain = build(weight_file(&config, 5)).unwrap();
        for fen in table {
            let mut moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
            let setup = moment.position.to_setup(chess::shakmaty::EnPassantMode::Legal).into_mirrored();
            let mut mirror = Moment::new(setup.position(CastlingMode::Standard).unwrap());
            (moment.clocks, moment.players) = (Some(clocks), Some(players));
            (mirror.clocks, mirror.players) = (Some(clocks.swapped()), Some(players.swapped()));
            let (one, other) = (&brain.judge(&[moment.clone()])[0], &brain.judge(&[mirror.clone()])[0]);
            let flipped = mirror.legal_moves();
            for (m, chance) in moment.legal_moves().into_iter().zip(one.policy.as_ref().unwrap()) {
                let at = flipped.iter().position(|&other| other == m.to_mirrored()).unwrap();
                let same = other.policy.as_ref().unwrap()[at];
                assert!((chance - same).abs() < 1e-5, "{config:?}: {m} {chance} {same}");
            }
            assert!((one.wdl.unwrap().win() - other.wdl.unwrap().win()).abs() < 1e-5);
        }
    }
}

#[test]
fn bad_weight_files_are_refused_in_a_sentence() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let config = &NetConfig::all_tiny()[1];
    let good = weight_file(config, 5);
    good.write(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let complaint = |bytes: &[u8]| load_bytes(bytes).err().expect("refused").to_string();
    for cut in [0, 4, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(complaint(&bytes[..cut]).contains("not a whole safetensors file"), "{cut}");
    }
    let mut huge = bytes;
    huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(complaint(&huge).contains("not a whole safetensors file"));
    let changed = |change: &dyn Fn(&mut WeightFile)| {
        let mut file = good.clone();
        change(&mut file);
        file.write(&path).unwrap();
        complaint(&std::fs::read(&path).unwrap())
    };
    assert!(changed(&|file| file.card.version = 99).contains("version 99"));
    assert!(changed(&|file| file.card.family = "oracle".to_owned()).contains("no family `oracle`"));
    assert!(changed(&|file| file.card.network["layers"] = 3.into()).contains("unknown field"));
    assert!(changed(&|file| file.card.network["swift"]["channels"] = 9.into()).contains("has the shape"));
    let first = good.weights.0.keys().next().unwrap().clone();
    assert!(changed(&|file| drop(file.weights.0.remove(&first))).contains("is missing"));
    assert!(
        changed(&|file| file.weights.0.get_mut(&first).unwrap().values[0] = f32::NAN).contains("not finite")
    );
}
