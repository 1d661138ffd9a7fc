//! A planner asked what it imagines after its own move, position by position: how far that keeps to the rules, and whether it is what an
//! engine expects.

use chess::{Moment, shakmaty::Move};
use data::Sample;

use super::{
    Planner, PlannerConfig,
    batch::Known,
    decode::{Decoder, ranges},
    figures::chosen,
    future::{Future, MASKED},
    line::Line,
    network::PackedPlanner,
};
use crate::{WeightError, WeightFile, family::Family, loading};

/// Positions that are imagined in one go.
const AT_ONCE: usize = 128;

/// A network of the family, packed for the CPU.
#[derive(Debug)]
pub struct Imaginer {
    network: Planner,
    packed: Option<PackedPlanner>,
    config: PlannerConfig,
}

/// What is right of an imagined future.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imagined {
    /// Whether the actions after the first are legal, each after those before it.
    pub legal: Vec<bool>,
    /// Whether the position before each of them is exactly what the actions lead to; empty where none is imagined.
    pub exact: Vec<bool>,
    /// Whether the reply is the one that the line of the sample's label has; nothing where that begins with another move or ends with it.
    pub reply: Option<bool>,
}

impl Imaginer {
    /// The planner in the bytes of a weight file, which imagines in so many steps; 0 for as many as it was made for.
    pub fn load(bytes: &[u8], steps: usize) -> Result<Imaginer, WeightError> {
        let file = WeightFile::from_bytes(bytes)?;
        if file.card.family != Planner::NAME {
            return Err(WeightError::Family(format!("a network `{}` imagines nothing", file.card.family)));
        }
        let mut config: PlannerConfig = serde_json::from_value(file.card.network.clone())
            .map_err(|error| WeightError::Network(error.to_string()))?;
        if steps > 0 {
            config.steps = steps;
        }
        config.check().map_err(WeightError::Network)?;
        let network = loading::network::<Planner>(&config, &file.weights)?;
        Ok(Imaginer { packed: network.packed(config.layout()), network, config })
    }

    /// Actions that it imagines, its own first one included.
    pub fn horizon(&self) -> usize {
        self.config.layout().horizon
    }

    /// What it imagines of each sample, in each of which there must be a legal move.
    pub fn imagine(&self, samples: &[Sample]) -> Vec<Imagined> {
        samples.chunks(AT_ONCE).flat_map(|some| self.imagine_some(some)).collect()
    }

    fn imagine_some(&self, samples: &[Sample]) -> Vec<Imagined> {
        let layout = self.config.layout();
        let moments: Vec<&Moment> = samples.iter().map(|sample| &sample.moment).collect();
        let known = Known::new(layout, &moments);
        let encoded = self.network.encode(&known, self.packed.as_ref());
        let decoder = Decoder {
            config: &self.config,
            layout,
            network: &self.network,
            packed: self.packed.as_ref(),
            known: &known,
            encoded: encoded.as_ref(),
        };
        let decision = decoder.decide(self.config.steps, self.config.futures, &mut |_, _| {});
        let futures: Vec<Future> = samples.iter().map(|sample| Future::of(layout, sample)).collect();
        imagined(&decoder, self.config.steps, &moments, &futures, &decision.chances)
    }
}

/// What is imagined after the moves that the chances speak for, held against what was to be found.
pub(super) fn imagined(
    decoder: &Decoder<'_>,
    steps: usize,
    moments: &[&Moment],
    futures: &[Future],
    chances: &[f32],
) -> Vec<Imagined> {
    let (layout, known) = (decoder.layout, decoder.known);
    let chosen = chosen(&known.counts, chances);
    let actions: Vec<i32> = chosen.iter().map(|&place| known.actions[place]).collect();
    let dream = decoder.continued(steps, &actions, &mut |_| {});
    let each = ranges(&known.counts).zip(chosen).enumerate();
    let one = |(at, (legal, place)): (usize, (std::ops::Range<usize>, usize))| {
        let (values, future) = (&dream.values[at], &futures[at]);
        let first: Move = moments[at].legal_moves()[place - legal.start];
        let line = Line::of(layout, &moments[at].position, first, values);
        let plies = 1..layout.horizon;
        let reply = (layout.horizon > 1).then(|| future.values[layout.action(1)]);
        let reply = reply.filter(|&reply| reply != MASKED && future.values[0] == actions[at]);
        Imagined {
            legal: plies.clone().map(|ply| line.is_legal(ply)).collect(),
            exact: plies.filter(|_| layout.states).map(|ply| line.is_exact(ply)).collect(),
            reply: reply.map(|reply| values[layout.action(1)] == reply),
        }
    };
    each.map(one).collect()
}
