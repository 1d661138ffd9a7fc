//! What a teacher says: a network's chances of moves and outcomes, asked once for positions of a dataset, kept beside the games and joined
//! to samples.

pub(crate) mod table;

use std::{collections::HashMap, path::Path};

use chess::{PackedMove, Ratings, Wdl};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{DatasetError, Fingerprint, Policy, SamplerState, Split, error::At, storage};

/// What a teacher says about one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredOpinion {
    /// The moves that carry nearly all of the chances, likeliest first, in parts of 65,535.
    pub moves: Vec<(PackedMove, u16)>,
    /// Win, draw, loss for the side to move, in such parts, from a teacher that has a view on it.
    pub wdl: Option<[u16; 3]>,
    /// Ratings of the players that were asked for in place of those who played.
    pub drawn: Option<[u16; 2]>,
}

/// One as it counts in training.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftTargets {
    /// Chances of the likeliest legal moves; they sum to 1.
    pub moves: Vec<(PackedMove, f32)>,
    pub wdl: Option<Wdl>,
    /// How much they count; what happened in the game counts the rest.
    pub share: f32,
}

/// `opinions-NAME.json`: how a set of opinions was made, and its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpinionCard {
    pub version: u32,
    pub recipe: OpinionRecipe,
    pub rows: u64,
    pub fingerprint: Fingerprint,
    pub parts: Vec<String>,
    /// Where the draw of positions stands.
    pub sampler: Option<SamplerState>,
    pub finished: bool,
}

/// All that the opinions depend on but how many there are. A run resumes only with the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpinionRecipe {
    /// Name of the teacher's file.
    pub teacher: String,
    /// Hash of its content.
    pub network: Fingerprint,
    pub policy: Policy,
    pub split: Option<Split>,
    /// Accounts in ten thousand whose games are left out; see [`crate::KeptApart`].
    pub kept_apart: u32,
    pub seed: u64,
    /// Share of positions that are asked about for other ratings than the players'.
    pub drawn: f64,
}

impl OpinionCard {
    pub(crate) const VERSION: u32 = 1;

    pub(crate) fn file(name: &str) -> String {
        format!("opinions-{name}.json")
    }

    /// The card of the set `name`, if there is one.
    pub fn read(folder: &Path, name: &str) -> Result<Option<OpinionCard>, DatasetError> {
        let path = folder.join(OpinionCard::file(name));
        let text = match storage::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(DatasetError::Io { path, error }),
        };
        let card: OpinionCard = serde_json::from_slice(&text)
            .map_err(|error| DatasetError::Card { path: path.clone(), error })?;
        match card.version {
            OpinionCard::VERSION => Ok(Some(card)),
            found => Err(DatasetError::Version { path, found, known: OpinionCard::VERSION }),
        }
    }
}

/// Sets of opinions in memory, by game and ply, and how they are taught.
#[derive(Clone, Debug)]
pub struct Opinions {
    games: HashMap<u64, Vec<(u16, StoredOpinion)>>,
    share: f32,
    temperature: f32,
}

impl Opinions {
    /// Reads sets of a dataset's folder; of a position that is in several the last counts. `share` is what they count beside what was
    /// played, `temperature` what the logarithms of their chances of moves are divided by.
    pub fn read(
        folder: &Path,
        names: &[String],
        share: f32,
        temperature: f32,
    ) -> Result<Opinions, DatasetError> {
        let mut games: HashMap<u64, Vec<(u16, StoredOpinion)>> = HashMap::new();
        for name in names {
            let card = OpinionCard::read(folder, name)?
                .ok_or_else(|| DatasetError::Missing(folder.join(OpinionCard::file(name))))?;
            for part in &card.parts {
                let path = folder.join(part);
                let keep = |row: table::Row| {
                    let game = games.entry(xxh3_64(row.game_id.as_bytes())).or_default();
                    game.retain(|(ply, _)| *ply != row.ply);
                    game.push((row.ply, row.opinion));
                };
                table::read(&path, keep).at(&path)?;
            }
        }
        Ok(Opinions { games, share, temperature })
    }

    pub fn get(&self, game_id: &str, ply: u16) -> Option<&StoredOpinion> {
        let game = self.games.get(&xxh3_64(game_id.as_bytes()))?;
        game.iter().find(|(at, _)| *at == ply).map(|(_, opinion)| opinion)
    }

    pub fn has_game(&self, game_id: &str) -> bool {
        self.games.contains_key(&xxh3_64(game_id.as_bytes()))
    }

    pub fn len(&self) -> usize {
        self.games.values().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// What such an opinion teaches. Where the players were not those of the game, what happened in it says nothing.
    pub(crate) fn soft_targets(&self, opinion: &StoredOpinion) -> SoftTargets {
        let sharpened = |&(m, parts): &(PackedMove, u16)| (m, f32::from(parts).powf(1.0 / self.temperature));
        let mut moves: Vec<(PackedMove, f32)> = opinion.moves.iter().map(sharpened).collect();
        let sum: f32 = moves.iter().map(|(_, chance)| chance).sum();
        moves.iter_mut().for_each(|(_, chance)| *chance /= sum);
        let wdl = opinion.wdl.map(|parts| {
            let [win, draw, loss] = parts.map(f32::from);
            Wdl::from_weights(win, draw, loss)
        });
        SoftTargets { moves, wdl, share: if opinion.drawn.is_some() { 1.0 } else { self.share } }
    }
}

impl StoredOpinion {
    /// The ratings that were drawn. Teachers know those of Lichess.
    pub(crate) fn ratings(&self) -> Option<Ratings> {
        self.drawn.map(|[white, black]| Ratings::lichess(Some(white), Some(black)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_targets_sum_to_one_and_follow_the_temperature() {
        let opinion = StoredOpinion {
            moves: vec![(PackedMove(1), 40_000), (PackedMove(2), 10_000)],
            wdl: Some([30_000, 20_000, 10_000]),
            drawn: None,
        };
        let of =
            |temperature| Opinions { games: HashMap::new(), share: 0.7, temperature }.soft_targets(&opinion);
        for (temperature, first) in [(1.0, 0.8), (2.0, 2.0 / 3.0), (0.5, 16.0 / 17.0)] {
            let targets = of(temperature);
            assert!((targets.moves[0].1 - first).abs() < 1e-6, "{targets:?}");
            assert!((targets.moves.iter().map(|(_, chance)| chance).sum::<f32>() - 1.0).abs() < 1e-6);
            assert_eq!(targets.share, 0.7);
        }
        assert!((of(1.0).wdl.expect("a view on the outcome").win() - 0.5).abs() < 1e-6);
        let others = StoredOpinion { drawn: Some([1000, 1100]), ..opinion };
        let opinions = Opinions { games: HashMap::new(), share: 0.7, temperature: 1.0 };
        assert_eq!(opinions.soft_targets(&others).share, 1.0);
    }
}
