//! A run that is killed and resumed ends where an unbroken one does.

use std::{
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use data::Dataset;
use tempfile::tempdir;

use super::{NetConfig, calibrate};
use crate::{
    Event, OptimiserKind, RunConfig, Team, TrainConfig, TrainOptions, WeightFile,
    checkpoint::{self, RunState},
    plot_runs,
    run_config::train,
    testing::dataset,
    train::LOG_FILE,
};

fn config(net: &NetConfig) -> RunConfig {
    let train = TrainConfig {
        batch: 8,
        accumulate: 2,
        steps: 12,
        warmup: 2,
        validate_every: 5,
        validation_samples: 16,
        // After every step: a kill loses the step it falls into, no more.
        checkpoint_seconds: 0,
        policy: "all".to_owned(),
        ..TrainConfig::default()
    };
    RunConfig { net: net.clone(), train }
}

/// Trains to the end, or until the run is stopped cleanly after so many steps of this call.
fn run(config: &RunConfig, data: &Dataset, out: &Path, resume: bool, stop_after: Option<u64>) {
    let stop = AtomicBool::new(false);
    let options = TrainOptions { out, resume, init: None, stop: &stop, team: &Team::Alone };
    let mut steps = 0;
    let mut count = |event: &Event| {
        steps += u64::from(matches!(event, Event::Step { .. }));
        stop.store(Some(steps) == stop_after, Ordering::Relaxed);
    };
    train(config, data, &options, &mut count).unwrap();
}

/// Begins a run and tears it down in the middle of step `at`, without any farewell.
fn run_and_kill(config: &RunConfig, data: &Dataset, out: &Path, resume: bool, at: u64) {
    let kill = |event: &Event| {
        if matches!(event, Event::Step { step, .. } if *step == at) {
            panic::resume_unwind(Box::new("killed"));
        }
    };
    let stop = AtomicBool::new(false);
    let options = TrainOptions { out, resume, init: None, stop: &stop, team: &Team::Alone };
    let killed = panic::catch_unwind(AssertUnwindSafe(|| train(config, data, &options, &mut { kill })));
    assert!(killed.is_err(), "the run ended before step {at}");
}

#[test]
fn a_resumed_run_ends_with_the_same_weights_to_the_bit() {
    let folder = tempdir().unwrap();
    // With 40 samples a validation split of a twentieth would be empty now and then.
    let data = dataset(folder.path(), 60);
    for (at, net) in NetConfig::all_tiny().iter().enumerate() {
        let mut config = config(net);
        // Every other network by Muon.
        if at % 2 == 1 {
            config.train.optimiser = OptimiserKind::Muon;
        }
        let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(format!("{name}-{at}")));
        run(&config, &data, &whole, false, None);
        run_and_kill(&config, &data, &broken, false, 4);
        run(&config, &data, &broken, true, Some(2));
        run_and_kill(&config, &data, &broken, true, 9);
        run(&config, &data, &broken, true, None);
        let end = |out: &Path| checkpoint::load(&out.join("checkpoint.safetensors")).unwrap();
        let ((one, one_state), (other, other_state)) = (end(&whole), end(&broken));
        for (set, (one, other)) in one.sets().into_iter().zip(other.sets()).enumerate() {
            assert_eq!(one, other, "{} of {net:?}", crate::optimiser::SETS[set]);
        }
        let points =
            |state: &RunState| state.curve.iter().map(|point| (point.0, point.2)).collect::<Vec<_>>();
        assert_eq!(points(&one_state), points(&other_state));
        assert_eq!((one_state.step, one_state.samples), (12, 12 * 16));
        assert_eq!(one_state.sampler, other_state.sampler);
        let lines = |out: &Path| {
            let log = std::fs::read_to_string(out.join(LOG_FILE)).unwrap();
            log.lines().filter(|line| !line.contains("\"saved\"")).count()
        };
        assert_eq!(lines(&broken), lines(&whole), "every step stands in the log once");
        crate::load(&whole.join("best.safetensors")).unwrap();
    }
}

#[test]
fn a_run_is_neither_overwritten_nor_mixed_up() {
    let folder = tempdir().unwrap();
    let data = dataset(folder.path(), 60);
    let config = config(&NetConfig::all_tiny()[1]);
    let out = folder.path().join("run");
    let stop = AtomicBool::new(false);
    let fail = |config: &RunConfig, resume: bool| {
        let options = TrainOptions { out: &out, resume, init: None, stop: &stop, team: &Team::Alone };
        train(config, &data, &options, &mut |_| {}).unwrap_err().to_string()
    };
    assert!(fail(&config, true).contains("no checkpoint to resume from"));
    run(&config, &data, &out, false, Some(2));
    assert!(fail(&config, false).contains("holds a run already"));
    let mut other = config.clone();
    other.train.batch *= 2;
    assert!(fail(&other, true).contains("another network, batch or choice of samples"));
    std::fs::write(out.join("checkpoint.safetensors"), b"half a checkp").unwrap();
    assert!(fail(&config, true).contains("not a whole safetensors file"));
}

#[test]
fn training_begins_with_given_weights() {
    let folder = tempdir().unwrap();
    let data = dataset(folder.path(), 60);
    let config = config(&NetConfig::all_tiny()[1]);
    let first = folder.path().join("first");
    run(&config, &data, &first, false, None);
    let weights = first.join("best.safetensors");
    let second = folder.path().join("second");
    let stop = AtomicBool::new(true);
    let options =
        TrainOptions { out: &second, resume: false, init: Some(&weights), stop: &stop, team: &Team::Alone };
    train(&config, &data, &options, &mut |_| {}).unwrap();
    let (optimiser, state) = checkpoint::load(&second.join("checkpoint.safetensors")).unwrap();
    assert_eq!((optimiser.weights, state.step), (WeightFile::read(&weights).unwrap().weights, 0));
}

#[test]
fn curves_of_runs_are_drawn_over_each_other() {
    let folder = tempdir().unwrap();
    let data = dataset(folder.path(), 60);
    let runs = ["a", "b"].map(|name| folder.path().join(name));
    for out in &runs {
        run(&config(&NetConfig::all_tiny()[1]), &data, out, false, None);
    }
    let files = plot_runs(&runs, &folder.path().join("plots")).unwrap();
    assert!(files.len() > 5, "{files:?}");
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert!(text.contains("<svg") && text.contains("training loss"));
}

#[test]
fn what_is_measured_is_measured_anew_and_nothing_else_changes() {
    let folder = tempdir().unwrap();
    let data = dataset(folder.path(), 60);
    let weights = |net: &NetConfig, name: &str| {
        let out = folder.path().join(name);
        run(&config(net), &data, &out, false, None);
        out.join("best.safetensors")
    };
    let all = NetConfig::all_tiny();
    let ranker = weights(all.iter().find(|net| net.family() == "ranker").unwrap(), "ranker");
    let before = WeightFile::read(&ranker).unwrap();
    calibrate(&ranker, &data, 40).unwrap();
    let after = WeightFile::read(&ranker).unwrap();
    assert_eq!(before.card, after.card);
    for (name, array) in &before.weights.0 {
        if !["zero", "odds", "shift", "bins"].contains(&name.as_str()) {
            assert_eq!(&after.weights.0[name], array, "{name}");
        }
    }
    assert_ne!(before.weights.0["bins"], after.weights.0["bins"]);
    let human = weights(&all[0], "human");
    assert!(calibrate(&human, &data, 40).unwrap_err().to_string().contains("`human` has nothing to measure"));
}

#[test]
fn a_run_may_go_on_with_another_schedule_and_with_nothing_else() {
    let family = |sets: &[String]| RunConfig::family("human", sets).unwrap();
    let begun = family(&[]).to_toml();
    let continues = |config: &RunConfig, begun: &str| {
        (config.net.entry.trial.continues)(&config.net.config, &config.train, begun)
    };
    for (set, may) in [
        ("train.steps=20", true),
        ("train.rate=1e-4", true),
        ("train.validate-every=7", true),
        ("train.batch=64", false),
        ("train.seed=9", false),
        ("train.policy=all", false),
        ("network.swift.blocks=5", false),
    ] {
        assert_eq!(continues(&family(&[set.to_owned()]), &begun), may, "{set}");
    }
    assert!(!continues(&family(&[]), "nonsense"));
    assert!(!continues(&family(&[]), &RunConfig::family("ranker", &[]).unwrap().to_toml()));
}
