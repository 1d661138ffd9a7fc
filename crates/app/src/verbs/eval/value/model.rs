//! What can be asked for the value of a position.

use std::sync::Arc;

use ::data::Sample;
use anyhow::{Context, ensure};
use chess::{Brain, Comparer, Wants, shakmaty::Chess};
use engine::heuristic::Heuristic;

use crate::{arena::pace::Pace, eval::model::Model as Player, minds::MINDS, terminal::progress::bar};

/// Positions asked about between two looks at the progress bar.
const AT_ONCE: usize = 1024;

pub(in crate::verbs::eval) enum Model {
    /// Asked for values in batches.
    Brain { name: String, brain: Arc<dyn Brain> },
    /// A search or an engine's process.
    Rival(Player),
}

impl Model {
    pub(in crate::verbs::eval) fn parse(text: &str, pace: Pace) -> anyhow::Result<Model> {
        if text == MINDS[0] {
            return Ok(Model::Brain { name: text.to_owned(), brain: Arc::new(Heuristic) });
        }
        match Player::parse(text, pace)? {
            Player::Brain { name, brain } => Ok(Model::Brain { name, brain }),
            rival => Ok(Model::Rival(rival)),
        }
    }

    pub(in crate::verbs::eval) fn name(&self) -> &str {
        match self {
            Model::Brain { name, .. } => name,
            Model::Rival(player) => player.name(),
        }
    }

    /// Its own way to compare positions.
    pub(in crate::verbs::eval) fn comparer(&self) -> Option<Box<dyn Comparer>> {
        match self {
            Model::Brain { brain, .. } => brain.comparer(),
            Model::Rival(_) => None,
        }
    }

    /// A value as the opponent sees it: minds give centipawns, the others expected scores.
    pub(in crate::verbs::eval) fn flipped(&self, value: f32) -> f32 {
        match self {
            Model::Brain { .. } => -value,
            Model::Rival(_) => 1.0 - value,
        }
    }

    /// The higher, the better for the side to move; one for each sample.
    pub(in crate::verbs::eval) fn values(
        &self,
        samples: &[Sample],
        engines: usize,
    ) -> anyhow::Result<Vec<f32>> {
        let style = "{msg} {wide_bar} {pos} of {len} positions, {per_sec}, {eta} left";
        let bar = bar(Some(samples.len() as u64), style);
        bar.set_message(self.name().to_owned());
        let mut found = Vec::with_capacity(samples.len());
        match self {
            Model::Brain { brain, .. } => {
                ensure!(brain.traits().value, "it has no value of positions");
                for samples in samples.chunks(AT_ONCE) {
                    let positions: Vec<Chess> =
                        samples.iter().map(|sample| sample.moment.position.clone()).collect();
                    found.extend(brain.evaluate(&positions, Wants::VALUE).values);
                    bar.inc(samples.len() as u64);
                }
            }
            Model::Rival(player) => {
                for forecast in player.forecast(samples, AT_ONCE, engines, &bar)? {
                    let wdl = forecast.wdl.context("it gives no score")?;
                    found.push(wdl.expectation());
                }
            }
        }
        bar.finish_and_clear();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minds::Names;

    #[test]
    fn every_mind_that_needs_no_file_has_a_value_or_says_that_it_has_none() {
        let position = [Chess::default()];
        for name in MINDS.iter().filter(|name| Names::parse(name).mind().is_ok()) {
            let Ok(Model::Brain { brain, .. }) = Model::parse(name, Pace::default()) else {
                panic!("`{name}` is asked without a search");
            };
            let values = brain.evaluate(&position, Wants::VALUE).values;
            assert_eq!(values.len(), usize::from(brain.traits().value), "{name}");
            assert!(values.iter().all(|value| value.abs() < 300.0), "{name}: {values:?}");
        }
    }
}
