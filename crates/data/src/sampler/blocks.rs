//! Games in blocks that mix several places of the dataset, with the plies that the policy picks from each.

use std::sync::{Arc, OnceLock};

use super::{SamplerError, SamplerOptions, accounts::Accounts};
use crate::{Dataset, DatasetError, Game, Random, TableReader, ordered::Ordered};

/// Row groups that make one block: neighbours in a dump are of the same hour.
const GROUPS_IN_BLOCK: usize = 4;

/// A game and the plies to sample from it.
pub(super) type Picked = (Arc<Game>, Vec<u16>);

/// What comes out of the blocks, in order.
pub(super) enum Event {
    Games(Vec<Picked>),
    EpochEnds,
}

/// Blocks of one epoch after another.
pub(super) struct Blocks {
    loaded: Ordered<Result<Event, SamplerError>>,
}

enum Task {
    Load { epoch: u64, groups: Vec<(usize, usize)> },
    EpochEnds,
}

impl Blocks {
    pub(super) fn new(dataset: Dataset, options: SamplerOptions, first_epoch: u64) -> Blocks {
        let last = if options.epochs == 0 { u64::MAX } else { options.epochs };
        let (seed, threads) = (options.seed, options.threads);
        let groups = all_groups(&dataset);
        let tasks = (first_epoch..last).flat_map(move |epoch| {
            let mut groups = groups.clone();
            Random::keyed(seed, epoch).shuffle(&mut groups);
            let blocks: Vec<_> = groups.chunks(GROUPS_IN_BLOCK).map(<[_]>::to_vec).collect();
            let loads = blocks.into_iter().map(move |groups| Task::Load { epoch, groups });
            loads.chain([Task::EpochEnds])
        });
        let source = Arc::new(Source { accounts: OnceLock::new(), dataset, options });
        let loaded = Ordered::new(threads, threads, tasks, move |task| match task {
            Task::EpochEnds => Ok(Event::EpochEnds),
            Task::Load { epoch, groups } => source.load(epoch, &groups).map(Event::Games),
        });
        Blocks { loaded }
    }
}

impl Iterator for Blocks {
    type Item = Result<Event, SamplerError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.loaded.next()
    }
}

/// (shard, row group) of the whole dataset, by the card alone: every group but a shard's last is full.
fn all_groups(dataset: &Dataset) -> Vec<(usize, usize)> {
    let shards = dataset.card.shards.iter().enumerate();
    let groups = |games: u64| games.div_ceil(crate::ROW_GROUP as u64) as usize;
    shards.flat_map(|(index, shard)| (0..groups(shard.games)).map(move |group| (index, group))).collect()
}

struct Source {
    dataset: Dataset,
    options: SamplerOptions,
    /// Counted by the first thread that needs them; nothing where that failed, which is told when the same games are loaded.
    accounts: OnceLock<Option<Accounts>>,
}

impl Source {
    fn load(&self, epoch: u64, groups: &[(usize, usize)]) -> Result<Vec<Picked>, SamplerError> {
        let mut picked = Vec::new();
        for &(shard, group) in groups {
            let reader: TableReader = self.dataset.shard(shard)?;
            let path = || self.dataset.folder.join(&self.dataset.card.shards[shard].file);
            if group >= reader.row_groups() {
                return Err(DatasetError::MissingRows(path()).into());
            }
            let games = reader.read(group).map_err(|error| DatasetError::Table { path: path(), error })?;
            picked.extend(games.into_iter().filter_map(|game| self.pick(epoch, game)));
        }
        let key = groups.first().map_or(0, |&(shard, group)| (shard as u64) << 32 | group as u64);
        Random::keyed(self.options.seed ^ 0xb10c, epoch << 40 ^ key).shuffle(&mut picked);
        Ok(picked)
    }

    fn pick(&self, epoch: u64, game: Game) -> Option<Picked> {
        let Source { dataset, options, .. } = self;
        let rules = &options.policy.positions;
        let elsewhere = |id: &str| options.split.is_some_and(|split| dataset.card.split.split(id) != split);
        if (!rules.split_by_position && elsewhere(&game.id))
            || !options.players.admit_any(&game)
            || options.policy.game_rate(&game) == 0.0
        {
            return None;
        }
        let labelled = |ply: usize| {
            options.labels.as_ref().is_some_and(|labels| labels.get(&game.id, ply as u16).is_some())
        };
        let opinions = options.opinions.as_deref();
        if rules.untaught == 0.0 && opinions.is_none_or(|opinions| !opinions.has_game(&game.id)) {
            return None;
        }
        let taught =
            |ply: usize| opinions.is_some_and(|opinions| opinions.get(&game.id, ply as u16).is_some());
        let mut plies = options.policy.pick(&game, options.seed, epoch, labelled, taught);
        options.players.thin(&game, &mut plies);
        if rules.split_by_position {
            plies.retain(|ply| !elsewhere(&format!("{}/{ply}", game.id)));
        }
        if rules.per_account > 0 {
            let accounts = self.accounts.get_or_init(|| Accounts::count(dataset, options).ok());
            accounts.iter().for_each(|accounts| accounts.thin(&game, options.seed, epoch, &mut plies));
        }
        (!plies.is_empty()).then(|| (Arc::new(game), plies))
    }
}
