//! What validation measures: the first action after one step and after all, the bound on futures, and how far imagined lines are right.

use chess::shakmaty::Move;

use super::{
    Planner, PlannerConfig, Source,
    batch::Batch,
    decode::{Decoder, ranges},
    future::MASKED,
    line::Line,
    prompt::tokens,
};
use crate::{family::Figures, weights::values};

pub(super) fn figures(config: &PlannerConfig, network: &Planner, batch: &Batch) -> Figures {
    let mut figures = Figures::default();
    if config.source == Source::Masked {
        bound(config, network, batch, &mut figures);
    }
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

fn first_actions(batch: &Batch, chances: &[f32], when: &str, figures: &mut Figures) {
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
fn bound(config: &PlannerConfig, network: &Planner, batch: &Batch, figures: &mut Figures) {
    let encoded = network.encode(&batch.known, None);
    let thought = network.think(&batch.known, encoded.as_ref(), &batch.prompt, None);
    let (layout, asked) = (config.layout(), &batch.targets.asked);
    let mut bits = vec![0.0; batch.noised.len()];
    for (draw, first) in thought.firsts().into_iter().enumerate() {
        let scores = values(first.moves);
        for (board, legal) in ranges(&batch.known.counts).enumerate() {
            if let Ok(right) = usize::try_from(batch.targets.first[draw].chosen[board]) {
                bits[board * config.draws + draw] += surprise(&scores[legal], right);
            }
        }
    }
    let mut count = |name: &str, each: usize, tokens_of: &[i32], chosen: &[i32], scores: Vec<f32>| {
        let rows = scores.chunks_exact(each).zip(tokens_of).zip(chosen);
        for ((scores, &token), &right) in rows {
            let right = right as usize;
            bits[token as usize / tokens(batch.prompt.layout)] += surprise(scores, right);
            let hit = scores.iter().all(|&score| score <= scores[right]);
            figures.add(name, f64::from(u8::from(hit)), 1.0);
        }
    };
    if !asked.actions.is_empty() {
        let scores = values(thought.actions(asked));
        count(
            "hidden actions found",
            layout.actions(),
            &asked.actions,
            &batch.targets.actions.chosen,
            scores,
        );
    }
    if !asked.states.is_empty() {
        let scores = values(thought.changes(asked));
        count(
            "hidden squares found",
            layout.contents(),
            &asked.states,
            &batch.targets.squares.chosen,
            scores,
        );
    }
    for (at, bits) in bits.into_iter().enumerate() {
        let whole = batch.futures[at / config.draws].values.iter().all(|&value| value != MASKED);
        if whole {
            figures.add("bits a future, at most", bits * f64::from(batch.noised[at].bound), 1.0);
        }
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
    batch: &Batch,
    decoder: &Decoder<'_>,
    chances: &[f32],
    figures: &mut Figures,
) {
    let layout = config.layout();
    let chosen = chosen(&batch.known.counts, chances);
    let actions: Vec<i32> = chosen.iter().map(|&place| batch.known.actions[place]).collect();
    let dream = decoder.continued(config.steps, &actions, &mut |_| {});
    let legal = ranges(&batch.known.counts);
    for (at, (legal, &place)) in legal.zip(&chosen).enumerate() {
        let (position, future) = (&batch.samples[at].position, &batch.futures[at]);
        let first: Move = position_move(&batch.samples[at], place - legal.start);
        let line = Line::of(layout, position, first, &dream.values[at]);
        for ply in 1..layout.horizon {
            let mut add = |name: &str, hit: bool| {
                figures.add(&format!("{name}{ply}"), f64::from(u8::from(hit)), 1.0);
            };
            add("legal a", line.is_legal(ply));
            if layout.states {
                add("exact s", line.is_exact(ply));
            }
        }
        let reply = future.values[layout.action(1)];
        if reply != MASKED && future.values[0] == actions[at] {
            let hit = dream.values[at][layout.action(1)] == reply;
            figures.add("reply", f64::from(u8::from(hit)), 1.0);
        }
    }
}

fn position_move(moment: &chess::Moment, place: usize) -> Move {
    moment.legal_moves()[place]
}
