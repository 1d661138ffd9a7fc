//! HC3's columns by name, one row a position.

use std::io::{self, Write};

use chess::{Moment, encoding::hc3, shakmaty::Color};

use crate::Game;

/// Times are in seconds; `past_move1` is the oldest of the last four moves; `repetition` is 1 when some legal move
/// would bring a position for the third time; `time_rem` is the mover's clock after the move. Unknown values are empty.
pub const CSV_HEADER: &str = "game_id,fen,repetition,max_time,increment,W_time,B_time,W_elo,B_elo,\
    past_move1,past_move2,past_move3,past_move4,next_move,time_rem,outcome";

/// Writes the positions of `game` before the moves at `plies`, which must ascend. The game must be sound.
pub fn write_csv(game: &Game, plies: &[u16], out: &mut impl Write) -> io::Result<()> {
    let mut moment = Moment::new(game.start());
    let mut plies = plies.iter().copied().peekable();
    for (ply, packed) in game.moves.iter().enumerate() {
        let Some(m) = packed.unpack(&moment.position) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("game {} has an illegal move", game.id),
            ));
        };
        if plies.next_if(|&wanted| usize::from(wanted) == ply).is_some() {
            write_row(game, ply, &moment, &moment.uci(m), out)?;
        }
        if plies.peek().is_none() {
            break;
        }
        moment.play(m);
    }
    Ok(())
}

fn write_row(game: &Game, ply: usize, moment: &Moment, played: &str, out: &mut impl Write) -> io::Result<()> {
    let text = |value: Option<String>| value.unwrap_or_default();
    let seconds = |centiseconds: u32| format!("{}", f64::from(centiseconds) / 100.0);
    let clocks = game.clocks_at(ply, moment.turn());
    let clock = |color: Color| text(clocks.map(|clocks| seconds(*clocks.left_cs.get(color))));
    let after = game.clocks_cs.as_ref().and_then(|clocks| clocks[ply]);
    let mut past: Vec<String> = moment.past.moves().take(4).map(|m| moment.uci(m)).collect();
    past.resize(4, String::new());
    past.reverse();
    writeln!(
        out,
        "{},{},{},{},{},{},{},{},{},{},{},{},{}",
        quoted(&game.id),
        moment.fen(),
        u8::from(hc3::may_repeat(moment)),
        text(game.control.map(|control| control.base_s.to_string())),
        text(game.control.map(|control| control.increment_s.to_string())),
        clock(Color::White),
        clock(Color::Black),
        text(game.white_elo.map(|elo| elo.to_string())),
        text(game.black_elo.map(|elo| elo.to_string())),
        past.join(","),
        played,
        text(after.map(seconds)),
        game.result.name(),
    )
}

/// Ids from foreign files may hold commas or quotes.
fn quoted(text: &str) -> String {
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TimeControl, testing::game};

    #[test]
    fn rows_have_the_columns_of_the_header() {
        let mut game = game("abcdefgh", 30);
        game.control = Some(TimeControl { base_s: 180, increment_s: 2 });
        game.clocks_cs = Some((0..30).map(|ply| Some(18_000 - 150 * ply)).collect());
        let mut out = Vec::new();
        write_csv(&game, &[0, 5, 29], &mut out).unwrap();
        let rows: Vec<Vec<String>> = String::from_utf8(out)
            .unwrap()
            .lines()
            .map(|l| l.split(',').map(str::to_owned).collect())
            .collect();
        let columns: Vec<&str> = CSV_HEADER.split(',').collect();
        assert_eq!(columns.len(), 16);
        assert!(rows.iter().all(|row| row.len() == 16), "{rows:?}");
        let at = |row: usize, name: &str| {
            rows[row][columns.iter().position(|column| *column == name).unwrap()].as_str()
        };
        assert_eq!((at(1, "W_time"), at(1, "B_time"), at(1, "time_rem")), ("174", "175.5", "172.5"));
        assert_eq!((at(0, "past_move4"), at(2, "outcome"), at(1, "max_time")), ("", "1-0", "180"));
        assert_eq!(at(1, "past_move4").len(), 4);
    }
}
