//! Whose moves are drawn. Some accounts are kept apart from training, so that a mind can be tested on players of whom it has seen no game.

use std::{collections::HashSet, sync::Arc};

use chess::shakmaty::{Color, Position};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::{Dataset, DatasetError, Game, game::is_named};

#[derive(Clone, Debug, Default)]
pub enum Players {
    #[default]
    All,
    /// Only games in which no player is kept apart.
    Trained(KeptApart),
    /// Only moves of players kept apart who are in none of the games that were seen before.
    Strangers(KeptApart, Seen),
}

/// So many accounts in ten thousand, by a hash of their names. Nameless players are never kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptApart(pub u32);

/// Accounts that are known, by the hash of their names.
#[derive(Clone, Debug, Default)]
pub struct Seen(Arc<HashSet<u64>>);

impl KeptApart {
    pub fn holds(self, name: &str) -> bool {
        const ACCOUNTS: u64 = 0xacc0;
        is_named(name) && (xxh3_64_with_seed(name.as_bytes(), ACCOUNTS) % 10_000) < u64::from(self.0)
    }
}

impl Seen {
    /// All accounts of datasets.
    pub fn accounts<'a>(datasets: impl IntoIterator<Item = &'a Dataset>) -> Result<Seen, DatasetError> {
        let mut seen = HashSet::new();
        for dataset in datasets {
            dataset.for_each_group(|group| {
                let names = group.iter().flat_map(|game| [&game.white, &game.black]);
                seen.extend(names.map(|name| xxh3_64(name.as_bytes())));
                Ok::<_, DatasetError>(())
            })?;
        }
        Ok(Seen(seen.into()))
    }

    pub fn holds(&self, name: &str) -> bool {
        self.0.contains(&xxh3_64(name.as_bytes()))
    }
}

impl Players {
    /// Whether moves of a player are drawn from a game.
    pub(crate) fn admit(&self, game: &Game, color: Color) -> bool {
        let name = color.fold_wb(&game.white, &game.black);
        match self {
            Players::All => true,
            Players::Trained(apart) => !apart.holds(&game.white) && !apart.holds(&game.black),
            Players::Strangers(apart, seen) => apart.holds(name) && !seen.holds(name),
        }
    }

    pub(crate) fn admit_any(&self, game: &Game) -> bool {
        self.admit(game, Color::White) || self.admit(game, Color::Black)
    }

    /// Leaves out plies of players who are not admitted.
    pub(crate) fn thin(&self, game: &Game, plies: &mut Vec<u16>) {
        let admitted = [Color::White, Color::Black].map(|color| self.admit(game, color));
        if admitted == [true; 2] {
            return;
        }
        let white_begins = game.start().turn() == Color::White;
        plies.retain(|ply| admitted[usize::from((ply % 2 == 0) != white_begins)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::game;

    fn between(white: &str, black: &str) -> Game {
        Game { white: white.to_owned(), black: black.to_owned(), ..game("abcdefgh", 6) }
    }

    fn plies(players: &Players, game: &Game) -> Vec<u16> {
        let mut plies = (0..6).collect();
        players.thin(game, &mut plies);
        plies
    }

    #[test]
    fn no_game_of_those_kept_apart_trains_and_only_their_moves_test() {
        let apart = KeptApart(2_000);
        let names: Vec<String> = (0..200).map(|n| format!("player{n}")).collect();
        let (kept, others): (Vec<&str>, Vec<&str>) =
            names.iter().map(String::as_str).partition(|name| apart.holds(name));
        assert!((20..60).contains(&kept.len()), "{}", kept.len());
        let mixed = between(kept[0], others[0]);
        let (trained, strangers) = (Players::Trained(apart), Players::Strangers(apart, Seen::default()));
        assert_eq!(plies(&trained, &mixed), [] as [u16; 0]);
        assert_eq!(plies(&trained, &between(others[0], others[1])), [0, 1, 2, 3, 4, 5]);
        assert_eq!(plies(&strangers, &mixed), [0, 2, 4]);
        assert_eq!(plies(&strangers, &between(others[0], kept[0])), [1, 3, 5]);
        let seen = Seen(Arc::new([xxh3_64(kept[0].as_bytes())].into()));
        assert_eq!(plies(&Players::Strangers(apart, seen), &between(kept[0], kept[1])), [1, 3, 5]);
    }

    #[test]
    fn nobody_without_a_name_is_kept_apart() {
        assert!(!KeptApart(10_000).holds("?") && KeptApart(10_000).holds("somebody"));
    }
}
