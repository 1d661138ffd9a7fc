//! Texel's method: weights that make the evaluation predict how games ended.
//!
//! Every position is kept as its counted features, so that the value under any weights is a short sum. The
//! mean squared error between `sigmoid(value)` and the target is lowered by Adam on small batches.

use std::thread;

use chess::shakmaty::{Chess, Color, Position};

use super::{
    Trace, endgame,
    features::{COUNT, DANGER_COUNT, DANGER_GROUPS, GROUPS},
    phase::{FULL_SCALE, OPENING, phase},
    settle,
    tally::{DANGER_CEILING, DANGER_LINEAR, DANGER_SQUARE},
    taper::Taper,
    trace,
    weights::{DANGER_WEIGHTS, WEIGHTS},
};

/// Centipawns of ours for which the odds grow by a factor of e. It sets the scale: with this a pawn more in
/// an even middlegame is worth about a hundred.
pub const ODDS: f32 = 170.0;

/// Weights as the tuner moves them: opening and endgame for each feature, then the danger units.
#[derive(Clone, Debug)]
pub struct Weights {
    pub linear: Vec<[f32; 2]>,
    pub danger: Vec<f32>,
}

impl Weights {
    /// The weights that the engine plays with.
    pub fn current() -> Weights {
        let linear = WEIGHTS.iter().map(|pair| [pair.opening() as f32, pair.endgame() as f32]).collect();
        Weights { linear, danger: DANGER_WEIGHTS.iter().map(|&units| units as f32).collect() }
    }

    fn zeros() -> Weights {
        Weights { linear: vec![[0.0; 2]; COUNT], danger: vec![0.0; DANGER_COUNT] }
    }

    fn add(&mut self, other: &Weights) {
        for (sum, term) in self.linear.iter_mut().zip(&other.linear) {
            *sum = [sum[0] + term[0], sum[1] + term[1]];
        }
        for (sum, term) in self.danger.iter_mut().zip(&other.danger) {
            *sum += term;
        }
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.linear.iter_mut().flatten().chain(&mut self.danger)
    }

    fn values(&self) -> impl Iterator<Item = f32> {
        self.linear.iter().flatten().chain(&self.danger).copied()
    }
}

/// One position to learn from.
#[derive(Clone, Debug)]
pub struct Example {
    /// Net counts, White's minus Black's.
    features: Box<[(u16, i16)]>,
    /// Danger to the kings of Black and White.
    danger: [Box<[(u8, i8)]>; 2],
    phase: u8,
    /// Endgame scale if Black, if White is ahead.
    scale: [u8; 2],
    /// What White scores, 0 to 1.
    target: f32,
}

impl Example {
    /// `None` for endings that the engine knows by heart: no weight speaks there.
    pub fn new(position: &Chess, target: f32) -> Option<Example> {
        let board = position.board();
        if endgame::known_value(board, position.turn()).is_some() {
            return None;
        }
        let Trace { features, danger } = trace(position);
        let mut net = features
            .into_iter()
            .map(|(side, feature, count)| (feature as u16, side.fold_wb(count, -count) as i16))
            .collect::<Vec<_>>();
        net.sort_unstable_by_key(|entry| entry.0);
        net.dedup_by(|next, kept| {
            next.0 == kept.0 && {
                kept.1 += next.1;
                true
            }
        });
        net.retain(|entry| entry.1 != 0);
        let of = |king: Color| {
            danger
                .iter()
                .filter(|entry| entry.0 == king)
                .map(|entry| (entry.1 as u8, entry.2 as i8))
                .collect()
        };
        let scale = |strong| endgame::scale(board, strong) as u8;
        Some(Example {
            features: net.into(),
            danger: [of(Color::Black), of(Color::White)],
            phase: phase(board) as u8,
            scale: [scale(Color::Black), scale(Color::White)],
            target,
        })
    }

    /// Value for White and, through `gradient`, how each weight moves it, times `slope(value)`.
    fn value(&self, weights: &Weights, gradient: Option<(&mut Weights, &dyn Fn(f32) -> f32)>) -> f32 {
        let (mut opening, mut endgame) = (0.0, 0.0);
        for &(feature, count) in &self.features {
            let weight = weights.linear[usize::from(feature)];
            opening += weight[0] * f32::from(count);
            endgame += weight[1] * f32::from(count);
        }
        let units = [0, 1].map(|king: usize| {
            let sum: f32 = self.danger[king]
                .iter()
                .map(|&(kind, n)| weights.danger[usize::from(kind)] * f32::from(n))
                .sum();
            sum.clamp(0.0, DANGER_CEILING as f32)
        });
        let (square, linear) = (DANGER_SQUARE as f32, DANGER_LINEAR as f32);
        opening += (units[0] * units[0] - units[1] * units[1]) / square;
        endgame += (units[0] - units[1]) / linear;

        let early = f32::from(self.phase) / OPENING as f32;
        let scale = f32::from(self.scale[usize::from(endgame > 0.0)]) / FULL_SCALE as f32;
        let late = (1.0 - early) * scale;
        let value = opening * early + endgame * late;
        if let Some((gradient, slope)) = gradient {
            let slope = slope(value);
            for &(feature, count) in &self.features {
                let entry = &mut gradient.linear[usize::from(feature)];
                entry[0] += slope * early * f32::from(count);
                entry[1] += slope * late * f32::from(count);
            }
            for (king, sign) in [(0, slope), (1, -slope)] {
                if units[king] > 0.0 && units[king] < DANGER_CEILING as f32 {
                    let by_unit = sign * (early * 2.0 * units[king] / square + late / linear);
                    for &(kind, n) in &self.danger[king] {
                        gradient.danger[usize::from(kind)] += by_unit * f32::from(n);
                    }
                }
            }
        }
        value
    }
}

impl Weights {
    /// The weight table as Rust source, one group after the other.
    pub fn to_source(&self) -> String {
        let mut text = String::from(
            "//! The weights of the hand-made evaluation, in centipawns, as `tabiya tune` wrote them.\n\n\
             use super::{\n    features::{COUNT, DANGER_COUNT},\n    taper::{Taper, taper},\n};\n\n\
             /// Opening and endgame weight of each feature, in the order of `features.rs`.\n\
             #[rustfmt::skip]\npub(crate) static WEIGHTS: [Taper; COUNT] = [\n",
        );
        for group in GROUPS {
            text += &format!("    // {}: {}\n", group.component, group.name);
            for row in self.linear[group.start..group.start + group.len].chunks(8) {
                let cells = row.iter().map(|[opening, endgame]| format!("taper({opening:.0}, {endgame:.0})"));
                text += &format!("    {},\n", cells.collect::<Vec<_>>().join(", "));
            }
        }
        text += "];\n\n/// Units of danger to a king.\n#[rustfmt::skip]\n\
                 pub(crate) static DANGER_WEIGHTS: [i32; DANGER_COUNT] = [\n";
        for group in DANGER_GROUPS {
            let row = &self.danger[group.start..group.start + group.len];
            let cells: Vec<_> = row.iter().map(|units| format!("{units:.0}")).collect();
            text += &format!("    {}, // {}\n", cells.join(", "), group.name);
        }
        text + "];\n"
    }
}

fn sigmoid(centipawns: f32) -> f32 {
    1.0 / (1.0 + (-centipawns / ODDS).exp())
}

/// Mean squared error of the predicted scores.
pub fn error(examples: &[Example], weights: &Weights) -> f64 {
    let parts = in_parallel(examples, |part| {
        part.iter()
            .map(|example| f64::from(sigmoid(example.value(weights, None)) - example.target).powi(2))
            .sum::<f64>()
    });
    parts.iter().sum::<f64>() / examples.len() as f64
}

fn gradient(examples: &[Example], weights: &Weights) -> Weights {
    let parts = in_parallel(examples, |part| {
        let mut sum = Weights::zeros();
        for example in part {
            let slope = |value: f32| {
                let predicted = sigmoid(value);
                2.0 * (predicted - example.target) * predicted * (1.0 - predicted) / ODDS
            };
            example.value(weights, Some((&mut sum, &slope)));
        }
        sum
    });
    let mut total = Weights::zeros();
    for part in &parts {
        total.add(part);
    }
    let mean = 1.0 / examples.len() as f32;
    total.values_mut().for_each(|value| *value *= mean);
    total
}

fn in_parallel<T: Send>(examples: &[Example], work: impl Fn(&[Example]) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    thread::scope(|scope| {
        let parts = examples.chunks(examples.len().div_ceil(threads).max(1));
        let running: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        running.into_iter().map(|part| part.join().expect("no panic while summing")).collect()
    })
}

/// Adam's running means of the gradient and of its square.
#[derive(Clone, Debug)]
pub struct Tuner {
    pub weights: Weights,
    mean: Weights,
    square: Weights,
    steps: i32,
}

impl Tuner {
    pub fn new(weights: Weights) -> Tuner {
        Tuner { weights, mean: Weights::zeros(), square: Weights::zeros(), steps: 0 }
    }

    /// One step on a batch; `rate` is about the number of centipawns that a weight moves.
    pub fn step(&mut self, batch: &[Example], rate: f32) {
        const KEEP_MEAN: f32 = 0.9;
        const KEEP_SQUARE: f32 = 0.999;
        self.steps += 1;
        let gradient = gradient(batch, &self.weights);
        let unbias_mean = 1.0 - KEEP_MEAN.powi(self.steps);
        let unbias_square = 1.0 - KEEP_SQUARE.powi(self.steps);
        let state = self.mean.values_mut().zip(self.square.values_mut());
        for ((weight, (mean, square)), slope) in self.weights.values_mut().zip(state).zip(gradient.values()) {
            *mean = KEEP_MEAN * *mean + (1.0 - KEEP_MEAN) * slope;
            *square = KEEP_SQUARE * *square + (1.0 - KEEP_SQUARE) * slope * slope;
            *weight -= rate * (*mean / unbias_mean) / ((*square / unbias_square).sqrt() + 1e-10);
        }
    }
}

/// The evaluation worked out from the list of counts, for the side to move: the reference for the fast sum.
pub fn value_of(position: &Chess) -> i32 {
    let turn = position.turn();
    if let Some(white) = endgame::known_value(position.board(), turn) {
        return turn.fold_wb(white, -white);
    }
    let trace = trace(position);
    let mut score = Taper::ZERO;
    for (side, feature, count) in trace.features {
        let value = WEIGHTS[feature] * count;
        score += side.fold_wb(value, -value);
    }
    let mut danger = [0; 2];
    for (side, kind, count) in trace.danger {
        danger[side as usize] += DANGER_WEIGHTS[kind] * count;
    }
    let white = settle(position, score, danger);
    turn.fold_wb(white, -white)
}

#[cfg(test)]
mod tests {
    use chess::{Moment, shakmaty::CastlingMode};

    use super::*;

    fn example(fen: &str, target: f32) -> Example {
        Example::new(&Moment::from_fen(fen, CastlingMode::Standard).unwrap().position, target).unwrap()
    }

    const MIDDLEGAME: &str = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P1Q1/2NP1N2/PPP2PPP/R1B2RK1 w - - 0 7";

    #[test]
    fn the_value_of_an_example_is_the_evaluation() {
        for fen in [MIDDLEGAME, "8/5pk1/4p1p1/3pP2p/3P3P/3K2P1/5P2/8 b - - 0 40"] {
            let position = Moment::from_fen(fen, CastlingMode::Standard).unwrap().position;
            let white = position.turn().fold_wb(1, -1) * value_of(&position);
            let value = example(fen, 0.5).value(&Weights::current(), None);
            assert!((value - white as f32).abs() < 3.0, "{value} {white} {fen}");
        }
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_error() {
        let examples = [example(MIDDLEGAME, 0.9)];
        let mut weights = Weights::current();
        weights.danger.iter_mut().for_each(|units| *units += 20.0);
        let slopes = gradient(&examples, &weights);
        for (index, slope) in slopes.values().enumerate() {
            let nudged = |by: f32| {
                let mut weights = weights.clone();
                *weights.values_mut().nth(index).unwrap() += by;
                error(&examples, &weights)
            };
            let measured = (nudged(0.5) - nudged(-0.5)) as f32;
            assert!((measured - slope).abs() < 2e-5 + 0.02 * slope.abs(), "{index}: {measured} {slope}");
        }
    }

    #[test]
    fn steps_lower_the_error() {
        let examples = [example(MIDDLEGAME, 0.9), example("4k3/8/8/3n4/8/8/3R4/4K3 w - - 0 1", 1.0)];
        let mut tuner = Tuner::new(Weights::current());
        let before = error(&examples, &tuner.weights);
        (0..50).for_each(|_| tuner.step(&examples, 1.0));
        assert!(error(&examples, &tuner.weights) < 0.8 * before);
    }
}
