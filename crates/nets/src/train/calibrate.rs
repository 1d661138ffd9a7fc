//! What belongs to weights without being learned, measured anew on other games.

use std::path::Path;

use data::Dataset;

use super::{TrainConfig, TrainError, feed};
use crate::{
    NetConfig, WeightFile,
    family::{Family, network, network_config},
    human::Human,
    ranker::Ranker,
    weights::Weights,
};

/// Rewrites the weight file at `path` with what is measured on `samples` positions of the dataset's validation games.
pub fn settle(path: &Path, data: &Dataset, samples: usize) -> Result<(), TrainError> {
    let wrong = |error| TrainError::Weights { path: path.to_owned(), error };
    let file = WeightFile::read(path).map_err(wrong)?;
    let file = match network_config(&file.card).map_err(wrong)? {
        NetConfig::Human(config) => remade::<Human>(file, &config, data, samples, path),
        NetConfig::Ranker(config) => remade::<Ranker>(file, &config, data, samples, path),
    }?;
    file.write(path).map_err(wrong)
}

fn remade<F: Family>(
    file: WeightFile,
    config: &F::Config,
    data: &Dataset,
    samples: usize,
    path: &Path,
) -> Result<WeightFile, TrainError> {
    let training: TrainConfig = serde_json::from_value(file.card.training.clone()).unwrap_or_default();
    let training = TrainConfig { validation_samples: samples, labels: String::new(), ..training };
    let network = network::<F>(config, &file.weights)
        .map_err(|error| TrainError::Weights { path: path.to_owned(), error })?;
    let batches = feed::validation::<F>(data, config, &training)?;
    let settled = network.settle(config, &batches).ok_or(TrainError::NothingToSettle(F::NAME))?;
    Ok(WeightFile { weights: Weights::of(&settled), ..file })
}
