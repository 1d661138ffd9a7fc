//! King safety: pawns before the king, and how many enemies can get at him.

use chess::shakmaty::{Bitboard, Color, File, Role, attacks};

use super::{
    features::{
        DANGER_BASE, FLANK, KING_FILE, KING_PAWN_DISTANCE, KNIGHT_GUARD, NO_QUEEN, PINNED, SAFE_CHECKS,
        SHELTER, STORM, STORM_BLOCKED, UNSAFE_CHECKS, WEAK_RING,
    },
    picture::Picture,
    squares::{ahead, from_edge, ranks, relative_rank},
    tally::Tally,
};

/// Pawns on the three files about the king: own ones shelter him, enemy ones storm him.
pub(super) fn tally_shelter(picture: &Picture<'_>, side: Color, tally: &mut impl Tally) {
    let king = picture.king[side as usize];
    let in_front = ranks(side, relative_rank(side, king) as u32, 7);
    let ours = picture.pawns[side as usize] & in_front;
    let theirs = picture.pawns[!side as usize] & in_front;
    let centre = king.file().to_u32().clamp(1, 6);
    for file in (centre - 1..=centre + 1).map(File::new) {
        let on_file = Bitboard::from_file(file);
        let (own, enemy) = (nearest_rank(side, ours & on_file), nearest_rank(side, theirs & on_file));
        tally.add(side, SHELTER.at(8 * from_edge(file) + own), 1);
        if own != 0 && own + 1 == enemy {
            tally.add(side, STORM_BLOCKED.at(enemy), 1);
        } else {
            tally.add(side, STORM.at(8 * from_edge(file) + enemy), 1);
        }
    }
    let file = Bitboard::from_file(king.file());
    let own_open = (file & picture.pawns[side as usize]).is_empty();
    let their_open = (file & picture.pawns[!side as usize]).is_empty();
    let kind = match (own_open, their_open) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        (true, true) => Some(2),
        (false, false) => None,
    };
    if let Some(kind) = kind {
        tally.add(side, KING_FILE.at(kind), 1);
    }
    let nearest = picture.pawns[side as usize].into_iter().map(|pawn| pawn.distance(king)).min();
    tally.add(side, KING_PAWN_DISTANCE.at(0), nearest.unwrap_or(0) as i32);
}

/// Rank of the pawn nearest to its own back rank of `side`, 0 if there is none.
#[inline]
fn nearest_rank(side: Color, pawns: Bitboard) -> usize {
    let nearest = if side.is_white() { pawns.first() } else { pawns.last() };
    nearest.map_or(0, |square| relative_rank(side, square))
}

/// Counts the danger to the king of `side` beyond the attackers that are already noted.
pub(super) fn tally_danger(picture: &Picture<'_>, side: Color, tally: &mut impl Tally) {
    let (us, them) = (side as usize, !side as usize);
    let king = picture.king[us];
    let by_queen_or_king = picture.attacked_by(side, Role::King) | picture.attacked_by(side, Role::Queen);

    // Weak: attacked, not defended twice, and defended by king or queen at most.
    let weak = picture.all[them] & !picture.twice[us] & (!picture.all[us] | by_queen_or_king);
    tally.danger(side, WEAK_RING.at(0), (weak & picture.ring[us]).count() as i32);

    let safe = !picture.board.by_color(!side) & (!picture.all[us] | (weak & picture.twice[them]));
    let transparent = picture.occupied ^ picture.ours(side, Role::Queen);
    let lines = attacks::rook_attacks(king, transparent);
    let diagonals = attacks::bishop_attacks(king, transparent);
    let by = |role| picture.attacked_by(!side, role);
    let checks = [
        (attacks::knight_attacks(king) & by(Role::Knight), 0),
        (diagonals & by(Role::Bishop), 1),
        (lines & by(Role::Rook), 2),
        ((lines | diagonals) & by(Role::Queen), 3),
    ];
    let mut unsafe_checks = Bitboard::EMPTY;
    for (squares, kind) in checks {
        // A queen that can be taken by our queen gives no real check.
        let good =
            if kind == 3 { squares & safe & !picture.attacked_by(side, Role::Queen) } else { squares & safe };
        if good.any() {
            tally.danger(side, SAFE_CHECKS.at(kind), 1 + i32::from(good.more_than_one()));
        } else {
            unsafe_checks |= squares;
        }
    }
    tally.danger(side, UNSAFE_CHECKS.at(0), unsafe_checks.count() as i32);
    tally.danger(side, PINNED.at(0), picture.pinned[us].count() as i32);
    tally.danger(side, NO_QUEEN.at(0), i32::from(picture.ours(!side, Role::Queen).is_empty()));

    let camp = flank(king.file()) & ranks(side, 0, 4);
    let attacked = camp & picture.all[them];
    tally.danger(side, FLANK.at(0), (attacked.count() + (attacked & picture.twice[them]).count()) as i32);
    tally.danger(side, FLANK.at(1), (camp & picture.all[us]).count() as i32);
    let guard = (attacks::king_attacks(king) | ahead(side, attacks::king_attacks(king)))
        & picture.ours(side, Role::Knight);
    tally.danger(side, KNIGHT_GUARD.at(0), i32::from(guard.any()));
    tally.danger(side, DANGER_BASE.at(0), 1);
}

/// The files on which an attack on this king is played.
fn flank(file: File) -> Bitboard {
    const QUEEN_SIDE: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const MIDDLE: u64 = 0x3c3c_3c3c_3c3c_3c3c;
    Bitboard(match file.to_u32() {
        0 => 0x0707_0707_0707_0707,
        1 | 2 => QUEEN_SIDE,
        3 | 4 => MIDDLE,
        5 | 6 => !QUEEN_SIDE,
        _ => 0xe0e0_e0e0_e0e0_e0e0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::testing::{counts, danger_count, feature_count};

    #[test]
    fn unmoved_pawns_shelter_a_castled_king() {
        let trace = counts("6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1");
        for (edge, name) in [(0, "h"), (1, "g"), (2, "f")] {
            assert_eq!(feature_count(&trace, Color::White, SHELTER.at(8 * edge + 1)), 1, "{name}-file");
        }
    }

    #[test]
    fn a_storming_pawn_that_meets_ours_is_blocked() {
        let trace = counts("6k1/8/8/8/6p1/6P1/8/6K1 w - - 0 1");
        assert_eq!(feature_count(&trace, Color::White, STORM_BLOCKED.at(3)), 1);
    }

    #[test]
    fn a_safe_queen_check_is_danger() {
        let trace = counts("6k1/5ppp/8/8/8/8/8/Q5K1 w - - 0 1");
        assert!(danger_count(&trace, Color::Black, SAFE_CHECKS.at(3)) > 0);
        assert_eq!(danger_count(&trace, Color::White, SAFE_CHECKS.at(3)), 0);
    }
}
