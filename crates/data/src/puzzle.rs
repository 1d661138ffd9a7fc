//! The Lichess puzzle CSV.

use std::io::BufRead;

use chess::{
    Moment,
    shakmaty::{CastlingMode, Move},
};
use thiserror::Error;

use crate::lines;

/// A puzzle as the solver meets it: the opponent's last move has been played.
#[derive(Clone, Debug)]
pub struct Puzzle {
    pub id: String,
    pub moment: Moment,
    /// Moves of both sides, the solver's first.
    pub solution: Vec<Move>,
    pub rating: u16,
    pub deviation: Option<u16>,
    /// Upvotes less downvotes, in percent.
    pub popularity: Option<i16>,
    pub plays: Option<u32>,
    pub themes: Vec<String>,
    pub game_url: Option<String>,
    pub openings: Vec<String>,
}

#[derive(Debug, Error)]
#[error("line {line}: {reason}")]
pub struct PuzzleError {
    pub line: u64,
    pub reason: String,
}

const COLUMNS: [&str; 10] = [
    "PuzzleId",
    "FEN",
    "Moves",
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
];

/// Reads puzzles line by line; a bad line is an error of its own and the next one is read. A first line of names gives the order
/// of the columns; without it they stand as Lichess writes them.
pub fn read_puzzles(reader: impl BufRead) -> impl Iterator<Item = Result<Puzzle, PuzzleError>> {
    let mut order: Vec<Option<usize>> = (0..COLUMNS.len()).map(Some).collect();
    lines::numbered(reader).filter_map(move |(line, text)| {
        let text = match text {
            Ok(text) => text,
            Err(reason) => return Some(Err(PuzzleError { line, reason })),
        };
        let fields: Vec<&str> = text.trim_end().split(',').collect();
        if line == 1 && fields.contains(&"FEN") {
            order = COLUMNS.iter().map(|name| fields.iter().position(|field| field == name)).collect();
            return None;
        }
        if text.trim().is_empty() {
            return None;
        }
        let field = |column: usize| order[column].and_then(|at| fields.get(at)).copied().unwrap_or_default();
        Some(read_puzzle(field).map_err(|reason| PuzzleError { line, reason }))
    })
}

fn read_puzzle<'a>(field: impl Fn(usize) -> &'a str) -> Result<Puzzle, String> {
    let mut moment = Moment::from_fen(field(1), CastlingMode::Standard).map_err(|error| error.to_string())?;
    moment.check_pieces().map_err(|error| error.to_string())?;
    let mut solution = Vec::new();
    let mut along = moment.clone();
    for (at, text) in field(2).split_whitespace().enumerate() {
        let m = along.parse_uci(text).map_err(|error| error.to_string())?;
        along.play(m);
        match at {
            0 => moment.play(m),
            _ => solution.push(m),
        }
    }
    if solution.is_empty() {
        return Err(format!("puzzle `{}` has no solution", field(0)));
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    Ok(Puzzle {
        id: field(0).to_owned(),
        moment,
        solution,
        rating: field(3).parse().map_err(|_| format!("`{}` is not a rating", field(3)))?,
        deviation: field(4).parse().ok(),
        popularity: field(5).parse().ok(),
        plays: field(6).parse().ok(),
        themes: words(field(7)),
        game_url: Some(field(8).to_owned()).filter(|url| !url.is_empty()),
        openings: words(field(9)),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEADER: &str =
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n";
    const ROW: &str =
        "aaaaa,6k1/5ppp/8/8/8/8/r4PPP/1R4K1 b - - 0 1,a2c2 b1b8 c2c8 b8c8,900,,95,,mate short,,\n";

    #[test]
    fn the_opponents_move_is_played_and_missing_fields_are_unknown() {
        for text in [format!("{HEADER}{ROW}"), ROW.to_owned()] {
            let puzzle = read_puzzles(text.as_bytes()).next().unwrap().unwrap();
            assert_eq!(puzzle.moment.past.moves().len(), 1);
            assert_eq!(puzzle.moment.uci(puzzle.solution[0]), "b1b8");
            assert_eq!(
                (puzzle.solution.len(), puzzle.rating, puzzle.deviation, puzzle.plays),
                (3, 900, None, None)
            );
            assert_eq!(puzzle.themes, ["mate", "short"]);
        }
    }

    #[test]
    fn columns_may_stand_in_another_order() {
        let text =
            "Rating,Moves,FEN\n1200,e2e4 e7e5,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
        assert_eq!(read_puzzles(text.as_bytes()).next().unwrap().unwrap().rating, 1200);
    }

    #[test]
    fn a_bad_line_is_named_and_the_next_is_read() {
        let text = format!("{HEADER}x,notfen,e2e4,1,,,,,,\n{ROW}");
        let all: Vec<_> = read_puzzles(text.as_bytes()).collect();
        assert_eq!(all[0].as_ref().unwrap_err().line, 2);
        assert!(all[1].is_ok());
        let impossible = "x,4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1,e1d1 e8e7,1,,,,,,\n";
        let refused = read_puzzles(impossible.as_bytes()).next().unwrap().unwrap_err();
        assert!(refused.to_string().contains("White has 2 queens and 8 pawns"), "{refused}");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-h1-8KQkqwb/ ,\\n-]{0,200}", raw: Vec<u8>) {
            read_puzzles(text.as_bytes()).for_each(drop);
            read_puzzles(raw.as_slice()).for_each(drop);
        }
    }
}
