//! The grammar of PGN over text in memory. It differs from readers made for people in one thing: a word in the main line that is no
//! move spoils the game, where they pass over it and play on from a wrong position.

use crate::{GameResult, Reason};

/// Longer values are broken ones.
const LONGEST_VALUE: usize = 8 << 10;

/// Takes what the scanner finds in the main line of a game.
pub(crate) trait Line {
    fn word(&mut self, word: &[u8]) -> Result<(), Reason>;
    fn comment(&mut self, comment: &[u8]);
    fn outcome(&mut self, result: GameResult);
}

#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    text: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    fn pass(&mut self, needle: u8) {
        self.at = memchr::memchr(needle, self.rest()).map_or(self.text.len(), |found| self.at + found + 1);
    }

    /// Goes to the first byte of the next game, past blank lines, escaped lines and byte order marks; false at the end.
    pub(crate) fn find_game(&mut self) -> bool {
        loop {
            match self.rest() {
                [] => return false,
                [b' ' | b'\t' | b'\r' | b'\n', ..] => self.at += 1,
                [b'%', ..] if self.at == 0 || self.text[self.at - 1] == b'\n' => self.pass(b'\n'),
                [0xef, 0xbb, 0xbf, ..] => self.at += 3,
                _ => return true,
            }
        }
    }

    /// Hands over the tags by name and raw value. What stands in brackets without quotes is passed over.
    pub(crate) fn tags(&mut self, mut each: impl FnMut(&'a [u8], &'a [u8])) -> Result<(), Reason> {
        let mut whole = true;
        while self.rest().first() == Some(&b'[') {
            self.at += 1;
            let rest = self.rest();
            match memchr::memchr3(b'"', b'\n', b']', rest) {
                Some(quote) if rest[quote] == b'"' => {
                    let value = &rest[quote + 1..];
                    let len = end_of_value(value);
                    whole &= len <= LONGEST_VALUE && len < value.len();
                    each(rest[..quote].trim_ascii_end(), &value[..len]);
                    let closed = value.get(len) == Some(&b'"');
                    self.at += quote + 1 + len + usize::from(closed);
                }
                Some(end) => self.at += end + 1,
                None => {
                    whole = false;
                    self.at = self.text.len();
                }
            }
            if let Some(bracket) = self.rest().iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
                && self.rest()[bracket] == b']'
            {
                self.at += bracket + 1;
            }
            self.find_game();
        }
        if whole { Ok(()) } else { Err(Reason::BadTag) }
    }

    /// Whether the line break at `at` ends the game: an empty line or a tag follows.
    fn ends_game(&self) -> bool {
        matches!(self.rest(), [b'\n', b'[' | b'\n', ..] | [b'\n', b'\r', b'\n', ..])
    }

    /// Past a line break, and past the line after it if that is an escaped one.
    fn next_line(&mut self) {
        self.at += 1;
        if self.rest().first() == Some(&b'%') {
            self.at = memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |found| self.at + found);
        }
    }

    /// To the end of the game without looking at moves.
    pub(crate) fn skip_moves(&mut self) {
        while let Some(found) = memchr::memchr3(b'\n', b'{', b';', self.rest()) {
            self.at += found;
            match self.text[self.at] {
                b'{' => self.pass(b'}'),
                b';' => self.comment_line(),
                _ if self.ends_game() => return,
                _ => self.next_line(),
            }
        }
        self.at = self.text.len();
    }

    fn comment_line(&mut self) {
        self.at = memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |found| self.at + found);
    }

    fn skip_variation(&mut self) {
        let mut depth = 0usize;
        while let Some(&byte) = self.rest().first() {
            match byte {
                b'{' => self.pass(b'}'),
                b';' => self.comment_line(),
                b'\n' if self.ends_game() => return,
                b'\n' => self.next_line(),
                _ => {
                    self.at += 1;
                    match byte {
                        b'(' => depth += 1,
                        b')' if depth == 1 => return,
                        b')' => depth -= 1,
                        _ => {}
                    }
                }
            }
        }
    }

    /// Reads the main line; stops at the first fault.
    pub(crate) fn moves(&mut self, line: &mut impl Line) -> Result<(), Reason> {
        while let Some(&byte) = self.rest().first() {
            match byte {
                b' ' | b'\t' | b'\r' | b'.' | b'!' | b'?' | b')' | b'}' => self.at += 1,
                b'{' => {
                    let start = self.at + 1;
                    self.pass(b'}');
                    line.comment(&self.text[start..self.at.saturating_sub(1).max(start)]);
                }
                b'\n' if self.ends_game() => return Ok(()),
                b'\n' => self.next_line(),
                b';' => self.comment_line(),
                b'(' => self.skip_variation(),
                b'*' => {
                    line.outcome(GameResult::Unknown);
                    self.at += 1;
                }
                b'0'..=b'9' | 0xc2 => self.number(line)?,
                b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'@' => self.word(line)?,
                _ => self.at += self.word_len().max(1),
            }
        }
        Ok(())
    }

    fn word_len(&self) -> usize {
        let rest = self.rest();
        rest.iter().position(|&byte| ends_word(byte)).unwrap_or(rest.len())
    }

    fn word(&mut self, line: &mut impl Line) -> Result<(), Reason> {
        if self.rest().starts_with(b"e.p.") {
            self.at += 4;
            return Ok(());
        }
        let len = self.word_len();
        match line.word(&self.rest()[..len]) {
            // The last word of a text that breaks off is no word of anybody's.
            Err(_) if self.rest()[len..].trim_ascii().is_empty() => Err(Reason::CutOff),
            other => {
                self.at += len;
                other
            }
        }
    }

    /// A move's number, a result, or castling with zeros.
    fn number(&mut self, line: &mut impl Line) -> Result<(), Reason> {
        let rest = self.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && rest.get(digits).is_none_or(|&byte| ends_word(byte)) {
            self.at += digits;
            return Ok(());
        }
        if rest.starts_with(b"0-0") {
            let zeros = if rest.starts_with(b"0-0-0") { 5 } else { 3 };
            line.word(if zeros == 5 { b"O-O-O" } else { b"O-O" })?;
            let signs = rest[zeros..].iter().take_while(|byte| matches!(byte, b'+' | b'#')).count();
            self.at += zeros + signs;
            return self.end_of_number();
        }
        for (text, result) in RESULTS {
            if rest.starts_with(text.as_bytes()) {
                line.outcome(*result);
                self.at += text.len();
                return self.end_of_number();
            }
        }
        self.at += digits.max(1);
        self.end_of_number()
    }

    fn end_of_number(&self) -> Result<(), Reason> {
        match self.rest().first() {
            Some(&byte) if !ends_word(byte) => Err(Reason::NotAMove),
            _ => Ok(()),
        }
    }
}

/// As people and programs write them, with all their dashes.
const RESULTS: &[(&str, GameResult)] = &[
    ("1-0", GameResult::White),
    ("0-1", GameResult::Black),
    ("1/2-1/2", GameResult::Draw),
    ("1–0", GameResult::White),
    ("0–1", GameResult::Black),
    ("1/2–1/2", GameResult::Draw),
    ("1—0", GameResult::White),
    ("0—1", GameResult::Black),
    ("1/2—1/2", GameResult::Draw),
    ("½-½", GameResult::Draw),
    ("½–½", GameResult::Draw),
];

/// Length of a value up to its closing quote or the line's end.
fn end_of_value(value: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'\\', b'"', b'\n', &value[at..]) {
        at += found;
        if value[at] != b'\\' {
            return at;
        }
        at = (at + 2).min(value.len());
    }
    value.len()
}

fn ends_word(byte: u8) -> bool {
    const ENDS: [bool; 256] = {
        let mut ends = [false; 256];
        let mut at = 0;
        while at < 14 {
            ends[b" \t\n\r{}()!?$;.*"[at] as usize] = true;
            at += 1;
        }
        ends
    };
    ENDS[usize::from(byte)]
}
