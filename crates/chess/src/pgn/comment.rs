//! What Lichess writes into comments: `[%clk 0:02:58.5]` and `[%eval -0.38]`.

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
    fn parse(text: &str) -> Option<Eval> {
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

/// The clock that a comment tells, in centiseconds.
pub(super) fn clock_cs(comment: &str) -> Option<u32> {
    let mut parts = command(comment, "[%clk ")?.rsplit(':');
    let (seconds, fraction) = parts.next().map(|last| last.split_once('.').unwrap_or((last, "")))?;
    let minutes = parts.next().unwrap_or("0");
    let hours = parts.next().unwrap_or("0");
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let seconds = number(hours)?
        .checked_mul(3600)?
        .checked_add(number(minutes)?.checked_mul(60)?)?
        .checked_add(number(seconds)?)?;
    seconds.checked_mul(100)?.checked_add(hundredths(fraction)?)
}

pub(super) fn eval(comment: &str) -> Option<Eval> {
    command(comment, "[%eval ").and_then(Eval::parse)
}

/// The comment for a move, if there is anything to tell.
pub(super) fn write(eval: Option<Eval>, clock_cs: Option<u32>) -> Option<String> {
    let eval = eval.map(|eval| format!(" [%eval {eval}]"));
    let clock = clock_cs.map(|cs| format!(" [%clk {}]", clock_text(cs)));
    (eval.is_some() || clock.is_some())
        .then(|| format!("{{{}{} }}", eval.unwrap_or_default(), clock.unwrap_or_default()))
}

fn clock_text(cs: u32) -> String {
    let seconds = cs / 100;
    let fraction = match cs % 100 {
        0 => String::new(),
        part if part % 10 == 0 => format!(".{}", part / 10),
        part => format!(".{part:02}"),
    };
    format!("{}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn hundredths(digits: &str) -> Option<u32> {
    let two: String = digits.chars().chain("00".chars()).take(2).collect();
    two.parse().ok()
}

fn command<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    let rest = &comment[comment.find(name)? + name.len()..];
    rest.find(']').map(|end| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

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
