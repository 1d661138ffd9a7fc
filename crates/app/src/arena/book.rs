//! Openings: from an EPD or PGN file, or the few of our own.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
};

use anyhow::{Context, ensure};
use chess::{
    Moment,
    pgn::{Game, GameError},
    shakmaty::{CastlingMode, Chess},
};

use ::data::Random;

/// A line to start from: a position and the moves that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// `None` for the usual start.
    pub(crate) start_fen: Option<String>,
    /// In UCI notation; legal in their order.
    pub(crate) moves: Vec<String>,
    mode: CastlingMode,
}

/// Openings that were read, and how many entries of the file were no openings.
#[derive(Debug)]
pub(crate) struct Book {
    pub(crate) openings: Vec<Opening>,
    pub(crate) skipped: usize,
}

/// Sound lines of four plies each, two from every usual answer to the four usual first moves.
const OWN: &str = "
e2e4 e7e5 g1f3 b8c6
e2e4 e7e5 b1c3 g8f6
e2e4 c7c5 g1f3 d7d6
e2e4 c7c5 b1c3 b8c6
e2e4 e7e6 d2d4 d7d5
e2e4 e7e6 d2d3 d7d5
e2e4 c7c6 d2d4 d7d5
e2e4 c7c6 b1c3 d7d5
e2e4 d7d6 d2d4 g8f6
e2e4 g7g6 d2d4 f8g7
e2e4 d7d5 e4d5 d8d5
e2e4 g8f6 e4e5 f6d5
d2d4 d7d5 c2c4 e7e6
d2d4 d7d5 c2c4 c7c6
d2d4 d7d5 c2c4 d5c4
d2d4 d7d5 g1f3 g8f6
d2d4 g8f6 c2c4 e7e6
d2d4 g8f6 c2c4 g7g6
d2d4 g8f6 g1f3 e7e6
d2d4 g8f6 c1g5 d7d5
d2d4 f7f5 g2g3 g8f6
d2d4 d7d6 c2c4 e7e5
c2c4 e7e5 b1c3 g8f6
c2c4 c7c5 g1f3 b8c6
c2c4 g8f6 b1c3 e7e6
c2c4 e7e6 g1f3 d7d5
g1f3 d7d5 g2g3 c7c6
g1f3 g8f6 g2g3 b7b6
g1f3 c7c5 c2c4 b7b6
b2b3 e7e5 c1b2 b8c6
f2f4 d7d5 g1f3 g7g6
b1c3 d7d5 e2e4 d5d4
";

impl Opening {
    /// Replays the line. Every opening of a book has been replayed once when it was read.
    pub(crate) fn moment(&self) -> Moment {
        self.try_moment().expect("openings are checked when they are read")
    }

    /// Where the line begins.
    pub(crate) fn start(&self) -> Moment {
        self.try_start().expect("openings are checked when they are read")
    }

    fn try_start(&self) -> anyhow::Result<Moment> {
        Ok(match &self.start_fen {
            Some(fen) => Moment::from_fen(fen, self.mode)?,
            None => Moment::default(),
        })
    }

    fn try_moment(&self) -> anyhow::Result<Moment> {
        Ok(self.try_start()?.after_uci(self.moves.iter().map(String::as_str))?)
    }

    /// Whether a game can be played from here.
    fn is_playable(&self) -> bool {
        self.try_moment().is_ok_and(|moment| moment.ending().is_none() && moment.claim().is_none())
    }
}

impl Book {
    /// The lines of our own, for a match that brings no book. None of them castles.
    pub(crate) fn own(mode: CastlingMode) -> Book {
        let opening = |line: &str| Opening {
            start_fen: start_fen(&Moment::default(), mode),
            moves: line.split_whitespace().map(str::to_owned).collect(),
            mode,
        };
        let openings = OWN.lines().filter(|line| !line.is_empty()).map(opening).collect();
        Book { openings, skipped: 0 }
    }

    /// Reads `.epd` (or `.fen`, one position a line) and `.pgn`, either also as `.zst`. Lines of a PGN are cut
    /// after `plies`.
    pub(crate) fn read(path: &Path, plies: Option<usize>, mode: CastlingMode) -> anyhow::Result<Book> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let plain = name.strip_suffix(".zst").unwrap_or(&name);
        let file = File::open(path).with_context(|| format!("cannot open the book {}", path.display()))?;
        let reader: Box<dyn Read> = match plain == name {
            true => Box::new(file),
            false => Box::new(zstd::Decoder::new(file)?),
        };
        let is_pgn = plain.ends_with(".pgn");
        ensure!(
            is_pgn || plain.ends_with(".epd") || plain.ends_with(".fen"),
            "the book {} is none of .epd, .fen, .pgn (or these with .zst)",
            path.display()
        );
        let lines = if is_pgn { read_pgn(reader, plies, mode) } else { read_epd(reader, mode) };
        let lines = lines.with_context(|| format!("cannot read the book {}", path.display()))?;
        let all = lines.len();
        let openings: Vec<Opening> = lines.into_iter().flatten().filter(Opening::is_playable).collect();
        ensure!(!openings.is_empty(), "the book {} has no opening that can be played", path.display());
        Ok(Book { skipped: all - openings.len(), openings })
    }

    /// A number that tells books and orders apart (FNV-1a over all lines).
    pub(crate) fn fingerprint(&self) -> u64 {
        let line = |opening: &Opening| {
            format!("{};{}\n", opening.start_fen.as_deref().unwrap_or_default(), opening.moves.join(" "))
        };
        let bytes = self.openings.iter().flat_map(|opening| line(opening).into_bytes());
        bytes
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    pub(crate) fn shuffle(&mut self, seed: u64) {
        Random::new(seed).shuffle(&mut self.openings);
    }
}

/// One entry for each line that is not blank or a comment; `None` for what is no position.
fn read_epd(reader: impl Read, mode: CastlingMode) -> anyhow::Result<Vec<Option<Opening>>> {
    let mut openings = Vec::new();
    for line in BufReader::new(reader).lines() {
        let line = line?;
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.is_empty() || fields[0].starts_with('#') {
            continue;
        }
        openings.push(from_epd(&fields, mode));
    }
    Ok(openings)
}

/// The four fields of the position, and the two counters if they follow; operations are passed over.
fn from_epd(fields: &[&str], mode: CastlingMode) -> Option<Opening> {
    let counters = fields.len() >= 6 && fields[4..6].iter().all(|field| field.parse::<u32>().is_ok());
    let fen = fields.get(..if counters { 6 } else { 4 })?.join(" ");
    let start = Moment::from_fen(&fen, mode).ok()?;
    // Written anew, because engines want all six fields and only rights that exist.
    Some(Opening { start_fen: start_fen(&start, mode), moves: Vec::new(), mode })
}

/// One entry for each game; `None` for those that cannot be replayed.
fn read_pgn(
    reader: impl Read,
    plies: Option<usize>,
    mode: CastlingMode,
) -> anyhow::Result<Vec<Option<Opening>>> {
    let mut openings = Vec::new();
    for game in chess::pgn::games(reader) {
        openings.push(match game {
            Ok(game) => Some(from_game(&game, plies.unwrap_or(usize::MAX), mode)),
            Err(GameError::Read(error)) => return Err(error.into()),
            Err(_) => None,
        });
    }
    Ok(openings)
}

fn from_game(game: &Game, plies: usize, mode: CastlingMode) -> Opening {
    let moves = game.moves.iter().take(plies).map(|m| m.to_uci(mode).to_string()).collect();
    Opening { start_fen: start_fen(&game.start, mode), moves, mode }
}

/// Nothing for the usual start, except in Chess960, where castling there is written in its own way.
fn start_fen(start: &Moment, mode: CastlingMode) -> Option<String> {
    (mode.is_chess960() || start.position != Chess::default()).then(|| start.fen())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_openings_can_be_played_and_differ() {
        let book = Book::own(CastlingMode::Standard);
        let mut keys: Vec<u64> = book.openings.iter().map(|opening| opening.moment().past.key()).collect();
        assert!(book.openings.iter().all(Opening::is_playable));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), book.openings.len());
    }

    #[test]
    fn positions_are_read_with_and_without_counters() {
        let text = "\
            # a comment\n\n\
            rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n\
            4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"one\";\n\
            4k3/8/8/8/8/8/4P3/4K3 b - - 3 17\n\
            4k3/8/8/8/8/8/4P3/4K3 w - - 0 2 c0 \"x\";\n\
            not a position\n";
        let read = read_epd(text.as_bytes(), CastlingMode::Standard).unwrap();
        let fens: Vec<_> =
            read.iter().map(|opening| opening.as_ref().map(|opening| opening.start_fen.as_deref())).collect();
        assert_eq!(
            fens,
            [
                Some(None),
                Some(Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")),
                Some(Some("4k3/8/8/8/8/8/4P3/4K3 b - - 3 17")),
                Some(Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 2")),
                None,
            ]
        );
    }

    #[test]
    fn games_are_cut_and_broken_ones_left_out() {
        let text = "1. e4 (1. d4 d5) e5 {good} 2. Nf3 *\n\n\
            [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 2. Kd2 1-0\n\n\
            1. e4 Ke3 *\n\n1. d4 *\n";
        let read = read_pgn(text.as_bytes(), Some(2), CastlingMode::Standard).unwrap();
        let moves: Vec<_> =
            read.iter().map(|opening| opening.as_ref().map(|opening| opening.moves.join(" "))).collect();
        assert_eq!(moves, [Some("e2e4 e7e5".into()), Some("e2e4 e8d7".into()), None, Some("d2d4".into())]);
        assert_eq!(read[1].as_ref().unwrap().start_fen.as_deref(), Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    }

    #[test]
    fn castling_in_a_book_is_written_as_the_match_wants_it() {
        let text = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *\n";
        for (mode, castling) in [(CastlingMode::Standard, "e1g1"), (CastlingMode::Chess960, "e1h1")] {
            let read = read_pgn(text.as_bytes(), None, mode).unwrap();
            let opening = read[0].as_ref().unwrap();
            assert_eq!(opening.moves, [castling]);
            assert!(opening.is_playable());
            assert_eq!(opening.moment().castling_mode(), mode);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_order() {
        let order = |seed| {
            let mut book = Book::own(CastlingMode::Standard);
            book.shuffle(seed);
            book.openings
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }
}
