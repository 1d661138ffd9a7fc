//! Sets of squares that the evaluation asks for again and again.

use chess::shakmaty::{Bitboard, Color, File, Rank, Square};

/// Both sides in the order of their numbers, for arrays indexed by colour.
pub(crate) const SIDES: [Color; 2] = [Color::Black, Color::White];

pub(super) const CENTRE_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
pub(super) const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// The square as its owner sees it: own side below.
#[inline(always)]
pub(super) fn relative(side: Color, square: Square) -> Square {
    side.fold_wb(square, square.flip_vertical())
}

/// The rank as its owner sees it, 0 to 7.
#[inline(always)]
pub(super) fn relative_rank(side: Color, square: Square) -> usize {
    relative(side, square).rank().to_usize()
}

/// The set one step ahead for `side`.
#[inline(always)]
pub(super) fn ahead(side: Color, set: Bitboard) -> Bitboard {
    side.fold_wb(Bitboard(set.0 << 8), Bitboard(set.0 >> 8))
}

/// All squares ahead of the set on its files, the set itself left out.
#[inline(always)]
pub(super) fn all_ahead(side: Color, set: Bitboard) -> Bitboard {
    let mut bits = ahead(side, set).0;
    if side.is_white() {
        bits |= bits << 8;
        bits |= bits << 16;
        bits |= bits << 32;
    } else {
        bits |= bits >> 8;
        bits |= bits >> 16;
        bits |= bits >> 32;
    }
    Bitboard(bits)
}

/// The set moved one file to either side.
#[inline(always)]
pub(super) fn beside(set: Bitboard) -> Bitboard {
    let not_a = !Bitboard::from_file(File::A).0;
    let not_h = !Bitboard::from_file(File::H).0;
    Bitboard((set.0 & not_h) << 1 | (set.0 & not_a) >> 1)
}

/// The whole files on which the set stands.
#[inline(always)]
pub(super) fn files(set: Bitboard) -> Bitboard {
    set | all_ahead(Color::White, set) | all_ahead(Color::Black, set)
}

/// Squares that pawns attack.
#[inline(always)]
pub(super) fn pawn_attacks(side: Color, pawns: Bitboard) -> Bitboard {
    ahead(side, beside(pawns))
}

/// Squares that two pawns attack.
#[inline(always)]
pub(super) fn double_pawn_attacks(side: Color, pawns: Bitboard) -> Bitboard {
    let not_a = !Bitboard::from_file(File::A).0;
    let not_h = !Bitboard::from_file(File::H).0;
    ahead(side, Bitboard((pawns.0 & not_h) << 1 & (pawns.0 & not_a) >> 1))
}

/// Squares that pawns attack now or may attack after moving ahead.
#[inline(always)]
pub(super) fn pawn_attack_span(side: Color, pawns: Bitboard) -> Bitboard {
    all_ahead(side, beside(pawns))
}

/// Ranks from `first` to `last` as `side` counts them, 0 to 7.
pub(super) const fn ranks(side: Color, first: u32, last: u32) -> Bitboard {
    let mut bits = 0;
    let mut rank = first;
    while rank <= last {
        let rank_here = if side.is_white() { rank } else { 7 - rank };
        bits |= Bitboard::from_rank(Rank::new(rank_here)).0;
        rank += 1;
    }
    Bitboard(bits)
}

/// Distance of a file from the nearer edge, 0 to 3.
#[inline(always)]
pub(super) fn from_edge(file: File) -> usize {
    let file = file.to_usize();
    file.min(7 - file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_attack_ahead_and_beside() {
        let pawns = Bitboard::from_square(Square::A2) | Bitboard::from_square(Square::E4);
        let white = Bitboard::from_iter([Square::B3, Square::D5, Square::F5]);
        assert_eq!(pawn_attacks(Color::White, pawns), white);
        assert_eq!(
            double_pawn_attacks(Color::White, Bitboard::from_iter([Square::D4, Square::F4])),
            Bitboard::from_square(Square::E5)
        );
        assert_eq!(
            all_ahead(Color::Black, Bitboard::from_square(Square::C3)),
            Bitboard::from_iter([Square::C2, Square::C1])
        );
    }

    #[test]
    fn ranks_are_counted_from_the_own_side() {
        assert_eq!(ranks(Color::Black, 0, 0), Bitboard::from_rank(Rank::Eighth));
        assert_eq!(
            ranks(Color::White, 1, 2),
            Bitboard::from_rank(Rank::Second) | Bitboard::from_rank(Rank::Third)
        );
    }
}
