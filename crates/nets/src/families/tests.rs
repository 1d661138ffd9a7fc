//! What every family must do, looped over all of them.

use std::collections::BTreeMap;

use chess::{
    Clocks, Evaluation, Moment, PackedMove, Random, Ratings, Wants,
    shakmaty::{CastlingMode, Position},
};
use data::{Label, Sample, SoftTargets};
use serde_json::Value;
use tempfile::tempdir;

use super::{entry::typed, *};
use crate::{
    Card, TrainConfig,
    card::{self, DataCard},
    device,
    family::{Family, first},
    optimiser::Optimiser,
    testing::{dataset, samples},
    train::continues,
    weights::Weights,
};

/// What tests ask of a family, by its configuration as JSON.
pub(super) struct Trial {
    /// Losses of steps on one batch.
    overfit: fn(&Value, &[Sample], usize) -> Vec<f64>,
    fresh: fn(&Value, u64) -> Result<Weights, String>,
    /// Whether a run begun with the configuration in the text may go on with this.
    pub(super) continues: fn(&Value, &TrainConfig, &str) -> bool,
    #[cfg(any(feature = "cuda", feature = "wgpu", feature = "metal"))]
    pub(super) compare: fn(&Value, &[Sample]),
}

impl Trial {
    pub(super) const fn of<F: Family>() -> Trial {
        Trial {
            overfit: |config, samples, steps| overfit::<F>(typed::<F>(config), samples, steps),
            fresh: |config, seed| {
                first::<F>(&typed::<F>(config), seed, &device()).map(|network| Weights::of(&network))
            },
            continues: |config, train, begun| continues::<F>(&typed::<F>(config), train, begun),
            #[cfg(any(feature = "cuda", feature = "wgpu", feature = "metal"))]
            compare: |config, samples| super::gpu_tests::compare::<F>(&typed::<F>(config), samples),
        }
    }
}

/// A batch as the last phase of a run sees it.
pub(super) fn last_batch<F: Family>(config: &F::Config, samples: &[Sample]) -> F::Batch {
    let phases = F::phases(config);
    F::prepare(config, samples, phases.last().unwrap().name, &mut Random::new(3))
}

fn overfit<F: Family>(config: F::Config, samples: &[Sample], steps: usize) -> Vec<f64> {
    let config = F::learnable(config);
    let mut network = first::<F>(&config, 7, &device().autodiff()).unwrap();
    let mut optimiser = Optimiser::new(Weights::of(&network));
    let train = TrainConfig { weight_decay: 0.0, ..TrainConfig::default() };
    let batch = last_batch::<F>(&config, samples);
    (0..steps)
        .map(|_| {
            let total = network.objective(&config, &batch).total;
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
    for net in NetConfig::all_tiny() {
        let losses = (net.entry.trial.overfit)(&net.config, &samples, 80);
        assert!(losses[79] < 0.25 * losses[0], "{net:?}: {} to {}", losses[0], losses[79]);
    }
}

#[test]
fn labels_whose_moves_cannot_be_played_are_passed_over() {
    let folder = tempdir().unwrap();
    let mut samples = samples(&dataset(folder.path(), 8), 16);
    // From a1 to a1, and a rook's move of a piece that is not there.
    let illegal = [PackedMove(0), PackedMove(27 | 35 << 6), PackedMove(u16::MAX)];
    for (sample, at) in samples.iter_mut().zip((0..illegal.len()).cycle()) {
        let score = Evaluation::centipawns(40);
        sample.label =
            Some(Label { score, depth: 1, line: illegal[at..].to_vec(), best: vec![(illegal[at], score)] });
    }
    for net in NetConfig::all_tiny() {
        let losses = (net.entry.trial.overfit)(&net.config, &samples, 2);
        assert!(losses.iter().all(|loss| loss.is_finite()), "{net:?}: {losses:?}");
    }
}

/// A teacher that is sure of the last legal move and of a draw, in every second sample.
fn with_a_teacher(mut samples: Vec<Sample>) -> Vec<Sample> {
    for sample in samples.iter_mut().step_by(2) {
        let last = sample.moment.legal_moves().last().copied().unwrap();
        let wdl = Some(chess::Wdl::from_weights(0.0, 1.0, 0.0));
        sample.teacher = Some(SoftTargets { moves: vec![(last.into(), 1.0)], wdl, share: 1.0 });
    }
    samples
}

#[test]
fn every_family_learns_from_batches_that_a_teacher_has_spoken_on() {
    let folder = tempdir().unwrap();
    let samples = with_a_teacher(samples(&dataset(folder.path(), 8), 16));
    for net in NetConfig::all_tiny() {
        let losses = (net.entry.trial.overfit)(&net.config, &samples, 80);
        assert!(losses[79] < 0.25 * losses[0], "{net:?}: {} to {}", losses[0], losses[79]);
    }
}

fn weight_file(net: &NetConfig, seed: u64) -> WeightFile {
    let weights = (net.entry.trial.fresh)(&net.config, seed).unwrap();
    let card = Card {
        version: card::VERSION,
        family: net.family().to_owned(),
        network: net.config.clone(),
        training: Value::Null,
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

fn build(file: WeightFile) -> Result<Arc<dyn Brain>, WeightError> {
    mind_of(&file)
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
        assert_eq!(before.traits(), after.traits());
        let moments = moments();
        for (a, b) in before.judge(&moments, Wants::ALL).iter().zip(&after.judge(&moments, Wants::ALL)) {
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
        let together = brain.judge(&moments, Wants::ALL);
        assert_eq!(together.len(), moments.len());
        for (moment, opinion) in moments.iter().zip(&together) {
            let alone = &brain.judge(std::slice::from_ref(moment), Wants::ALL)[0];
            assert!(close(alone, opinion), "{config:?} in {}", moment.fen());
            let moves = brain.traits().policy.map(|_| moment.legal_moves().len());
            assert_eq!(opinion.policy.as_ref().map(Vec::len), moves, "{config:?} in {}", moment.fen());
        }
    }
}

/// What is wanted is there if the mind has it, nothing else is, and it does not hang on what else was wanted.
#[test]
fn a_mind_answers_what_is_wanted_of_what_it_has() {
    let moments = moments();
    let positions: Vec<_> = moments.iter().map(|moment| moment.position.clone()).collect();
    for config in NetConfig::all_tiny() {
        let brain = build(weight_file(&config, 5)).unwrap();
        let traits = brain.traits();
        assert!(traits.policy.is_some() || traits.value, "{config:?}");
        let all = brain.judge(&moments, Wants::ALL);
        for wants in [Wants::NOTHING, Wants::POLICY, Wants::VALUE, Wants::POLICY_AND_VALUE, Wants::ALL] {
            for (opinion, full) in brain.judge(&moments, wants).iter().zip(&all) {
                assert_eq!(opinion.policy.is_some(), wants.policy && traits.policy.is_some(), "{config:?}");
                assert_eq!(opinion.wdl.is_some(), wants.value && traits.value, "{config:?}");
                assert_eq!(opinion.think.is_some(), wants.think && traits.think, "{config:?}");
                assert!(opinion.line.is_empty() || (wants.line && traits.line), "{config:?}");
                assert!(close(opinion, &full.clone().only(wants)), "{config:?}: {opinion:?} {full:?}");
            }
            let found = brain.evaluate(&positions, wants);
            let expected = |wanted: bool| if wanted { positions.len() } else { 0 };
            assert_eq!(found.values.len(), expected(wants.value && traits.value), "{config:?}");
            assert_eq!(found.scores.len(), expected(wants.policy && traits.policy.is_some()), "{config:?}");
            for (scores, moment) in found.scores.iter().zip(&moments) {
                assert_eq!(scores.len(), moment.legal_moves().len(), "{config:?}");
            }
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
            let judge = |moment: &Moment| brain.judge(std::slice::from_ref(moment), Wants::ALL).remove(0);
            let (one, other) = (judge(&moment), judge(&mirror));
            assert_eq!(one.policy.is_some(), other.policy.is_some());
            let flipped = mirror.legal_moves();
            for (one, other) in one.policy.iter().zip(&other.policy) {
                for (m, chance) in moment.legal_moves().into_iter().zip(one) {
                    let at = flipped.iter().position(|&other| other == m.to_mirrored()).unwrap();
                    assert!((chance - other[at]).abs() < 1e-5, "{config:?}: {m} {chance} {}", other[at]);
                }
            }
            let wins = [&one, &other].map(|opinion| opinion.wdl.map_or(-1.0, |wdl| wdl.win()));
            assert!((wins[0] - wins[1]).abs() < 1e-5, "{config:?}: {wins:?}");
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

#[test]
fn every_family_is_listed_with_what_others_need_to_know_of_it() {
    for entry in FAMILIES {
        assert!(entry.name.chars().all(|c| c.is_ascii_lowercase() || c == '-') && entry.about.len() > 20);
        assert!(!(entry.tiny)().is_empty(), "{}", entry.name);
        assert_eq!(FAMILIES.iter().filter(|other| other.name == entry.name).count(), 1);
        let net = NetConfig::parse(entry.name, serde_json::json!({})).unwrap();
        assert!(net.training().check().is_ok() && net.plan(&net.training()).is_ok(), "{}", entry.name);
    }
}

/// Sizes in a configuration: every number of it from 1 on that is no share, and the path to it.
fn sizes(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| sizes(value, &format!("{path}/{key}"), found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| sizes(value, &format!("{path}/{at}"), found));
        }
        Value::Number(number) if number.is_u64() => found.push(path.to_owned()),
        _ => {}
    }
}

#[test]
fn no_size_of_any_family_is_without_bounds() {
    for net in NetConfig::all_tiny() {
        let mut paths = Vec::new();
        sizes(&net.config, "", &mut paths);
        // The sizes of the other architecture are there, but nothing is built of them.
        let architecture = net.config.get("architecture").and_then(Value::as_str).unwrap_or_default();
        let other = ["/hc3", "/swift"].into_iter().filter(|other| other[1..] != *architecture);
        let other: Vec<&str> = other.filter(|_| !architecture.is_empty()).collect();
        paths.retain(|path| other.iter().all(|other| !path.starts_with(other)));
        assert!(!paths.is_empty(), "{net:?}");
        for path in paths {
            for size in [100_000u64, 1_000_000_000, i64::MAX as u64, u64::MAX] {
                let mut config = net.config.clone();
                *config.pointer_mut(&path).unwrap() = size.into();
                let error = NetConfig::parse(net.family(), config).unwrap_err().to_string();
                assert!(error.contains(&size.to_string()), "{path}: {error}");
            }
        }
    }
}

#[test]
fn networks_without_sense_are_refused_in_a_sentence() {
    for (family, text, words) in [
        ("human", r#"{"architecture": "hc3", "hc3": {"heads": 0}}"#, "heads is 0, not 1 to 256"),
        ("human", r#"{"architecture": "hc3", "hc3": {"heads": 3}}"#, "3 heads do not divide the width 256"),
        ("human", r#"{"architecture": "hc3", "hc3": {"smolgen": [0, 8]}}"#, "not both above 0 or both 0"),
        ("human", r#"{"swift": {"channels": 0}}"#, "channels is 0"),
        (
            "human",
            r#"{"weights": {"moves": 0, "outcome": 0, "think": 0, "origin": 0, "target": 0}}"#,
            "the weights of all objectives are 0",
        ),
        ("human", r#"{"weights": {"moves": -1}}"#, "the weight of the objective `moves` is -1"),
        ("human", r#"{"temperatures": [{"rating": 1500, "value": 0}]}"#, "the temperature at 1500 is 0"),
        ("ranker", r#"{"mixers": []}"#, "the number of mixers is 0"),
        ("ranker", r#"{"weights": {"value": 0, "moves": 0, "choice": 0}}"#, "nothing to learn"),
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        let error = NetConfig::parse(family, value).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    // Every size is within its bounds, and all together are far beyond memory.
    let large = serde_json::json!({ "mixers": [16384, 16384], "blocks": 256, "hidden": 16384 });
    let net = NetConfig::parse("ranker", large).unwrap();
    let error = (net.entry.trial.fresh)(&net.config, 1).unwrap_err();
    assert!(error.contains("more than 536870912 parameters"), "{error}");
}

#[test]
fn a_card_that_describes_more_than_its_file_holds_is_refused_before_it_is_built() {
    let net = NetConfig::all_tiny().into_iter().find(|net| net.family() == "ranker").unwrap();
    let mut file = weight_file(&net, 5);
    file.card.network["blocks"] = 256.into();
    file.card.network["mixers"] = serde_json::json!([16384]);
    let error = mind_of(&file).err().unwrap().to_string();
    assert!(error.contains("more parameters than the file"), "{error}");
}

#[test]
fn damage_to_numbers_is_seen_and_files_without_a_checksum_still_load() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let file = weight_file(&NetConfig::all_tiny()[1], 5);
    file.write(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(WeightFile::remark(&bytes), None);
    let header = 8 + u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    // The lowest bit of a number changes it by a thousandth.
    for at in [header, header + 100, bytes.len() - 2] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(load_bytes(&damaged).err().unwrap().to_string().contains("it is damaged"), "{at}");
    }
    let mut old = bytes;
    let key = b"tabiya-xxh3";
    let at = old.windows(key.len()).position(|part| part == key).unwrap();
    old[at..at + key.len()].copy_from_slice(b"another-key");
    assert!(WeightFile::remark(&old).unwrap().contains("checksum"));
    assert!(load_bytes(&old).is_ok());
}

#[test]
fn files_of_a_million_arrays_are_refused_unread() {
    let mut header = String::from("{");
    for at in 0..1_000_000 {
        header += &format!(r#""a{at}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}},"#);
    }
    let header = header.trim_end_matches(',').to_owned() + "}";
    let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    assert!(load_bytes(&bytes).err().unwrap().to_string().contains("its header has"));
}

#[test]
fn a_mind_takes_settings_that_its_family_knows_and_no_others() {
    let folder = tempdir().unwrap();
    for net in NetConfig::all_tiny() {
        let path = folder.path().join("net.safetensors");
        weight_file(&net, 5).write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let load = |passes: u64| load_bytes_with(&bytes, &[("passes", passes.into())]);
        assert!(load(3).is_ok(), "{net:?}");
        let knows = net.config.get("passes").is_some();
        assert_eq!(load(0).is_err(), knows, "{net:?}");
    }
}
