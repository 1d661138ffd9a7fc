//! The games of one person, and her choices in them.

use std::collections::{HashMap, HashSet};

use chess::{
    pgn::Game,
    shakmaty::{Color, Outcome},
};
use nets::human::clone::Lesson;

const FEWEST_PLIES: usize = 10;
/// The last games that tell how strong she is now.
const RECENT: usize = 100;

/// The games of one person.
#[derive(Debug)]
pub(crate) struct Own {
    /// As the file writes her name most often.
    pub(crate) player: String,
    /// The median of her last games, where they tell it.
    pub(crate) rating: Option<u16>,
    pub(crate) games: Vec<OwnGame>,
    /// Games of others, too short ones, and such as came twice.
    pub(crate) left_out: usize,
}

#[derive(Debug)]
pub(crate) struct OwnGame {
    pub(crate) game: Game,
    pub(crate) side: Color,
}

/// Who is in most of the games.
pub(crate) fn most_frequent(games: &[Game]) -> Option<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    games.iter().flat_map(players).for_each(|name| *counts.entry(name).or_default() += 1);
    let most = counts.into_iter().max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| b.cmp(a)));
    most.map(|(name, _)| name.to_owned())
}

/// Some of the names in the games, those that come most often first.
pub(crate) fn names(games: &[Game], most: usize) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    games.iter().flat_map(players).for_each(|name| *counts.entry(name).or_default() += 1);
    let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
    names.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    names.into_iter().take(most).map(|(name, _)| name.to_owned()).collect()
}

fn players(game: &Game) -> impl Iterator<Item = &str> {
    ["White", "Black"].into_iter().filter_map(|tag| game.tag(tag))
}

impl Own {
    pub(crate) fn of(games: Vec<Game>, player: &str) -> Own {
        let mut own = Own { player: player.to_owned(), rating: None, games: Vec::new(), left_out: 0 };
        let mut known = HashSet::new();
        for game in games {
            let is = |tag: &str| game.tag(tag).is_some_and(|name| name.eq_ignore_ascii_case(player));
            let side = if is("White") { Some(Color::White) } else { is("Black").then_some(Color::Black) };
            let moves = || game.moves.iter().map(|m| m.to_string()).collect::<String>();
            let mut new = || known.insert((date(&game), game.tag("UTCTime").map(str::to_owned), moves()));
            match side.filter(|_| game.moves.len() >= FEWEST_PLIES && new()) {
                Some(side) => own.games.push(OwnGame { game, side }),
                None => own.left_out += 1,
            }
        }
        // Where no dates are told, the order of the file stays.
        own.games.sort_by_key(|own| date(&own.game));
        if let Some(name) = own.games.first().and_then(|own| own.game.tag(tag_of(own.side))) {
            own.player = name.to_owned();
        }
        own.rating = median(own.games.iter().rev().filter_map(OwnGame::rating).take(RECENT).collect());
        own
    }
}

impl OwnGame {
    /// Every choice of hers.
    pub(crate) fn lessons(&self) -> Vec<Lesson> {
        let moments = self.game.moments().zip(&self.game.moves).enumerate();
        let own = moments.filter(|(_, (moment, _))| moment.turn() == self.side);
        own.map(|(ply, (moment, &played))| Lesson { moment, played, ply }).collect()
    }

    fn rating(&self) -> Option<u16> {
        self.game.start.players.and_then(|players| players.of(self.side))
    }

    /// Points that she made.
    pub(crate) fn points(&self) -> Option<f32> {
        match self.game.outcome {
            Outcome::Known(known) => Some(match known.winner() {
                Some(winner) => f32::from(u8::from(winner == self.side)),
                None => 0.5,
            }),
            Outcome::Unknown => None,
        }
    }
}

fn tag_of(side: Color) -> &'static str {
    side.fold_wb("White", "Black")
}

fn date(game: &Game) -> String {
    game.tag("UTCDate").or_else(|| game.tag("Date")).unwrap_or_default().to_owned()
}

fn median(mut ratings: Vec<u16>) -> Option<u16> {
    ratings.sort_unstable();
    ratings.get(ratings.len() / 2).copied()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn games(pgn: &str) -> Vec<Game> {
        chess::pgn::games(pgn.as_bytes()).map(Result::unwrap).collect()
    }

    fn game(white: &str, black: &str, date: &str, elo: u16, result: &str) -> String {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{date}\"]\n[WhiteElo \"{elo}\"]\n\
             [Result \"{result}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. d3 Bc5 5. O-O d6 {result}\n\n"
        )
    }

    #[test]
    fn a_persons_games_come_once_and_in_their_order() {
        let text = [
            game("Ann", "Bob", "2024.02.01", 1700, "1-0"),
            game("Ann", "Eve", "2023.01.01", 1500, "0-1"),
            game("ann", "Eve", "2023.01.01", 1500, "0-1"),
            game("Bob", "Ann", "2024.03.01", 1900, "1/2-1/2"),
            game("Bob", "Eve", "2024.03.01", 1900, "1-0"),
        ]
        .concat();
        let all = games(&text);
        assert_eq!(most_frequent(&all).as_deref(), Some("Ann"), "of equals the first by name");
        assert_eq!(names(&all, 2), ["Ann", "Bob"]);
        let own = Own::of(all, "ANN");
        assert_eq!((own.player.as_str(), own.games.len(), own.left_out), ("Ann", 3, 2));
        let points: Vec<_> = own.games.iter().map(OwnGame::points).collect();
        assert_eq!(points, [Some(0.0), Some(1.0), Some(0.5)]);
        assert_eq!(own.rating, Some(1700));
        let plies: Vec<usize> = own.games[2].lessons().iter().map(|lesson| lesson.ply).collect();
        assert_eq!(plies, [1, 3, 5, 7, 9]);
    }
}
