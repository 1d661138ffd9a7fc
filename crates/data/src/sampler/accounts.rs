//! How often each account plays: a few accounts fill whole collections, and would teach a network their own habits.

use std::collections::HashMap;

use chess::shakmaty::{Color, Position};
use xxhash_rust::xxh3::xxh3_64;

use super::{SamplerError, SamplerOptions};
use crate::{Dataset, Game, Random, game::is_named};

/// Games of each account that an epoch would draw from, by the hash of its name.
#[derive(Debug)]
pub(super) struct Accounts {
    games: HashMap<u64, f64>,
    most: f64,
}

impl Accounts {
    pub(super) fn count(dataset: &Dataset, options: &SamplerOptions) -> Result<Accounts, SamplerError> {
        let mut games: HashMap<u64, f64> = HashMap::new();
        dataset.for_each_group(|group| {
            for game in group {
                let elsewhere =
                    options.split.is_some_and(|split| dataset.card.split.split(&game.id) != split);
                let rate = if elsewhere { 0.0 } else { options.policy.game_rate(&game) };
                for account in [&game.white, &game.black].into_iter().filter_map(|name| account(name)) {
                    *games.entry(account).or_default() += rate;
                }
            }
            Ok::<_, SamplerError>(())
        })?;
        Ok(Accounts { games, most: options.policy.positions.per_account.into() })
    }

    /// Takes away plies of players who play too often. What stays depends on seed, epoch and game alone.
    pub(super) fn thin(&self, game: &Game, seed: u64, epoch: u64, plies: &mut Vec<u16>) {
        let rates = [&game.white, &game.black].map(|name| self.rate(name));
        let white_begins = game.start().turn() == Color::White;
        let mut random = Random::keyed(seed.wrapping_add(epoch) ^ 0xacc0, xxh3_64(game.id.as_bytes()));
        plies.retain(|ply| random.chance(rates[usize::from((ply % 2 == 0) != white_begins)]));
    }

    /// Share of a player's moves that are kept. Nameless players are taken to be all different.
    fn rate(&self, name: &str) -> f64 {
        let games = account(name).and_then(|account| self.games.get(&account));
        games.map_or(1.0, |games| (self.most / games).min(1.0))
    }
}

fn account(name: &str) -> Option<u64> {
    is_named(name).then(|| xxh3_64(name.as_bytes()))
}
