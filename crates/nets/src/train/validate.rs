//! Measures the mean of the weights on the validation set, and keeps the best.

use std::collections::BTreeMap;

use super::{Event, TrainError, feed, run::Run};
use crate::{
    Card, DataCard, WeightFile, card, device,
    family::{Family, Figures, only_for_training},
    layers::Builder,
    weights::Weights,
};

impl<F: Family> Run<'_, F> {
    /// Measures the mean of the weights on the fixed validation set. In the last phase it is kept if it is the best so far.
    pub(super) fn validate(&mut self, at: usize, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        let empty = F::init(self.net, &mut Builder::zeros(&device()));
        let network = self.optimiser.mean.install(empty);
        let mut figures = Figures::default();
        for (number, batch) in self.validation.1.iter().enumerate() {
            let mut random = feed::validation_random(self.train.seed, number);
            figures.merge(&network.figures(self.net, batch, &mut random));
        }
        let figures = figures.means();
        let best = at + 1 == self.plan.len() && self.is_best(&figures);
        if best {
            let path = self.folder.join("best.safetensors");
            let calibrated = network.calibrate(self.net, &self.validation.1);
            let mut weights =
                calibrated.map_or_else(|| self.optimiser.mean.clone(), |network| Weights::of(&network));
            weights.0.retain(|name, _| !only_for_training::<F>(name));
            let file = WeightFile { card: self.card(figures.clone(), weights.count()), weights };
            file.write(&path).map_err(|error| TrainError::Weights { path, error })?;
        }
        let (step, samples) = (self.state.step, self.state.samples);
        self.note(&Event::Validation { step, samples, figures, best, seconds: 0.0 }, tell)
    }

    /// Adds a point to the curve and tells whether these weights are better than all before.
    fn is_best(&mut self, figures: &BTreeMap<String, f64>) -> bool {
        // A validation set without a single position that counts decides nothing.
        let figure =
            |name: &str| figures.get(name).copied().filter(|figure| figure.is_finite()).unwrap_or(0.0);
        let hours = self.state.seconds / 3600.0;
        self.state.curve.push((self.state.samples, hours, figure(F::DECIDES)));
        let (chooses, less_is_better) = F::CHOOSES;
        let score = if less_is_better { -figure(chooses) } else { figure(chooses) };
        let best = self.state.best.is_none_or(|best| score > best);
        if best {
            self.state.best = Some(score);
        }
        best
    }

    fn card(&self, figures: BTreeMap<String, f64>, parameters: usize) -> Card {
        let json = |value: serde_json::Result<serde_json::Value>| value.expect("plain configuration");
        Card {
            version: card::VERSION,
            family: F::NAME.to_owned(),
            network: json(serde_json::to_value(self.net)),
            training: json(serde_json::to_value(self.train)),
            encoding: F::encoding(self.net).to_owned(),
            parameters: parameters as u64,
            step: self.state.step,
            samples: self.state.samples,
            hours: self.state.seconds / 3600.0,
            data: DataCard {
                fingerprint: self.data.card.fingerprint.to_string(),
                games: self.data.card.shards.iter().map(|shard| shard.games).sum(),
                policy: self.train.policy.clone(),
                teachers: self.teachers.clone(),
            },
            figures,
            curve: self.state.curve.clone(),
        }
    }
}
