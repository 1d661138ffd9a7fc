//! Maia-3: people's moves from eight boards and both ratings, by a transformer with smolgen whose norms stand after its layers.

mod heads;
mod network;

use chess::{Brain, Evaluated, Moment, Opinion, Ratings, Traits, Wants, search_name, shakmaty::Chess};
use kernels::Arithmetic;
use rayon::prelude::*;

use self::network::Network;
use super::{OtherError, brain, tensors::Tensors};

pub(super) const NAME: &str = "maia3";
/// Moments that go through all layers together.
const GROUP: usize = 16;
/// What players are rated who are not known.
const UNKNOWN_RATING: u16 = 1500;
/// What players are rated for a search: as strong as those that the network saw.
const STRONG_RATING: u16 = 2600;

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

/// Ratings of the side to move and of the other; one that is unknown is taken to be the other's.
fn ratings(moment: &Moment) -> [u16; 2] {
    let us = moment.turn();
    let of = |color| moment.players.and_then(|players| players.of(color));
    match [of(us), of(!us)] {
        [Some(own), Some(other)] => [own, other],
        [Some(one), None] | [None, Some(one)] => [one; 2],
        [None, None] => [UNKNOWN_RATING; 2],
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
        let players = Some(Ratings::lichess(Some(STRONG_RATING), Some(STRONG_RATING)));
        let bare = |position: &Chess| Moment { players, ..Moment::new(position.clone()) };
        Evaluated::of_moments(self, &positions.iter().map(bare).collect::<Vec<_>>(), wants)
    }
}
