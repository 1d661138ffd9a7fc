//! Pawn structure: what can be said of the pawns alone, so that it can be remembered between positions.

use chess::shakmaty::{Bitboard, Color};

use super::{
    features::{BACKWARD, CANDIDATE, DOUBLED, ISLANDS, ISOLATED, PASSED, PHALANX, SUPPORTED},
    squares::{SIDES, ahead, all_ahead, beside, files, pawn_attack_span, pawn_attacks, relative_rank},
    tally::{Sum, Tally},
    taper::Taper,
};

/// Counts the structure of one side and returns its passed pawns.
pub(super) fn tally_structure(side: Color, pawns: [Bitboard; 2], tally: &mut impl Tally) -> Bitboard {
    let (ours, theirs) = (pawns[side as usize], pawns[!side as usize]);
    let passed = passed(side, ours, theirs);
    let our_attacks = pawn_attacks(side, ours);
    let their_attacks = pawn_attacks(!side, theirs);
    let neighbours = files(beside(ours));
    let half_open = !(files(theirs));

    let isolated = ours & !neighbours;
    tally.add(side, ISOLATED.at(0), (isolated & !half_open).count() as i32);
    tally.add(side, ISOLATED.at(1), (isolated & half_open).count() as i32);

    let doubled = ours & all_ahead(side, ours);
    let stacked = ours & ahead(side, ours);
    tally.add(side, DOUBLED.at(0), (doubled & !stacked).count() as i32);
    tally.add(side, DOUBLED.at(1), stacked.count() as i32);

    // Backward: no neighbour can ever defend it, and the square ahead is held by an enemy pawn.
    let supportable = pawn_attack_span(side, ours);
    let held = ahead(!side, their_attacks | theirs);
    let backward = ours & !isolated & !supportable & !beside(ours) & held;
    tally.add(side, BACKWARD.at(0), (backward & !half_open).count() as i32);
    tally.add(side, BACKWARD.at(1), (backward & half_open).count() as i32);

    for square in ours & beside(ours) {
        tally.add(side, PHALANX.at(relative_rank(side, square)), 1);
    }
    for square in ours & our_attacks {
        tally.add(side, SUPPORTED.at(relative_rank(side, square)), 1);
    }
    for square in passed {
        tally.add(side, PASSED.at(relative_rank(side, square)), 1);
    }
    for square in candidates(side, ours, theirs) & !passed {
        tally.add(side, CANDIDATE.at(relative_rank(side, square)), 1);
    }
    let occupied_files = (files(ours).0 & 0xff) as u32;
    let islands = (occupied_files & !(occupied_files << 1)).count_ones() as i32;
    tally.add(side, ISLANDS.at(0), islands);
    passed
}

/// Pawns that no enemy pawn can stop or take on their way, the front one of each file.
fn passed(side: Color, ours: Bitboard, theirs: Bitboard) -> Bitboard {
    let stopped = all_ahead(!side, theirs) | pawn_attack_span(!side, theirs);
    ours & !stopped & !all_ahead(!side, ours)
}

/// Pawns with a free file ahead whose guards ahead are outnumbered by helpers beside and behind.
fn candidates(side: Color, ours: Bitboard, theirs: Bitboard) -> Bitboard {
    let free = ours & !all_ahead(!side, theirs | ours);
    free.into_iter()
        .filter(|&square| {
            let pawn = Bitboard::from_square(square);
            let guards = theirs & all_ahead(side, beside(pawn));
            let helpers = ours & (beside(pawn) | all_ahead(!side, beside(pawn)));
            helpers.count() >= guards.count()
        })
        .collect()
}

/// What a pawn structure is worth, and its passed pawns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Structure {
    pawns: [Bitboard; 2],
    pub(super) score: Taper,
    pub(super) passed: [Bitboard; 2],
}

impl Structure {
    fn new(pawns: [Bitboard; 2]) -> Structure {
        let mut sum = Sum::default();
        let passed = SIDES.map(|side| tally_structure(side, pawns, &mut sum));
        Structure { pawns, score: sum.score, passed }
    }
}

/// Structures seen lately. Pawns move seldom, so most look-ups hit.
#[derive(Clone, Debug)]
pub struct PawnTable(Box<[Structure]>);

const PAWN_TABLE_BITS: u32 = 13;

impl Default for PawnTable {
    fn default() -> PawnTable {
        PawnTable(vec![Structure::default(); 1 << PAWN_TABLE_BITS].into())
    }
}

impl PawnTable {
    pub(super) fn get(&mut self, pawns: [Bitboard; 2]) -> Structure {
        let mixed = pawns[0].0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ pawns[1].0.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(29);
        let index = (mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) >> (64 - PAWN_TABLE_BITS)) as usize;
        let entry = &mut self.0[index];
        if entry.pawns != pawns {
            *entry = Structure::new(pawns);
        }
        *entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::{
        features::Group,
        testing::{counts, feature_count},
    };

    fn whites(fen: &str, group: Group) -> Vec<i32> {
        let trace = counts(fen);
        (0..group.len).map(|index| feature_count(&trace, Color::White, group.at(index))).collect()
    }

    #[test]
    fn a_pawn_without_neighbours_is_isolated() {
        assert_eq!(whites("4k3/4p3/8/8/4P3/8/8/4K3 w - - 0 1", ISOLATED), [1, 0]);
        assert_eq!(whites("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", ISOLATED), [0, 1]);
        assert_eq!(whites("4k3/8/8/8/4P3/3P4/8/4K3 w - - 0 1", ISOLATED), [0, 0]);
    }

    #[test]
    fn a_pawn_with_no_enemy_ahead_or_beside_is_passed() {
        let ranks = |fen| whites(fen, PASSED);
        assert_eq!(ranks("4k3/8/8/4P3/8/8/8/4K3 w - - 0 1"), [0, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(ranks("4k3/3p4/8/4P3/8/8/8/4K3 w - - 0 1"), [0; 8], "guarded");
        assert_eq!(ranks("4k3/4p3/8/4P3/8/8/8/4K3 w - - 0 1"), [0; 8], "blocked");
        assert_eq!(ranks("4k3/8/8/4P3/3p4/8/8/4K3 w - - 0 1"), [0, 0, 0, 0, 1, 0, 0, 0], "already past it");
        assert_eq!(
            ranks("4k3/8/8/4P3/4P3/8/8/4K3 w - - 0 1"),
            [0, 0, 0, 0, 1, 0, 0, 0],
            "only the front one"
        );
    }

    #[test]
    fn doubled_and_backward_pawns_are_found() {
        assert_eq!(whites("4k3/8/8/4P3/4P3/8/8/4K3 w - - 0 1", DOUBLED), [0, 1]);
        assert_eq!(whites("4k3/8/4P3/8/4P3/8/8/4K3 w - - 0 1", DOUBLED), [1, 0]);
        assert_eq!(
            whites("4k3/8/8/2p5/4P3/3P4/8/4K3 w - - 0 1", BACKWARD),
            [0, 1],
            "d3 behind e4, held by c5"
        );
        assert_eq!(whites("4k3/8/8/8/4P3/3P4/8/4K3 w - - 0 1", BACKWARD), [0, 0]);
    }

    #[test]
    fn islands_are_runs_of_files() {
        assert_eq!(whites("4k3/8/8/8/8/8/PP2P2P/4K3 w - - 0 1", ISLANDS), [3]);
    }

    #[test]
    fn the_table_remembers_what_was_counted() {
        let pawns = [Bitboard(0x00e7_0000_1000_0000), Bitboard(0x0000_0000_0814_e300)];
        let mut table = PawnTable::default();
        let first = table.get(pawns);
        let again = table.get(pawns);
        assert_eq!((first.score, first.passed), (again.score, again.passed));
        assert_eq!(first.score, Structure::new(pawns).score);
    }
}
