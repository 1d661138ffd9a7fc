//! A row back as PGN. Importing what is written here gives the row again.

use std::io::{self, Write};

use chess::{
    Annotation, Evaluation,
    shakmaty::{Color, Position, san::SanPlus},
};

use crate::{Game, date};

/// Writes one game with an empty line after it. The game must be sound (see [`Game::is_sound`]).
pub fn write_pgn(game: &Game, out: &mut impl Write) -> io::Result<()> {
    let lichess = game.id.len() == 8 && game.id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let site = if lichess { format!("https://lichess.org/{}", game.id) } else { "?".to_owned() };
    let day = game.date.map_or_else(|| "????.??.??".to_owned(), date::write);
    let (white_elo, black_elo) =
        (game.white_elo.map(|elo| elo.to_string()), game.black_elo.map(|elo| elo.to_string()));
    let control = game.control.map(|control| format!("{}+{}", control.base_s, control.increment_s));
    let tags: [(&str, Option<&str>); 17] = [
        ("Event", Some("?")),
        ("Site", Some(&site)),
        ("Date", Some(&day)),
        ("Round", Some("-")),
        ("White", Some(&game.white)),
        ("Black", Some(&game.black)),
        ("Result", Some(game.result.name())),
        ("GameId", Some(&game.id)),
        ("WhiteElo", white_elo.as_deref()),
        ("BlackElo", black_elo.as_deref()),
        ("WhiteTitle", game.white_title.as_deref()),
        ("BlackTitle", game.black_title.as_deref()),
        ("TimeControl", control.as_deref()),
        ("ECO", game.eco.as_deref()),
        ("Termination", game.termination.as_deref()),
        ("SetUp", game.start_fen.as_ref().map(|_| "1")),
        ("FEN", game.start_fen.as_deref()),
    ];
    for (name, value) in tags {
        if let Some(value) = value {
            writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
    }
    writeln!(out)?;
    write_moves(game, out)?;
    writeln!(out, "{}\n", game.result.name())
}

fn write_moves(game: &Game, out: &mut impl Write) -> io::Result<()> {
    let mut position = game.start();
    let mut commented = true;
    for (ply, packed) in game.moves.iter().enumerate() {
        let Some(m) = packed.unpack(&position) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("game {} has an illegal move", game.id),
            ));
        };
        let number = position.fullmoves();
        match position.turn() {
            Color::White => write!(out, "{number}. ")?,
            // After a comment the number is said again.
            Color::Black if commented => write!(out, "{number}... ")?,
            Color::Black => {}
        }
        write!(out, "{} ", SanPlus::from_move_and_play_unchecked(&mut position, m))?;
        let annotation = Annotation {
            clock_cs: game.clocks_cs.as_ref().and_then(|clocks| clocks[ply]),
            eval: game.evals.as_ref().and_then(|evals| evals[ply]).map(|bits| Evaluation(bits).into()),
        };
        let comment = annotation.write();
        commented = !comment.is_empty();
        if commented {
            write!(out, "{{ {comment} }} ")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Bots, Dataset, DatasetError, Filters, ImportOptions, import, testing::any_game};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn import_of_the_export_gives_the_same_rows(games in prop::collection::vec(any_game(), 1..20)) {
            let mut games: Vec<Game> = games.into_iter().filter(|game| !game.moves.is_empty()).collect();
            games.dedup_by(|a, b| a.id == b.id);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("games.pgn");
            let mut text = Vec::new();
            games.iter().for_each(|game| write_pgn(game, &mut text).unwrap());
            std::fs::write(&path, &text).unwrap();
            let filters = Filters { bots: Bots::Keep, unfinished: true, ..Filters::default() };
            let options = ImportOptions { filters, strict: true, ..ImportOptions::default() };
            let out = folder.path().join("out");
            import(&[path], &out, &options, |_| {}).unwrap();
            let mut found = Vec::new();
            Dataset::open(&out).unwrap().for_each_group(|rows| {
                found.extend(rows);
                Ok::<_, DatasetError>(())
            }).unwrap();
            prop_assert_eq!(found, games);
        }
    }
}
