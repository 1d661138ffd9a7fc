//! What belongs to weights without being learned, measured anew on other games.

use std::path::Path;

use data::Dataset;

use super::{TrainError, feed};
use crate::{WeightFile, family::Family, loading::network, train_config::TrainConfig, weights::Weights};

/// Rewrites the weight file at `path` with what is measured on `samples` positions of the dataset's validation games.
pub(crate) fn calibrate<F: Family>(
    net: &F::Config,
    file: WeightFile,
    path: &Path,
    data: &Dataset,
    samples: usize,
) -> Result<(), TrainError> {
    let wrong = |error| TrainError::Weights { path: path.to_owned(), error };
    let training: TrainConfig =
        serde_json::from_value(file.card.training.clone()).unwrap_or_else(|_| F::training(net));
    let training =
        TrainConfig { validation_samples: samples, labels: String::new(), teacher: None, ..training };
    let phases = F::phases(net);
    let last = phases.last().expect("a family has a phase").name;
    let batches = feed::validation::<F>(data, net, &training, last)?;
    let network = network::<F>(net, &file.weights).map_err(wrong)?;
    let calibrated = network.calibrate(net, &batches).ok_or(TrainError::NothingToMeasure(F::NAME))?;
    WeightFile { weights: Weights::of(&calibrated), ..file }.write(path).map_err(wrong)
}
