//! From marks to figures, each mark weighted by how often its game was drawn.

use super::mark::Mark;

/// Name in JSON, head in tables, and how a figure is written.
pub(crate) const METRICS: [(&str, &str, Format); 19] = [
    ("top1", "top-1", Format::Percent),
    ("top3", "top-3", Format::Percent),
    ("top5", "top-5", Format::Percent),
    ("chance", "chance", Format::Percent),
    ("perplexity", "perplex.", Format::Plain),
    ("coverage1", "mass of 1", Format::Percent),
    ("coverage3", "mass of 3", Format::Percent),
    ("coverage5", "mass of 5", Format::Percent),
    ("unlikely", "below 1 %", Format::Percent),
    ("origin", "origin", Format::Percent),
    ("target", "target", Format::Percent),
    ("think_bin", "think bin", Format::Percent),
    ("think_r", "think r", Format::Fine),
    ("think_mae_s", "MAE s", Format::Plain),
    ("snap", "under 2 s", Format::Percent),
    ("snap_real", "really", Format::Percent),
    ("outcome", "outcome", Format::Percent),
    ("outcome_auc", "AUC", Format::Fine),
    ("outcome_ece", "ECE", Format::Fine),
];

#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Percent,
    Plain,
    Fine,
}

/// One figure for each of [`METRICS`]; not a number where the model says nothing about it.
pub(crate) type Figures = [f64; METRICS.len()];

/// A chance of zero for what happened would be an endless surprise.
const LEAST_CHANCE: f64 = 1e-6;
const CALIBRATION_BINS: usize = 10;

/// Figures over marks that are sorted by [`outcome_order`]; `weights` are by game.
pub(crate) fn measure(marks: &[Mark], weights: &[f64]) -> Figures {
    let mean = |of: &dyn Fn(&Mark) -> Option<f64>| mean(marks, weights, of);
    let top = |place: usize| mean(&|mark| mark.top[place]);
    let surprise = mean(&|mark| Some(-mark.chance?.max(LEAST_CHANCE).ln()));
    [
        top(0),
        top(1),
        top(2),
        mean(&|mark| mark.chance),
        surprise.exp(),
        mean(&|mark| mark.coverage[0]),
        mean(&|mark| mark.coverage[1]),
        mean(&|mark| mark.coverage[2]),
        mean(&|mark| mark.unlikely),
        mean(&|mark| Some(mark.origin)),
        mean(&|mark| Some(mark.target)),
        mean(&|mark| Some(f64::from(u8::from(mark.think?.right_bin)))),
        think_correlation(marks, weights),
        mean(&|mark| mark.think.map(|think| (think.expected_s - think.spent_s).abs())),
        mean(&|mark| mark.think.map(|think| think.snap)),
        mean(&|mark| mark.think.map(|think| think.snapped)),
        mean(&|mark| Some(f64::from(u8::from(right_outcome(mark)?)))),
        area_under_curve(marks, weights),
        calibration_error(marks, weights),
    ]
}

/// Ascending by the expected score; those without one come first.
pub(crate) fn outcome_order(a: &Mark, b: &Mark) -> std::cmp::Ordering {
    let expected = |mark: &Mark| mark.outcome.map_or(-1.0, |outcome| outcome.wdl.expectation());
    expected(a).total_cmp(&expected(b))
}

fn mean(marks: &[Mark], weights: &[f64], of: &dyn Fn(&Mark) -> Option<f64>) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for mark in marks {
        if let Some(value) = of(mark) {
            sum += weights[mark.game] * value;
            weight += weights[mark.game];
        }
    }
    sum / weight
}

/// Pearson's r of expected and real think time.
fn think_correlation(marks: &[Mark], weights: &[f64]) -> f64 {
    let mean = |of: &dyn Fn(f64, f64) -> f64| {
        mean(marks, weights, &|mark| mark.think.map(|think| of(think.expected_s, think.spent_s)))
    };
    let (x, y) = (mean(&|x, _| x), mean(&|_, y| y));
    let covariance = mean(&|expected, spent| (expected - x) * (spent - y));
    let variances = mean(&|expected, _| (expected - x).powi(2)) * mean(&|_, spent| (spent - y).powi(2));
    if variances > 1e-12 { covariance / variances.sqrt() } else { f64::NAN }
}

/// Whether the likeliest of win, draw and loss came true.
fn right_outcome(mark: &Mark) -> Option<bool> {
    let outcome = mark.outcome?;
    let (win, draw, loss) = (outcome.wdl.win(), outcome.wdl.draw(), outcome.wdl.loss());
    let expected = if draw > win && draw > loss { 0.5 } else { f64::from(u8::from(win >= loss)) };
    Some(expected == outcome.points)
}

/// Chance that a position which was won has a larger expected score than one which was lost; draws are left out.
fn area_under_curve(marks: &[Mark], weights: &[f64]) -> f64 {
    let (mut area, mut lost_below, mut won) = (0.0, 0.0, 0.0);
    let equal = |a: &Mark, b: &Mark| outcome_order(a, b).is_eq();
    for tied in marks.chunk_by(equal) {
        let weight_of = |points: f64| -> f64 {
            let scored = |mark: &&Mark| mark.outcome.is_some_and(|outcome| outcome.points == points);
            tied.iter().filter(scored).map(|mark| weights[mark.game]).sum()
        };
        let (wins, losses) = (weight_of(1.0), weight_of(0.0));
        area += wins * (lost_below + 0.5 * losses);
        lost_below += losses;
        won += wins;
    }
    area / (won * lost_below)
}

/// Mean distance between expected and real score, over bins of the expected score.
fn calibration_error(marks: &[Mark], weights: &[f64]) -> f64 {
    let mut bins = [(0.0, 0.0); CALIBRATION_BINS];
    let mut total = 0.0;
    for mark in marks {
        if let Some(outcome) = mark.outcome {
            let expected = f64::from(outcome.wdl.expectation());
            let bin = &mut bins[((expected * CALIBRATION_BINS as f64) as usize).min(CALIBRATION_BINS - 1)];
            bin.0 += weights[mark.game] * expected;
            bin.1 += weights[mark.game] * outcome.points;
            total += weights[mark.game];
        }
    }
    bins.iter().map(|(expected, real)| (expected - real).abs()).sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use chess::Wdl;

    use super::*;
    use crate::eval::mark::{Outcome, Think};

    fn mark(game: usize) -> Mark {
        Mark {
            game,
            top: [None; 3],
            chance: None,
            coverage: [None; 3],
            unlikely: None,
            origin: 0.0,
            target: 0.0,
            think: None,
            outcome: None,
        }
    }

    fn figure(name: &str, marks: &[Mark]) -> f64 {
        let mut marks = marks.to_vec();
        marks.sort_by(outcome_order);
        let at = METRICS.iter().position(|metric| metric.0 == name).unwrap();
        measure(&marks, &[1.0; 10])[at]
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }

    #[test]
    fn chances_and_surprises_are_averaged() {
        let marks =
            [0.5, 0.125].map(|chance| Mark { chance: Some(chance), top: [Some(1.0), None, None], ..mark(0) });
        assert_close(figure("chance", &marks), 0.3125);
        assert_close(figure("perplexity", &marks), 4.0);
        assert_close(figure("top1", &marks), 1.0);
        assert!(figure("top3", &marks).is_nan() && figure("think_r", &marks).is_nan());
    }

    #[test]
    fn think_times_are_compared_in_seconds() {
        let think = |expected_s, spent_s, right_bin| Mark {
            think: Some(Think { right_bin, expected_s, spent_s, snap: 0.25, snapped: 0.5 }),
            ..mark(0)
        };
        let marks = [think(1.0, 2.0, true), think(2.0, 4.0, false), think(3.0, 6.0, false)];
        assert_close(figure("think_r", &marks), 1.0);
        assert_close(figure("think_mae_s", &marks), 2.0);
        assert_close(figure("think_bin", &marks), 1.0 / 3.0);
        assert_close(figure("snap", &marks), 0.25);
        assert_close(figure("snap_real", &marks), 0.5);
        let turned = [think(1.0, 6.0, true), think(2.0, 4.0, false), think(3.0, 2.0, false)];
        assert_close(figure("think_r", &turned), -1.0);
    }

    fn outcome(win: f32, draw: f32, loss: f32, points: f64) -> Mark {
        Mark { outcome: Some(Outcome { wdl: Wdl::from_weights(win, draw, loss), points }), ..mark(0) }
    }

    #[test]
    fn outcomes_are_judged_by_class_order_and_calibration() {
        let marks = [
            outcome(0.8, 0.1, 0.1, 1.0),
            outcome(0.1, 0.1, 0.8, 0.0),
            outcome(0.2, 0.6, 0.2, 0.5),
            outcome(0.6, 0.1, 0.3, 0.0),
        ];
        assert_close(figure("outcome", &marks), 0.75);
        assert_close(figure("outcome_auc", &marks), 1.0);
        // 0.85 for 1, 0.15 for 0, 0.5 for 0.5 and 0.65 for 0.
        assert_close(figure("outcome_ece", &marks), (0.15 + 0.15 + 0.0 + 0.65) / 4.0);
        let ties = [outcome(0.5, 0.0, 0.5, 1.0), outcome(0.5, 0.0, 0.5, 0.0)];
        assert_close(figure("outcome_auc", &ties), 0.5);
        let wrong = [outcome(0.1, 0.0, 0.9, 1.0), outcome(0.9, 0.0, 0.1, 0.0)];
        assert_close(figure("outcome_auc", &wrong), 0.0);
    }

    #[test]
    fn weights_count_as_repetitions() {
        let mark_of = |game, right| Mark { top: [Some(right), None, None], ..mark(game) };
        let figures = measure(&[mark_of(0, 1.0), mark_of(1, 0.0)], &[3.0, 1.0]);
        assert_close(figures[0], 0.75);
    }
}
