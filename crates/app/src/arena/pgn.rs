//! Finished games as PGN, with clocks and evals in comments as Lichess writes them.

use std::fmt::Write;

use chess::{
    Moment,
    shakmaty::{CastlingMode, Color, Position, san::SanPlus},
};

use super::{
    clock::TimeControl,
    record::{Played, Record},
};

/// Lines of movetext are broken before this column.
const WIDTH: usize = 100;

/// One game with an empty line after it.
pub(crate) fn pgn(record: &Record) -> String {
    let mut text = tags(record);
    text.push('\n');
    let mut column = 0;
    for word in movetext(record) {
        let space = usize::from(column > 0);
        if column + space + word.len() > WIDTH && column > 0 {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += &word;
        column += word.len();
    }
    text + "\n\n"
}

fn tags(record: &Record) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        writeln!(text, "[{name} \"{value}\"]").expect("a string grows");
    };
    tag("Event", "Tabiya arena");
    tag("Site", "?");
    tag("Date", &record.date);
    tag("Round", &record.round);
    tag("White", &record.white);
    tag("Black", &record.black);
    tag("Result", record.outcome.pgn());
    if record.chess960 {
        tag("Variant", "Chess960");
    }
    if let Some(fen) = &record.start_fen {
        tag("SetUp", "1");
        tag("FEN", fen);
    }
    // PGN knows no word for a fixed number of nodes and its like.
    let [white, black] = &record.pace;
    let on_clock = white == black && white.parse::<TimeControl>().is_ok();
    tag("TimeControl", if on_clock { white } else { "-" });
    if !on_clock {
        tag("WhitePace", white);
        tag("BlackPace", black);
    }
    tag("Termination", record.end.pgn());
    tag("PlyCount", &record.moves.len().to_string());
    text
}

/// Moves, numbers, comments and the result, to be set with spaces between them.
fn movetext(record: &Record) -> Vec<String> {
    let mode = if record.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let start =
        record.start_fen.as_ref().map_or_else(|| Ok(Moment::default()), |fen| Moment::from_fen(fen, mode));
    let mut position = start.expect("the game was played from here").position;
    let mut words = Vec::new();
    let mut number_due = true;
    for played in &record.moves {
        let number = position.fullmoves();
        match position.turn() {
            Color::White => words.push(format!("{number}.")),
            Color::Black if number_due => words.push(format!("{number}...")),
            Color::Black => {}
        }
        let uci: chess::shakmaty::uci::UciMove = played.uci.parse().expect("recorded moves are moves");
        let m = uci.to_move(&position).expect("recorded moves are legal");
        words.push(SanPlus::from_move_and_play_unchecked(&mut position, m).to_string());
        let comment = comment(played);
        // After a comment Black's move needs its number again.
        number_due = comment.is_some();
        words.extend(comment);
    }
    let note = record.note.as_ref().map(|note| format!(": {}", note.replace(['{', '}'], "|")));
    let loser = record.culprit().map(|name| format!("{} ", name.replace(['{', '}'], "|")));
    words.push(format!(
        "{{{}{}{}}}",
        loser.unwrap_or_default(),
        record.end.words(),
        note.unwrap_or_default()
    ));
    words.push(record.outcome.pgn().to_owned());
    words
}

fn comment(played: &Played) -> Option<String> {
    let eval = played.eval.as_ref().map(|eval| format!("[%eval {eval}]"));
    let clock = played.clock_ms.map(|ms| format!("[%clk {}]", hours_minutes_seconds(ms)));
    let parts: Vec<String> = eval.into_iter().chain(clock).collect();
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(" ")))
}

/// `h:mm:ss.d`, rounded down.
fn hours_minutes_seconds(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{}:{:02}:{:02}.{}", seconds / 3600, seconds / 60 % 60, seconds % 60, ms / 100 % 10)
}

/// Today in UTC, as PGN writes dates.
pub(crate) fn today() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let mut days = now.as_secs() / 86_400;
    let mut year = 1970;
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}.{month:02}.{:02}", days + 1)
}
