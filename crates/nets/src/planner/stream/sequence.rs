//! The seed's sequence: a position as 76 characters, a move as one of 1968 words. Seen by the player who is to move now, so that Black's
//! positions are turned round.
//!
//! The characters are the 64 squares from a8 to h1, the side to move, four of castling, two of en passant, two of the half moves since the
//! last capture or pawn move and three of the number of the move, padded with dots.

use chess::{
    shakmaty::{Chess, Color, EnPassantMode, Move, fen::Fen},
    vocabulary::absolute,
};

/// Characters of a position.
pub(in crate::planner) const STATE: usize = 76;
/// In the order of their tokens. Pieces, files and castling rights share letters.
const LETTERS: &[u8; 32] = b".0123456789PNBRQKpnbrqkwacdefgh-";
pub(in crate::planner) const CHARACTERS: usize = LETTERS.len();
pub(in crate::planner) const WORDS: usize = absolute::SIZE;

/// The characters of a position, as places in the alphabet, seen by `us`.
pub(in crate::planner) fn state(position: &Chess, us: Color) -> [u8; STATE] {
    let setup = chess::shakmaty::Position::to_setup(position, EnPassantMode::Legal);
    let setup = if us.is_black() { setup.into_mirrored() } else { setup };
    // Pieces beyond counting are written as far as FEN has words for them.
    let fen =
        Fen::try_from_setup(setup).unwrap_or_else(chess::shakmaty::fen::LossyFenError::ignore).to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let mut text = Vec::with_capacity(STATE);
    for letter in fields[0].bytes().filter(|&letter| letter != b'/') {
        match letter {
            b'1'..=b'8' => text.extend(std::iter::repeat_n(b'.', usize::from(letter - b'0'))),
            piece => text.push(piece),
        }
    }
    let field = |text: &str, width: usize| {
        let text = &text.as_bytes()[..text.len().min(width)];
        let padding = std::iter::repeat_n(b'.', width - text.len());
        padding.chain(text.iter().copied()).collect::<Vec<u8>>()
    };
    for (text_of, width) in fields[1..].iter().zip([1, 4, 2, 2, 3]) {
        text.extend(field(text_of, width));
    }
    std::array::from_fn(|at| place(text[at]))
}

fn place(letter: u8) -> u8 {
    LETTERS.iter().position(|&other| other == letter).expect("a letter of FEN") as u8
}

/// The word of a move of a future of `us`.
pub(in crate::planner) fn word(us: Color, m: Move) -> usize {
    absolute::index(if us.is_black() { m.to_mirrored() } else { m })
}

/// Origin and target of a word.
pub(in crate::planner) fn ends(word: usize) -> [usize; 2] {
    absolute::squares(word).map(usize::from)
}

pub(in crate::planner) fn letter(place: u8) -> char {
    LETTERS[usize::from(place)] as char
}

#[cfg(test)]
mod tests {
    use chess::{Moment, shakmaty::CastlingMode};

    use super::*;

    fn text(fen: &str, us: Color) -> String {
        let position = Moment::from_fen(fen, CastlingMode::Standard).unwrap().position;
        state(&position, us).iter().map(|&at| LETTERS[usize::from(at)] as char).collect()
    }

    #[test]
    fn positions_are_written_as_76_characters_seen_by_one_side() {
        let start = "rnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR";
        let white = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(text(white, Color::White), format!("{start}wKQkq.-.0..1"));
        let black = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";
        assert_eq!(text(black, Color::Black), format!("{start}wKQkq.-.0..1"));
        let passant = "8/8/8/8/k1pP4/8/8/4K3 b - d3 12 345";
        assert!(text(passant, Color::Black).ends_with("w...-d612345"));
        assert!(text(passant, Color::White).ends_with("b...-d312345"));
    }

    #[test]
    fn letters_are_different() {
        let mut letters = LETTERS.to_vec();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), CHARACTERS);
    }
}
