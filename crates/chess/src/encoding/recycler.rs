//! The recycling transformer's 21 channels per square, and what it learns of a move: the pieces on the squares that the
//! move changes, who stands attacked afterwards, and whether it gives check.
//!
//! The channels are those of the seed's table, where colours are absolute. A network sees the same table from the mover's
//! side: ranks mirrored and colours swapped for Black, so that the side to move is always "White" ([`View::Mover`]).

mod targets;

use shakmaty::{Board, Chess, Color, EnPassantMode, Piece, Position, Role, Square};

pub use targets::{Changes, Threat, changes, check, threats};

pub const CHANNELS: usize = 21;
/// Length of the dense form, `[square][channel]`.
pub const LEN: usize = 64 * CHANNELS;
/// What can stand on a square after a move, colour aside: nothing, or pawn, knight, bishop, rook, queen, king.
pub const CLASSES: usize = 7;

const WHITE_TO_MOVE: usize = 13;
const IN_CHECK: usize = 14;
const THREATENED: usize = 15;
const THREATENING: usize = 16;
const HAS_LEGAL_MOVE: usize = 17;
const WHITE_CASTLES: usize = 18;
const BLACK_CASTLES: usize = 19;
const EN_PASSANT: usize = 20;

/// From whose side the board is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As it stands: a1 first, White is White.
    Board,
    /// By the side to move, as if it were White.
    Mover,
}

impl View {
    fn mirrors(self, turn: Color) -> bool {
        self == View::Mover && turn == Color::Black
    }

    /// Where a square of a position with this side to move is in the view.
    pub fn square(self, turn: Color, square: Square) -> Square {
        if self.mirrors(turn) { square.flip_vertical() } else { square }
    }

    fn color(self, turn: Color, color: Color) -> Color {
        if self.mirrors(turn) { !color } else { color }
    }
}

/// Fills `out` with zeros and ones, [`LEN`] numbers.
pub fn encode(position: &Chess, view: View, out: &mut [f32]) {
    out.fill(0.0);
    let turn = position.turn();
    let board = position.board();
    let mut set = |square: Square, channel: usize| {
        out[CHANNELS * usize::from(view.square(turn, square)) + channel] = 1.0;
    };
    let movable = movable(position);
    for square in Square::ALL {
        let Some(piece) = board.piece_at(square) else {
            set(square, 0);
            continue;
        };
        set(square, channel(piece, view.color(turn, piece.color)));
        if is_attacked(board, square, !piece.color) {
            set(square, THREATENED);
        }
        if (board.attacks_from(square) & board.by_color(!piece.color)).any() {
            set(square, THREATENING);
        }
        if movable.contains(square) {
            set(square, HAS_LEGAL_MOVE);
        }
    }
    let mut everywhere = |channel: usize| Square::ALL.into_iter().for_each(|square| set(square, channel));
    if view.color(turn, turn) == Color::White {
        everywhere(WHITE_TO_MOVE);
    }
    if position.is_check() {
        everywhere(IN_CHECK);
    }
    for color in Color::ALL {
        if position.castles().has_color(color) {
            everywhere(view.color(turn, color).fold_wb(WHITE_CASTLES, BLACK_CASTLES));
        }
    }
    if let Some(square) = position.ep_square(EnPassantMode::Legal) {
        set(square, EN_PASSANT);
    }
}

fn channel(piece: Piece, seen_as: Color) -> usize {
    piece.role as usize + seen_as.fold_wb(0, 6)
}

fn is_attacked(board: &Board, square: Square, by: Color) -> bool {
    board.attacks_to(square, by, board.occupied()).any()
}

/// Squares of the pieces that have a legal move; a castling rook moves, too, but the move is the king's.
fn movable(position: &Chess) -> shakmaty::Bitboard {
    position.legal_moves().iter().filter_map(|m| m.from()).collect()
}

/// The class of what stands on a square, colour aside.
fn class(role: Option<Role>) -> u8 {
    role.map_or(0, |role| role as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{
        Moment,
        testing::{mirrored, random_game},
    };

    fn encoded(fen: &str) -> Vec<f32> {
        let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
        let mut out = vec![0.5; LEN];
        encode(&moment.position, View::Board, &mut out);
        out
    }

    /// The squares on which a channel is set.
    fn squares(planes: &[f32], channel: usize) -> String {
        let set = Square::ALL.into_iter().filter(|&s| planes[CHANNELS * usize::from(s) + channel] == 1.0);
        set.map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
    }

    fn is_everywhere(planes: &[f32], channel: usize) -> bool {
        planes.chunks_exact(CHANNELS).all(|square| square[channel] == 1.0)
    }

    #[test]
    fn pieces_stand_in_the_channels_of_the_table() {
        let planes = encoded("4k3/8/8/qrbnp3/QRBNP3/8/8/4K3 b - - 0 1");
        let expected = ["e4", "d4", "c4", "b4", "a4", "e1", "e5", "d5", "c5", "b5", "a5", "e8"];
        for (channel, square) in (1..=12).zip(expected) {
            assert_eq!(squares(&planes, channel), square, "channel {channel}");
        }
        assert_eq!(squares(&planes, 0).split(' ').count(), 64 - 12);
    }

    #[test]
    fn the_side_to_move_and_its_check_are_told_everywhere() {
        let quiet = encoded("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert!(is_everywhere(&quiet, WHITE_TO_MOVE));
        assert_eq!(squares(&quiet, IN_CHECK), "");
        let check = encoded("4k3/8/8/8/8/8/8/4KR2 b - - 0 1");
        assert_eq!((squares(&check, WHITE_TO_MOVE), squares(&check, IN_CHECK)), Default::default());
        let check = encoded("4k3/8/8/8/8/8/8/K3R3 b - - 0 1");
        assert!(is_everywhere(&check, IN_CHECK));
    }

    #[test]
    fn threats_are_told_for_both_colours() {
        // The rook on e4 attacks e7 and is attacked by the bishop on b7, which nobody attacks; pawns see sideways.
        let planes = encoded("4k3/1b2n3/8/8/4R3/8/3P4/4K3 w - - 0 1");
        assert_eq!(squares(&planes, THREATENED), "e4 e7");
        assert_eq!(squares(&planes, THREATENING), "e4 b7");
    }

    #[test]
    fn only_pieces_of_the_side_to_move_that_can_move_have_a_legal_move() {
        // The knight is pinned, the pawn blocked.
        let planes = encoded("4r2k/8/8/3p4/3P4/8/4N3/4K3 w - - 0 1");
        assert_eq!(squares(&planes, HAS_LEGAL_MOVE), "e1");
        let planes = encoded("4r2k/8/8/3p4/3P4/8/4N3/4K3 b - - 0 1");
        assert_eq!(squares(&planes, HAS_LEGAL_MOVE), "e8 h8");
    }

    #[test]
    fn castling_flags_are_one_for_each_colour() {
        for (rights, white, black) in
            [("KQkq", true, true), ("Q", true, false), ("k", false, true), ("-", false, false)]
        {
            let planes = encoded(&format!("r3k2r/8/8/8/8/8/8/R3K2R b {rights} - 0 1"));
            let flags = [WHITE_CASTLES, BLACK_CASTLES].map(|channel| is_everywhere(&planes, channel));
            assert_eq!(flags, [white, black], "{rights}");
        }
    }

    #[test]
    fn en_passant_marks_the_target_square_if_the_capture_is_legal() {
        let planes = encoded("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        assert_eq!(squares(&planes, EN_PASSANT), "d6");
        let nobody_captures = encoded("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1");
        assert_eq!(squares(&nobody_captures, EN_PASSANT), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn the_mover_sees_the_same_whichever_colour_it_has(game in random_game(60)) {
            let [mut one, mut other] = [vec![0.0; LEN], vec![0.0; LEN]];
            encode(&game.last().unwrap().position, View::Mover, &mut one);
            encode(&mirrored(&game).position, View::Mover, &mut other);
            prop_assert_eq!(one, other);
        }
    }
}
