//! Q: expected scores from -1 (lost) to 1 (won) for the side to move, and beyond them proven mates, counted from the position itself.

use chess::LOG_ODDS_PER_CENTIPAWN;

use crate::{Score, alpha_beta::value};

/// A mate on the board, and what each ply up to it takes away.
const MATE: f32 = 2.0;
const PLY: f32 = 1.0 / 1024.0;
/// Every Q beyond this is a proven mate.
const PROVEN: f32 = 1.5;
/// What a mind says never counts as certain.
const MOST: f32 = 0.999;

pub(super) const MATED: f32 = -MATE;
pub(super) const DRAWN: f32 = 0.0;
/// Results that tablebases vouch for: surer than any mind, but nobody knows how many moves away.
pub(super) const WON: f32 = 0.9995;
pub(super) const LOST: f32 = -WON;

pub(super) fn of_centipawns(value: f32) -> f32 {
    let value = if value.is_nan() { 0.0 } else { value };
    (2.0 / (1.0 + (-LOG_ODDS_PER_CENTIPAWN * value).exp()) - 1.0).clamp(-MOST, MOST)
}

pub(super) fn centipawns(q: f32) -> f32 {
    let q = q.clamp(-MOST, MOST);
    ((1.0 + q) / (1.0 - q)).ln() / LOG_ODDS_PER_CENTIPAWN
}

/// What an unvisited move is taken for in a position of this value. However bad the position, that proves no mate.
pub(super) fn first_play(value: f32, reduction: f32) -> f32 {
    (value - reduction).clamp(-MOST, MOST)
}

pub(super) fn is_won(q: f32) -> bool {
    q > PROVEN
}

pub(super) fn is_lost(q: f32) -> bool {
    q < -PROVEN
}

pub(super) fn is_decided(q: f32) -> bool {
    is_won(q) || is_lost(q)
}

/// A position's Q for the side that moved there; mates are a ply further away for it.
pub(super) fn to_mover(q: f32) -> f32 {
    match q {
        _ if is_won(q) => -(q - PLY),
        _ if is_lost(q) => -(q + PLY),
        _ => -q,
    }
}

/// Plies to a proven mate.
pub(super) fn plies_to_mate(q: f32) -> Option<u32> {
    is_decided(q).then(|| ((MATE - q.abs()) / PLY).round() as u32)
}

/// As the world reads it.
pub(super) fn score(q: f32) -> Score {
    match plies_to_mate(q) {
        Some(plies) if q > 0.0 => value::score(value::MATE - plies as i32),
        Some(plies) => value::score(plies as i32 - value::MATE),
        None => Score::Centipawns(centipawns(q).round() as i32),
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
    fn first_play_urgencies_that_fall_from_move_to_move_never_become_mates() {
        let urgencies = std::iter::successors(Some(0.5), |&q| Some(first_play(q, 0.2)));
        assert!(urgencies.take(50).all(|q| q >= -MOST && plies_to_mate(q).is_none()));
    }

    #[test]
    fn mates_are_counted_in_plies_and_nearer_ones_win() {
        let mut q = MATED;
        for plies in 1..200 {
            q = to_mover(q);
            assert_eq!(plies_to_mate(q), Some(plies));
            assert_eq!(q > 0.0, plies % 2 == 1);
        }
        assert!(to_mover(MATED) > to_mover(to_mover(to_mover(MATED))));
        assert_eq!(score(to_mover(MATED)), Score::mates(1));
        assert_eq!(score(to_mover(to_mover(MATED))), Score::mated(1));
    }
}
