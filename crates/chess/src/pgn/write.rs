//! PGN out: the seven tags that every game has, the others, then the moves in lines of at most eighty columns.

use std::fmt;

use shakmaty::{CastlingMode, Chess, Color, Position, san::SanPlus};

use super::{Eval, Game};
use crate::Annotation;

const COLUMNS: usize = 80;
const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, unknown) in ROSTER {
            write_tag(f, name, self.tag(name).unwrap_or(unknown))?;
        }
        write_tag(f, "Result", self.outcome.as_str())?;
        let setup = setup_tags(self);
        let written = |name: &str| ROSTER.iter().any(|(known, _)| *known == name) || name == "Result";
        let set_up =
            |name: &str| ["SetUp", "FEN"].contains(&name) || setup.iter().any(|(known, _)| *known == name);
        for (name, value) in self.tags.iter().filter(|(name, _)| !written(name) && !set_up(name)) {
            write_tag(f, name, value)?;
        }
        for (name, value) in &setup {
            write_tag(f, name, value)?;
        }
        writeln!(f, "\n{}\n", wrapped(&movetext(self)))
    }
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
    writeln!(f, "[{name} \"{value}\"]")
}

/// The tags without which the moves could not be replayed; they follow the start, whatever the game's tags say.
fn setup_tags(game: &Game) -> Vec<(&'static str, String)> {
    let chess960 = game.start.castling_mode() == CastlingMode::Chess960;
    let mut tags = Vec::new();
    if chess960 {
        tags.push(("Variant", "Chess960".to_owned()));
    }
    if chess960 || game.start.position != Chess::default() {
        tags.push(("SetUp", "1".to_owned()));
        tags.push(("FEN", game.start.fen()));
    }
    tags
}

/// The comment for a move, if there is anything to tell.
fn comment(eval: Option<Eval>, clock_cs: Option<u32>) -> Option<String> {
    let text = Annotation { clock_cs, eval }.write();
    (!text.is_empty()).then(|| format!("{{ {text} }}"))
}

/// Move numbers with their moves, comments, and the result: what a line break must not tear.
fn movetext(game: &Game) -> Vec<String> {
    let mut position = game.start.position.clone();
    let mut tokens = Vec::new();
    let mut numbered = false;
    for (ply, &m) in game.moves.iter().enumerate() {
        let number = match position.turn() {
            Color::White => format!("{}. ", position.fullmoves()),
            Color::Black if numbered => String::new(),
            Color::Black => format!("{}... ", position.fullmoves()),
        };
        tokens.push(format!("{number}{}", SanPlus::from_move_and_play_unchecked(&mut position, m)));
        let comment = comment(game.evals[ply], game.clocks_cs[ply]);
        numbered = comment.is_none();
        tokens.extend(comment);
    }
    tokens.push(game.outcome.to_string());
    tokens
}

fn wrapped(tokens: &[String]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for token in tokens {
        if column > 0 && column + 1 + token.len() > COLUMNS {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(token);
        column += token.len();
    }
    text
}
