//! Positions made ready for the network: their ones, their legal moves side by side, and what is to be learned of them.

use std::sync::Arc;

use chess::{
    Evaluation,
    encoding::ranker::{self, PLANES},
    shakmaty::{Chess, Color, Move, Position},
};
use data::Sample;

use super::RankerConfig;
use crate::fused::Ones;

/// Mirrors the files of a square's number.
const FILES: u16 = 7;

#[derive(Debug, Default)]
pub(crate) struct RankerBatch {
    pub(super) ones: Arc<Ones>,
    pub(super) moves: Moves,
    pub(super) targets: Targets,
}

/// The legal moves of all positions, one position after another.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// Numbers of legal moves.
    pub(super) counts: Vec<usize>,
    /// The position of each move.
    pub(super) owners: Vec<i32>,
    /// 64 x position + square.
    pub(super) origins: Vec<i32>,
    pub(super) goals: Vec<i32>,
    /// Kinds of step, of [`ranker::STEPS`].
    pub(super) steps: Vec<i32>,
}

/// What is to be learned, per sample. Values are those of [`Evaluation`], seen by the side to move; not a number where unknown.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) value: Vec<f32>,
    /// The place of the judged move among all moves of the batch: the played one, or an engine's best.
    pub(super) played: Vec<i32>,
    /// What that move leaves to the one who makes it.
    pub(super) after: Vec<f32>,
}

/// Centipawns that a good move may cost; engines disagree with themselves by more.
const GOOD_MOVE_LOSS: f32 = 15.0;

impl RankerBatch {
    pub(super) fn from_samples(config: &RankerConfig, samples: &[Sample]) -> RankerBatch {
        let mut ones = Ones::default();
        let mut batch = RankerBatch::default();
        let mut places = Vec::new();
        for (at, sample) in samples.iter().enumerate() {
            let position = &sample.moment.position;
            // A value does not change when files are mirrored, but castling does.
            let mirror = config.mirror && at % 2 == 1 && position.castles().is_empty();
            ones.push(position, mirror, &mut places);
            batch.targets.push(sample, batch.moves.steps.len());
            batch.moves.push(position, mirror);
        }
        batch.ones = Arc::new(ones);
        batch
    }

    /// Positions to be judged; `moves` if their moves are as well.
    pub(super) fn from_positions<'a>(
        positions: impl IntoIterator<Item = &'a Chess>,
        moves: bool,
    ) -> RankerBatch {
        let mut ones = Ones::default();
        let mut batch = RankerBatch::default();
        let mut places = Vec::new();
        for position in positions {
            ones.push(position, false, &mut places);
            if moves {
                batch.moves.push(position, false);
            }
        }
        batch.ones = Arc::new(ones);
        batch
    }

    /// Positions with values and moves out of the air, to measure speed by.
    pub(super) fn guessed(positions: &[Chess]) -> RankerBatch {
        let mut batch = RankerBatch::from_positions(positions, true);
        let mut first = 0;
        for (at, count) in batch.moves.counts.iter().enumerate() {
            batch.targets.value.push(at as f32);
            batch.targets.played.push(first);
            batch.targets.after.push(at as f32);
            first += *count as i32;
        }
        batch
    }
}

impl Ones {
    fn push(&mut self, position: &Chess, mirror: bool, places: &mut Vec<u16>) {
        ranker::encode(position, places);
        let planes = PLANES as u16;
        let flip = if mirror { FILES } else { 0 };
        self.places.extend(places.iter().map(|place| ((place / planes) ^ flip) * planes + place % planes));
        self.ends.push(self.places.len());
    }
}

impl Moves {
    fn push(&mut self, position: &Chess, mirror: bool) {
        let us = position.turn();
        let legal = position.legal_moves();
        let first = 64 * self.counts.len() as i32;
        let square = |square: chess::shakmaty::Square| {
            let square = if mirror { square.flip_horizontal() } else { square };
            first + i32::from(u8::from(square))
        };
        for &m in &legal {
            let (origin, step) = ranker::step(us, m);
            self.owners.push(self.counts.len() as i32);
            self.origins.push(square(origin));
            self.goals.push(square(us.fold_wb(m.to(), m.to().flip_vertical())));
            self.steps.push(if mirror { ranker::mirrored(step) } else { step } as i32);
        }
        self.counts.push(legal.len());
    }
}

impl Targets {
    /// `first` is the place of the position's first move.
    fn push(&mut self, sample: &Sample, first: usize) {
        let us = sample.moment.turn();
        let (m, after) = judged(sample);
        let place = sample.moment.legal_moves().iter().position(|&legal| legal == m);
        self.value.push(seen_by(us, sample.evaluation()));
        self.played.push((first + place.expect("games are replayed by legal moves")) as i32);
        self.after.push(seen_by(us, after));
    }

    /// Whether the move of a sample is known to be about as good as any.
    pub(super) fn is_good(&self, at: usize) -> bool {
        self.after[at] >= self.value[at] - GOOD_MOVE_LOSS
    }
}

/// A move of which it is known what it leaves: the engine's best, which leaves what the position is worth, or the played one.
fn judged(sample: &Sample) -> (Move, Option<Evaluation>) {
    let label = sample.label.as_ref();
    // A label whose move is not legal here is a label of something else.
    let best = label.and_then(|label| label.line.first()?.unpack(&sample.moment.position));
    match best {
        Some(best) => (best, sample.evaluation()),
        None => (sample.played, sample.game.eval_at(usize::from(sample.ply) + 1)),
    }
}

fn seen_by(us: Color, value: Option<Evaluation>) -> f32 {
    value.map_or(f32::NAN, |value| f32::from(us.fold_wb(value, value.flipped()).0))
}
