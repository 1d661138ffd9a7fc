//! The board with its attacks: computed once for a position and read by every term.

use chess::shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use super::squares::{SIDES, ahead, double_pawn_attacks, pawn_attacks, ranks};

/// Who attacks what. Arrays are indexed by colour (Black 0, White 1), then by role (pawn 0 to king 5).
#[derive(Debug)]
pub(super) struct Picture<'a> {
    pub(super) board: &'a Board,
    pub(super) occupied: Bitboard,
    pub(super) pawns: [Bitboard; 2],
    pub(super) king: [Square; 2],
    pub(super) by_role: [[Bitboard; 6]; 2],
    pub(super) all: [Bitboard; 2],
    pub(super) twice: [Bitboard; 2],
    /// Squares that count as mobility.
    pub(super) area: [Bitboard; 2],
    /// The king's neighbourhood.
    pub(super) ring: [Bitboard; 2],
    /// Pieces that shield their own king from a slider.
    pub(super) pinned: [Bitboard; 2],
}

impl<'a> Picture<'a> {
    pub(super) fn new(board: &'a Board) -> Picture<'a> {
        let pawns = SIDES.map(|side| board.pawns() & board.by_color(side));
        let king = SIDES.map(|side| board.king_of(side).expect("king on board"));
        let mut picture = Picture {
            board,
            occupied: board.occupied(),
            pawns,
            king,
            by_role: Default::default(),
            all: Default::default(),
            twice: Default::default(),
            area: Default::default(),
            ring: Default::default(),
            pinned: Default::default(),
        };
        for side in SIDES {
            picture.set_up(side);
        }
        picture
    }

    /// What pawns and kings attack, and what follows from it.
    fn set_up(&mut self, side: Color) {
        let us = side as usize;
        let ours = self.pawns[us];
        let by_pawns = pawn_attacks(side, ours);
        let by_king = attacks::king_attacks(self.king[us]);
        self.by_role[us][0] = by_pawns;
        self.by_role[us][5] = by_king;
        self.twice[us] = double_pawn_attacks(side, ours) | (by_pawns & by_king);
        self.all[us] = by_pawns | by_king;

        let file = self.king[us].file().to_u32().clamp(1, 6);
        let rank = self.king[us].rank().to_u32().clamp(1, 6);
        let centre = Square::new(8 * rank + file);
        self.ring[us] = attacks::king_attacks(centre).with(centre);

        self.pinned[us] = self.blockers(side);
        let stuck = ours & (ahead(!side, self.occupied) | ranks(side, 1, 2));
        let theirs = pawn_attacks(!side, self.pawns[!side as usize]);
        self.area[us] =
            !(stuck | theirs | Bitboard::from_square(self.king[us]) | self.ours(side, Role::Queen));
    }

    fn blockers(&self, side: Color) -> Bitboard {
        let king = self.king[side as usize];
        let them = self.board.by_color(!side);
        let snipers = (attacks::rook_attacks(king, Bitboard::EMPTY) & self.board.rooks_and_queens()
            | attacks::bishop_attacks(king, Bitboard::EMPTY) & self.board.bishops_and_queens())
            & them;
        let mut blockers = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & self.occupied;
            if between.any() && !between.more_than_one() {
                blockers |= between & self.board.by_color(side);
            }
        }
        blockers
    }

    /// Attacks of a piece, seen through own queens (and own rooks for rooks), along the pin if it is pinned.
    #[inline]
    pub(super) fn reach(&self, side: Color, role: Role, square: Square) -> Bitboard {
        let ours = self.board.by_color(side);
        let reach = match role {
            Role::Knight => attacks::knight_attacks(square),
            Role::Bishop => attacks::bishop_attacks(square, self.occupied ^ (self.board.queens() & ours)),
            Role::Rook => {
                attacks::rook_attacks(square, self.occupied ^ (self.board.rooks_and_queens() & ours))
            }
            _ => attacks::queen_attacks(square, self.occupied),
        };
        match self.pinned[side as usize].contains(square) {
            true => reach & attacks::ray(self.king[side as usize], square),
            false => reach,
        }
    }

    /// Adds one piece's attacks to the maps.
    #[inline]
    pub(super) fn note(&mut self, side: Color, role: Role, reach: Bitboard) {
        let us = side as usize;
        self.twice[us] |= self.all[us] & reach;
        self.all[us] |= reach;
        self.by_role[us][role as usize - 1] |= reach;
    }

    #[inline]
    pub(super) fn ours(&self, side: Color, role: Role) -> Bitboard {
        self.board.by_role(role) & self.board.by_color(side)
    }

    /// Squares that `side` attacks with this role.
    #[inline]
    pub(super) fn attacked_by(&self, side: Color, role: Role) -> Bitboard {
        self.by_role[side as usize][role as usize - 1]
    }
}
