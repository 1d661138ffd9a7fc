//! What Lichess and chess.com write into the comments of a move: `[%clk h:mm:ss]` and `[%eval pawns]`.

mod eval;

pub use eval::Eval;

/// The annotations of one move that tables keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// Time left on the mover's clock after the move, increment included, in centiseconds.
    pub clock_cs: Option<u32>,
    pub eval: Option<Eval>,
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
                annotation.eval = parse_eval(value).or(annotation.eval);
            }
        }
        annotation
    }

    /// The comment's text, without braces; empty when there is nothing to say.
    pub fn write(self) -> String {
        let eval = self.eval.map(|eval| format!("[%eval {eval}]"));
        let clock = self.clock_cs.map(|clock| format!("[%clk {}]", clock_text(clock)));
        [eval, clock].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

fn clock_text(clock_cs: u32) -> String {
    let seconds = clock_cs / 100;
    let fraction = match clock_cs % 100 {
        0 => String::new(),
        part if part.is_multiple_of(10) => format!(".{}", part / 10),
        part => format!(".{part:02}"),
    };
    format!("{}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// `h:mm:ss` or `h:mm:ss.f` up to the closing bracket, in centiseconds.
fn parse_clock(text: &[u8]) -> Option<u32> {
    // The form that billions of comments have.
    if let [hour, b':', ten_minutes, minute, b':', ten_seconds, second, b']', ..] = *text {
        let digits =
            [hour, ten_minutes, minute, ten_seconds, second].map(|byte| u32::from(byte.wrapping_sub(b'0')));
        if digits.iter().all(|&digit| digit < 10) {
            let [hour, ten_minutes, minute, ten_seconds, second] = digits;
            return Some(100 * (3600 * hour + 600 * ten_minutes + 60 * minute + 10 * ten_seconds + second));
        }
    }
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
fn parse_eval(text: &[u8]) -> Option<Eval> {
    let end = text.iter().position(|byte| matches!(byte, b']' | b',' | b' '))?;
    parse_plain(&text[..end]).or_else(|| Eval::parse(std::str::from_utf8(&text[..end]).ok()?))
}

/// The usual spelling, pawns with one or two decimals, without the detour over floating point.
fn parse_plain(text: &[u8]) -> Option<Eval> {
    let (negative, digits) = text.strip_prefix(b"-").map_or((false, text), |rest| (true, rest));
    let point = digits.iter().position(|&byte| byte == b'.').filter(|&point| (1..=5).contains(&point))?;
    let (whole, part) = (&digits[..point], &digits[point + 1..]);
    let number = |digits: &[u8]| {
        digits
            .iter()
            .try_fold(0i32, |sum, byte| byte.is_ascii_digit().then(|| 10 * sum + i32::from(byte - b'0')))
    };
    let hundredths = match part.len() {
        1 => 10 * number(part)?,
        2 => number(part)?,
        _ => return None,
    };
    let value = 100 * number(whole)? + hundredths;
    Some(Eval::Centipawns(if negative { -value } else { value }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_found_in_the_wild() {
        let pawns = Eval::Centipawns;
        let table: [(&str, Option<u32>, Option<Eval>); 9] = [
            (" [%clk 0:05:00] ", Some(30_000), None),
            ("[%clk 0:02:57.7]", Some(17_770), None),
            (" [%eval 0.17] [%clk 0:00:30] ", Some(3_000), Some(pawns(17))),
            ("[%eval #-3] [%clk 1:00:00]", Some(360_000), Some(Eval::Mate(-3))),
            ("[%eval 0.4,22]", None, Some(pawns(40))),
            ("good move", None, None),
            ("[%clk ", None, None),
            ("[%clk x:00] [%eval ]", None, None),
            ("[%clk 99999999999:0:0]", None, None),
        ];
        for (text, clock_cs, eval) in table {
            let expected = Annotation { clock_cs, eval };
            assert_eq!(Annotation::parse(text.as_bytes()), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(clock_cs: Option<u32>, value in prop::option::of(-99_999i32..=99_999)) {
            let clock_cs = clock_cs.map(|clock| clock % 40_000_000);
            let annotation = Annotation { clock_cs, eval: value.map(Eval::Centipawns) };
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
