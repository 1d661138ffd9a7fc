//! Networks out of weights.

use std::sync::Arc;

use chess::Brain;

use crate::{
    WeightError, device,
    family::{Family, only_for_training},
    layers::Builder,
    weights::Weights,
};

/// The network of these weights, if they fit.
pub(crate) fn network<F: Family>(config: &F::Config, weights: &Weights) -> Result<F, WeightError> {
    // Parts that only training needs may make a network larger than its file, but not without bounds.
    let most = 4 * weights.count() + 4096;
    let device = device();
    let mut builder = Builder::zeros(&device).at_most(most);
    let empty = F::init(config, &mut builder);
    if builder.is_over() {
        let (found, misfit) = (weights.count(), "it has more parameters than the file, which holds");
        return Err(WeightError::Misfit(format!("{misfit} {found}")));
    }
    let mut wanted = Weights::of(&empty);
    let missing = |name: &String| only_for_training::<F>(name) && !weights.0.contains_key(name);
    let absent: Vec<String> = wanted.0.keys().filter(|name| missing(name)).cloned().collect();
    let absent: Vec<_> = absent.into_iter().filter_map(|name| wanted.0.remove_entry(&name)).collect();
    match (weights.misfit(&wanted), absent.is_empty()) {
        (Some(misfit), _) => Err(WeightError::Misfit(misfit)),
        (None, true) => Ok(weights.install(empty)),
        (None, false) => {
            let mut all = weights.clone();
            all.0.extend(absent);
            Ok(all.install(empty))
        }
    }
}

/// The mind of a network with these weights.
pub(crate) fn mind<F: Family>(config: F::Config, weights: &Weights) -> Result<Arc<dyn Brain>, WeightError> {
    Ok(network::<F>(&config, weights)?.brain(config))
}
