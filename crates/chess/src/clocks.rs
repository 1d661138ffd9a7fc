//! What the board does not show: the clocks beside it and the ratings of those who sit at it.

use shakmaty::{ByColor, Color};

/// Both clocks as they stand when the side to move begins to think. Times are in centiseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    pub left_cs: ByColor<u32>,
    pub increment_cs: ByColor<u32>,
    /// Time on each clock when the game began, where known.
    pub base_cs: Option<u32>,
}

impl Clocks {
    /// Clocks at the start of a game with the same time control for both.
    pub fn start(base_s: u32, increment_s: u32) -> Clocks {
        let both = |seconds: u32| ByColor { black: 100 * seconds, white: 100 * seconds };
        Clocks { left_cs: both(base_s), increment_cs: both(increment_s), base_cs: Some(100 * base_s) }
    }

    /// Swaps the two sides, for mirrored positions.
    #[must_use]
    pub fn swapped(self) -> Clocks {
        Clocks {
            left_cs: self.left_cs.into_swapped(),
            increment_cs: self.increment_cs.into_swapped(),
            base_cs: self.base_cs,
        }
    }
}

/// Ratings of the two players; either may be unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratings {
    pub white: Option<u16>,
    pub black: Option<u16>,
    pub scale: RatingScale,
}

/// Whose numbers the ratings are; the scales are not interchangeable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RatingScale {
    #[default]
    Lichess,
    ChessCom,
    Fide,
}

impl Ratings {
    pub fn lichess(white: Option<u16>, black: Option<u16>) -> Ratings {
        Ratings { white, black, scale: RatingScale::Lichess }
    }

    pub fn of(self, color: Color) -> Option<u16> {
        color.fold_wb(self.white, self.black)
    }

    /// Swaps the two sides, for mirrored positions.
    #[must_use]
    pub fn swapped(self) -> Ratings {
        Ratings { white: self.black, black: self.white, ..self }
    }
}
