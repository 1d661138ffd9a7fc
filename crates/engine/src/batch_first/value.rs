//! Values inside the tree: centipawns as fine as floats go, with mates counted from the root.

use crate::{Score, alpha_beta::value};

/// Deepest line that the search follows, in plies.
pub(super) const MAX_PLY: u16 = 120;
const MATE: f32 = value::MATE as f32;
/// Every value from here up is a mate.
pub(super) const MATE_IN_REACH: f32 = MATE - 128.0;
/// What a mind says of a position stays within these.
const MOST: f32 = 20_000.0;

/// The side to move is mated after `ply` plies from the root.
pub(super) fn mated_at(ply: u16) -> f32 {
    f32::from(ply) - MATE
}

/// A mind's word as a value that no mate can be taken for.
pub(super) fn sound(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(-MOST, MOST) }
}

/// For the table: mates counted from the position itself, not from the root.
pub(super) fn to_table(value: f32, ply: u16) -> f32 {
    moved_away(value, f32::from(ply))
}

/// Back from the table to a count from the root.
pub(super) fn from_table(value: f32, ply: u16) -> f32 {
    moved_away(value, -f32::from(ply))
}

fn moved_away(value: f32, plies: f32) -> f32 {
    match value {
        _ if value.is_infinite() => value,
        _ if value >= MATE_IN_REACH => value + plies,
        _ if value <= -MATE_IN_REACH => value - plies,
        _ => value,
    }
}

/// Plies to the mate that a value stands for.
pub(super) fn plies_to_mate(value: f32) -> Option<u32> {
    (value.is_finite() && value.abs() >= MATE_IN_REACH).then(|| (MATE - value.abs()) as u32)
}

/// As the world reads it.
pub(super) fn score(value: f32) -> Score {
    value::score(value.round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_counts_mates_from_its_own_position() {
        for value in [-mated_at(9), mated_at(8), 57.25, -200.5, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(from_table(to_table(value, 5), 5), value);
        }
        assert_eq!(from_table(to_table(-mated_at(9), 4), 6), -mated_at(11));
        assert_eq!(score(-mated_at(3)), Score::mates(2));
    }
}
