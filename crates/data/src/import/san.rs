//! The move that a word means. Nearly all words of a dump are plain (`Nf3`, `exd5`, `e8=Q`) and fit one piece: those are found by
//! a look at the board, without a list of moves. Whatever else a word may be, shakmaty decides.

use chess::shakmaty::{Bitboard, Chess, File, Move, Piece, Position, Rank, Role, Square, attacks, san::San};

/// A move in standard notation; signs of check are passed over.
pub(crate) fn resolve(position: &Chess, word: &[u8]) -> Option<Move> {
    let signs = word.iter().rev().take_while(|byte| matches!(byte, b'+' | b'#')).count();
    let word = &word[..word.len() - signs];
    plain(position, word).or_else(|| San::from_ascii(word).ok()?.to_move(position).ok())
}

fn plain(position: &Chess, word: &[u8]) -> Option<Move> {
    let role = match word.first()? {
        b'a'..=b'h' => return pawn_move(position, word),
        b'K' => Role::King,
        b'N' => Role::Knight,
        b'B' => Role::Bishop,
        b'R' => Role::Rook,
        b'Q' => Role::Queen,
        _ => return None,
    };
    piece_move(position, role, &word[1..])
}

fn piece_move(position: &Chess, role: Role, rest: &[u8]) -> Option<Move> {
    let [middle @ .., file, rank] = rest else { return None };
    let to = square(*file, *rank)?;
    let (origin, takes) = match middle {
        [origin @ .., b'x'] => (origin, true),
        origin => (origin, false),
    };
    let origins = match origin {
        [] => Bitboard::FULL,
        [file @ b'a'..=b'h'] => Bitboard::from_file(File::new(u32::from(file - b'a'))),
        [rank @ b'1'..=b'8'] => Bitboard::from_rank(Rank::new(u32::from(rank - b'1'))),
        _ => return None,
    };
    let board = position.board();
    if takes != position.them().contains(to) || position.us().contains(to) {
        return None;
    }
    let reach = attacks::attacks(to, Piece { color: position.turn(), role }, board.occupied());
    let from = (reach & position.our(role) & origins).single_square()?;
    let capture = if takes { board.role_at(to) } else { None };
    king_is_safe_after(position, from, to).then_some(Move::Normal {
        role,
        from,
        capture,
        to,
        promotion: None,
    })
}

fn pawn_move(position: &Chess, word: &[u8]) -> Option<Move> {
    let (word, promotion) = match word {
        [word @ .., b'=', b'Q'] => (word, Some(Role::Queen)),
        [word @ .., b'=', b'R'] => (word, Some(Role::Rook)),
        [word @ .., b'=', b'B'] => (word, Some(Role::Bishop)),
        [word @ .., b'=', b'N'] => (word, Some(Role::Knight)),
        word => (word, None),
    };
    let (board, turn) = (position.board(), position.turn());
    let pawns = position.our(Role::Pawn);
    let (from, to, capture) = match *word {
        [file, rank] => {
            let to = square(file, rank)?;
            let back = turn.fold_wb(-8, 8);
            let one = to.offset(back)?;
            if board.occupied().contains(to) {
                return None;
            }
            let from = if pawns.contains(one) {
                one
            } else if to.rank() == turn.fold_wb(Rank::Fourth, Rank::Fifth) && !board.occupied().contains(one)
            {
                one.offset(back).filter(|&two| pawns.contains(two))?
            } else {
                return None;
            };
            (from, to, None)
        }
        [origin @ b'a'..=b'h', b'x', file, rank] => {
            let to = square(file, rank)?;
            let origins = Bitboard::from_file(File::new(u32::from(origin - b'a')));
            if !position.them().contains(to) {
                return None;
            }
            let from = (attacks::pawn_attacks(!turn, to) & pawns & origins).single_square()?;
            (from, to, board.role_at(to))
        }
        _ => return None,
    };
    let promotes = to.rank() == turn.fold_wb(Rank::Eighth, Rank::First);
    (promotes == promotion.is_some() && king_is_safe_after(position, from, to)).then_some(Move::Normal {
        role: Role::Pawn,
        from,
        capture,
        to,
        promotion,
    })
}

/// Whether nothing attacks the mover's king once the piece on `from` stands on `to`.
fn king_is_safe_after(position: &Chess, from: Square, to: Square) -> bool {
    let (board, turn) = (position.board(), position.turn());
    let Some(king) = board.king_of(turn) else { return false };
    let king = if king == from { to } else { king };
    let occupied = board.occupied().without(from).with(to);
    board.attacks_to(king, !turn, occupied).without(to).is_empty()
}

fn square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    (file < 8 && rank < 8).then(|| Square::from_coords(File::new(file.into()), Rank::new(rank.into())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::any_game;

    /// Words that name squares of the board in every way, right and wrong.
    fn words(position: &Chess) -> Vec<String> {
        let mut words = Vec::new();
        for m in position.legal_moves() {
            words.push(San::from_move(position, m).to_string());
            let (Some(from), to) = (m.from(), m.to()) else { continue };
            for origin in [
                String::new(),
                from.file().char().to_string(),
                from.rank().char().to_string(),
                from.to_string(),
            ] {
                for (takes, promotion) in [("", ""), ("x", ""), ("", "=Q"), ("x", "=N")] {
                    words.push(
                        format!("{}{origin}{takes}{to}{promotion}", m.role().upper_char()).replace('P', ""),
                    );
                }
            }
        }
        for to in Square::ALL {
            words.extend(["", "N", "K", "R", "Bx", "Qa", "ex"].map(|start| format!("{start}{to}")));
        }
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn every_word_means_what_shakmaty_says(game in any_game()) {
            let mut position = game.start();
            for packed in &game.moves {
                for word in words(&position) {
                    let said = San::from_ascii(word.as_bytes()).ok().and_then(|san| san.to_move(&position).ok());
                    prop_assert_eq!(resolve(&position, word.as_bytes()), said, "{} in {:?}", word, position);
                }
                position.play_unchecked(packed.unpack(&position).unwrap());
            }
        }
    }
}
