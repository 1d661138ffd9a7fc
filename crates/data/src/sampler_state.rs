//! Where a sampler stands, as it is kept in checkpoints.

use serde::{Deserialize, Serialize};

use crate::{Fingerprint, Policy, Split};

/// Where a sampler stands: enough to go on with the very next sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplerState {
    pub seed: u64,
    pub epoch: u64,
    /// Samples given in this epoch.
    pub taken: u64,
    pub split: Option<Split>,
    pub policy: Policy,
    pub pool: usize,
    pub fingerprint: Fingerprint,
}
