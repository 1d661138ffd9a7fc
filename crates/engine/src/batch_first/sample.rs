//! Scores of moves in a few ordinary positions, to bin the scores of a mind that brings no bins.

use chess::{
    Bins, Brain, Random, Wants,
    shakmaty::{Chess, Position},
};

use super::order::all_moves;

const POSITIONS: usize = 24;
const BINS: usize = 250;

pub(super) fn bins(brain: &dyn Brain) -> Bins {
    let traits = brain.traits();
    if let Some(bins) = traits.bins.as_ref().filter(|_| traits.policy.is_some()) {
        return bins.clone();
    }
    let positions = positions();
    let scores = match traits.policy {
        Some(_) => brain.evaluate(&positions, Wants::POLICY).scores,
        None => positions.iter().map(by_hand).collect(),
    };
    Bins::of(&scores.concat(), BINS)
}

fn by_hand(position: &Chess) -> Vec<f32> {
    all_moves(position).into_iter().map(|(_, score)| score).collect()
}

/// Positions from the first moves of random games.
fn positions() -> Vec<Chess> {
    let mut random = Random::new(7);
    let game = |plies: usize| {
        let mut position = Chess::default();
        for _ in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                return Chess::default();
            }
            position.play_unchecked(moves[random.below(moves.len())]);
        }
        if position.is_game_over() { Chess::default() } else { position }
    };
    (0..POSITIONS).map(game).collect()
}
