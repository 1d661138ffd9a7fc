//! A position of the tree, with what the search keeps up to date from move to move.

use chess::{
    PackedMove,
    shakmaty::{
        Bitboard, ByColor, CastlingSide, Chess, Color, EnPassantMode, Move, Piece, Position, Role, Square,
        zobrist::{Zobrist64, ZobristValue},
    },
};

use crate::heuristic::{Taper, piece_value, pieces_value};

/// A position with its key and the value of its pieces.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) chess: Chess,
    pub(crate) key: u64,
    /// The part of the key that stands for the en passant square.
    en_passant_key: u64,
    pub(crate) pieces: Taper,
    pub(crate) checkers: Bitboard,
}

impl Node {
    pub(crate) fn new(chess: &Chess) -> Node {
        Node {
            key: chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0,
            en_passant_key: en_passant_key(chess),
            pieces: pieces_value(chess.board()),
            checkers: chess.checkers(),
            chess: chess.clone(),
        }
    }

    pub(crate) fn turn(&self) -> Color {
        self.chess.turn()
    }

    pub(crate) fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The position after a legal move.
    pub(crate) fn play(&self, m: Move) -> Node {
        let mut next = self.clone();
        let us = self.turn();
        next.chess.play_unchecked(m);
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                next.toggle(from, role.of(us), -1);
                if let Some(captured) = capture {
                    next.toggle(to, captured.of(!us), -1);
                }
                next.toggle(to, promotion.unwrap_or(role).of(us), 1);
            }
            Move::EnPassant { from, to } => {
                next.toggle(from, us.pawn(), -1);
                next.toggle(Square::from_coords(to.file(), from.rank()), (!us).pawn(), -1);
                next.toggle(to, us.pawn(), 1);
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                next.toggle(king, us.king(), -1);
                next.toggle(rook, us.rook(), -1);
                next.toggle(Square::from_coords(side.king_to_file(), king.rank()), us.king(), 1);
                next.toggle(Square::from_coords(side.rook_to_file(), rook.rank()), us.rook(), 1);
            }
            Move::Put { .. } => unreachable!("no drops in chess"),
        }
        next.key ^= self.en_passant_key ^ Zobrist64::zobrist_for_white_turn().0;
        next.key ^= lost_castling_key(&self.chess, &next.chess);
        next.en_passant_key = en_passant_key(&next.chess);
        next.key ^= next.en_passant_key;
        next.checkers = next.chess.checkers();
        next
    }

    /// The position after passing. Only asked for when not in check.
    pub(crate) fn pass(&self) -> Option<Node> {
        let chess = self.chess.clone().swap_turn().ok()?;
        let key = self.key ^ self.en_passant_key ^ Zobrist64::zobrist_for_white_turn().0;
        Some(Node { chess, key, en_passant_key: 0, pieces: self.pieces, checkers: Bitboard::EMPTY })
    }

    /// Puts a piece on a square (`sign` 1) or takes it off (`sign` -1).
    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece, sign: i32) {
        self.key ^= Zobrist64::zobrist_for_piece(square, piece).0;
        self.pieces += piece_value(square, piece) * sign;
    }

    /// Whether the side to move has anything but pawns and king.
    pub(crate) fn has_pieces(&self) -> bool {
        let board = self.chess.board();
        (self.chess.us() & !(board.pawns() | board.kings())).any()
    }

    /// The legal move that a remembered one stands for.
    pub(crate) fn recall(&self, remembered: PackedMove) -> Option<Move> {
        if remembered.is_none() { None } else { remembered.unpack(&self.chess) }
    }

    /// Key of the pawns alone.
    pub(crate) fn pawn_key(&self) -> u64 {
        let board = self.chess.board();
        let white = (board.pawns() & board.white()).0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let black = (board.pawns() & board.black()).0.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        (white ^ black.rotate_left(31)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    /// Key of the pieces of one side, pawns left out.
    pub(crate) fn piece_key(&self, side: Color) -> u64 {
        let board = self.chess.board();
        let ours = board.by_color(side);
        let mix = |role: Role, factor: u64| (board.by_role(role) & ours).0.wrapping_mul(factor);
        let key = mix(Role::Knight, 0x9e37_79b9_7f4a_7c15)
            ^ mix(Role::Bishop, 0xc2b2_ae3d_27d4_eb4f).rotate_left(13)
            ^ mix(Role::Rook, 0x1656_67b1_9e37_79f9).rotate_left(29)
            ^ mix(Role::Queen, 0x27d4_eb2f_1656_67c5).rotate_left(41)
            ^ mix(Role::King, 0x85eb_ca77_c2b2_ae63).rotate_left(53);
        key.wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

/// En passant counts only where it can be played, so that repetitions are told by the rule.
#[inline]
fn en_passant_key(chess: &Chess) -> u64 {
    match chess.maybe_ep_square() {
        None => 0,
        Some(_) => chess
            .legal_ep_square()
            .map_or(0, |square| Zobrist64::zobrist_for_en_passant_file(square.file()).0),
    }
}

/// The part of the key for castling rights that `after` has no more.
#[inline]
fn lost_castling_key(before: &Chess, after: &Chess) -> u64 {
    if before.castles().castling_rights() == after.castles().castling_rights() {
        return 0;
    }
    let has = |chess: &Chess| {
        ByColor::new_with(|color| CastlingSide::ALL.map(|side| chess.castles().has(color, side)))
    };
    let (had, has) = (has(before), has(after));
    let mut key = 0;
    for color in Color::ALL {
        for (index, side) in CastlingSide::ALL.into_iter().enumerate() {
            if had.get(color)[index] != has.get(color)[index] {
                key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
            }
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use chess::{Moment, shakmaty::CastlingMode};
    use proptest::prelude::*;

    use super::*;
    use crate::testing::random_game;

    fn check_children(moment: &Moment) {
        let node = Node::new(&moment.position);
        for m in moment.legal_moves() {
            let next = node.play(m);
            let fresh = Node::new(&next.chess);
            assert_eq!(next.key, fresh.key, "{} {m}", moment.fen());
            assert_eq!(next.pieces, fresh.pieces, "{} {m}", moment.fen());
            assert_eq!(next.checkers, fresh.checkers);
        }
        if !node.in_check() {
            let passed = node.pass().unwrap();
            assert_eq!(passed.key, Node::new(&passed.chess).key, "{}", moment.fen());
        }
    }

    proptest! {
        #[test]
        fn keys_and_values_kept_up_to_date_equal_those_from_scratch(game in random_game(120)) {
            game.iter().for_each(check_children);
        }
    }

    #[test]
    fn castling_en_passant_and_promotion_keep_the_key() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
        ] {
            check_children(&Moment::from_fen(fen, CastlingMode::Chess960).unwrap());
        }
    }
}
