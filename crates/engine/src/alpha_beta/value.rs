//! Values inside the tree: centipawns, with mates counted from the root.

use crate::Score;

/// Deepest line that the search follows, in plies.
pub(crate) const MAX_PLY: usize = 128;

pub(crate) const INFINITE: i32 = 32_001;
/// Stands for "no value known".
pub(crate) const UNKNOWN: i32 = 32_002;
pub(crate) const MATE: i32 = 32_000;
/// Every value from here up is a mate within the search's reach.
pub(crate) const MATE_IN_REACH: i32 = MATE - MAX_PLY as i32;
/// A win that tablebases vouch for.
pub(crate) const TABLEBASE_WIN: i32 = 30_000;
/// Every value from here up is a sure win.
pub(crate) const SURE_WIN: i32 = TABLEBASE_WIN - MAX_PLY as i32;

/// The side to move is mated after `ply` plies from the root.
pub(crate) fn mated_at(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// The side to move mates after `ply` plies from the root.
pub(crate) fn mates_at(ply: usize) -> i32 {
    MATE - ply as i32
}

pub(crate) fn is_decisive(value: i32) -> bool {
    value.abs() >= SURE_WIN
}

/// For the table: mates counted from the position itself, not from the root.
pub(crate) fn to_table(value: i32, ply: usize) -> i32 {
    match value {
        UNKNOWN => UNKNOWN,
        _ if value >= SURE_WIN => value + ply as i32,
        _ if value <= -SURE_WIN => value - ply as i32,
        _ => value,
    }
}

/// Back from the table to a count from the root.
pub(crate) fn from_table(value: i32, ply: usize) -> i32 {
    match value {
        UNKNOWN => UNKNOWN,
        _ if value >= SURE_WIN => value - ply as i32,
        _ if value <= -SURE_WIN => value + ply as i32,
        _ => value,
    }
}

/// As the world reads it.
pub(crate) fn score(value: i32) -> Score {
    if value >= MATE_IN_REACH {
        Score::mates(((MATE - value + 1) / 2) as u32)
    } else if value <= -MATE_IN_REACH {
        Score::mated(((MATE + value) / 2) as u32)
    } else {
        Score::Centipawns(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_told_in_moves() {
        assert_eq!(score(mates_at(1)), Score::mates(1));
        assert_eq!(score(mates_at(3)), Score::mates(2));
        assert_eq!(score(mated_at(2)), Score::mated(1));
        assert_eq!(score(mated_at(0)), Score::mated(0));
    }

    #[test]
    fn the_table_counts_mates_from_its_own_position() {
        for value in [mates_at(9), mated_at(8), 57, -200, UNKNOWN, TABLEBASE_WIN - 5] {
            assert_eq!(from_table(to_table(value, 5), 5), value);
        }
        assert_eq!(from_table(to_table(mates_at(9), 4), 6), mates_at(11));
    }
}
