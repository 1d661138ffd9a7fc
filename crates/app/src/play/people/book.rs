//! What a person and her opponents played where her games are known, and how it went for her.

use std::collections::{BTreeMap, HashMap};

use chess::{Moment, shakmaty::Color};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    clone::{Own, OwnGame},
    play::{game::side::Side, openings::Openings},
};

/// Plies that are told.
const PLIES: usize = 30;
/// Positions that came but once are told up to here.
const ALWAYS: usize = 8;
/// Openings that are told for each colour.
const MOST_OPENINGS: usize = 30;

/// Moves by position, which is a FEN without its counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = PersonBook)]
pub(crate) struct Book {
    /// Of games in which the person had White.
    pub(crate) white: BTreeMap<String, Vec<Choice>>,
    pub(crate) black: BTreeMap<String, Vec<Choice>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = PersonChoice)]
pub(crate) struct Choice {
    pub(crate) uci: String,
    pub(crate) games: u32,
    /// What the person made of them.
    pub(crate) points: f32,
}

/// An opening that a person plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = PersonOpening)]
pub(crate) struct Opening {
    pub(crate) color: Side,
    pub(crate) name: String,
    pub(crate) games: u32,
    pub(crate) points: f32,
}

impl Book {
    pub(crate) fn of(own: &Own) -> Book {
        let mut book = Book::default();
        let mut firsts: [HashMap<String, usize>; 2] = Default::default();
        for game in &own.games {
            let points = game.points().unwrap_or(0.5);
            let (side, first) = match game.side {
                Color::White => (&mut book.white, &mut firsts[0]),
                Color::Black => (&mut book.black, &mut firsts[1]),
            };
            for (ply, (moment, &m)) in game.game.moments().zip(&game.game.moves).enumerate().take(PLIES) {
                let (key, uci) = (key(&moment), moment.uci(m));
                let earliest = first.entry(key.clone()).or_insert(ply);
                *earliest = ply.min(*earliest);
                let choices = side.entry(key).or_default();
                match choices.iter_mut().find(|choice| choice.uci == uci) {
                    Some(choice) => {
                        (choice.games, choice.points) = (choice.games + 1, choice.points + points);
                    }
                    None => choices.push(Choice { uci, games: 1, points }),
                }
            }
        }
        for (side, first) in [(&mut book.white, &firsts[0]), (&mut book.black, &firsts[1])] {
            side.retain(|key, choices| {
                choices.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.uci.cmp(&b.uci)));
                first[key] < ALWAYS || choices.iter().map(|choice| choice.games).sum::<u32>() > 1
            });
        }
        book
    }
}

/// Openings by the name of their family, those that come most often first.
pub(crate) fn openings(own: &Own) -> Vec<Opening> {
    let mut found: BTreeMap<(bool, &str), (u32, f32)> = BTreeMap::new();
    for OwnGame { game, side } in &own.games {
        let Some(opening) = Openings::shared().of_line(&game.start, game.moves.iter().copied().take(PLIES))
        else {
            continue;
        };
        let family = opening.name.split([':', ',']).next().unwrap_or(opening.name);
        let points = OwnGame { game: game.clone(), side: *side }.points().unwrap_or(0.5);
        let entry = found.entry((side.is_white(), family)).or_default();
        *entry = (entry.0 + 1, entry.1 + points);
    }
    let opening = |((white, name), (games, points)): ((bool, &str), (u32, f32))| Opening {
        color: Color::from_white(white).into(),
        name: name.to_owned(),
        games,
        points,
    };
    let mut all: Vec<Opening> = found.into_iter().map(opening).collect();
    all.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(&b.name)));
    let mut left = [MOST_OPENINGS; 2];
    all.retain(|opening| {
        let left = &mut left[usize::from(opening.color == Side::Black)];
        *left = left.saturating_sub(1);
        *left > 0
    });
    all
}

/// The position without its counters.
fn key(moment: &Moment) -> String {
    moment.fen().split(' ').take(4).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Own {
        let game = |white: &str, black: &str, moves: &str, result: &str| {
            format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
        };
        let text = [
            game("Ann", "Bob", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1", "1-0"),
            game("Ann", "Eve", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4", "1/2-1/2"),
            game("Ann", "Eve", "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2", "0-1"),
            game("Bob", "Ann", "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3", "0-1"),
        ];
        let games = chess::pgn::games(text.concat().as_bytes()).map(Result::unwrap).collect();
        Own::of(games, "Ann")
    }

    #[test]
    fn moves_are_counted_with_what_they_brought() {
        let book = Book::of(&own());
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        assert_eq!(book.white[start], [Choice { uci: "e2e4".to_owned(), games: 3, points: 1.5 }]);
        assert_eq!(book.black[start], [Choice { uci: "d2d4".to_owned(), games: 1, points: 1.0 }]);
        let spanish = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq -";
        let moves: Vec<&str> = book.white[spanish].iter().map(|choice| choice.uci.as_str()).collect();
        assert_eq!(moves, ["b5a4", "b5c6"]);
        // What came once, deep in a game, is left out.
        assert!(!book.white.keys().any(|key| key.contains("2ppbppp")), "{book:?}");
    }

    #[test]
    fn openings_are_told_by_family_and_colour() {
        let all = openings(&own());
        assert_eq!((all[0].name.as_str(), all[0].games, all[0].points), ("Ruy Lopez", 2, 1.5));
        let queens = all.iter().find(|opening| opening.color == Side::Black).unwrap();
        assert_eq!((queens.name.as_str(), queens.points), ("Queen's Gambit Declined", 1.0));
    }
}
