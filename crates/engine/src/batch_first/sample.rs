//! Scores of moves in a few ordinary positions, to bin the scores of a mind that brings no bins.

use chess::{
    Bins, Brain, Random,
    shakmaty::{Chess, Position},
};

use super::order::all_moves;

const POSITIONS: usize = 24;
const BINS: usize = 250;

pub(super) struct Sampled {
    pub(super) bins: Bins,
    /// Whether the mind itself scores moves.
    pub(super) from_mind: bool,
}

pub(super) fn move_scores(brain: &dyn Brain) -> Sampled {
    let positions = positions();
    let from_mind = brain.values_and_scores(&positions[..1]).is_some();
    if let Some(bins) = brain.bins().filter(|_| from_mind) {
        return Sampled { bins: bins.clone(), from_mind };
    }
    let asked = if from_mind { brain.move_scores(&positions) } else { None };
    let scores = asked.unwrap_or_else(|| positions.iter().map(by_hand).collect()).concat();
    Sampled { bins: Bins::of(&scores, BINS), from_mind }
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
