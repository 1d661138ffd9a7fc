//! Finished games as PGN, with clocks and evals in comments as Lichess writes them.

use chess::{
    Moment,
    pgn::Game,
    shakmaty::{self, CastlingMode},
};

use super::{clock::TimeControl, record::Record};

/// The game with its tags, ready to be written.
pub(crate) fn pgn(record: &Record) -> Game {
    let mode = CastlingMode::from_chess960(record.chess960);
    let start = record.start_fen.as_ref().map(|fen| Moment::from_fen(fen, mode));
    let mut moment = start.unwrap_or_else(|| Ok(Moment::default())).expect("the game was played from here");
    let mut game = Game::new(moment.clone());
    for played in &record.moves {
        let m = moment.parse_uci(&played.uci).expect("recorded moves are legal");
        moment.play(m);
        let clock_cs = played.clock_ms.map(|ms| u32::try_from(ms / 10).unwrap_or(u32::MAX));
        game.push(m, clock_cs, played.eval());
    }
    game.outcome = shakmaty::Outcome::from_ascii(record.outcome.pgn().as_bytes()).expect("a result of PGN");
    tag(&mut game, record);
    game
}

fn tag(game: &mut Game, record: &Record) {
    game.set_tag("Event", "Tabiya arena");
    game.set_tag("Date", &record.date);
    game.set_tag("Round", &record.round);
    game.set_tag("White", &record.white);
    game.set_tag("Black", &record.black);
    // PGN knows no word for a fixed number of nodes and its like, nor for two time controls in one game.
    let [white, black] = &record.pace;
    let on_clock = white == black && white.parse::<TimeControl>().is_ok();
    game.set_tag("TimeControl", if on_clock { white } else { "-" });
    if !on_clock {
        game.set_tag("WhitePace", white);
        game.set_tag("BlackPace", black);
    }
    game.set_tag("Termination", record.end.pgn());
    game.set_tag("Ending", record.ending());
    game.set_tag("PlyCount", record.moves.len().to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::{End, Outcome, Played};

    #[test]
    fn a_lost_game_tells_who_lost_it_and_how() {
        let think = |uci, cp, mate, ms| Played { cp, mate, clock_ms: Some(ms), ..Played::book(uci) };
        let record = Record {
            game: 5,
            round: "3.2".to_owned(),
            date: "2024.05.06".to_owned(),
            white: "Ann".to_owned(),
            black: "Bob".to_owned(),
            pace: ["8+0.08".to_owned(), "8+0.08".to_owned()],
            chess960: false,
            start_fen: None,
            outcome: Outcome::WhiteWins,
            end: End::IllegalMove,
            note: Some("e9 cannot be played".to_owned()),
            moves: vec![
                Played::book("e2e4"),
                think("e7e5", Some(31), None, 7999),
                think("g1f3", None, Some(-4), 3_661_250),
            ],
        };
        let expected = "\
[Event \"Tabiya arena\"]
[Site \"?\"]
[Date \"2024.05.06\"]
[Round \"3.2\"]
[White \"Ann\"]
[Black \"Bob\"]
[Result \"1-0\"]
[TimeControl \"8+0.08\"]
[Termination \"rules infraction\"]
[Ending \"Bob lost by an illegal move: e9 cannot be played\"]
[PlyCount \"3\"]

1. e4 e5 { [%eval 0.31] [%clk 0:00:07.99] } 2. Nf3
{ [%eval #-4] [%clk 1:01:01.25] } 1-0

";
        assert_eq!(pgn(&record).to_string(), expected);
    }
}
