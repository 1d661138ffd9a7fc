//! How a recycler's mind changes from pass to pass, for those who want to look inside.

use std::sync::{Mutex, PoisonError};

use chess::{Brain, Moment, Opinion, Wants};

use super::{Recycler, RecyclerConfig, brain::RecyclerBrain, ready::Effort};
use crate::{WeightError, WeightFile, family::Family, loading};

/// A network that is asked for its opinion after each number of passes.
#[derive(Debug)]
pub struct PassReader(Mutex<RecyclerBrain>);

impl PassReader {
    /// From the bytes of a weight file.
    pub fn from_bytes(bytes: &[u8]) -> Result<PassReader, WeightError> {
        let file = WeightFile::from_bytes(bytes)?;
        if file.card.family != Recycler::NAME {
            let family = &file.card.family;
            return Err(WeightError::Family(format!("`{family}` makes no passes")));
        }
        let config: RecyclerConfig = serde_json::from_value(file.card.network.clone())
            .map_err(|error| WeightError::Network(error.to_string()))?;
        config.check().map_err(WeightError::Network)?;
        let network = loading::network::<Recycler>(&config, &file.weights)?;
        Ok(PassReader(Mutex::new(RecyclerBrain::new(network, config))))
    }

    /// The opinion on `moment`, in which there must be a legal move, after 1, 2, .. `most` passes.
    pub fn read(&self, moment: &Moment, most: usize) -> Vec<Opinion> {
        let mut brain = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut after = |passes| {
            brain.effort = Effort { passes, until_settled: false };
            brain.judge(std::slice::from_ref(moment), Wants::POLICY_AND_VALUE).remove(0)
        };
        (1..=most).map(&mut after).collect()
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::layers::Builder;

    #[test]
    fn each_number_of_passes_says_what_a_network_made_for_it_says() {
        let config = RecyclerConfig::all_tiny().remove(0);
        let network = || Recycler::init(&config, &mut Builder::new(5, &Device::flex()));
        let reader = PassReader(Mutex::new(RecyclerBrain::new(network(), config.clone())));
        let moment = Moment::default().after_uci(["e2e4", "e7e5"]).unwrap();
        let found = reader.read(&moment, 3);
        for (passes, opinion) in (1..).zip(&found) {
            let config = RecyclerConfig { passes, until_settled: false, ..config.clone() };
            let brain = RecyclerBrain::new(network(), config);
            let expected = brain.judge(std::slice::from_ref(&moment), Wants::POLICY_AND_VALUE).remove(0);
            assert_eq!((&opinion.policy, opinion.wdl), (&expected.policy, expected.wdl), "{passes}");
        }
        assert_ne!(found[0].policy, found[2].policy);
    }
}
