//! Every family of networks, in one list. Adding one takes its folder, its `mod` in `lib.rs` and its line here: command line, training,
//! files, minds, page and tests read this list.

mod entry;
#[cfg(all(test, any(feature = "cuda", feature = "wgpu", feature = "metal")))]
mod gpu_tests;
mod net_config;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod tests;

use std::{path::Path, sync::Arc};

use chess::Brain;
use data::Dataset;

pub use self::{
    entry::Entry,
    net_config::{NetConfig, NetConfigError},
};
use crate::{
    BalanceFit, Temperature, TrainError, WeightError, WeightFile, comparator::Comparator, graph::GraphNet,
    human::Human, others, planner::Planner, ranker::Ranker, recycler::Recycler,
};

pub const FAMILIES: &[Entry] = &[
    Entry::of::<Human>(), //
    Entry::of::<Ranker>(),
    Entry::of::<Recycler>(),
    Entry::of::<GraphNet>(),
    Entry::of::<Planner>(),
    Entry::of::<Comparator>(),
];

/// The mind in a weight file, one of ours or of others.
pub fn load(path: &Path) -> Result<Arc<dyn Brain>, WeightError> {
    if others::is_other(path) {
        return Ok(others::load(path)?.1);
    }
    mind_of(&WeightFile::read(path)?)
}

/// The mind in the bytes of a weight file, such as one inside the binary.
pub fn load_bytes(bytes: &[u8]) -> Result<Arc<dyn Brain>, WeightError> {
    mind_of(&WeightFile::from_bytes(bytes)?)
}

/// The same with other settings of how it thinks, such as `passes`, where its family knows them.
pub fn load_bytes_with(
    bytes: &[u8],
    settings: &[(&str, serde_json::Value)],
) -> Result<Arc<dyn Brain>, WeightError> {
    let file = WeightFile::from_bytes(bytes)?;
    NetConfig::of_card(&file.card)?.with(settings)?.mind(&file.weights)
}

/// The mind in a weight file that was read before.
pub fn mind_of(file: &WeightFile) -> Result<Arc<dyn Brain>, WeightError> {
    NetConfig::of_card(&file.card)?.mind(&file.weights)
}

/// Rewrites the weight file at `path` with what belongs to weights without being learned, measured on `samples` positions of the
/// dataset's validation games.
pub fn calibrate(path: &Path, data: &Dataset, samples: usize) -> Result<(), TrainError> {
    let wrong = |error| TrainError::Weights { path: path.to_owned(), error };
    let file = WeightFile::read(path).map_err(wrong)?;
    let net = NetConfig::of_card(&file.card).map_err(wrong)?;
    net.calibrate(file, path, data, samples)
}

/// Fits temperatures by rating on the validation games of `data` and puts them into the file's network. Returns them with
/// the number of positions behind each.
pub fn fit_temperatures(
    file: &mut WeightFile,
    data: &Dataset,
    positions: usize,
) -> Result<Vec<(Temperature, usize)>, TrainError> {
    let wrong = |error| TrainError::Weights { path: "the weights".into(), error };
    let net = NetConfig::of_card(&file.card).map_err(wrong)?;
    net.fit_temperatures(file, data, positions)
}

/// Fits what ratings, clocks and having the move add to what a mind expects, so that both sides of a game together expect one point, and
/// puts it into the file's network.
pub fn fit_balance(
    file: &mut WeightFile,
    data: &Dataset,
    positions: usize,
) -> Result<BalanceFit, TrainError> {
    let wrong = |error| TrainError::Weights { path: "the weights".into(), error };
    let net = NetConfig::of_card(&file.card).map_err(wrong)?;
    net.fit_balance(file, data, positions)
}
