//! What validation measures: the seed's metrics of moves, at play and by number of passes, and how well the rest is foreseen.

use burn::tensor::{Tensor, activation::log_softmax};

use super::{
    EvalForm, Recycler, RecyclerConfig,
    batch::{Batch, Targets},
    network::move_scores,
};
use crate::{choice, family::Figures, fused, weights::values};

/// Positions with fewer moves say little about how sparse a policy is.
const MANY_MOVES: usize = 20;

pub(super) fn figures(config: &RecyclerConfig, network: &Recycler, batch: &Batch) -> Figures {
    let targets = batch.targets.as_ref().expect("validation batches have targets");
    let mut figures = Figures::default();
    let passes = network.each_pass(&batch.board, config.passes);
    for (before, tokens) in passes.iter().enumerate().take(passes.len() - 1) {
        let moves = move_figures(network, batch, targets, tokens);
        for name in ["move loss", "top-1"] {
            figures
                .merge(&moves.renamed(name, &format!("{name}, {} of {} passes", before + 1, passes.len())));
        }
    }
    let tokens = passes.last().expect("a pass");
    figures.merge(&move_figures(network, batch, targets, tokens));
    eval_figures(config.eval, network.eval(tokens), targets, &mut figures);
    let threat = values(network.threat(tokens));
    for (logits, &target) in threat.chunks_exact(2).zip(&targets.threat_target) {
        if target != choice::UNKNOWN {
            let hit = (logits[1] > logits[0]) == (target == 1);
            figures.add("threat accuracy", f64::from(u8::from(hit)), 1.0);
        }
    }
    let check = values(network.check(tokens, &targets.king_square));
    for (logit, &target) in check.into_iter().zip(&targets.check) {
        figures.add("check accuracy", f64::from(u8::from((logit > 0.0) == (target == 1))), 1.0);
    }
    figures
}

fn move_figures(network: &Recycler, batch: &Batch, targets: &Targets, tokens: &Tensor<3>) -> Figures {
    let mut figures = Figures::default();
    let pieces = network.pieces(tokens);
    let [_, _, classes] = pieces.dims();
    let scores = values(move_scores(pieces.clone(), &batch.legal_moves));
    let chances = fused::chances(&choice::ends(&batch.legal_moves.counts), scores);
    let mut rest = &chances[..];
    for (at, &count) in batch.legal_moves.counts.iter().enumerate() {
        let row = rest.split_off(..count).expect("chances of every legal move");
        let Ok(played) = usize::try_from(targets.true_index[at]) else { continue };
        let mut add = |name: &str, value: f64| figures.add(name, value, 1.0);
        let better = row.iter().filter(|&&chance| chance > row[played]).count();
        add("move loss", -f64::from(row[played].max(1e-30)).ln());
        add("played move's chance", row[played].into());
        let mut sorted = row.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        for top in [1, 3, 5] {
            add(&format!("top-{top}"), f64::from(u8::from(better < top)));
            add(
                &format!("top-{top} coverage"),
                sorted.iter().take(top).map(|&chance| f64::from(chance)).sum(),
            );
        }
        if count >= MANY_MOVES {
            let low = row.iter().filter(|&&chance| chance < 0.01).count();
            add("moves below 1 %", low as f64 / count as f64);
        }
        if targets.terminal_flag[at] == 2 {
            add("top-1, mates", f64::from(u8::from(better == 0)));
        }
    }
    for (logits, &target) in values(pieces).chunks_exact(classes).zip(&targets.move_target) {
        if let Ok(class) = usize::try_from(target) {
            let hit = logits.iter().all(|&logit| logit <= logits[class]);
            figures.add("changed squares", f64::from(u8::from(hit)), 1.0);
        }
    }
    figures
}

fn eval_figures(form: EvalForm, logits: Tensor<2>, targets: &Targets, figures: &mut Figures) {
    let [_, outcomes] = logits.dims();
    let logits = match form {
        EvalForm::WinDrawLoss => log_softmax(logits, 1),
        EvalForm::WinProbability => logits,
    };
    for (row, &result) in values(logits).chunks_exact(outcomes).zip(&targets.eval) {
        let Ok(result) = usize::try_from(result) else { continue };
        let expected = match form {
            EvalForm::WinDrawLoss => {
                let hit = row.iter().all(|&chance| chance <= row[2 - result]);
                figures.add("eval accuracy", f64::from(u8::from(hit)), 1.0);
                figures.add("eval loss", -f64::from(row[2 - result]), 1.0);
                f64::from(row[0].exp() + 0.5 * row[1].exp())
            }
            EvalForm::WinProbability => 1.0 / (1.0 + f64::from(-row[0]).exp()),
        };
        figures.add("eval error", (expected - result as f64 / 2.0).powi(2), 1.0);
    }
}
