//! What Lichess and chess.com write into the comments of a move: `[%clk h:mm:ss]` and `[%eval pawns]`.

use std::fmt::Write;

use crate::Evaluation;

/// The annotations of one move that tables keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// Time left on the mover's clock after the move, increment included, in centiseconds.
    pub clock_cs: Option<u32>,
    pub evaluation: Option<Evaluation>,
}

impl Annotation {
    /// Reads a comment without its braces. What is not an annotation, or is a broken one, is passed over.
    pub fn parse(comment: &[u8]) -> Annotation {
        let mut annotation = Annotation::default();
        let mut rest = comment;
        while let Some(start) = rest.iter().position(|&byte| byte == b'%') {
            rest = &rest[start + 1..];
            if let Some(value) = rest.strip_prefix(b"clk ") {
                annotation.clock_cs = parse_clock(value).or(annotation.clock_cs);
            } else if let Some(value) = rest.strip_prefix(b"eval ") {
                annotation.evaluation = parse_evaluation(value).or(annotation.evaluation);
            }
        }
        annotation
    }

    /// The comment's text, without braces; empty when there is nothing to say.
    pub fn write(self) -> String {
        let mut text = String::new();
        if let Some(evaluation) = self.evaluation {
            let _ = write!(text, "[%eval {evaluation}] ");
        }
        if let Some(clock) = self.clock_cs {
            let (seconds, hundredths) = (clock / 100, clock % 100);
            let _ = write!(text, "[%clk {}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            if hundredths != 0 {
                let _ = write!(text, ".{hundredths:02}");
            }
            text.push(']');
        }
        text.trim_end().to_owned()
    }
}

/// `h:mm:ss` or `h:mm:ss.f` up to the closing bracket, in centiseconds.
fn parse_clock(text: &[u8]) -> Option<u32> {
    let (mut total, mut field, mut seen) = (0u32, 0u32, false);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                field = field.checked_mul(10)?.checked_add(u32::from(byte - b'0'))?;
                seen = true;
            }
            b':' if seen => total = total.checked_add(field)?.checked_mul(60).inspect(|_| field = 0)?,
            b']' | b' ' if seen => return total.checked_add(field)?.checked_mul(100),
            b'.' if seen => {
                return total.checked_add(field)?.checked_mul(100)?.checked_add(hundredths(&text[at + 1..]));
            }
            _ => return None,
        }
    }
    None
}

fn hundredths(digits: &[u8]) -> u32 {
    let digit =
        |at: usize| digits.get(at).filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'));
    match digit(0) {
        Some(tenths) => 10 * tenths + digit(1).unwrap_or(0),
        None => 0,
    }
}

/// `0.25`, `#-3` or, as newer files have it, `0.25,22` with the depth.
fn parse_evaluation(text: &[u8]) -> Option<Evaluation> {
    let end = text.iter().position(|byte| matches!(byte, b']' | b',' | b' '))?;
    parse_plain(&text[..end]).or_else(|| std::str::from_utf8(&text[..end]).ok()?.parse().ok())
}

/// The usual spelling, pawns with one or two decimals, without the detour over floating point.
fn parse_plain(text: &[u8]) -> Option<Evaluation> {
    let (negative, digits) = text.strip_prefix(b"-").map_or((false, text), |rest| (true, rest));
    let point = digits.iter().position(|&byte| byte == b'.').filter(|&point| (1..=5).contains(&point))?;
    let (whole, part) = (&digits[..point], &digits[point + 1..]);
    let number = |digits: &[u8]| {
        digits
            .iter()
            .try_fold(0i64, |sum, byte| byte.is_ascii_digit().then(|| 10 * sum + i64::from(byte - b'0')))
    };
    let hundredths = match part.len() {
        1 => 10 * number(part)?,
        2 => number(part)?,
        _ => return None,
    };
    let value = 100 * number(whole)? + hundredths;
    Some(Evaluation::centipawns(if negative { -value } else { value }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_found_in_the_wild() {
        let table: [(&str, Option<u32>, Option<i16>); 9] = [
            (" [%clk 0:05:00] ", Some(30_000), None),
            ("[%clk 0:02:57.7]", Some(17_770), None),
            (" [%eval 0.17] [%clk 0:00:30] ", Some(3_000), Some(17)),
            ("[%eval #-3] [%clk 1:00:00]", Some(360_000), Some(-31_997)),
            ("[%eval 0.4,22]", None, Some(40)),
            ("good move", None, None),
            ("[%clk ", None, None),
            ("[%clk x:00] [%eval ]", None, None),
            ("[%clk 99999999999:0:0]", None, None),
        ];
        for (text, clock_cs, value) in table {
            let expected = Annotation { clock_cs, evaluation: value.map(Evaluation) };
            assert_eq!(Annotation::parse(text.as_bytes()), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(clock_cs: Option<u32>, value in prop::option::of(-30_000i16..=30_000)) {
            let clock_cs = clock_cs.map(|clock| clock % 40_000_000);
            let annotation = Annotation { clock_cs, evaluation: value.map(Evaluation) };
            prop_assert_eq!(Annotation::parse(annotation.write().as_bytes()), annotation);
        }

        #[test]
        fn no_comment_panics(bytes: Vec<u8>) {
            Annotation::parse(&bytes);
            Annotation::parse(&[b"[%clk ", &bytes[..]].concat());
            Annotation::parse(&[b"[%eval ", &bytes[..]].concat());
        }
    }
}
