//! A position's worth in sixteen bits, as annotated games and tables carry it.

use std::{fmt, num::ParseIntError, str::FromStr};

use thiserror::Error;

/// Centipawns or moves to mate, from White's view. Values beyond [`Evaluation::MAX_CENTIPAWNS`] are mates:
/// `32_000 - n` says that White mates in n moves, `n - 32_000` that Black does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Evaluation(pub i16);

#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not an evaluation")]
pub struct NotEvaluation(String);

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

    /// The same worth with the colours swapped.
    #[must_use]
    pub fn flipped(self) -> Evaluation {
        Evaluation(self.0.saturating_neg())
    }
}

/// As in `[%eval]` comments: pawns with two digits, or `#n`.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.as_mate(), self.0 < 0) {
            (Some(moves), _) => write!(f, "#{moves}"),
            (None, negative) => {
                let size = self.0.unsigned_abs();
                write!(f, "{}{}.{:02}", if negative { "-" } else { "" }, size / 100, size % 100)
            }
        }
    }
}

impl FromStr for Evaluation {
    type Err = NotEvaluation;

    fn from_str(text: &str) -> Result<Evaluation, NotEvaluation> {
        let refuse = || NotEvaluation(text.chars().take(40).collect());
        if let Some(moves) = text.strip_prefix('#') {
            return moves.parse().map(Evaluation::mate).map_err(|_: ParseIntError| refuse());
        }
        let pawns: f64 = text.parse().map_err(|_| refuse())?;
        if !pawns.is_finite() {
            return Err(refuse());
        }
        Ok(Evaluation::centipawns((100.0 * pawns).round() as i64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn text_and_back(centipawns in -30_000i64..=30_000, moves in -999i64..=999) {
            for evaluation in [Evaluation::centipawns(centipawns), Evaluation::mate(moves)] {
                prop_assert_eq!(evaluation.to_string().parse(), Ok(evaluation));
            }
        }

        #[test]
        fn no_bits_panic(bits: i16) {
            let evaluation = Evaluation(bits);
            prop_assert!(evaluation.as_mate().is_some() != evaluation.as_centipawns().is_some());
            let _ = (evaluation.to_string(), evaluation.flipped());
        }
    }

    #[test]
    fn lichess_spellings() {
        for (text, value) in [("0.17", 17), ("-3.5", -350), ("#3", 31_997), ("#-2", -31_998), ("+1.0", 100)] {
            assert_eq!(text.parse(), Ok(Evaluation(value)), "{text}");
        }
        assert!("nan".parse::<Evaluation>().is_err());
    }
}
