//! The weights that a run begins with: fresh ones, or those of another network as far as they go.

use std::path::Path;

use super::TrainError;
use crate::{Card, WeightError, WeightFile, family::Family, weights::Weights};

/// The weights to begin with, and the card of what was learned before. Weights of a smaller network are taken as far as they go:
/// blocks that are new begin as shortcuts, so that the larger network begins with what the smaller had learned.
pub(super) fn first_weights<F: Family>(
    init: Option<&Path>,
    empty: &F,
) -> Result<(Weights, Option<Card>), TrainError> {
    let fresh = Weights::of(empty);
    let Some(path) = init else { return Ok((fresh, None)) };
    let wrong = |error| TrainError::Weights { path: path.to_owned(), error };
    let file = WeightFile::read(path).map_err(wrong)?;
    let own = file.card.family == F::NAME;
    let weights = if own { file.weights } else { inherited::<F>(file.weights, &fresh) };
    let stranger = (!own && weights.0.is_empty()).then(|| {
        let (found, wanted) = (&file.card.family, F::NAME);
        format!("a network `{wanted}` takes over nothing from one of the family `{found}`")
    });
    let weights = weights.grown(&fresh);
    match stranger.or_else(|| weights.misfit(&fresh)) {
        Some(misfit) => Err(wrong(WeightError::Misfit(misfit))),
        None => Ok((weights, Some(file.card).filter(|_| own))),
    }
}

/// What a network takes over from one of another family, under its own names.
fn inherited<F: Family>(weights: Weights, fresh: &Weights) -> Weights {
    let renamed = weights.0.into_iter().filter_map(|(name, array)| {
        let own = F::INHERITS
            .iter()
            .find_map(|(theirs, own)| Some(format!("{own}{}", name.strip_prefix(theirs)?)))?;
        fresh.0.contains_key(&own).then_some((own, array))
    });
    Weights(renamed.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        DataCard, card, device,
        family::first,
        human::{Human, HumanConfig},
        planner::{Planner, PlannerConfig},
        ranker::Ranker,
    };

    fn file<F: Family>(config: &F::Config, path: &Path) -> Weights {
        let weights = Weights::of(&first::<F>(config, 3, &device()).expect("a small network"));
        let card = Card {
            version: card::VERSION,
            family: F::NAME.to_owned(),
            network: serde_json::to_value(config).expect("plain configuration"),
            training: serde_json::Value::Null,
            encoding: F::encoding(config).to_owned(),
            parameters: weights.count() as u64,
            step: 9,
            samples: 99,
            hours: 1.0,
            data: DataCard::default(),
            figures: BTreeMap::new(),
            curve: Vec::new(),
        };
        WeightFile { card, weights: weights.clone() }.write(path).expect("a written file");
        weights
    }

    #[test]
    fn a_planner_begins_with_the_trunk_of_a_human_network_and_with_nothing_of_a_stranger() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let config = PlannerConfig::default();
        let swift = config.split.trunk.clone();
        let human = file::<Human>(&HumanConfig { swift, ..HumanConfig::default() }, &path);
        let empty = first::<Planner>(&config, 4, &device()).expect("a small network");
        let fresh = Weights::of(&empty);
        let (weights, past) = first_weights::<Planner>(Some(&path), &empty).expect("weights that fit");
        assert!(past.is_none() && weights.misfit(&fresh).is_none());
        for (name, array) in &weights.0 {
            match name.strip_prefix("Split.trunk.") {
                Some(own) => {
                    let theirs = &human.0[&format!("Swift.{own}")].values;
                    assert!(
                        array.values.iter().zip(theirs).all(|(a, b)| (a - b).abs() <= 1e-3 * b.abs() + 1e-6)
                    );
                }
                None => assert_eq!(array, &fresh.0[name], "{name}"),
            }
        }
        file::<Ranker>(&Ranker::tiny()[0], &path);
        let error = first_weights::<Planner>(Some(&path), &empty).expect_err("a stranger").to_string();
        assert!(error.contains("takes over nothing from one of the family `ranker`"), "{error}");
    }
}
