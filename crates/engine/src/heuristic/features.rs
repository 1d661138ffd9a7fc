//! Every feature that the evaluation counts, in one visible list.
//!
//! A feature is a number that can be counted on the board for each side. The value of a position is the sum
//! of count times weight over the features of the side to move, minus the same for the opponent. The order
//! here is the order of the weight table.

/// A run of features of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub name: &'static str,
    /// The line of the explaining table under which these features are summed.
    pub component: &'static str,
    pub start: usize,
    pub len: usize,
}

impl Group {
    const fn first(component: &'static str, name: &'static str, len: usize) -> Group {
        Group { name, component, start: 0, len }
    }

    const fn then(self, component: &'static str, name: &'static str, len: usize) -> Group {
        Group { name, component, start: self.start + self.len, len }
    }

    /// Number of the `index`-th feature of this group.
    #[inline]
    pub const fn at(self, index: usize) -> usize {
        debug_assert!(index < self.len);
        self.start + index
    }
}

pub const MATERIAL: Group = Group::first("material", "pawn, knight, bishop, rook, queen", 5);
pub const SQUARES: Group =
    MATERIAL.then("piece squares", "role, then square from a1 by ranks, own side below", 384);
pub const BISHOP_PAIR: Group = SQUARES.then("bishop pair", "both colours of bishop", 1);

pub const ISOLATED: Group = BISHOP_PAIR.then("pawns", "isolated: closed file, half-open file", 2);
pub const DOUBLED: Group = ISOLATED.then("pawns", "doubled: apart, one behind the other", 2);
pub const BACKWARD: Group = DOUBLED.then("pawns", "backward: closed file, half-open file", 2);
pub const PHALANX: Group = BACKWARD.then("pawns", "beside a pawn, by rank", 8);
pub const SUPPORTED: Group = PHALANX.then("pawns", "defended by a pawn, by rank", 8);
pub const CANDIDATE: Group = SUPPORTED.then("pawns", "candidate passed pawn, by rank", 8);
pub const ISLANDS: Group = CANDIDATE.then("pawns", "pawn islands", 1);

pub const PASSED: Group = ISLANDS.then("passed pawns", "passed, by rank", 8);
pub const PASSED_FREE: Group = PASSED.then("passed pawns", "next square empty and not attacked, by rank", 8);
pub const PASSED_BLOCKED: Group = PASSED_FREE.then("passed pawns", "blocked by a piece, by rank", 8);
pub const PASSED_OWN_KING: Group = PASSED_BLOCKED.then("passed pawns", "distance of own king times rank", 8);
pub const PASSED_THEIR_KING: Group =
    PASSED_OWN_KING.then("passed pawns", "distance of their king times rank", 8);
pub const PASSED_DEFENDED: Group =
    PASSED_THEIR_KING.then("passed pawns", "next square defended, rook behind", 2);
pub const PASSED_UNSTOPPABLE: Group = PASSED_DEFENDED.then("passed pawns", "outruns a lone king", 1);

pub const KNIGHT_MOBILITY: Group = PASSED_UNSTOPPABLE.then("mobility", "knight, by squares", 9);
pub const BISHOP_MOBILITY: Group = KNIGHT_MOBILITY.then("mobility", "bishop, by squares", 14);
pub const ROOK_MOBILITY: Group = BISHOP_MOBILITY.then("mobility", "rook, by squares", 15);
pub const QUEEN_MOBILITY: Group = ROOK_MOBILITY.then("mobility", "queen, by squares", 28);

pub const ROOK_FILE: Group = QUEEN_MOBILITY.then("rooks", "rook on half-open file, open file", 2);
pub const ROOK_SEVENTH: Group = ROOK_FILE.then("rooks", "rook on the seventh with something to eat there", 1);
pub const ROOK_TRAPPED: Group =
    ROOK_SEVENTH.then("rooks", "rook shut in by its king, castling lost or not", 2);

pub const OUTPOST: Group =
    ROOK_TRAPPED.then("minor pieces", "outpost: knight, bishop, defended knight, bishop", 4);
pub const BEHIND_PAWN: Group = OUTPOST.then("minor pieces", "minor piece behind a pawn", 1);
pub const BAD_BISHOP: Group =
    BEHIND_PAWN.then("minor pieces", "own pawns on the bishop's colour, blocked ones", 2);
pub const LONG_DIAGONAL: Group =
    BAD_BISHOP.then("minor pieces", "bishop that sees two squares of the centre", 1);
pub const KING_DISTANCE: Group = LONG_DIAGONAL.then("minor pieces", "steps to own king: knight, bishop", 2);
pub const CLOSED_KNIGHT: Group =
    KING_DISTANCE.then("minor pieces", "own pawns: knights times, rooks times", 2);

pub const PAWN_THREAT: Group = CLOSED_KNIGHT.then("threats", "pawn attacks knight, bishop, rook, queen", 4);
pub const PUSH_THREAT: Group = PAWN_THREAT.then("threats", "safe pawn push would attack a piece", 1);
pub const MINOR_THREAT: Group =
    PUSH_THREAT.then("threats", "minor piece attacks pawn, knight, bishop, rook, queen", 5);
pub const ROOK_THREAT: Group =
    MINOR_THREAT.then("threats", "rook attacks pawn, knight, bishop, rook, queen", 5);
pub const KING_THREAT: Group = ROOK_THREAT.then("threats", "king attacks something loose", 1);
pub const HANGING: Group = KING_THREAT.then("threats", "attacked and not defended", 1);
pub const QUEEN_TARGET: Group =
    HANGING.then("threats", "safe square from which a minor, a rook hits the queen", 2);
pub const RESTRICTED: Group = QUEEN_TARGET.then("threats", "contested squares that they can not use", 1);

pub const SHELTER: Group =
    RESTRICTED.then("king safety", "own pawn before the king: file from edge, rank", 32);
pub const STORM: Group = SHELTER.then("king safety", "their pawn before the king: file from edge, rank", 32);
pub const STORM_BLOCKED: Group = STORM.then("king safety", "their pawn stopped by ours, by rank", 8);
pub const KING_FILE: Group =
    STORM_BLOCKED.then("king safety", "king on half-open, their half-open, open file", 3);
pub const KING_PAWN_DISTANCE: Group =
    KING_FILE.then("king safety", "steps from the king to the nearest pawn", 1);

pub const SPACE: Group =
    KING_PAWN_DISTANCE.then("space", "safe squares behind the own centre, times pieces", 1);
pub const TEMPO: Group = SPACE.then("tempo", "the right to move", 1);

/// Number of features, and so of weights.
pub const COUNT: usize = TEMPO.start + TEMPO.len;

/// The groups in the order of the table.
pub const GROUPS: [Group; 45] = [
    MATERIAL,
    SQUARES,
    BISHOP_PAIR,
    ISOLATED,
    DOUBLED,
    BACKWARD,
    PHALANX,
    SUPPORTED,
    CANDIDATE,
    ISLANDS,
    PASSED,
    PASSED_FREE,
    PASSED_BLOCKED,
    PASSED_OWN_KING,
    PASSED_THEIR_KING,
    PASSED_DEFENDED,
    PASSED_UNSTOPPABLE,
    KNIGHT_MOBILITY,
    BISHOP_MOBILITY,
    ROOK_MOBILITY,
    QUEEN_MOBILITY,
    ROOK_FILE,
    ROOK_SEVENTH,
    ROOK_TRAPPED,
    OUTPOST,
    BEHIND_PAWN,
    BAD_BISHOP,
    LONG_DIAGONAL,
    KING_DISTANCE,
    CLOSED_KNIGHT,
    PAWN_THREAT,
    PUSH_THREAT,
    MINOR_THREAT,
    ROOK_THREAT,
    KING_THREAT,
    HANGING,
    QUEEN_TARGET,
    RESTRICTED,
    SHELTER,
    STORM,
    STORM_BLOCKED,
    KING_FILE,
    KING_PAWN_DISTANCE,
    SPACE,
    TEMPO,
];

/// Units of danger to a king. They are summed first and then squared, because attackers help each other.
pub const ATTACKERS: Group = Group::first("king safety", "attackers: knight, bishop, rook, queen", 4);
pub const RING_ATTACKS: Group = ATTACKERS.then("king safety", "attacks on squares at the king", 1);
pub const WEAK_RING: Group =
    RING_ATTACKS.then("king safety", "squares at the king without a proper defender", 1);
pub const SAFE_CHECKS: Group = WEAK_RING.then("king safety", "safe checks: knight, bishop, rook, queen", 4);
pub const UNSAFE_CHECKS: Group = SAFE_CHECKS.then("king safety", "squares for other checks", 1);
pub const PINNED: Group = UNSAFE_CHECKS.then("king safety", "pieces bound to the king's defence", 1);
pub const NO_QUEEN: Group = PINNED.then("king safety", "attack without a queen", 1);
pub const FLANK: Group = NO_QUEEN.then("king safety", "attacks and defences on the king's flank", 2);
pub const KNIGHT_GUARD: Group = FLANK.then("king safety", "a knight beside the king", 1);
pub const DANGER_BASE: Group = KNIGHT_GUARD.then("king safety", "constant", 1);

/// The groups of danger units in the order of their table.
pub const DANGER_GROUPS: [Group; 10] = [
    ATTACKERS,
    RING_ATTACKS,
    WEAK_RING,
    SAFE_CHECKS,
    UNSAFE_CHECKS,
    PINNED,
    NO_QUEEN,
    FLANK,
    KNIGHT_GUARD,
    DANGER_BASE,
];

/// Number of kinds of danger units.
pub const DANGER_COUNT: usize = DANGER_BASE.start + DANGER_BASE.len;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_each_other_without_gaps() {
        let mut next = 0;
        for group in GROUPS {
            assert_eq!(group.start, next, "{}", group.name);
            next += group.len;
        }
        assert_eq!(next, COUNT);
    }
}
