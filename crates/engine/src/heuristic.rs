//! The hand-made evaluation: features counted on the board, times weights tuned on games.
//!
//! Each term is a small function that tells a [`tally::Tally`] what it finds. The search listens with a plain
//! sum; tuning and explaining listen with a list of everything that was counted.

mod brain;
mod endgame;
mod explain;
pub mod features;
mod king;
mod kpk;
mod material;
mod passed;
mod pawns;
mod phase;
mod picture;
mod pieces;
mod squares;
mod tally;
mod taper;
#[cfg(test)]
mod testing;
pub mod texel;
mod threats;
mod weights;

use chess::shakmaty::{Bitboard, Chess, Color, Position};

pub use brain::{Heuristic, win_chances};
pub use explain::explain;
pub(crate) use material::{piece_value, pieces_value};
pub use pawns::PawnTable;
pub use tally::Trace;
pub(crate) use taper::Taper;

use features::TEMPO;
use picture::Picture;
use squares::SIDES;
use tally::{Sum, Tally, danger_cost};

/// The name of the mind.
pub const NAME: &str = "heuristic";

/// Value of a position for the side to move, in centipawns.
pub fn evaluate(position: &Chess) -> i32 {
    evaluate_with(position, pieces_value(position.board()), &mut PawnTable::default())
}

/// Value for the side to move where one side has nothing but its king and it is known how that ends.
pub(crate) fn known_ending(position: &Chess) -> Option<i32> {
    let turn = position.turn();
    let white = endgame::known_value(position.board(), turn)?;
    Some(turn.fold_wb(white, -white))
}

/// The same as [`evaluate`], given the value of the pieces on their squares and a memory for pawn structures.
pub(crate) fn evaluate_with(position: &Chess, pieces: Taper, pawn_table: &mut PawnTable) -> i32 {
    if let Some(value) = known_ending(position) {
        return value;
    }
    let turn = position.turn();
    let board = position.board();
    let pawns = SIDES.map(|side| board.pawns() & board.by_color(side));
    let structure = pawn_table.get(pawns);
    let mut sum = Sum { score: pieces + structure.score, danger: [0; 2] };
    tally_dynamic(position, structure.passed, &mut sum);
    let white = settle(position, sum.score, sum.danger);
    turn.fold_wb(white, -white)
}

/// Everything that the evaluation counts in a position, pieces and pawns included.
pub fn trace(position: &Chess) -> Trace {
    let board = position.board();
    let mut trace = Trace::default();
    material::tally_pieces(board, &mut trace);
    let pawns = SIDES.map(|side| board.pawns() & board.by_color(side));
    let passed = SIDES.map(|side| pawns::tally_structure(side, pawns, &mut trace));
    tally_dynamic(position, passed, &mut trace);
    trace
}

/// The terms that must be counted anew in every position.
fn tally_dynamic(position: &Chess, passed: [Bitboard; 2], tally: &mut impl Tally) {
    let board = position.board();
    let castling = position.castles().castling_rights();
    let mut picture = Picture::new(board);
    for side in SIDES {
        material::tally_balance(board, side, tally);
        pieces::tally_pieces(&mut picture, side, castling, tally);
    }
    for side in SIDES {
        king::tally_shelter(&picture, side, tally);
        king::tally_danger(&picture, side, tally);
        threats::tally_threats(&picture, side, tally);
        threats::tally_space(&picture, side, tally);
        passed::tally_passed(&picture, side, passed[side as usize], position.turn(), tally);
    }
    tally.add(position.turn(), TEMPO.at(0), 1);
}

/// White's value from the sums: danger weighed, drawn endings scaled, opening and endgame mixed.
fn settle(position: &Chess, score: Taper, danger: [i32; 2]) -> i32 {
    let score =
        score + danger_cost(danger[Color::Black as usize]) - danger_cost(danger[Color::White as usize]);
    let strong = Color::from_white(score.endgame() > 0);
    let scale = endgame::scale(position.board(), strong);
    phase::interpolate(score, phase::phase(position.board()), scale)
}

#[cfg(test)]
mod tests {
    use chess::{
        Moment,
        shakmaty::{CastlingMode, EnPassantMode, FromSetup},
    };
    use proptest::prelude::*;

    use super::*;
    use crate::testing::random_game;

    fn mirrored(position: &Chess) -> Chess {
        let setup = position.to_setup(EnPassantMode::Always).into_mirrored();
        Chess::from_setup(setup, CastlingMode::Chess960).unwrap()
    }

    proptest! {
        #[test]
        fn colours_flipped_give_the_same_value_to_the_side_to_move(game in random_game(150)) {
            for moment in game {
                prop_assert_eq!(evaluate(&moment.position), evaluate(&mirrored(&moment.position)), "{}", moment.fen());
            }
        }

        #[test]
        fn the_list_of_counts_adds_up_to_the_value(game in random_game(150)) {
            for moment in game {
                prop_assert_eq!(texel::value_of(&moment.position), evaluate(&moment.position), "{}", moment.fen());
            }
        }
    }

    #[test]
    fn a_queen_up_is_winning_and_the_start_is_level() {
        let value = |fen| evaluate(&Moment::from_fen(fen, CastlingMode::Standard).unwrap().position);
        assert!(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") > 600);
        assert!(value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1") < -600);
        assert!(value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").abs() < 60);
    }
}
