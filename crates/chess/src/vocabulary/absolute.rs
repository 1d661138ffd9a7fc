//! Moves as the board has them, whoever plays: a word for each move that UCI can write. For the planner.

use shakmaty::{Chess, Move, Rank, Square};

use super::{PAIRS, PROMOTIONS, Word};

/// Squares, then White's promotions, then Black's.
pub const SIZE: usize = PAIRS + 2 * PROMOTIONS;

const FIRST_OF_BLACK: usize = PAIRS + PROMOTIONS;

/// The word of a legal move.
pub fn index(m: Move) -> usize {
    let word = Word::of(m);
    match word.promotion {
        Some(role) if word.to.rank() == Rank::Eighth => PAIRS + word.promotion_number(role),
        Some(role) => FIRST_OF_BLACK + word.promotion_number(role),
        None => word.pair_number(),
    }
}

/// The legal move of `position` that has this word.
pub fn to_move(index: usize, position: &Chess) -> Option<Move> {
    (index < SIZE).then(|| word(index))?.find(position)
}

/// Origin and target of a word.
///
/// # Panics
/// If there is no such word.
pub fn squares(index: usize) -> [Square; 2] {
    assert!(index < SIZE, "word {index}");
    let Word { from, to, .. } = word(index);
    [from, to]
}

fn word(index: usize) -> Word {
    match index {
        FIRST_OF_BLACK.. => Word::from_promotion(index - FIRST_OF_BLACK).flipped(),
        PAIRS.. => Word::from_promotion(index - PAIRS),
        _ => Word::from_pair(index),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        Moment,
        testing::{random_chess960_game, random_game},
    };

    #[test]
    fn there_are_1968_words() {
        assert_eq!(SIZE, 1968);
    }

    #[test]
    fn promotions_of_both_colours_differ() {
        let word = |fen: &str, text: &str| {
            let moment = Moment::from_fen(fen, shakmaty::CastlingMode::Standard).unwrap();
            index(moment.parse_uci(text).unwrap())
        };
        assert_eq!(word("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), 1792);
        assert_eq!(word("4k3/8/8/8/8/8/p7/4K3 b - - 0 1", "a2a1q"), 1880);
    }

    fn words_are_distinct_and_lead_back(moment: &Moment) -> Result<(), TestCaseError> {
        let mut seen = HashSet::new();
        for m in moment.legal_moves() {
            prop_assert!(seen.insert(index(m)), "{m:?} shares its word in {}", moment.fen());
            prop_assert_eq!(to_move(index(m), &moment.position), Some(m));
        }
        let named = (0..SIZE + 9).filter(|&word| to_move(word, &moment.position).is_some()).count();
        prop_assert_eq!(named, seen.len(), "words without a legal move name none");
        Ok(())
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
    }
}
