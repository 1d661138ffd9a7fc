//! Positions as one of the players sees them, and pairs of them.
//!
//! Every sample is seen by a player drawn at random. Whoever won makes his a won position, whoever lost a lost one, so that one decisive
//! game gives positions of both kinds.

use std::sync::Arc;

use chess::{
    Evaluation, LOG_ODDS_PER_CENTIPAWN, Random,
    encoding::comparator,
    shakmaty::{Chess, Color, Position},
};
use data::Sample;

use super::{ComparatorConfig, network::BIAS};
use crate::fused::Lookups;

#[derive(Debug)]
pub(crate) enum ComparatorBatch {
    /// Positions to rebuild from the output of a layer of the encoder, counted from 1.
    Boards {
        layer: usize,
        places: Arc<Lookups>,
    },
    Pairs(Box<Pairs>),
}

#[derive(Debug, Default)]
pub(crate) struct Pairs {
    pub(super) places: Arc<Lookups>,
    /// What each position is worth to its player, in centipawns as [`Evaluation`] has them; not a number where unknown.
    pub(super) values: Vec<f32>,
    /// See [`pair_rows`].
    pub(super) halves: Arc<Lookups>,
    /// The chance that the first is better.
    pub(super) targets: Vec<f32>,
    pub(super) sources: Vec<Source>,
}

/// What put a pair in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Results,
    Scores,
    Teacher,
}

/// A sample as one of its players sees it.
struct Seen<'a> {
    sample: &'a Sample,
    player: Color,
    mirror: bool,
}

/// Chances of two positions that differ by less than this say nothing about which is better.
const LEAST_DIFFERENCE: f32 = 0.02;

impl ComparatorBatch {
    pub(super) fn boards(
        config: &ComparatorConfig,
        samples: &[Sample],
        layer: usize,
        random: &mut Random,
    ) -> ComparatorBatch {
        ComparatorBatch::Boards { layer, places: Arc::new(lookups(&see(config, samples, random))) }
    }

    pub(super) fn pairs(
        config: &ComparatorConfig,
        samples: &[Sample],
        random: &mut Random,
    ) -> ComparatorBatch {
        let seen = see(config, samples, random);
        let mut pairs = Pairs {
            values: seen.iter().map(Seen::value).collect(),
            places: Arc::new(lookups(&seen)),
            ..Pairs::default()
        };
        let count = (samples.len() * config.pairs.per_position).div_ceil(2);
        let by_scores = (count as f32 * config.pairs.scores).round() as usize;
        let drawn = match config.teacher.is_none() {
            true => {
                let mut drawn = draw_by_results(&seen, count - by_scores, random);
                drawn.extend(draw_by_scores(&pairs.values, by_scores, random));
                drawn
            }
            false => config.teacher.judge(&pairs.places, draw_any(seen.len(), count, random)),
        };
        let mut halves = Lookups::default();
        for (first, second, target, source) in drawn {
            pair_rows((first, second), seen.len(), &mut halves);
            pairs.targets.push(target);
            pairs.sources.push(source);
        }
        pairs.halves = Arc::new(halves);
        ComparatorBatch::Pairs(Box::new(pairs))
    }
}

/// Two positions of a batch, the chance that the first is better, and who says so.
pub(super) type Pair = (usize, usize, f32, Source);

/// The bits of a position, and the bias.
pub(super) fn push_places(position: &Chess, player: Color, mirror: bool, lookups: &mut Lookups) {
    let mut places = Vec::new();
    comparator::encode(position, player, &mut places);
    let flipped = |place: u16| if mirror { comparator::mirrored(place) } else { place };
    lookups.rows.extend(places.into_iter().map(|place| i32::from(flipped(place))));
    lookups.rows.push(BIAS);
    lookups.end();
}

/// The rows of a pair among the halves of so many positions, and the bias behind them; see `Comparator::halves`.
pub(super) fn pair_rows((first, second): (usize, usize), positions: usize, lookups: &mut Lookups) {
    lookups.rows.extend([2 * first as i32, 2 * second as i32 + 1, 2 * positions as i32]);
    lookups.end();
}

fn see<'a>(config: &ComparatorConfig, samples: &'a [Sample], random: &mut Random) -> Vec<Seen<'a>> {
    let see = |sample: &'a Sample| {
        let player = if random.chance(0.5) { Color::White } else { Color::Black };
        // A board means the same when its files are mirrored, but castling does not.
        let mirror = random.chance(0.5) && config.mirror && sample.moment.position.castles().is_empty();
        Seen { sample, player, mirror }
    };
    samples.iter().map(see).collect()
}

fn lookups(seen: &[Seen<'_>]) -> Lookups {
    let mut lookups = Lookups::default();
    for Seen { sample, player, mirror } in seen {
        push_places(&sample.moment.position, *player, *mirror, &mut lookups);
    }
    lookups
}

impl Seen<'_> {
    fn value(&self) -> f32 {
        let value = self.sample.evaluation();
        value.map_or(f32::NAN, |value| f32::from(self.player.fold_wb(value, value.flipped()).0))
    }

    /// Whether the player won; nothing where nobody did.
    fn won(&self) -> Option<bool> {
        let points = self.sample.game.result.half_points(self.player)?;
        (points != 1).then_some(points == 2)
    }
}

/// A won and a lost position, in either order.
fn draw_by_results(seen: &[Seen<'_>], count: usize, random: &mut Random) -> Vec<Pair> {
    let with = |won: bool| (0..seen.len()).filter(|&at| seen[at].won() == Some(won)).collect::<Vec<_>>();
    let (won, lost) = (with(true), with(false));
    if won.is_empty() || lost.is_empty() {
        return Vec::new();
    }
    let pair = |_| {
        let (won, lost) = (won[random.below(won.len())], lost[random.below(lost.len())]);
        match random.chance(0.5) {
            true => (won, lost, 1.0, Source::Results),
            false => (lost, won, 0.0, Source::Results),
        }
    };
    (0..count).map(pair).collect()
}

/// Two positions of which an engine holds one for better.
fn draw_by_scores(values: &[f32], count: usize, random: &mut Random) -> Vec<Pair> {
    let known: Vec<usize> = (0..values.len()).filter(|&at| !values[at].is_nan()).collect();
    if known.len() < 2 {
        return Vec::new();
    }
    let pair = |_| {
        let (first, second) = (known[random.below(known.len())], known[random.below(known.len())]);
        let [one, other] = [first, second].map(|at| log_odds(values[at]));
        let differs = (chance(one) - chance(other)).abs() >= LEAST_DIFFERENCE;
        // If positions win with these odds on their own, so one wins before the other.
        differs.then(|| (first, second, chance(one - other), Source::Scores))
    };
    (0..count).filter_map(pair).collect()
}

/// Two positions of which nobody has said anything yet.
fn draw_any(positions: usize, count: usize, random: &mut Random) -> Vec<(usize, usize)> {
    (0..count).map(|_| (random.below(positions), random.below(positions))).filter(|(a, b)| a != b).collect()
}

fn log_odds(value: f32) -> f32 {
    /// Beyond it a game is as good as won.
    const MOST_CENTIPAWNS: f32 = 2000.0;
    debug_assert!(MOST_CENTIPAWNS < f32::from(Evaluation::MAX_CENTIPAWNS));
    LOG_ODDS_PER_CENTIPAWN * value.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS)
}

fn chance(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;
    use crate::{
        comparator::PairConfig,
        testing::{dataset, samples},
    };

    fn batch(scores: f32) -> Pairs {
        let folder = tempdir().unwrap();
        let samples = samples(&dataset(folder.path(), 8), 32);
        let pairs = PairConfig { scores, ..PairConfig::default() };
        let config = ComparatorConfig { pairs, ..ComparatorConfig::default() };
        match ComparatorBatch::pairs(&config, &samples, &mut Random::new(5)) {
            ComparatorBatch::Pairs(pairs) => *pairs,
            ComparatorBatch::Boards { .. } => unreachable!("pairs were asked for"),
        }
    }

    #[test]
    fn a_winner_and_a_loser_make_a_pair_in_either_order() {
        let pairs = batch(0.0);
        assert_eq!(pairs.targets.len(), 64);
        assert!(pairs.sources.iter().all(|source| *source == Source::Results));
        assert!(pairs.targets.iter().all(|target| *target == 0.0 || *target == 1.0));
        let first = pairs.targets.iter().filter(|target| **target == 1.0).count();
        assert!((16..48).contains(&first), "{first}");
    }

    #[test]
    fn the_higher_score_is_likelier_to_be_better() {
        let pairs = batch(1.0);
        assert!(pairs.targets.len() > 32);
        let rows = pairs.halves.rows.chunks_exact(3);
        for (row, target) in rows.zip(&pairs.targets) {
            let (first, second) = (row[0] as usize / 2, (row[1] as usize - 1) / 2);
            assert_eq!(pairs.values[first] > pairs.values[second], *target > 0.5);
        }
    }
}
