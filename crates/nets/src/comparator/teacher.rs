//! Another comparator whose verdicts are learned: a small network is distilled from a large one.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use kernels::Arithmetic;
use serde::{Deserialize, Serialize};

use super::{
    Comparator, ComparatorConfig,
    batch::{Pair, Source},
    network::BIAS,
    ready::{Desk, Ready},
};
use crate::{WeightFile, fused::Lookups, loading};

/// The weights of the teacher, read when they are first needed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Teacher {
    file: String,
    #[serde(skip)]
    ready: OnceLock<Arc<Ready>>,
}

impl PartialEq for Teacher {
    fn eq(&self, other: &Teacher) -> bool {
        self.file == other.file
    }
}

impl Teacher {
    pub(super) fn is_none(&self) -> bool {
        self.file.is_empty()
    }

    /// The chance that the first is better, for pairs of positions.
    ///
    /// # Panics
    /// If the teacher's weights cannot be read.
    pub(super) fn judge(&self, places: &Lookups, pairs: Vec<(usize, usize)>) -> Vec<Pair> {
        let ready = self.ready.get_or_init(|| {
            load(Path::new(&self.file)).unwrap_or_else(|error| panic!("the teacher `{}`: {error}", self.file))
        });
        let mut desk = Desk::new(Arc::clone(ready));
        let mut embeddings = Vec::new();
        let mut bits = Default::default();
        for &place in &places.rows {
            match place {
                BIAS => embeddings.push(desk.embed_bits(std::mem::take(&mut bits))),
                place => bits[place as usize / 64] |= 1 << (place % 64),
            }
        }
        let judge = |(first, second): (usize, usize)| {
            let odds = chess::Comparer::compare(&mut desk, &embeddings[first], &embeddings[second]);
            (first, second, 1.0 / (1.0 + (-odds).exp()), Source::Teacher)
        };
        pairs.into_iter().map(judge).collect()
    }
}

fn load(path: &Path) -> Result<Arc<Ready>, String> {
    let file = WeightFile::read(path).map_err(|error| error.to_string())?;
    let config: ComparatorConfig =
        serde_json::from_value(file.card.network).map_err(|error| error.to_string())?;
    let network =
        loading::network::<Comparator>(&config, &file.weights).map_err(|error| error.to_string())?;
    Ok(Arc::new(Ready::new(&network.parts(), Arithmetic::best())))
}
