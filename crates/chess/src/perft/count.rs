//! The number of legal moves without listing them: whole sets of squares are counted at once.

use shakmaty::{
    Bitboard, CastlingSide, Chess, Color, Position, Rank, Role, Square,
    attacks::{between, bishop_attacks, king_attacks, knight_attacks, ray, rook_attacks},
};

/// As many as `position.legal_moves().len()`.
pub fn legal_move_count(position: &Chess) -> u32 {
    let us = position.us();
    let king = position.board().king_of(position.turn()).expect("king on board");
    let steps = king_steps(position, king);
    let checkers = position.checkers();
    // What a piece other than the king must reach: anything, or the one checker and its path.
    let targets = match (checkers.single_square(), checkers.is_empty()) {
        (_, true) => !us,
        (Some(checker), _) => between(king, checker).with(checker),
        (None, false) => return steps,
    };
    let pinned = pinned(position, king);
    steps
        + officers(position, king, pinned, targets)
        + pawns(position, king, pinned, targets)
        + rare(position, checkers)
}

fn king_steps(position: &Chess, king: Square) -> u32 {
    let steps = king_attacks(king) & !position.us();
    // A king walled in by its own men needs no look at what the opponent attacks.
    if steps.is_empty() { 0 } else { (steps & !guarded(position, king)).count() as u32 }
}

/// Squares that the opponent attacks, through our king too: it cannot step back along a line of check.
fn guarded(position: &Chess, king: Square) -> Bitboard {
    let (board, them) = (position.board(), position.them());
    let occupied = board.occupied().without(king);
    let (left, right) = pawn_captures(position.their(Role::Pawn), !position.turn());
    let mut guarded = left | right;
    (board.knights() & them).for_each(|from| guarded |= knight_attacks(from));
    (board.bishops_and_queens() & them).for_each(|from| guarded |= bishop_attacks(from, occupied));
    (board.rooks_and_queens() & them).for_each(|from| guarded |= rook_attacks(from, occupied));
    (board.kings() & them).for_each(|from| guarded |= king_attacks(from));
    guarded
}

/// Our pieces that alone stand between our king and an enemy slider.
fn pinned(position: &Chess, king: Square) -> Bitboard {
    let (board, them) = (position.board(), position.them());
    let straight = rook_attacks(king, them) & board.rooks_and_queens();
    let diagonal = bishop_attacks(king, them) & board.bishops_and_queens();
    let mut pinned = Bitboard::EMPTY;
    ((straight | diagonal) & them).for_each(|sniper| {
        let blockers = between(king, sniper) & board.occupied();
        if !blockers.more_than_one() {
            pinned |= blockers;
        }
    });
    pinned
}

/// Knights, bishops, rooks and queens.
fn officers(position: &Chess, king: Square, pinned: Bitboard, targets: Bitboard) -> u32 {
    let (board, us) = (position.board(), position.us());
    let occupied = board.occupied();
    let along_pin = |from: Square| if pinned.contains(from) { ray(king, from) } else { Bitboard::FULL };
    let mut count = 0;
    // A pinned knight never stays on the line of its pin.
    (board.knights() & us & !pinned).for_each(|from| count += (knight_attacks(from) & targets).count());
    (board.bishops_and_queens() & us)
        .for_each(|from| count += (bishop_attacks(from, occupied) & targets & along_pin(from)).count());
    (board.rooks_and_queens() & us)
        .for_each(|from| count += (rook_attacks(from, occupied) & targets & along_pin(from)).count());
    count as u32
}

/// Pawn moves but en passant: the free pawns as one set, the pinned ones one by one.
fn pawns(position: &Chess, king: Square, pinned: Bitboard, targets: Bitboard) -> u32 {
    let pawns = position.our(Role::Pawn);
    let mut count = pawn_moves(position, pawns & !pinned, targets);
    (pawns & pinned)
        .for_each(|pawn| count += pawn_moves(position, Bitboard::from(pawn), targets & ray(king, pawn)));
    count
}

fn pawn_moves(position: &Chess, pawns: Bitboard, targets: Bitboard) -> u32 {
    let turn = position.turn();
    let empty = !position.board().occupied();
    let once = forward(pawns, turn) & empty;
    let twice = forward(once & turn.fold_wb(Rank::Third, Rank::Sixth), turn) & empty & targets;
    let (left, right) = pawn_captures(pawns, turn);
    let prey = position.them() & targets;
    let last = Bitboard::from(turn.fold_wb(Rank::Eighth, Rank::First));
    let ways = |to: Bitboard| to.count() + 3 * (to & last).count();
    (ways(once & targets) + twice.count() + ways(left & prey) + ways(right & prey)) as u32
}

/// Castling and en passant, left to shakmaty: they are seldom possible, and hard to get right twice.
fn rare(position: &Chess, checkers: Bitboard) -> u32 {
    let mut count = 0;
    if checkers.is_empty() && position.castles().has_color(position.turn()) {
        count += CastlingSide::ALL.map(|side| position.castling_moves(side).len()).iter().sum::<usize>();
    }
    if position.maybe_ep_square().is_some() {
        count += position.en_passant_moves().len();
    }
    count as u32
}

fn forward(pawns: Bitboard, turn: Color) -> Bitboard {
    turn.fold_wb(Bitboard(pawns.0 << 8), Bitboard(pawns.0 >> 8))
}

/// Squares attacked towards the a-file and towards the h-file. Two pawns can attack one square, so the sets stay apart.
fn pawn_captures(pawns: Bitboard, turn: Color) -> (Bitboard, Bitboard) {
    let ahead = forward(pawns, turn).0;
    (Bitboard(ahead >> 1 & !H_FILE), Bitboard(ahead << 1 & !A_FILE))
}

const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{random_chess960_game, random_game};

    proptest! {
        #[test]
        fn the_count_is_the_length_of_the_list(game in prop_oneof![random_game(200), random_chess960_game(200)]) {
            for moment in game {
                let listed = moment.legal_moves().len() as u32;
                prop_assert_eq!(legal_move_count(&moment.position), listed, "{}", moment.fen());
            }
        }
    }
}
