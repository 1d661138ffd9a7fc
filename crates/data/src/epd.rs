//! Test suites in EPD: a position and operations such as `bm`, `am`, `dm`, `id` and the comments `c0` to `c9`.

use std::{collections::BTreeMap, io::BufRead};

use chess::{
    Moment,
    shakmaty::{CastlingMode, Move, san::San},
};
use thiserror::Error;

use crate::lines;

#[derive(Clone, Debug)]
pub struct Epd {
    pub moment: Moment,
    pub id: Option<String>,
    /// `bm`: moves that solve the position.
    pub best: Vec<Move>,
    /// `am`: moves to avoid.
    pub avoid: Vec<Move>,
    /// `dm`, or `bm #n`: moves to mate, negative when the side to move is mated.
    pub mate_in: Option<i32>,
    /// Moves with points, as the Strategic Test Suite grades them.
    pub graded: Vec<(Move, u32)>,
    /// All operations as they stand, quotes removed.
    pub operations: BTreeMap<String, String>,
}

#[derive(Debug, Error)]
#[error("line {line}: {reason}")]
pub struct EpdError {
    pub line: u64,
    pub reason: String,
}

/// Reads positions line by line; a bad line is an error of its own. Empty lines and lines that begin with `#` are passed over.
pub fn read_epd(reader: impl BufRead) -> impl Iterator<Item = Result<Epd, EpdError>> {
    lines::numbered(reader).filter_map(|(line, text)| {
        let refuse = |reason: String| EpdError { line, reason };
        match text {
            Err(reason) => Some(Err(refuse(reason))),
            Ok(text) if text.trim().is_empty() || text.starts_with('#') => None,
            Ok(text) => Some(Epd::parse(&text).map_err(refuse)),
        }
    })
}

impl Epd {
    /// One line. Suites bend the standard: counters may follow the board, separators may be doubled or missing.
    pub fn parse(line: &str) -> Result<Epd, String> {
        // Suites that went through many hands hold zero bytes and spaces that are none.
        let line = line.replace(|letter: char| letter.is_control() || letter.is_whitespace(), " ");
        let (board, rest) = split_board(&line);
        let moment = Moment::from_fen(&board, CastlingMode::Standard).map_err(|error| error.to_string())?;
        moment.check_pieces().map_err(|error| error.to_string())?;
        let operations = operations(rest);
        let text = |code: &str| operations.get(code).map(String::as_str);
        let moves = |code: &str| -> Result<Vec<Move>, String> {
            let words = text(code).unwrap_or_default().split([' ', ',']);
            let is_move =
                |word: &&str| word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '0');
            words.filter(is_move).map(|word| find_move(&moment, word)).collect()
        };
        let mate = text("bm").and_then(|text| text.strip_prefix('#')).or(text("dm")).or(text("mate"));
        let mate_in = mate.and_then(|number| number.split_whitespace().next()?.parse().ok());
        Ok(Epd {
            best: moves("bm")?,
            avoid: moves("am")?,
            mate_in,
            graded: graded(&moment, &operations),
            id: text("id").map(str::to_owned),
            moment,
            operations,
        })
    }
}

/// The four fields of the board, with the counters where two numbers follow.
fn split_board(line: &str) -> (String, &str) {
    let mut rest = line.trim_start();
    let mut fields = Vec::new();
    while fields.len() < 6 {
        let end = rest.find([' ', '\t', ';']).unwrap_or(rest.len());
        let field = &rest[..end];
        let fits = fields.len() < 4 || (!field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit()));
        if !fits || field.is_empty() {
            break;
        }
        fields.push(field);
        rest = rest[end..].trim_start_matches([' ', '\t']);
        if rest.starts_with(';') {
            break;
        }
    }
    (fields.join(" "), rest)
}

/// Splits at semicolons outside of quotes; the first word of each part is its code.
fn operations(text: &str) -> BTreeMap<String, String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            ';' if !quoted => parts.push(String::new()),
            _ => parts.last_mut().expect("never empty").push(letter),
        }
    }
    let operation = |part: &String| {
        let part = part.trim();
        let (code, operand) = part.split_once([' ', '\t']).unwrap_or((part, ""));
        (!code.is_empty()).then(|| (code.to_owned(), operand.trim().to_owned()))
    };
    parts.iter().filter_map(operation).collect()
}

/// A move in SAN, in UCI, or long (`Qd8-f6`, `e7-e8=Q`, `e7-e8Q`).
fn find_move(moment: &Moment, word: &str) -> Result<Move, String> {
    let word = word.trim_end_matches(['!', '?', '+', '#', '.']);
    let san = |text: &str| {
        let mut san = San::from_ascii(text.as_bytes()).ok()?;
        let meant = san.to_move(&moment.position);
        // Some leave out the sign of a capture.
        if let San::Normal { capture, .. } = &mut san {
            *capture = true;
        }
        meant.or_else(|_| san.to_move(&moment.position)).ok()
    };
    let castling = word.starts_with('O') || word.starts_with("0-");
    let long = || (!castling).then(|| san(&word.replace('-', ""))).flatten();
    // `f7-f8Q`, `e7xf8N`: without its signs it is UCI in capitals.
    let promotion = || moment.parse_uci(&word.replace(['-', 'x', '='], "").to_ascii_lowercase()).ok();
    let zeros = || castling.then(|| san(&word.replace('0', "O"))).flatten();
    san(word)
        .or_else(|| moment.parse_uci(word).ok())
        .or_else(long)
        .or_else(zeros)
        .or_else(promotion)
        .ok_or_else(|| format!("`{word}` cannot be played in {}", moment.fen()))
}

/// `c0 "f5=10, Be5+=2"`, or the moves in `c7` (SAN) or `c9` (UCI) beside their points in `c8`. What is no grade is no error:
/// other suites keep free text there.
fn graded(moment: &Moment, operations: &BTreeMap<String, String>) -> Vec<(Move, u32)> {
    let text = |code: &str| operations.get(code).map_or("", String::as_str);
    let points: Vec<u32> = text("c8").split_whitespace().map_while(|number| number.parse().ok()).collect();
    for code in ["c9", "c7"] {
        let words: Vec<_> = text(code).split_whitespace().collect();
        if !points.is_empty() && words.len() == points.len() {
            let moves: Result<Vec<_>, _> = words.iter().map(|word| find_move(moment, word)).collect();
            if let Ok(moves) = moves {
                return moves.into_iter().zip(points).collect();
            }
        }
    }
    let pairs = text("c0").split(',').map(|pair| {
        let (word, points) = pair.trim().rsplit_once('=')?;
        Some((find_move(moment, word).ok()?, points.trim().parse().ok()?))
    });
    pairs.collect::<Option<Vec<_>>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(line: &str) -> Epd {
        Epd::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn uci(epd: &Epd, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|m| epd.moment.uci(*m)).collect()
    }

    #[test]
    fn suites_in_their_own_spelling() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let table = [
            ("bm e4; id \"T.1\";", vec!["e2e4"]),
            ("0 1 bm e2e4", vec!["e2e4"]),
            ("0 1 ; bm Nf3 d4 ", vec!["g1f3", "d2d4"]),
            ("bm e2-e4; ce +M2; pv e2-e4 h6-h5;", vec!["e2e4"]),
            ("bm Nf3\u{0}", vec!["g1f3"]),
            ("\u{a0}0 1\tbm\u{a0}Nf3\u{a0};", vec!["g1f3"]),
            ("bm Ng1-f3!; free text 27.4.2004", vec!["g1f3"]),
            (";; am h4 + ? ; c1 diff=10 ", vec![]),
        ];
        for (rest, best) in table {
            let epd = parse(&format!("{start} {rest}"));
            assert_eq!(uci(&epd, &epd.best), best, "{rest}");
        }
        let avoiding = parse(&format!("{start}; am h4 + ? ; c1 diff=10"));
        assert_eq!(uci(&avoiding, &avoiding.avoid), ["h2h4"]);
    }

    #[test]
    fn long_promotions_with_and_without_signs() {
        for word in ["e7-e8Q", "e7-e8=Q", "e8=Q", "e7e8q", "e8=Q+"] {
            let epd = parse(&format!("8/4P2k/8/8/8/8/8/4K3 w - - bm {word};"));
            assert_eq!(uci(&epd, &epd.best), ["e7e8q"], "{word}");
        }
    }

    #[test]
    fn a_capture_without_its_sign_is_one() {
        let epd = parse("4k3/8/8/3p4/4P3/2N5/8/4K3 w - - bm Nd5; am ed5;");
        assert_eq!((uci(&epd, &epd.best), epd.avoid.len()), (vec!["c3d5".to_owned()], 1));
    }

    #[test]
    fn mates_and_grades() {
        let mate = parse("6k1/5ppp/8/8/8/8/8/1R4K1 w - - bm #1; PV: b1b8;");
        assert_eq!((mate.mate_in, mate.best.len()), (Some(1), 0));
        assert_eq!(parse("6k1/5ppp/8/8/8/8/8/1R4K1 w - - dm 1; bm Rb8#;").mate_in, Some(1));
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        for grades in ["c0 \"e4=10, Nf3=7\"", "c7 \"e4 Nf3\"; c8 \"10 7\"", "c8 \"10 7\"; c9 \"e2e4 g1f3\""] {
            let epd = parse(&format!("{start} bm e4; {grades};"));
            assert_eq!(epd.graded.iter().map(|pair| pair.1).collect::<Vec<_>>(), [10, 7], "{grades}");
        }
        let text = parse(&format!("{start} bm e4; c0 \"A-B, Hastings = 1895\";"));
        assert!(text.graded.is_empty());
    }

    #[test]
    fn a_move_that_cannot_be_played_is_named() {
        let error = Epd::parse("6k1/5ppp/8/8/8/8/8/1R4K1 w - - bm Qh5;").unwrap_err();
        assert!(error.contains("Qh5"), "{error}");
    }

    #[test]
    fn a_position_that_no_game_leads_to_is_refused() {
        let error = Epd::parse("qqqqkqqq/qqqqqqqq/qqqqqqqq/8/8/8/8/4K3 w - - bm Kf2;").unwrap_err();
        assert!(error.ends_with("cannot come from a game: Black has 24 pieces"), "{error}");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-h1-8KQRBNkqrbnpPwb/;\" =#xO,.\\n-]{0,200}", raw: Vec<u8>) {
            let _ = Epd::parse(&text);
            let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ";
            let _ = Epd::parse(&format!("{start}{text}"));
            read_epd(raw.as_slice()).for_each(drop);
        }
    }
}
