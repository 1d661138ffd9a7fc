//! Maia-3: people's moves from eight boards and both ratings, by a transformer with smolgen whose norms stand after its layers.

mod heads;
mod network;

use chess::{Brain, Evaluated, Moment, Opinion, Traits, Wants, search_name, shakmaty::Chess};
use kernels::Arithmetic;
use rayon::prelude::*;

use self::network::Network;
use super::{OtherError, brain, tensors::Tensors};

pub(super) const NAME: &str = "maia3";
/// Ratings of the players from whom it learned enough.
pub(super) const RATINGS: (u16, u16) = (600, 2600);
/// Moments that go through all layers together.
const GROUP: usize = 16;

#[derive(Debug)]
pub(super) struct Maia3 {
    network: Network,
    traits: Traits,
}

impl Maia3 {
    pub(super) fn new(arithmetic: Arithmetic, tensors: &Tensors) -> Result<Maia3, OtherError> {
        Ok(Maia3 { network: Network::new(arithmetic, tensors)?, traits: brain::traits(search_name::INSTANT) })
    }
}

impl Brain for Maia3 {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        brain::judge_alive(moments, wants, |alive| {
            let some = alive.len().div_ceil(rayon::current_num_threads()).clamp(1, GROUP);
            alive.par_chunks(some).flat_map_iter(|some| self.network.judge(some, wants)).collect()
        })
    }

    /// As strong players see the positions.
    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        brain::evaluate_as_strong(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}
