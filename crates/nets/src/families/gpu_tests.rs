//! The same steps on the GPU of this build and on the CPU, for every family. Runs by hand: see `docs/training.md`.

use burn::tensor::Device;
use data::Sample;
use tempfile::tempdir;

use super::{NetConfig, tests::last_batch};
use crate::{
    TrainConfig, Weights, device,
    family::{Family, first},
    optimiser::Optimiser,
    testing::{dataset, samples},
};

const STEPS: usize = 10;

/// Losses of some steps on one batch, and the gradients of the first.
fn learn<F: Family>(config: &F::Config, mut network: F, batch: &F::Batch) -> (Vec<f64>, Weights) {
    let mut optimiser = Optimiser::new(Weights::of(&network));
    let mut first = None;
    let losses = (0..STEPS).map(|_| {
        let total = network.objective(config, batch).total;
        let loss = f64::from(crate::weights::values(total.clone())[0]);
        let gradients = Weights::gradients(&network, &total.backward());
        optimiser.step(&gradients, 0.003, &TrainConfig::default());
        network = optimiser.weights.install(network.clone());
        first.get_or_insert(gradients);
        loss
    });
    (losses.collect(), first.expect("there are steps"))
}

fn norm(values: impl Iterator<Item = f32>) -> f64 {
    values.map(|value| f64::from(value).powi(2)).sum::<f64>().sqrt()
}

pub(super) fn compare<F: Family>(config: &F::Config, samples: &[Sample]) {
    let cpu = first::<F>(config, 7, &Device::flex().autodiff()).unwrap();
    let gpu = Weights::of(&cpu).install(first::<F>(config, 7, &device().autodiff()).unwrap());
    let batch = last_batch::<F>(config, samples);
    let (cpu_losses, cpu_gradients) = learn(config, cpu, &batch);
    let (gpu_losses, gpu_gradients) = learn(config, gpu, &batch);
    let whole = norm(cpu_gradients.0.values().flat_map(|array| array.values.iter().copied()));
    for (name, on_cpu) in &cpu_gradients.0 {
        let on_gpu = &gpu_gradients.0[name];
        let apart = norm(on_cpu.values.iter().zip(&on_gpu.values).map(|(a, b)| a - b));
        let length = norm(on_cpu.values.iter().copied());
        assert!(
            apart <= 1e-3 * length + 1e-5 * whole,
            "{}: gradient of {name}: {apart} of {length}",
            F::NAME
        );
    }
    // Steps enlarge differences of rounding.
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 0.01 * a.abs();
    assert!(cpu_losses.iter().zip(&gpu_losses).all(close), "{}: {cpu_losses:?} {gpu_losses:?}", F::NAME);
    assert!(gpu_losses[STEPS - 1] < gpu_losses[0], "{}: {gpu_losses:?}", F::NAME);
}

#[test]
fn every_family_learns_the_same_on_gpu_and_cpu() {
    let folder = tempdir().unwrap();
    let samples = samples(&dataset(folder.path(), 8), 16);
    for net in NetConfig::all_tiny() {
        (net.entry.trial.compare)(&net.config, &samples);
    }
}
