//! Cuts a stream of PGN into pieces that hold whole games, so that many threads can read them. Where the cuts
//! fall depends only on the text after the last cut: an import that resumes at one cuts the rest the same way.

use std::io::{self, Read};

use crossbeam_channel::Receiver;
use memchr::memmem;

/// Without the end of a game in this many bytes it is no PGN; it is passed over up to the next game.
const LONGEST: usize = 16 << 20;

/// A run of whole games.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) text: Vec<u8>,
    /// Lines before this chunk.
    pub(crate) line: u64,
    /// Where the next chunk begins, in bytes and lines of the unpacked text.
    pub(crate) next_offset: u64,
    pub(crate) next_line: u64,
    /// The text before the next chunk held no end of a game and was passed over.
    pub(crate) oversized: bool,
    /// The archive broke off here, and why.
    pub(crate) damage: Option<String>,
}

pub(crate) struct Chunks<R> {
    reader: R,
    buffer: Vec<u8>,
    used: Receiver<Vec<u8>>,
    offset: u64,
    line: u64,
    ended: bool,
    damage: Option<io::Error>,
    target: usize,
    longest: usize,
}

impl<R: Read> Chunks<R> {
    /// Begins at `offset`, which an earlier chunk gave as its `next_offset`. Pieces are about `target` bytes long. Texts that come
    /// back through `used` are filled again: fresh memory costs more than copying into it.
    pub(crate) fn new(
        mut reader: R,
        offset: u64,
        line: u64,
        target: usize,
        used: Receiver<Vec<u8>>,
    ) -> io::Result<Chunks<R>> {
        io::copy(&mut reader.by_ref().take(offset), &mut io::sink())?;
        let buffer = Vec::with_capacity(target);
        Ok(Chunks {
            reader,
            buffer,
            used,
            offset,
            line,
            ended: false,
            damage: None,
            target,
            longest: LONGEST.max(target),
        })
    }

    /// Reads until the buffer holds `len` bytes or the input ends. Damage ends the input.
    fn fill(&mut self, len: usize) -> io::Result<()> {
        let missing = len.saturating_sub(self.buffer.len());
        if self.ended || missing == 0 {
            return Ok(());
        }
        self.buffer.reserve_exact(missing);
        match self.reader.by_ref().take(missing as u64).read_to_end(&mut self.buffer) {
            Ok(read) => self.ended = read < missing,
            Err(error) if crate::source::is_bad_data(&error) => {
                self.ended = true;
                self.damage = Some(error);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes `len` bytes from the front of the buffer.
    fn take(&mut self, len: usize) -> Vec<u8> {
        let mut rest = self.used.try_recv().unwrap_or_default();
        rest.clear();
        rest.reserve_exact(self.target.max(self.buffer.len() - len));
        rest.extend_from_slice(&self.buffer[len..]);
        let mut text = std::mem::replace(&mut self.buffer, rest);
        text.truncate(len);
        self.offset += len as u64;
        self.line += memchr::memchr_iter(b'\n', &text).count() as u64;
        text
    }

    fn chunk(&mut self, len: usize, oversized: bool) -> Chunk {
        let line = self.line;
        let mut text = self.take(len);
        if oversized {
            text.clear();
        }
        let damage =
            if self.buffer.is_empty() { self.damage.take().map(|error| error.to_string()) } else { None };
        Chunk { text, line, next_offset: self.offset, next_line: self.line, oversized, damage }
    }

    fn pass_over(&mut self) -> io::Result<Chunk> {
        let line = self.line;
        loop {
            if let Some(cut) = first_cut(&self.buffer) {
                return Ok(Chunk { line, ..self.chunk(cut, true) });
            }
            if self.ended {
                return Ok(Chunk { line, ..self.chunk(self.buffer.len(), true) });
            }
            // The mark of a new game may straddle the end of the buffer.
            self.take(self.buffer.len().saturating_sub(16));
            self.fill(self.target)?;
        }
    }
}

impl<R: Read> Iterator for Chunks<R> {
    type Item = io::Result<Chunk>;

    fn next(&mut self) -> Option<io::Result<Chunk>> {
        let mut target = self.target;
        loop {
            if let Err(error) = self.fill(target) {
                return Some(Err(error));
            }
            if self.ended && self.buffer.len() <= target {
                let len = self.buffer.len();
                return (len > 0 || self.damage.is_some()).then(|| Ok(self.chunk(len, false)));
            }
            if let Some(cut) = last_cut(&self.buffer[..target]) {
                return Some(Ok(self.chunk(cut, false)));
            }
            if target >= self.longest {
                return Some(self.pass_over());
            }
            target *= 2;
        }
    }
}

/// Games begin with a tag after an empty line; some files leave the line out before `[Event`.
const CUTS: [&[u8]; 3] = [b"\n\n[", b"\n\r\n[", b"\n[Event "];

/// A tag's name begins with a letter; `[%clk` in a comment does not.
fn is_tag(text: &[u8], bracket: usize) -> bool {
    text.get(bracket + 1).is_some_and(u8::is_ascii_alphabetic)
}

fn bracket_of(at: usize, mark: &[u8]) -> usize {
    at + mark.iter().position(|&byte| byte == b'[').expect("every mark has one")
}

fn last_cut(text: &[u8]) -> Option<usize> {
    CUTS.iter().find_map(|mark| {
        let brackets = memmem::rfind_iter(text, mark).map(|at| bracket_of(at, mark));
        brackets.take(1000).find(|&bracket| is_tag(text, bracket))
    })
}

fn first_cut(text: &[u8]) -> Option<usize> {
    let cuts = CUTS.iter().filter_map(|mark| {
        memmem::find_iter(text, mark).map(|at| bracket_of(at, mark)).find(|&bracket| is_tag(text, bracket))
    });
    cuts.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(text: &[u8], offset: u64, line: u64) -> Vec<Chunk> {
        let mut chunks = Chunks::new(text, offset, line, 200, crossbeam_channel::never()).unwrap();
        chunks.longest = 800;
        chunks.map(Result::unwrap).collect()
    }

    fn games(count: usize) -> Vec<u8> {
        (0..count)
            .flat_map(|n| {
                format!("[Event \"{n}\"]\n[Site \"?\"]\n\n1. e4 {{ \n\n[%clk 0:0:1] }} *\n\n").into_bytes()
            })
            .collect()
    }

    #[test]
    fn chunks_hold_whole_games_and_lose_nothing() {
        let text = games(40);
        let chunks = small(&text, 0, 0);
        assert!(chunks.len() > 5);
        assert_eq!(chunks.iter().flat_map(|chunk| chunk.text.clone()).collect::<Vec<_>>(), text);
        for chunk in &chunks {
            assert!(chunk.text.starts_with(b"[Event"), "{}", String::from_utf8_lossy(&chunk.text));
        }
    }

    #[test]
    fn a_resumed_stream_is_cut_the_same_way() {
        let text = games(40);
        let chunks = small(&text, 0, 0);
        let (offset, line) = (chunks[2].next_offset, chunks[2].next_line);
        let rest = small(&text, offset, line);
        let ends = |chunks: &[Chunk]| {
            chunks.iter().map(|c| (c.next_offset, c.line, c.next_line)).collect::<Vec<_>>()
        };
        assert_eq!(ends(&rest), ends(&chunks[3..]));
    }

    #[test]
    fn junk_without_end_is_passed_over_in_bounded_memory() {
        let text = [vec![b'x'; 5_000], b"\n\n".to_vec(), games(3)].concat();
        let chunks = small(&text, 0, 0);
        assert!(chunks[0].oversized && chunks[0].text.is_empty());
        assert_eq!(chunks[1..].iter().flat_map(|chunk| chunk.text.clone()).collect::<Vec<_>>(), games(3));
    }
}
