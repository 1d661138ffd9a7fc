//! Worths inside a growing tree: expected scores from -1 (lost) to 1 (won) for the side to move, and beyond them mates that are
//! proven, counted from the position itself.

use chess::LOG_ODDS_PER_CENTIPAWN;

use crate::{Score, alpha_beta::value};

/// A mate on the board, and what each ply up to it takes away.
const MATE: f32 = 2.0;
const PLY: f32 = 1.0 / 1024.0;
/// Every worth beyond this is a proven mate.
const PROVEN: f32 = 1.5;
/// What a mind says never counts as certain.
const MOST: f32 = 0.999;
/// What a move that nobody has tried is taken for, below the worth of its position.
const UNTRIED: f32 = 0.2;

pub(super) const MATED: f32 = -MATE;
pub(super) const DRAWN: f32 = 0.0;

pub(super) fn of_centipawns(value: f32) -> f32 {
    let value = if value.is_nan() { 0.0 } else { value };
    (2.0 / (1.0 + (-LOG_ODDS_PER_CENTIPAWN * value).exp()) - 1.0).clamp(-MOST, MOST)
}

pub(super) fn centipawns(worth: f32) -> f32 {
    let worth = worth.clamp(-MOST, MOST);
    ((1.0 + worth) / (1.0 - worth)).ln() / LOG_ODDS_PER_CENTIPAWN
}

/// What a move is taken for that nobody has tried in a position of this worth. However bad the position, that is no proof of a mate.
pub(super) fn untried(worth: f32) -> f32 {
    (worth - UNTRIED).max(-MOST)
}

pub(super) fn is_won(worth: f32) -> bool {
    worth > PROVEN
}

pub(super) fn is_lost(worth: f32) -> bool {
    worth < -PROVEN
}

pub(super) fn is_decided(worth: f32) -> bool {
    is_won(worth) || is_lost(worth)
}

/// What a position is worth to the one who moved there; mates are a ply further away for him.
pub(super) fn to_mover(worth: f32) -> f32 {
    match worth {
        _ if is_won(worth) => -(worth - PLY),
        _ if is_lost(worth) => -(worth + PLY),
        _ => -worth,
    }
}

/// Plies to a proven mate.
pub(super) fn plies_to_mate(worth: f32) -> Option<u32> {
    is_decided(worth).then(|| ((MATE - worth.abs()) / PLY).round() as u32)
}

/// As the world reads it.
pub(super) fn score(worth: f32) -> Score {
    match plies_to_mate(worth) {
        Some(plies) if worth > 0.0 => value::score(value::MATE - plies as i32),
        Some(plies) => value::score(plies as i32 - value::MATE),
        None => Score::Centipawns(centipawns(worth).round() as i32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_survive_and_never_become_mates() {
        for value in [-900.0, -31.5, 0.0, 12.0, 700.0] {
            assert!((centipawns(of_centipawns(value)) - value).abs() < 0.5, "{value}");
        }
        for value in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 40_000.0] {
            assert_eq!(plies_to_mate(of_centipawns(value)), None);
        }
    }

    #[test]
    fn hopes_that_fall_from_move_to_move_never_become_mates() {
        let hopes = std::iter::successors(Some(0.5), |&worth| Some(untried(worth)));
        assert!(hopes.take(50).all(|worth| worth >= -MOST && plies_to_mate(worth).is_none()));
    }

    #[test]
    fn mates_are_counted_in_plies_and_nearer_ones_win() {
        let mut worth = MATED;
        for plies in 1..200 {
            worth = to_mover(worth);
            assert_eq!(plies_to_mate(worth), Some(plies));
            assert_eq!(worth > 0.0, plies % 2 == 1);
        }
        assert!(to_mover(MATED) > to_mover(to_mover(to_mover(MATED))));
        assert_eq!(score(to_mover(MATED)), Score::mates(1));
        assert_eq!(score(to_mover(to_mover(MATED))), Score::mated(1));
    }
}
