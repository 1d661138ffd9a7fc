//! Maia-3: people's moves from eight boards and both ratings, by a transformer with smolgen whose norms stand after its layers.

mod heads;
mod network;

use chess::{Brain, Moment, Opinion, Ratings, shakmaty::Chess};
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
}

impl Maia3 {
    pub(super) fn new(arithmetic: Arithmetic, tensors: &Tensors) -> Result<Maia3, OtherError> {
        Ok(Maia3 { network: Network::new(arithmetic, tensors)? })
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

impl Maia3 {
    fn judge_alive(&self, moments: &[&Moment]) -> Vec<Opinion> {
        let some = moments.len().div_ceil(rayon::current_num_threads()).clamp(1, GROUP);
        moments.par_chunks(some).flat_map_iter(|some| self.network.judge(some)).collect()
    }

    /// Positions without a past, as strong players see them.
    fn judge_bare(&self, positions: &[Chess]) -> Vec<Opinion> {
        let players = Some(Ratings::lichess(Some(STRONG_RATING), Some(STRONG_RATING)));
        let bare = |position: &Chess| Moment { players, ..Moment::new(position.clone()) };
        self.judge(&positions.iter().map(bare).collect::<Vec<_>>())
    }
}

impl Brain for Maia3 {
    fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
        brain::judge_alive(moments, |alive| self.judge_alive(alive))
    }

    fn values(&self, positions: &[Chess]) -> Option<Vec<f32>> {
        self.judge_bare(positions).into_iter().map(|opinion| Some(opinion.wdl?.centipawns())).collect()
    }

    fn move_scores(&self, positions: &[Chess]) -> Option<Vec<Vec<f32>>> {
        self.judge_bare(positions).into_iter().map(|opinion| opinion.policy).collect()
    }

    fn values_and_scores(&self, positions: &[Chess]) -> Option<(Vec<f32>, Vec<Vec<f32>>)> {
        let both = |opinion: Opinion| Some((opinion.wdl?.centipawns(), opinion.policy?));
        let both: Option<Vec<_>> = self.judge_bare(positions).into_iter().map(both).collect();
        Some(both?.into_iter().unzip())
    }
}
