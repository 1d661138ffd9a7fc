//! What validation measures: the first action after one step and after all, the bound on futures, and how far imagined lines are right.

use super::{
    Planner, PlannerConfig,
    batch::{Choices, PlannerBatch},
    decode::{Decoder, ranges},
    future::MASKED,
    imaginer::{Imagined, imagined},
    prompt::tokens,
};
use crate::{family::Figures, weights::values};

pub(super) fn figures(config: &PlannerConfig, network: &Planner, batch: &PlannerBatch) -> Figures {
    let mut figures = Figures::default();
    bound(config, network, batch, &mut figures);
    let encoded = network.encode(&batch.known, None);
    let decoder = Decoder {
        config,
        layout: config.layout(),
        network,
        packed: None,
        known: &batch.known,
        encoded: encoded.as_ref(),
    };
    let one = decoder.decide(1, 1, &mut |_, _| {});
    first_actions(batch, &one.chances, ", one step", &mut figures);
    let all = decoder.decide(config.steps, 1, &mut |_, _| {});
    first_actions(batch, &all.chances, "", &mut figures);
    for (outcome, target) in all.outcomes.iter().zip(&batch.targets.value) {
        if target.iter().sum::<f32>() > 0.0 {
            let expected = |[win, draw, _]: [f32; 3]| f64::from(win + 0.5 * draw);
            figures.add("value error", (expected(*outcome) - expected(*target)).abs(), 1.0);
        }
    }
    if config.layout().horizon > 1 {
        lines(config, batch, &decoder, &all.chances, &mut figures);
    }
    figures
}

/// Places of the chosen first actions among all legal moves.
pub(super) fn chosen(counts: &[usize], chances: &[f32]) -> Vec<usize> {
    let best = |legal: std::ops::Range<usize>| {
        let start = legal.start;
        legal.fold(start, |best, at| if chances[at] > chances[best] { at } else { best })
    };
    ranges(counts).map(best).collect()
}

fn first_actions(batch: &PlannerBatch, chances: &[f32], when: &str, figures: &mut Figures) {
    for (legal, future) in ranges(&batch.known.counts).zip(&batch.futures) {
        let Ok(right) = usize::try_from(future.first) else { continue };
        let chances = &chances[legal];
        let better = chances.iter().filter(|&&chance| chance > chances[right]).count();
        figures.add(&format!("move loss{when}"), -f64::from(chances[right].max(1e-30)).ln(), 1.0);
        for top in [1, 3] {
            figures.add(&format!("top-{top}{when}"), f64::from(u8::from(better < top)), 1.0);
        }
    }
}

/// The bound on the likelihood of futures in bits, and the share of hidden variables of each kind that are found.
fn bound(config: &PlannerConfig, network: &Planner, batch: &PlannerBatch, figures: &mut Figures) {
    let encoded = network.encode(&batch.known, None);
    let thought = network.think(&batch.known, encoded.as_ref(), &batch.prompt, None);
    let (layout, asked) = (config.layout(), &batch.targets.asked);
    let mut bits = vec![0.0; batch.noised.len()];
    for (draw, first) in thought.firsts().into_iter().enumerate() {
        let scores = values(first.moves);
        for (board, legal) in ranges(&batch.known.counts).enumerate() {
            let targets = &batch.targets.first[draw];
            if let Ok(right) = usize::try_from(targets.chosen[board]) {
                let seen = Seen::of(targets.seen[board], |seen| {
                    batch.known.actions[legal.clone()].iter().position(|&action| action == seen)
                });
                bits[board * config.draws + draw] += cost(&scores[legal], right, seen);
            }
        }
    }
    let mut count = |name: &str, each: usize, tokens_of: &[i32], targets: &Choices, scores: Vec<f32>| {
        let rows = scores.chunks_exact(each).zip(tokens_of).zip(targets.chosen.iter().zip(&targets.seen));
        for ((scores, &token), (&right, &seen)) in rows {
            let right = right as usize;
            let seen = Seen::of(seen, |seen| Some(seen as usize));
            bits[token as usize / tokens(batch.prompt.layout)] += cost(scores, right, seen);
            let hit = scores.iter().all(|&score| score <= scores[right]);
            figures.add(name, f64::from(u8::from(hit)), 1.0);
        }
    };
    if !asked.actions.is_empty() {
        let scores = values(thought.actions(asked));
        count("hidden actions found", layout.actions(), &asked.actions, &batch.targets.actions, scores);
    }
    if !asked.states.is_empty() {
        let scores = values(thought.changes(asked));
        count("hidden squares found", layout.contents(), &asked.states, &batch.targets.squares, scores);
    }
    for (at, bits) in bits.into_iter().enumerate() {
        let whole = batch.futures[at / config.draws].values.iter().all(|&value| value != MASKED);
        if whole {
            figures.add("bits a future, at most", bits * f64::from(batch.noised[at].bound), 1.0);
        }
    }
}

/// What a network sees in the place of a variable that it is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seen {
    Hidden,
    /// One of the values that it chooses among.
    Value(usize),
    /// Something that cannot be.
    Impossible,
}

impl Seen {
    fn of(value: i32, place: impl Fn(i32) -> Option<usize>) -> Seen {
        match value {
            MASKED => Seen::Hidden,
            value => place(value).map_or(Seen::Impossible, Seen::Value),
        }
    }
}

/// What a variable adds to the bound, in bits, before the noise's weight. Where noise is a mask that is the surprise of the right value;
/// of a path through other values, the bound of Shaul et al. (2024): a wrong value costs the surprise of the right one less the chance
/// of staying, the right one what the network would leave it for.
fn cost(scores: &[f32], right: usize, seen: Seen) -> f64 {
    let chance = |value: usize| (-surprise(scores, value) * std::f64::consts::LN_2).exp();
    match seen {
        Seen::Hidden | Seen::Impossible => surprise(scores, right),
        Seen::Value(seen) if seen == right => (1.0 - chance(seen)) / std::f64::consts::LN_2,
        Seen::Value(seen) => surprise(scores, right) - chance(seen) / std::f64::consts::LN_2,
    }
}

/// Bits of what was right.
fn surprise(scores: &[f32], right: usize) -> f64 {
    let top = scores.iter().fold(f32::MIN, |top, &score| top.max(score));
    let sum: f64 = scores.iter().map(|score| f64::from(score - top).exp()).sum();
    (sum.ln() - f64::from(scores[right] - top)) / std::f64::consts::LN_2
}

/// How far imagined lines keep to the rules, and how often they foresee the engine's reply.
fn lines(
    config: &PlannerConfig,
    batch: &PlannerBatch,
    decoder: &Decoder<'_>,
    chances: &[f32],
    figures: &mut Figures,
) {
    let moments: Vec<_> = batch.samples.iter().collect();
    for Imagined { legal, exact, reply } in imagined(decoder, config.steps, &moments, &batch.futures, chances)
    {
        let mut add = |name: String, hit: bool| figures.add(&name, f64::from(u8::from(hit)), 1.0);
        legal.into_iter().zip(1..).for_each(|(hit, ply)| add(format!("legal a{ply}"), hit));
        exact.into_iter().zip(1..).for_each(|(hit, ply)| add(format!("exact s{ply}"), hit));
        reply.into_iter().for_each(|hit| add("reply".to_owned(), hit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores of a network that knows the truth of one uniformly noised variable: three values of chances 1/2, 1/3 and 1/6.
    const TRUTH: [f64; 3] = [0.5, 1.0 / 3.0, 1.0 / 6.0];

    /// What the network of the truth says at time `time`, having seen a value.
    fn posterior(seen: usize, time: f64) -> Vec<f32> {
        let weight = |value: usize| {
            let stays = if value == seen { time } else { 0.0 };
            TRUTH[value] * (stays + (1.0 - time) / 3.0)
        };
        (0..3).map(|value| weight(value).ln() as f32).collect()
    }

    #[test]
    fn the_bound_of_a_network_that_knows_is_the_entropy_where_noise_is_a_mask_and_lies_above_it_elsewhere() {
        const STEPS: usize = 4000;
        let entropy: f64 = TRUTH.iter().map(|chance| -chance * chance.log2()).sum();
        let mut sum = 0.0;
        for step in 0..STEPS {
            let time = (step as f64 + 0.5) / STEPS as f64;
            for (right, chance) in TRUTH.iter().enumerate() {
                for seen in 0..3 {
                    let share = (1.0 - time) / 3.0 + if seen == right { time } else { 0.0 };
                    let bits = cost(&posterior(seen, time), right, Seen::Value(seen));
                    sum += chance * share * bits / (1.0 - time) / STEPS as f64;
                }
            }
        }
        // A step forgets which values have jumped already, so that even the truth costs more than its entropy.
        assert!((entropy..2.0 * entropy).contains(&sum), "{sum} {entropy}");
        let hidden: Vec<f32> = TRUTH.iter().map(|chance| chance.ln() as f32).collect();
        let masked: f64 =
            TRUTH.iter().enumerate().map(|(right, chance)| chance * cost(&hidden, right, Seen::Hidden)).sum();
        assert!((masked - entropy).abs() < 1e-6, "{masked} {entropy}");
    }
}
