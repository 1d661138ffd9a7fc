//! Asks a teacher about positions of a dataset, and keeps what it says every few seconds.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use chess::{Moment, Opinion, PackedMove, Random, RatingScale, Ratings, Wdl};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    Dataset, DatasetError, Fingerprint, KeptApart, OpinionCard, OpinionRecipe, Players, Sample, Sampler,
    SamplerError, SamplerOptions, StoredOpinion,
    error::At,
    opinions::table::{self, Row},
    storage::{self, Claim, Draft},
};

/// Rows of a part at most, and how long they may wait for it.
const PART_ROWS: usize = 16_384;
const PART_TIME: Duration = Duration::from_secs(30);
/// The share of the chances that is kept, on the likeliest moves.
const KEPT: f32 = 0.99;
const WHOLE: f32 = u16::MAX as f32;
/// Bounds of ratings that are drawn, and how far apart two players are then at most.
const DRAWN: std::ops::Range<u16> = 600..2600;
const APART: u16 = 200;

#[derive(Clone, Debug)]
pub struct OpinionOptions {
    /// The set's name: several may lie beside each other.
    pub name: String,
    pub recipe: OpinionRecipe,
    /// Positions to ask about; 0: all that the policy picks once.
    pub sample: u64,
    /// Positions that are asked about at once.
    pub batch: usize,
    pub resume: bool,
    /// Set from another thread, it ends the work in good order: what was answered is kept, and `resume` goes on from there.
    pub stop: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug)]
pub struct OpinionProgress {
    /// Rows of this and of earlier runs.
    pub rows: u64,
}

#[derive(Debug, Error)]
pub enum OpinionError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    #[error("opinions `{0}` exist already; --resume goes on with them, --name begins another set")]
    Exists(String),
    #[error("opinions `{0}` were collected in another way; resume with the same teacher, policy and seed")]
    OtherRecipe(String),
    #[error("another process collects opinions `{0}`")]
    Busy(String),
    #[error("the teacher has no chances of moves")]
    NoPolicy,
    #[error("interrupted; --resume goes on from here")]
    Interrupted,
}

/// Makes or finishes the set of opinions that `options` describe. `ask` is the teacher: one opinion for each moment.
pub fn collect_opinions(
    folder: &Path,
    options: &OpinionOptions,
    mut ask: impl FnMut(&[Moment]) -> Vec<Opinion>,
    mut progress: impl FnMut(OpinionProgress),
) -> Result<OpinionCard, OpinionError> {
    let dataset = Dataset::open(folder)?;
    let lock_path = folder.join(format!(".opinions-{}.lock", options.name));
    let claim = Claim::take(&lock_path).at(&lock_path)?;
    let claim = claim.ok_or_else(|| OpinionError::Busy(options.name.clone()))?;
    let recipe = options.recipe.clone();
    let card = match OpinionCard::read(folder, &options.name)? {
        Some(_) if !options.resume => return Err(OpinionError::Exists(options.name.clone())),
        Some(card) if card.recipe != recipe => return Err(OpinionError::OtherRecipe(options.name.clone())),
        Some(card) => card,
        None => OpinionCard {
            version: OpinionCard::VERSION,
            recipe,
            rows: 0,
            fingerprint: Fingerprint::default(),
            parts: Vec::new(),
            sampler: None,
            finished: false,
        },
    };
    let mut run = Run { folder, claim, name: &options.name, card, rows: Vec::new(), since: Instant::now() };
    let most = if options.sample == 0 { u64::MAX } else { options.sample };
    let mut sampler = run.sampler(&dataset, options)?;
    while run.total() < most {
        if options.stop.load(Ordering::Relaxed) {
            run.commit(false)?;
            return Err(OpinionError::Interrupted);
        }
        let Some(samples) = sampler.next() else { break };
        run.meet(&samples?, &mut ask)?;
        run.card.sampler = Some(sampler.state().clone());
        progress(OpinionProgress { rows: run.total() });
        if run.rows.len() >= PART_ROWS || run.since.elapsed() >= PART_TIME {
            run.commit(false)?;
        }
    }
    run.commit(true)?;
    Ok(run.card)
}

struct Run<'a> {
    folder: &'a Path,
    claim: Claim,
    name: &'a str,
    card: OpinionCard,
    /// Not yet written.
    rows: Vec<Row>,
    since: Instant,
}

impl Run<'_> {
    /// The draw of positions, which is the same in every run.
    fn sampler(&self, dataset: &Dataset, options: &OpinionOptions) -> Result<Sampler, OpinionError> {
        let recipe = &options.recipe;
        let sampling = SamplerOptions {
            epochs: 1,
            batch: options.batch,
            threads: 1,
            players: match recipe.kept_apart {
                0 => Players::All,
                share => Players::Trained(KeptApart(share)),
            },
            ..SamplerOptions::new(recipe.policy.clone(), recipe.split, recipe.seed)
        };
        Ok(match self.card.sampler.clone() {
            Some(state) => Sampler::resume(dataset, &sampling, state)?,
            None => Sampler::new(dataset, &sampling),
        })
    }

    fn total(&self) -> u64 {
        self.card.rows + self.rows.len() as u64
    }

    fn meet(
        &mut self,
        samples: &[Sample],
        ask: &mut impl FnMut(&[Moment]) -> Vec<Opinion>,
    ) -> Result<(), OpinionError> {
        let drawn: Vec<Option<Ratings>> = samples.iter().map(|sample| self.other_players(sample)).collect();
        let asked = |(sample, drawn): (&Sample, &Option<Ratings>)| match drawn {
            Some(players) => Moment { players: Some(*players), clocks: None, ..sample.moment.clone() },
            None => sample.moment.clone(),
        };
        let moments: Vec<Moment> = samples.iter().zip(&drawn).map(asked).collect();
        let opinions = ask(&moments);
        for ((sample, drawn), opinion) in samples.iter().zip(drawn).zip(opinions) {
            let policy = opinion.policy.ok_or(OpinionError::NoPolicy)?;
            let legal = sample.moment.legal_moves();
            let chances = legal.iter().map(|&m| PackedMove::from(m)).zip(policy).collect();
            let opinion = StoredOpinion {
                moves: likeliest(chances),
                wdl: opinion.wdl.map(parts),
                drawn: drawn.and_then(|players| Some([players.white?, players.black?])),
            };
            self.rows.push(Row { game_id: sample.game.id.clone(), ply: sample.ply, opinion });
        }
        Ok(())
    }

    /// Ratings to ask for in place of the players'. Teachers know the numbers of Lichess and no others.
    fn other_players(&self, sample: &Sample) -> Option<Ratings> {
        let OpinionRecipe { seed, drawn, .. } = self.card.recipe;
        let key = xxh3_64(sample.game.id.as_bytes()).wrapping_add(u64::from(sample.ply));
        let mut random = Random::keyed(seed ^ 0x0e10, key);
        let at_home = sample.moment.players.is_some_and(|players| players.scale == RatingScale::Lichess);
        if at_home && !random.chance(drawn) {
            return None;
        }
        let mut between = |from: u16, to: u16| from + random.below(usize::from(to - from)) as u16;
        let white = between(DRAWN.start, DRAWN.end);
        let black = between(white - APART, white + APART + 1);
        Some(Ratings::lichess(Some(white), Some(black)))
    }

    /// Writes the rows as a part, then the card that lists it.
    fn commit(&mut self, finished: bool) -> Result<(), OpinionError> {
        if !self.rows.is_empty() {
            let name = format!("opinions-{}-{:05}.parquet", self.name, self.card.parts.len());
            let path: PathBuf = self.folder.join(&name);
            let mut draft = Draft::create(&path).at(&path)?;
            table::write(&mut draft, &self.rows).at(&path)?;
            self.claim.check().at(&path)?;
            draft.publish().at(&path)?;
            self.card.parts.push(name);
            self.card.rows += self.rows.len() as u64;
            self.rows.iter().for_each(|row| self.card.fingerprint.add(row.fingerprint()));
            self.rows.clear();
        }
        self.since = Instant::now();
        self.card.finished = finished;
        let path = self.folder.join(OpinionCard::file(self.name));
        let text = serde_json::to_vec_pretty(&self.card).expect("a card is plain data");
        self.claim.check().at(&path)?;
        storage::write(&path, &text).at(path)?;
        Ok(())
    }
}

/// The moves that carry the chances that are kept, at least one.
fn likeliest(mut chances: Vec<(PackedMove, f32)>) -> Vec<(PackedMove, u16)> {
    chances.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut sum = 0.0;
    let enough = |&(_, chance): &(PackedMove, f32)| {
        let before = sum;
        sum += chance;
        before < KEPT
    };
    let kept = chances.into_iter().take_while(enough);
    kept.map(|(m, chance)| (m, (WHOLE * chance).round().max(1.0) as u16)).collect()
}

fn parts(wdl: Wdl) -> [u16; 3] {
    [wdl.win(), wdl.draw(), wdl.loss()].map(|chance| (WHOLE * chance).round() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moves_that_carry_nearly_everything_are_kept() {
        let of = |chances: &[f32]| -> Vec<u16> {
            let moves = (0..).map(PackedMove).zip(chances.iter().copied());
            likeliest(moves.collect()).into_iter().map(|(m, _)| m.0).collect()
        };
        assert_eq!(of(&[0.005, 0.6, 0.39, 0.005]), [1, 2]);
        assert_eq!(of(&[0.5, 0.3, 0.1, 0.1]), [0, 1, 2, 3]);
        assert_eq!(of(&[1.0]), [0]);
    }
}
