//! A position's value in sixteen bits, as annotated games and tables carry it.

use crate::comment::Eval;

/// Centipawns or moves to mate, from White's view. Values beyond [`Evaluation::MAX_CENTIPAWNS`] are mates:
/// `32_000 - n` says that White mates in n moves, `n - 32_000` that Black does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Evaluation(pub i16);

impl Evaluation {
    pub const MAX_CENTIPAWNS: i16 = 30_000;
    const MATE: i16 = 32_000;
    const LONGEST_MATE: i64 = 1_000;

    /// Centipawns from White's view; what lies beyond the range is cut to it.
    pub fn centipawns(value: i64) -> Evaluation {
        let limit = i64::from(Self::MAX_CENTIPAWNS);
        Evaluation(value.clamp(-limit, limit) as i16)
    }

    /// Mate in `moves`, positive when White mates. Mate in 0 means that Black is mated on the board.
    pub fn mate(moves: i64) -> Evaluation {
        let distance = moves.clamp(-Self::LONGEST_MATE, Self::LONGEST_MATE) as i16;
        Evaluation(if distance >= 0 { Self::MATE - distance } else { -Self::MATE - distance })
    }

    pub fn as_centipawns(self) -> Option<i16> {
        (self.0.unsigned_abs() <= Self::MAX_CENTIPAWNS as u16).then_some(self.0)
    }

    /// Moves to mate, positive when White mates.
    pub fn as_mate(self) -> Option<i16> {
        match self.as_centipawns() {
            Some(_) => None,
            None if self.0 > 0 => Some(Self::MATE.saturating_sub(self.0).max(0)),
            None => Some((-Self::MATE).saturating_sub(self.0).min(-1)),
        }
    }

    /// The same value with the colours swapped.
    #[must_use]
    pub fn flipped(self) -> Evaluation {
        Evaluation(self.0.saturating_neg())
    }
}

impl From<Eval> for Evaluation {
    fn from(eval: Eval) -> Evaluation {
        match eval {
            Eval::Centipawns(value) => Evaluation::centipawns(value.into()),
            Eval::Mate(moves) => Evaluation::mate(moves.into()),
        }
    }
}

impl From<Evaluation> for Eval {
    fn from(evaluation: Evaluation) -> Eval {
        match evaluation.as_mate() {
            Some(moves) => Eval::Mate(moves.into()),
            None => Eval::Centipawns(evaluation.0.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_fits_sixteen_bits_comes_back(centipawns in -30_000i32..=30_000, moves in -999i32..=999) {
            for eval in [Eval::Centipawns(centipawns), Eval::Mate(moves)] {
                prop_assert_eq!(Eval::from(Evaluation::from(eval)), eval);
            }
        }

        #[test]
        fn no_bits_panic(bits: i16) {
            let evaluation = Evaluation(bits);
            prop_assert!(evaluation.as_mate().is_some() != evaluation.as_centipawns().is_some());
            let _ = (Eval::from(evaluation), evaluation.flipped());
        }
    }
}
