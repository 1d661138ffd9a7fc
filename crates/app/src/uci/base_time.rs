//! What the clocks showed when the game began. UCI does not tell, so it is remembered from the first `go` of a game.

use super::command::Place;

#[derive(Debug, Default)]
pub(crate) struct BaseTime {
    /// `ucinewgame` was said, and no clock has been seen since.
    new_game: bool,
    /// Where a clock was seen last.
    place: Option<Place>,
    base_cs: Option<u32>,
}

impl BaseTime {
    pub(crate) fn new_game(&mut self) {
        *self = BaseTime { new_game: true, ..BaseTime::default() };
    }

    /// The base time of the game that stands at `place`, where the side to move has `left_cs`; `None` for a game whose
    /// beginning was not seen.
    pub(crate) fn at(&mut self, place: &Place, left_cs: u32) -> Option<u32> {
        if self.new_game || place.moves.len() < 2 {
            self.base_cs = Some(left_cs);
        } else if !self.place.as_ref().is_some_and(|last| same_game(last, place)) {
            self.base_cs = None;
        }
        self.new_game = false;
        self.place = Some(place.clone());
        self.base_cs
    }
}

/// Whether one place can be reached from the other by moves or by taking moves back.
fn same_game(one: &Place, other: &Place) -> bool {
    let prefix = one.moves.iter().zip(&other.moves).all(|(a, b)| a == b);
    one.fen == other.fen && prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(moves: &str) -> Place {
        Place { fen: None, moves: moves.split_whitespace().map(str::to_owned).collect() }
    }

    #[test]
    fn the_first_clock_of_a_game_is_its_base_time() {
        let mut base = BaseTime::default();
        assert_eq!(base.at(&place("e2e4 e7e5 g1f3"), 5000), None, "a game that is under way");
        assert_eq!(base.at(&place("e2e4"), 30_000), Some(30_000));
        assert_eq!(base.at(&place("e2e4 e7e5 g1f3"), 29_000), Some(30_000));
        assert_eq!(base.at(&place("e2e4 e7e5"), 28_000), Some(30_000), "a move taken back");
        assert_eq!(base.at(&place("d2d4 d7d5 c2c4"), 28_000), None, "another game");
        base.new_game();
        assert_eq!(base.at(&place("d2d4 d7d5 c2c4"), 6_000), Some(6_000), "a new game with a book opening");
        assert_eq!(base.at(&place("d2d4 d7d5 c2c4 e7e6 b1c3"), 5_000), Some(6_000));
        assert_eq!(base.at(&place(""), 18_000), Some(18_000), "a new game that nobody announced");
        assert_eq!(base.at(&place("e2e4 e7e5"), 17_000), Some(18_000));
    }
}
