//! Mobility and good squares of knights, bishops, rooks and queens.

use chess::shakmaty::{Bitboard, Color, File, Role, Square, attacks};

use super::{
    features::{
        ATTACKERS, BAD_BISHOP, BEHIND_PAWN, BISHOP_MOBILITY, KING_DISTANCE, KNIGHT_MOBILITY, LONG_DIAGONAL,
        OUTPOST, QUEEN_MOBILITY, RING_ATTACKS, ROOK_FILE, ROOK_MOBILITY, ROOK_SEVENTH, ROOK_TRAPPED,
    },
    picture::Picture,
    squares::{CENTRE, CENTRE_FILES, ahead, pawn_attack_span, ranks, relative_rank},
    tally::Tally,
};

/// Counts the pieces of one side and enters their attacks into the picture.
pub(super) fn tally_pieces(
    picture: &mut Picture<'_>,
    side: Color,
    castling: Bitboard,
    tally: &mut impl Tally,
) {
    let safe_from_pawns = !pawn_attack_span(!side, picture.pawns[!side as usize]);
    for (role, mobility) in [
        (Role::Knight, KNIGHT_MOBILITY),
        (Role::Bishop, BISHOP_MOBILITY),
        (Role::Rook, ROOK_MOBILITY),
        (Role::Queen, QUEEN_MOBILITY),
    ] {
        for square in picture.ours(side, role) {
            let reach = picture.reach(side, role, square);
            picture.note(side, role, reach);
            let free = (reach & picture.area[side as usize]).count();
            tally.add(side, mobility.at(free.min(mobility.len - 1)), 1);
            tally_attack(picture, side, role, reach, tally);
            match role {
                Role::Knight => tally_minor(picture, side, square, safe_from_pawns, 0, tally),
                Role::Bishop => {
                    tally_minor(picture, side, square, safe_from_pawns, 1, tally);
                    tally_bishop(picture, side, square, tally);
                }
                Role::Rook => tally_rook(picture, side, square, free, castling, tally),
                _ => {}
            }
        }
    }
}

/// A piece that reaches the enemy king's neighbourhood is a danger to him.
#[inline]
fn tally_attack(picture: &Picture<'_>, side: Color, role: Role, reach: Bitboard, tally: &mut impl Tally) {
    let ring = reach & picture.ring[!side as usize];
    if ring.any() {
        tally.danger(!side, ATTACKERS.at(role as usize - 2), 1);
        let close = reach & attacks::king_attacks(picture.king[!side as usize]);
        tally.danger(!side, RING_ATTACKS.at(0), close.count() as i32);
    }
}

/// Outposts, shelter behind a pawn, nearness to the king. `kind` is 0 for a knight, 1 for a bishop.
#[inline]
fn tally_minor(
    picture: &Picture<'_>,
    side: Color,
    square: Square,
    safe_from_pawns: Bitboard,
    kind: usize,
    tally: &mut impl Tally,
) {
    let here = Bitboard::from_square(square);
    if (here & ranks(side, 3, 5) & safe_from_pawns).any() {
        let defended = picture.attacked_by(side, Role::Pawn).contains(square);
        tally.add(side, OUTPOST.at(kind + 2 * usize::from(defended)), 1);
    }
    if (ahead(side, here) & picture.board.pawns()).any() && relative_rank(side, square) < 5 {
        tally.add(side, BEHIND_PAWN.at(0), 1);
    }
    tally.add(side, KING_DISTANCE.at(kind), square.distance(picture.king[side as usize]) as i32);
}

/// Pawns on the bishop's colour shut it in, the more so if they can not move.
#[inline]
fn tally_bishop(picture: &Picture<'_>, side: Color, square: Square, tally: &mut impl Tally) {
    let colour = if square.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
    let ours = picture.pawns[side as usize];
    tally.add(side, BAD_BISHOP.at(0), (ours & colour).count() as i32);
    let blocked = ours & ahead(!side, picture.occupied) & CENTRE_FILES;
    tally.add(side, BAD_BISHOP.at(1), blocked.count() as i32);
    let seen = attacks::bishop_attacks(square, picture.board.pawns()) & CENTRE;
    tally.add(side, LONG_DIAGONAL.at(0), i32::from(seen.more_than_one()));
}

/// Open files, the seventh rank, and rooks that their own king has shut in.
#[inline]
fn tally_rook(
    picture: &Picture<'_>,
    side: Color,
    square: Square,
    free: usize,
    castling: Bitboard,
    tally: &mut impl Tally,
) {
    let file = Bitboard::from_file(square.file());
    if (file & picture.pawns[side as usize]).is_empty() {
        let open = (file & picture.pawns[!side as usize]).is_empty();
        tally.add(side, ROOK_FILE.at(usize::from(open)), 1);
    } else if free <= 3 {
        let king = picture.king[side as usize];
        let king_in_the_way = (king.file() < File::E) == (square.file() < king.file());
        if king_in_the_way && relative_rank(side, king) == 0 {
            let can_castle = (castling & picture.board.by_color(side)).any();
            tally.add(side, ROOK_TRAPPED.at(usize::from(can_castle)), 1);
        }
    }
    if relative_rank(side, square) == 6 {
        let food = picture.pawns[!side as usize] & ranks(side, 6, 6);
        let shut_in = relative_rank(side, picture.king[!side as usize]) == 7;
        tally.add(side, ROOK_SEVENTH.at(0), i32::from(food.any() || shut_in));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::{
        features::Group,
        testing::{counts, feature_count},
    };

    fn whites(fen: &str, group: Group, index: usize) -> i32 {
        feature_count(&counts(fen), Color::White, group.at(index))
    }

    #[test]
    fn a_rook_likes_open_files() {
        assert_eq!(whites("4k3/p7/8/8/8/8/1P6/R3K3 w - - 0 1", ROOK_FILE, 0), 1, "half-open");
        assert_eq!(whites("4k3/1p6/8/8/8/8/1P6/R3K3 w - - 0 1", ROOK_FILE, 1), 1, "open");
        assert_eq!(whites("4k3/8/8/8/8/8/P7/R3K3 w - - 0 1", ROOK_FILE, 0), 0, "own pawn");
    }

    #[test]
    fn mobility_counts_squares_not_held_by_pawns() {
        assert_eq!(whites("4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", KNIGHT_MOBILITY, 8), 1);
        assert_eq!(whites("4k3/8/3p4/8/3N4/8/8/4K3 w - - 0 1", KNIGHT_MOBILITY, 8), 1);
        assert_eq!(whites("4k3/5p2/8/8/3N4/8/8/4K3 w - - 0 1", KNIGHT_MOBILITY, 7), 1, "e6 is held by f7");
        assert_eq!(whites("4k3/8/8/8/4r3/4N3/8/4K3 w - - 0 1", KNIGHT_MOBILITY, 0), 1, "pinned");
    }

    #[test]
    fn an_outpost_is_out_of_reach_of_pawns() {
        assert_eq!(whites("4k3/8/8/3N4/4P3/8/8/4K3 w - - 0 1", OUTPOST, 2), 1, "defended");
        assert_eq!(whites("4k3/8/8/3N4/8/8/8/4K3 w - - 0 1", OUTPOST, 0), 1);
        assert_eq!(whites("4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", OUTPOST, 2), 0, "c7-c6 drives it away");
    }

    #[test]
    fn a_king_on_f1_shuts_in_the_rook() {
        assert_eq!(whites("4k3/8/8/8/8/8/5PPP/5K1R w - - 0 1", ROOK_TRAPPED, 0), 1);
        assert_eq!(whites("4k3/8/8/8/8/8/5PPP/3R1K2 w - - 0 1", ROOK_TRAPPED, 0), 0);
    }
}
