//! Moves as the side to move sees them: Black's with ranks flipped and files kept. For the human mind.

use shakmaty::{Chess, Color, Move, Position};

use super::{PAIRS, PROMOTIONS, Word};

/// The word that no move has, for a move that is not known.
pub const UNKNOWN: usize = 0;
/// Words in use: the unknown one, then squares, then promotions.
pub const SIZE: usize = 1 + PAIRS + PROMOTIONS;
/// Width of a policy over these words; what lies beyond [`SIZE`] means nothing.
pub const PADDED: usize = 2048;

const FIRST_PROMOTION: usize = 1 + PAIRS;

/// The word of a legal move of `turn`.
pub fn index(turn: Color, m: Move) -> usize {
    let word = seen_by(turn, Word::of(m));
    match word.promotion {
        Some(role) => FIRST_PROMOTION + word.promotion_number(role),
        None => 1 + word.pair_number(),
    }
}

/// The legal move of `position` that has this word.
pub fn to_move(index: usize, position: &Chess) -> Option<Move> {
    let word = match index {
        UNKNOWN | SIZE.. => return None,
        FIRST_PROMOTION.. => Word::from_promotion(index - FIRST_PROMOTION),
        _ => Word::from_pair(index - 1),
    };
    seen_by(position.turn(), word).find(position)
}

fn seen_by(turn: Color, word: Word) -> Word {
    turn.fold_wb(word, word.flipped())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use shakmaty::{EnPassantMode, Setup};

    use super::*;
    use crate::{
        Moment,
        testing::{random_chess960_game, random_game},
    };

    #[test]
    fn sizes_are_those_of_the_description() {
        assert_eq!((SIZE, PADDED), (1881, 2048));
    }

    #[test]
    fn every_word_but_the_unknown_names_its_own_squares() {
        let words: HashSet<String> = (0..PAIRS)
            .map(Word::from_pair)
            .chain((0..PROMOTIONS).map(Word::from_promotion))
            .map(|word| format!("{word:?}"))
            .collect();
        assert_eq!(words.len(), SIZE - 1);
        for number in 0..PROMOTIONS {
            let word = Word::from_promotion(number);
            assert_eq!(word.promotion_number(word.promotion.unwrap()), number);
        }
    }

    #[test]
    fn known_words_keep_their_places() {
        let table = [
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2", 1),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 1793),
            ("4k3/8/8/8/8/8/p7/4K3 b - - 0 1", "a2a1q", 1793),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n", 1800),
            ("4k3/7P/8/8/8/8/8/4K3 w - - 0 1", "h7h8n", 1880),
            ("r3k3/8/8/8/8/8/8/4K3 b - - 0 1", "a8a7", 1),
        ];
        for (fen, text, expected) in table {
            let moment = Moment::from_fen(fen, shakmaty::CastlingMode::Standard).unwrap();
            assert_eq!(index(moment.turn(), moment.parse_uci(text).unwrap()), expected, "{text} in {fen}");
        }
    }

    fn words_are_distinct_and_lead_back(moment: &Moment) -> Result<(), TestCaseError> {
        let mut seen = HashSet::new();
        for m in moment.legal_moves() {
            let word = index(moment.turn(), m);
            prop_assert!((1..SIZE).contains(&word));
            prop_assert!(seen.insert(word), "{m:?} shares word {word} in {}", moment.fen());
            prop_assert_eq!(to_move(word, &moment.position), Some(m));
        }
        let named = (0..PADDED).filter(|&word| to_move(word, &moment.position).is_some()).count();
        prop_assert_eq!(named, seen.len(), "words without a legal move name none");
        Ok(())
    }

    fn mirrored(position: &Chess) -> Chess {
        let setup: Setup = position.to_setup(EnPassantMode::Legal);
        setup.into_mirrored().position(position.castles().mode()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_legal_move_has_its_own_word(game in random_game(120)) {
            game.iter().try_for_each(words_are_distinct_and_lead_back)?;
        }

        #[test]
        fn every_legal_chess960_move_has_its_own_word(game in random_chess960_game(60)) {
            game.iter().try_for_each(words_are_distinct_and_lead_back)?;
        }

        #[test]
        fn the_mirrored_move_has_the_same_word(game in random_chess960_game(80)) {
            for moment in game {
                let other = mirrored(&moment.position);
                for m in moment.legal_moves() {
                    let word = index(moment.turn(), m);
                    prop_assert_eq!(index(!moment.turn(), m.to_mirrored()), word);
                    prop_assert_eq!(to_move(word, &other), Some(m.to_mirrored()));
                }
            }
        }
    }
}
