//! Who listens when the evaluation counts a feature: the fast sum, or a list for tuning and explaining.

use chess::shakmaty::Color;

use super::{
    taper::Taper,
    weights::{DANGER_WEIGHTS, WEIGHTS},
};

/// Takes note of what the evaluation finds on the board.
pub(crate) trait Tally {
    /// `side` has the feature `count` times.
    fn add(&mut self, side: Color, feature: usize, count: i32);

    /// The king of `side` is in danger by `count` units of this kind.
    fn danger(&mut self, side: Color, kind: usize, count: i32);
}

/// The sum that the search needs: White's features minus Black's.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    pub(crate) score: Taper,
    /// Danger to the king of Black and of White.
    pub(crate) danger: [i32; 2],
}

impl Tally for Sum {
    #[inline(always)]
    fn add(&mut self, side: Color, feature: usize, count: i32) {
        let weighted = WEIGHTS[feature] * count;
        self.score += side.fold_wb(weighted, -weighted);
    }

    #[inline(always)]
    fn danger(&mut self, side: Color, kind: usize, count: i32) {
        self.danger[side as usize] += DANGER_WEIGHTS[kind] * count;
    }
}

/// Everything that was counted, in the order in which it was found.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Side, feature, count.
    pub features: Vec<(Color, usize, i32)>,
    /// Side whose king it is, kind of danger, units.
    pub danger: Vec<(Color, usize, i32)>,
}

impl Tally for Trace {
    fn add(&mut self, side: Color, feature: usize, count: i32) {
        if count != 0 {
            self.features.push((side, feature, count));
        }
    }

    fn danger(&mut self, side: Color, kind: usize, count: i32) {
        if count != 0 {
            self.danger.push((side, kind, count));
        }
    }
}

/// What the danger to a king costs its side. It grows with the square, and has a ceiling so that no attack
/// outweighs everything else.
#[inline]
pub(crate) fn danger_cost(units: i32) -> Taper {
    let units = units.clamp(0, DANGER_CEILING);
    super::taper::taper((units * units / DANGER_SQUARE) as i16, (units / DANGER_LINEAR) as i16)
}

/// Units beyond which danger does not grow.
pub(crate) const DANGER_CEILING: i32 = 1600;
/// Divisor of the squared units in the opening value.
pub(crate) const DANGER_SQUARE: i32 = 2048;
/// Divisor of the units in the endgame value.
pub(crate) const DANGER_LINEAR: i32 = 16;
