//! A pair of values, one for the opening and one for the endgame, in one machine word.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Opening and endgame value in centipawns. Both halves add and multiply in one operation: the endgame
/// value sits in the upper sixteen bits, and a borrow of the lower half is undone when it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taper(i32);

/// Opening and endgame value, as the weight table writes them.
pub(crate) const fn taper(opening: i16, endgame: i16) -> Taper {
    Taper(((endgame as i32) << 16).wrapping_add(opening as i32))
}

impl Taper {
    pub(crate) const ZERO: Taper = Taper(0);

    pub(crate) const fn opening(self) -> i32 {
        self.0 as i16 as i32
    }

    pub(crate) const fn endgame(self) -> i32 {
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }
}

impl Add for Taper {
    type Output = Taper;
    fn add(self, other: Taper) -> Taper {
        Taper(self.0.wrapping_add(other.0))
    }
}

impl Sub for Taper {
    type Output = Taper;
    fn sub(self, other: Taper) -> Taper {
        Taper(self.0.wrapping_sub(other.0))
    }
}

impl Neg for Taper {
    type Output = Taper;
    fn neg(self) -> Taper {
        Taper(self.0.wrapping_neg())
    }
}

impl Mul<i32> for Taper {
    type Output = Taper;
    fn mul(self, factor: i32) -> Taper {
        Taper(self.0.wrapping_mul(factor))
    }
}

impl AddAssign for Taper {
    fn add_assign(&mut self, other: Taper) {
        *self = *self + other;
    }
}

impl SubAssign for Taper {
    fn sub_assign(&mut self, other: Taper) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_halves_calculate_on_their_own(
            a in -3000i16..3000, b in -3000i16..3000, c in -3000i16..3000, d in -3000i16..3000, n in -9i32..9,
        ) {
            let (x, y) = (taper(a, b), taper(c, d));
            let [a, b, c, d] = [a, b, c, d].map(i32::from);
            prop_assert_eq!(((x + y).opening(), (x + y).endgame()), (a + c, b + d));
            prop_assert_eq!(((x - y).opening(), (x - y).endgame()), (a - c, b - d));
            prop_assert_eq!(((-x).opening(), (-x).endgame()), (-a, -b));
            prop_assert_eq!(((x * n).opening(), (x * n).endgame()), (a * n, b * n));
        }
    }
}
