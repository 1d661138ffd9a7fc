//! The positions that every model is asked about: the same ones whenever seed and filters are the same.

use std::collections::HashMap;

use ::data::{Dataset, Players, Policy, Sample, Sampler, SamplerOptions, Speed, Split};
use anyhow::bail;

/// Holds every position of the test games of a hundred thousand: games of a kind lie together in a dataset, and the first of a
/// smaller pool would come from few of them.
const POOL: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Selection<'a> {
    /// Which positions may be drawn: a policy by name or a TOML file.
    pub(crate) policy: &'a str,
    pub(crate) split: Option<Split>,
    pub(crate) players: Players,
    /// 0: all.
    pub(crate) positions: usize,
    pub(crate) seed: u64,
    /// Empty: all.
    pub(crate) speeds: &'a [Speed],
    /// Of the player to move, both included.
    pub(crate) ratings: Option<(u16, u16)>,
    /// 0: no bound.
    pub(crate) max_per_account: u32,
}

impl Selection<'_> {
    pub(crate) fn draw(&self, dataset: &Dataset) -> anyhow::Result<Vec<Sample>> {
        let usual = SamplerOptions::new(Policy::find(self.policy)?, self.split, self.seed);
        let options = SamplerOptions { epochs: 1, pool: POOL, players: self.players.clone(), ..usual };
        let most = if self.positions == 0 { usize::MAX } else { self.positions };
        let mut accounts: HashMap<String, u32> = HashMap::new();
        let mut chosen = Vec::new();
        for batch in Sampler::new(dataset, &options) {
            chosen.extend(batch?.into_iter().filter(|sample| self.admits(sample, &mut accounts)));
            if chosen.len() >= most {
                chosen.truncate(most);
                break;
            }
        }
        if chosen.is_empty() {
            bail!("no position of this dataset passes the filters");
        }
        Ok(chosen)
    }

    fn admits(&self, sample: &Sample, accounts: &mut HashMap<String, u32>) -> bool {
        let turn = sample.moment.turn();
        let rating = sample.moment.players.and_then(|players| players.of(turn));
        let rated =
            self.ratings.is_none_or(|(from, to)| rating.is_some_and(|rating| (from..=to).contains(&rating)));
        let speed = self.speeds.is_empty() || self.speeds.contains(&Speed::of(sample.game.control));
        if !rated || !speed {
            return false;
        }
        let name = turn.fold_wb(&sample.game.white, &sample.game.black);
        // Players without a name are not one player.
        if self.max_per_account == 0 || name == "?" {
            return true;
        }
        let seen = accounts.entry(name.clone()).or_default();
        *seen += 1;
        *seen <= self.max_per_account
    }
}

/// `1100-1900`.
pub(crate) fn ratings(text: &str) -> Result<(u16, u16), String> {
    let parse = || {
        let (from, to) = text.split_once('-')?;
        Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
    };
    parse().filter(|(from, to)| from <= to).ok_or_else(|| "two ratings such as 1100-1900".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_ratings_are_read_or_refused() {
        assert_eq!(ratings("1100-1900"), Ok((1100, 1900)));
        for wrong in ["1100", "1900-1100", "a-b", "-"] {
            assert!(ratings(wrong).is_err(), "{wrong}");
        }
    }
}
