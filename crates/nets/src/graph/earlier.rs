//! The positions before those of a batch, each of them once however many moments remember it.

use std::collections::HashMap;

use chess::{
    Moment,
    shakmaty::{Chess, EnPassantMode, Position, zobrist::Zobrist64},
};

use crate::choice::UNKNOWN;

/// Tells positions apart as a graph without a past sees them.
pub(super) type Key = (u64, u32);

#[derive(Debug, Default)]
pub(super) struct Earlier {
    pub(super) moments: Vec<Moment>,
    pub(super) keys: Vec<Key>,
    /// Where the earlier positions of each moment lie, oldest first; [`UNKNOWN`] before the game began: [moments, window - 1].
    pub(super) places: Vec<i32>,
}

impl Earlier {
    /// Of windows of `window` positions with the present one.
    pub(super) fn of(moments: &[&Moment], window: usize) -> Earlier {
        let mut found = Earlier::default();
        let mut known: HashMap<Key, i32> = HashMap::new();
        for moment in moments {
            let before: Vec<&Chess> = moment.past.positions().take(window - 1).collect();
            found.places.extend(std::iter::repeat_n(UNKNOWN, window - 1 - before.len()));
            for position in before.into_iter().rev() {
                let key = key(position);
                let place = *known.entry(key).or_insert_with(|| {
                    found.moments.push(Moment::new(position.clone()));
                    found.keys.push(key);
                    found.keys.len() as i32 - 1
                });
                found.places.push(place);
            }
        }
        found
    }
}

fn key(position: &Chess) -> Key {
    (position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0, position.halfmoves())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_oldest_first_and_share_what_they_have_in_common() {
        let after = |moves: &str| Moment::default().after_uci(moves.split_whitespace()).unwrap();
        let (short, long) = (after("e2e4"), after("e2e4 e7e5 g1f3 b8c6"));
        let earlier = Earlier::of(&[&short, &long], 4);
        assert_eq!(earlier.places, [UNKNOWN, UNKNOWN, 0, 1, 2, 3]);
        let fens: Vec<String> = earlier.moments.iter().map(Moment::fen).collect();
        assert_eq!(fens[0], Moment::default().fen());
        assert_eq!(fens[1..], [after("e2e4"), after("e2e4 e7e5"), after("e2e4 e7e5 g1f3")].map(|m| m.fen()));
        let again = Earlier::of(&[&long, &long], 2);
        assert_eq!((again.places, again.moments.len()), (vec![0, 0], 1));
    }
}
