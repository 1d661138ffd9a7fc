//! PGN in: a game or the reason why it is none, then the next.

use std::{
    io::{self, Read},
    ops::ControlFlow,
};

use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::{CastlingMode, Chess, Outcome, Position, fen::Fen};
use thiserror::Error;

use super::Game;
use crate::{Annotation, Clocks, Moment, MomentError, Ratings};

/// Lines and comments beyond this are cut by the reader.
const LONGEST_TOKEN: usize = 1 << 14;

/// Why a piece of text is not a game that can be replayed.
#[derive(Debug, Error)]
pub enum GameError {
    #[error("the variant `{0}` is neither standard chess nor Chess960")]
    Variant(String),
    #[error("the start position does not hold: {0}")]
    Start(#[from] MomentError),
    #[error("ply {ply}: {san} cannot be played in {fen}")]
    Illegal { ply: usize, san: String, fen: String },
    #[error("neither tags nor moves")]
    Empty,
    #[error("not PGN: {0}")]
    Syntax(String),
    #[error("the games cannot be read on: {0}")]
    Read(io::Error),
}

/// The games of `source`, which needs no buffer of its own.
pub fn games<R: Read>(source: R) -> Games<R> {
    let reader = Reader::build(source)
        .set_supported_tag_line_length(LONGEST_TOKEN)
        .set_supported_comment_length(LONGEST_TOKEN)
        .finish();
    Games { reader, broken: false }
}

/// Reads game after game. A bad game is an error value and the next one still comes; only when the source itself
/// fails is that the last word.
#[derive(Debug)]
pub struct Games<R> {
    reader: Reader<R>,
    broken: bool,
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<Game, GameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.broken {
            return None;
        }
        match self.reader.read_game(&mut Replay) {
            Ok(game) => game,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Some(Err(GameError::Syntax(error.to_string())))
            }
            Err(error) => {
                self.broken = true;
                Some(Err(GameError::Read(error)))
            }
        }
    }
}

/// Plays the main line on a board; variations are skipped.
struct Replay;

struct Played {
    game: Game,
    position: Chess,
}

impl Visitor for Replay {
    type Tags = Vec<(String, String)>;
    type Movetext = Played;
    type Output = Result<Game, GameError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let name = String::from_utf8_lossy(name).trim().to_owned();
        tags.push((name, unescaped(&String::from_utf8_lossy(value.as_bytes()))));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Played> {
        let mut game = Game { tags, ..Game::new(Moment::default()) };
        game.start = match start(&game) {
            Ok(start) => start,
            Err(error) => return ControlFlow::Break(Err(error)),
        };
        let result = game.tag("Result").and_then(|text| Outcome::from_ascii(text.as_bytes()).ok());
        game.outcome = result.unwrap_or(Outcome::Unknown);
        ControlFlow::Continue(Played { position: game.start.position.clone(), game })
    }

    fn san(&mut self, Played { game, position }: &mut Played, san: SanPlus) -> ControlFlow<Self::Output> {
        let Ok(m) = san.san.to_move(position) else {
            let fen = Moment::new(position.clone()).fen();
            let error = GameError::Illegal { ply: game.moves.len() + 1, san: san.to_string(), fen };
            return ControlFlow::Break(Err(error));
        };
        position.play_unchecked(m);
        game.push(m, None, None);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, played: &mut Played, text: RawComment<'_>) -> ControlFlow<Self::Output> {
        let text = String::from_utf8_lossy(text.as_bytes());
        let game = &mut played.game;
        if let (Some(clock), Some(eval)) = (game.clocks_cs.last_mut(), game.evals.last_mut()) {
            let annotation = Annotation::parse(text.as_bytes());
            *clock = annotation.clock_cs.or(*clock);
            *eval = annotation.eval.or(*eval);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, played: &mut Played, outcome: Outcome) -> ControlFlow<Self::Output> {
        played.game.outcome = outcome;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, Played { game, .. }: Played) -> Self::Output {
        if game.tags.is_empty() && game.moves.is_empty() {
            return Err(GameError::Empty);
        }
        Ok(game)
    }
}

/// The first moment as the tags describe it.
fn start(game: &Game) -> Result<Moment, GameError> {
    let chess960 = match game.tag("Variant") {
        Some(variant) => is_chess960(variant)?,
        None => false,
    };
    let mut moment = match game.tag("FEN").filter(|_| game.tag("SetUp") != Some("0")) {
        Some(fen) => Moment::from_fen(fen, castling_mode(fen, chess960))?,
        None => Moment::default(),
    };
    moment.check_pieces()?;
    moment.clocks = game.tag("TimeControl").and_then(clocks);
    let rating = |name| game.tag(name).and_then(|text| text.parse().ok());
    let players = Ratings::lichess(rating("WhiteElo"), rating("BlackElo"));
    moment.players = (players != Ratings::default()).then_some(players);
    Ok(moment)
}

fn is_chess960(variant: &str) -> Result<bool, GameError> {
    let letters =
        variant.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_ascii_lowercase();
    match letters.as_str() {
        "" | "standard" | "chess" | "normal" | "fromposition" => Ok(false),
        "chess960" | "960" | "frc" | "fischerandom" | "fischerrandom" | "fischerrandomchess" => Ok(true),
        _ => Err(GameError::Variant(variant.to_owned())),
    }
}

/// Files from before the `Variant` tag show Chess960 by their castling rights alone.
fn castling_mode(fen: &str, chess960: bool) -> CastlingMode {
    match fen.parse::<Fen>() {
        Ok(fen) if !chess960 => CastlingMode::detect(fen.as_setup()),
        _ => CastlingMode::from_chess960(chess960),
    }
}

/// Clocks at the start for `180+2`, `600` or the first stage of `40/5400+30:1800`; nothing for `-` and hourglasses.
fn clocks(time_control: &str) -> Option<Clocks> {
    let stage = time_control.split(':').next()?;
    let times = stage.split_once('/').map_or(stage, |(_moves, times)| times);
    let (base, increment) = times.split_once('+').unwrap_or((times, "0"));
    let seconds = |text: &str| text.trim().parse::<f64>().ok().filter(|s| (0.0..=1e7).contains(s));
    let (base_cs, increment_cs) = (centiseconds(seconds(base)?), centiseconds(seconds(increment)?));
    let mut clocks = Clocks::start(0, 0);
    clocks.base_cs = Some(base_cs);
    clocks.left_cs = clocks.left_cs.map(|_| base_cs);
    clocks.increment_cs = clocks.increment_cs.map(|_| increment_cs);
    Some(clocks)
}

fn centiseconds(seconds: f64) -> u32 {
    (100.0 * seconds).round() as u32
}

/// A tag's value with `\"` and `\\` undone; pgn-reader's own decoding loses one of two adjacent backslashes.
fn unescaped(raw: &str) -> String {
    let mut value = String::with_capacity(raw.len());
    let mut characters = raw.chars().peekable();
    while let Some(c) = characters.next() {
        let escaped = (c == '\\').then(|| characters.next_if(|next| matches!(next, '"' | '\\'))).flatten();
        value.push(escaped.unwrap_or(c));
    }
    value
}

#[cfg(test)]
mod tests {
    use shakmaty::{Move, Square};

    use super::*;

    #[test]
    fn a_bad_game_names_its_fault_and_the_next_still_reads() {
        let text = "\
[White \"illegal\"]\n\n1. e4 e5 2. Ke3 Nc6 { a } 3. Nf3 *\n\n\
[Variant \"Atomic\"]\n\n1. e4 *\n\n\
[FEN \"8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n\
[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n\
?!\n\n\
[White \"fine\"]\n\n1. d4 *\n\n";
        let faults: Vec<String> = games(text.as_bytes())
            .map(|game| {
                game.map_or_else(|error| error.to_string(), |game| game.tag("White").unwrap().to_owned())
            })
            .collect();
        let expected = [
            "ply 3: Ke3 cannot be played in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
            "the variant `Atomic` is neither standard chess nor Chess960",
            "the start position does not hold: `8/8/8/8 w - - 0 1` is not a FEN",
            "the start position does not hold: `8/8/8/8/8/8/8/8 w - - 0 1` is not a chess position: empty board, missing king",
            "neither tags nor moves",
            "fine",
        ];
        assert_eq!(faults, expected);
    }

    #[test]
    fn an_unfinished_comment_is_an_error_not_the_end() {
        let outcomes: Vec<bool> =
            games("1. e4 *\n\n1. d4 { and so".as_bytes()).map(|game| game.is_ok()).collect();
        assert_eq!(outcomes, [true, false]);
    }

    #[test]
    fn chess960_shows_in_its_tag_or_in_its_rights() {
        for tag in ["", "[Variant \"Chess960\"]\n", "[Variant \"fischerandom\"]\n"] {
            for (san, rook) in [("O-O", Square::G1), ("O-O-O", Square::B1)] {
                let text = format!("{tag}[FEN \"4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1\"]\n\n1. {san} *\n");
                let game = games(text.as_bytes()).next().unwrap().unwrap();
                assert_eq!(game.start.castling_mode(), CastlingMode::Chess960);
                assert_eq!(game.moves, [Move::Castle { king: Square::E1, rook }]);
            }
        }
    }

    #[test]
    fn time_controls_are_read_as_they_are_found() {
        let table = [
            ("180+2", Some((18_000, 200))),
            ("600", Some((60_000, 0))),
            ("8+0.08", Some((800, 8))),
            ("40/5400+30:1800", Some((540_000, 3000))),
            ("-", None),
            ("?", None),
            ("*60", None),
            ("-5+2", None),
            ("1e99", None),
        ];
        for (text, expected) in table {
            let found = clocks(text).map(|clocks| (clocks.left_cs.white, clocks.increment_cs.black));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn escapes_in_tags_are_undone() {
        for (raw, value) in [(r"a\\b", r"a\b"), (r#"\\\""#, r#"\""#), (r"\\\\", r"\\"), (r"\n\", r"\n\")] {
            assert_eq!(unescaped(raw), value);
        }
    }
}
