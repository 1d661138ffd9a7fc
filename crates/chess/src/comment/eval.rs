//! Evaluations as Lichess writes them into comments: `-0.38` and `#3`.

use std::fmt;

/// An evaluation in a comment, seen by White.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eval {
    Centipawns(i32),
    /// Moves to mate; negative when White is mated.
    Mate(i32),
}

impl Eval {
    /// From pawns with two decimals, or `#` and moves; a depth after a comma is not kept.
    pub(super) fn parse(text: &str) -> Option<Eval> {
        let score = text.split(',').next()?.trim();
        if let Some(moves) = score.strip_prefix('#') {
            return moves.parse().ok().map(Eval::Mate);
        }
        let centipawns = 100.0 * score.parse::<f64>().ok().filter(|pawns| pawns.is_finite())?;
        Some(Eval::Centipawns(centipawns.round() as i32))
    }
}

impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Eval::Centipawns(score) => {
                let sign = if *score < 0 { "-" } else { "" };
                write!(f, "{sign}{}.{:02}", score.unsigned_abs() / 100, score.unsigned_abs() % 100)
            }
            Eval::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Annotation;

    fn clock_cs(comment: &str) -> Option<u32> {
        Annotation::parse(comment.as_bytes()).clock_cs
    }

    fn eval(comment: &str) -> Option<Eval> {
        Annotation::parse(comment.as_bytes()).eval
    }

    #[test]
    fn clocks_are_read_as_they_are_found() {
        let table = [
            (" [%clk 0:03:00] ", Some(18_000)),
            ("[%eval 0.1] [%clk 1:00:00.5]", Some(360_050)),
            ("[%clk 0:00:00.07]", Some(7)),
            ("[%clk 2:03.999]", Some(12_399)),
            ("[%clk 5]", Some(500)),
            ("[%clk ]", None),
            ("[%clk 0:03:00", None),
            ("[%clk -1:00]", None),
            ("[%clk 99999999:00:00]", None),
            ("a good move", None),
        ];
        for (comment, expected) in table {
            assert_eq!(clock_cs(comment), expected, "{comment}");
        }
    }

    #[test]
    fn evaluations_are_read_as_they_are_found() {
        let table = [
            ("[%eval 0.17]", Some(Eval::Centipawns(17))),
            ("[%eval -1.5,22]", Some(Eval::Centipawns(-150))),
            ("[%eval +0]", Some(Eval::Centipawns(0))),
            ("[%eval #-3]", Some(Eval::Mate(-3))),
            ("[%eval NaN]", None),
            ("[%eval mate]", None),
        ];
        for (comment, expected) in table {
            assert_eq!(eval(comment), expected, "{comment}");
        }
    }
}
