//! Threats: pieces under attack by less valuable ones, loose pieces, squares that can not be used; and space.

use chess::shakmaty::{Bitboard, Color, Role, attacks};

use super::{
    features::{
        HANGING, KING_THREAT, MINOR_THREAT, PAWN_THREAT, PUSH_THREAT, QUEEN_TARGET, RESTRICTED, ROOK_THREAT,
        SPACE,
    },
    picture::Picture,
    squares::{CENTRE_FILES, ahead, all_ahead, pawn_attacks, ranks},
    tally::Tally,
};

const TARGETS: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Counts what `side` threatens.
pub(super) fn tally_threats(picture: &Picture<'_>, side: Color, tally: &mut impl Tally) {
    let (us, them) = (side as usize, !side as usize);
    let theirs = picture.board.by_color(!side);
    let pieces = theirs & !picture.pawns[them];

    let by_pawns = picture.attacked_by(side, Role::Pawn) & pieces;
    if by_pawns.any() {
        for (index, role) in TARGETS[1..].iter().enumerate() {
            tally.add(side, PAWN_THREAT.at(index), (by_pawns & picture.board.by_role(*role)).count() as i32);
        }
    }

    // Strongly protected: by a pawn, or by two where we have not two attackers.
    let protected = picture.attacked_by(!side, Role::Pawn) | (picture.twice[them] & !picture.twice[us]);
    let weak = theirs & !protected & picture.all[us];
    let by_minors =
        (pieces | weak) & (picture.attacked_by(side, Role::Knight) | picture.attacked_by(side, Role::Bishop));
    let by_rooks = weak & picture.attacked_by(side, Role::Rook);
    if (by_minors | by_rooks).any() {
        for (index, role) in TARGETS.iter().enumerate() {
            let targets = picture.board.by_role(*role);
            tally.add(side, MINOR_THREAT.at(index), (by_minors & targets).count() as i32);
            tally.add(side, ROOK_THREAT.at(index), (by_rooks & targets).count() as i32);
        }
    }
    tally.add(side, KING_THREAT.at(0), i32::from((weak & picture.attacked_by(side, Role::King)).any()));
    let hanging = weak & (!picture.all[them] | (pieces & picture.twice[us]));
    tally.add(side, HANGING.at(0), hanging.count() as i32);

    tally.add(side, PUSH_THREAT.at(0), (push_attacks(picture, side) & pieces).count() as i32);
    tally_queen_targets(picture, side, tally);

    let restricted = picture.all[them] & !protected & picture.all[us];
    tally.add(side, RESTRICTED.at(0), restricted.count() as i32);
}

/// Squares that pawns would attack after a safe push.
fn push_attacks(picture: &Picture<'_>, side: Color) -> Bitboard {
    let (us, them) = (side as usize, !side as usize);
    let mut pushes = ahead(side, picture.pawns[us]) & !picture.occupied;
    pushes |= ahead(side, pushes & ranks(side, 2, 2)) & !picture.occupied;
    pushes &= !picture.attacked_by(!side, Role::Pawn) & (picture.all[us] | !picture.all[them]);
    pawn_attacks(side, pushes)
}

/// Squares from which a lighter piece could hit a lone queen next move.
fn tally_queen_targets(picture: &Picture<'_>, side: Color, tally: &mut impl Tally) {
    let Some(queen) = picture.ours(!side, Role::Queen).single_square() else { return };
    let safe = picture.area[side as usize] & !(picture.all[!side as usize] & !picture.twice[side as usize]);
    let from_knights = attacks::knight_attacks(queen) & picture.attacked_by(side, Role::Knight);
    let from_sliders = attacks::bishop_attacks(queen, picture.occupied)
        & picture.attacked_by(side, Role::Bishop)
        | attacks::rook_attacks(queen, picture.occupied) & picture.attacked_by(side, Role::Rook);
    tally.add(side, QUEEN_TARGET.at(0), (from_knights & safe).count() as i32);
    tally.add(side, QUEEN_TARGET.at(1), (from_sliders & safe).count() as i32);
}

/// Room behind the own pawns in the centre, worth more with more pieces to use it.
pub(super) fn tally_space(picture: &Picture<'_>, side: Color, tally: &mut impl Tally) {
    let pieces = picture.board.by_color(side).count() as i32;
    if pieces < 10 {
        return;
    }
    let ours = picture.pawns[side as usize];
    let room = CENTRE_FILES & ranks(side, 1, 3) & !ours & !picture.attacked_by(!side, Role::Pawn);
    let behind = room & all_ahead(!side, ours) & !picture.all[!side as usize];
    tally.add(side, SPACE.at(0), (room.count() + behind.count()) as i32 * (pieces - 8) / 4);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::testing::{counts, feature_count};

    fn whites(fen: &str, feature: usize) -> i32 {
        feature_count(&counts(fen), Color::White, feature)
    }

    #[test]
    fn a_pawn_that_attacks_a_rook_is_a_threat() {
        assert_eq!(whites("4k3/8/8/3r4/4P3/8/8/4K3 w - - 0 1", PAWN_THREAT.at(2)), 1);
        assert_eq!(whites("4k3/8/8/4r3/4P3/8/8/4K3 w - - 0 1", PAWN_THREAT.at(2)), 0);
    }

    #[test]
    fn a_push_that_would_fork_counts_each_target() {
        assert_eq!(whites("4k3/8/3n1r2/8/4P3/8/8/4K3 w - - 0 1", PUSH_THREAT.at(0)), 2);
        assert_eq!(
            whites("4k3/8/3n1r2/5b2/4P3/8/8/4K3 w - - 0 1", PUSH_THREAT.at(0)),
            2,
            "undefended e5 is not attacked"
        );
    }

    #[test]
    fn an_undefended_piece_hangs() {
        assert_eq!(whites("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", HANGING.at(0)), 1);
        assert_eq!(whites("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1", HANGING.at(0)), 0);
    }
}
