//! The terms that turn what a network says about a board into what a player expects of a game: fitted on positions of validation games,
//! each together with the one after the move that was played.
//!
//! The two of a pair belong to the two sides of one game, so their points add up to 1. The most likely terms therefore let both sides
//! expect one point together at every rating and stage of the game, whoever plays there.

use chess::{Brain, Moment, Ratings, Wants, Wdl, shakmaty::Color};
use data::{Dataset, Policy, Sample, Sampler, SamplerOptions, Split};

use super::TrainError;
use crate::{
    WeightFile,
    balance::{Term, applies, counting, equals, moved, neighbours, plain, zeros},
    family::Family,
    loading::mind,
};

/// Games of one account that count.
const PER_ACCOUNT: u32 = 40;
/// Enough references that neighbours of a game lie far apart.
const POOL: usize = 1 << 20;
/// Positions at which the fit is held against the network as it is.
const COMPARED: usize = 4_000;
/// Ratings that differ by less are equal.
const EQUAL: u16 = 100;
/// What the beginning of a game between equals counts at each rating, in positions: nobody's openings decide what White is worth.
const BEGINNING: f64 = 300.0;
/// How much neighbouring terms pull at each other, in samples: it matters only where there are few.
const SMOOTHNESS: f64 = 20.0;
const RIDGE: f64 = 2.0;
const STEPS: usize = 12;

/// What the fit did to the positions that it was made on, and how many pairs these were.
#[derive(Clone, Debug)]
pub struct BalanceFit {
    pub terms: Vec<Term>,
    pub pairs: usize,
    /// Mean surprise at the outcome: of what the network says about the moment as it is, and after the fit.
    pub surprise: [f64; 2],
    /// What both sides expect together before and after a move, in the same order.
    pub together: [f64; 2],
}

/// A moment of a game that ended in a way that is known.
#[derive(Clone)]
struct Case {
    /// What the network says about the moment as it is, for some, and about the board alone.
    seen: Option<Wdl>,
    plain: Wdl,
    counting: [Vec<(usize, f32)>; 2],
    /// Win, draw, loss.
    result: [f64; 3],
    /// How many cases it stands for.
    weight: f64,
}

/// Fits the terms on `positions` positions of the validation games of `data` and puts them into the file's network.
pub(crate) fn fit_balance<F: Family>(
    net: &F::Config,
    file: &mut WeightFile,
    data: &Dataset,
    positions: usize,
) -> Result<BalanceFit, TrainError> {
    let with = |terms: Vec<Term>| F::with_balance(net, terms).ok_or(TrainError::NoBalance(F::NAME));
    let brain = mind::<F>(with(Vec::new())?, &file.weights)
        .map_err(|error| TrainError::Weights { path: "the weights".into(), error })?;
    let (cases, white) = cases(brain.as_ref(), data, positions)?;
    let beginnings = beginnings(brain.as_ref(), white);
    let values = fit(&[&cases[..], &beginnings[..]].concat());
    let before = figures(&cases, &|case| case.seen);
    let after =
        figures(&cases, &|case| case.seen.map(|_| moved(case.plain, &case.counting, |at| values[at] as f32)));
    let terms: Vec<Term> =
        zeros().into_iter().zip(&values).map(|(term, &value)| Term { value: value as f32, ..term }).collect();
    file.card.network = serde_json::to_value(with(terms.clone())?).expect("plain configuration");
    Ok(BalanceFit {
        terms,
        pairs: cases.len() / 2,
        surprise: [before.0, after.0],
        together: [2.0 * before.1, 2.0 * after.1],
    })
}

/// Mean surprise at the outcome, and mean expectation, where they are known.
fn figures(cases: &[Case], wdl: &dyn Fn(&Case) -> Option<Wdl>) -> (f64, f64) {
    let (mut sums, mut len) = ((0.0, 0.0), 0.0);
    for case in cases {
        let Some(wdl) = wdl(case) else { continue };
        len += 1.0;
        let chances = [wdl.win(), wdl.draw(), wdl.loss()].map(|chance| f64::from(chance.max(1e-6)));
        sums.0 -= chances.iter().zip(case.result).map(|(chance, share)| share * chance.ln()).sum::<f64>();
        sums.1 += f64::from(wdl.expectation());
    }
    (sums.0 / len, sums.1 / len)
}

/// Two cases for each position, one after the other, and how games of equals end for White.
fn cases(brain: &dyn Brain, data: &Dataset, positions: usize) -> Result<(Vec<Case>, [f64; 3]), TrainError> {
    let mut policy = Policy::named("all")?;
    policy.positions.per_account = PER_ACCOUNT;
    let options =
        SamplerOptions { epochs: 1, pool: POOL, ..SamplerOptions::new(policy, Some(Split::Valid), 0) };
    let (mut cases, mut white) = (Vec::new(), [0.0; 3]);
    for samples in Sampler::new(data, &options) {
        let pairs: Vec<[(Moment, [f64; 3]); 2]> = samples?.iter().filter_map(pair).collect();
        for [(before, result), _] in &pairs {
            if are_equal(before) {
                let of_white = before.turn().fold_wb([0, 1, 2], [2, 1, 0]);
                white.iter_mut().zip(of_white).for_each(|(sum, at)| *sum += result[at]);
            }
        }
        let (moments, results): (Vec<Moment>, Vec<[f64; 3]>) = pairs.into_iter().flatten().unzip();
        let boards: Vec<Moment> =
            moments.iter().map(|moment| plain(moment).unwrap_or_else(|| moment.clone())).collect();
        let judged = |moments: &[Moment]| {
            let opinions = brain.judge(moments, Wants::VALUE).into_iter();
            opinions.map(|opinion| opinion.wdl.expect("a mind with a value")).collect::<Vec<Wdl>>()
        };
        let compared = cases.len() < 2 * COMPARED.min(positions);
        let seen = if compared { judged(&moments) } else { Vec::new() };
        let said = judged(&boards).into_iter().zip(results);
        cases.extend(moments.iter().zip(said).enumerate().map(|(at, (moment, (plain, result)))| Case {
            seen: seen.get(at).copied(),
            plain,
            counting: counting(plain, moment),
            result,
            weight: 1.0,
        }));
        if cases.len() >= 2 * positions {
            break;
        }
    }
    Ok((cases, white))
}

fn are_equal(moment: &Moment) -> bool {
    let players = moment.players.unwrap_or_default();
    players.white.zip(players.black).is_some_and(|(white, black)| white.abs_diff(black) < EQUAL)
}

/// The beginning of a game between equals of every rating, and the usual first moves, with the result that such games have over all ratings.
fn beginnings(brain: &dyn Brain, white: [f64; 3]) -> Vec<Case> {
    let games: f64 = white.iter().sum();
    if games == 0.0 {
        return Vec::new();
    }
    let white = white.map(|sum| sum / games);
    let mut cases = Vec::new();
    for rating in equals() {
        let players = Some(Ratings::lichess(Some(rating), Some(rating)));
        let start = Moment { players, ..Moment::default() };
        let replies = ["e2e4", "d2d4"].map(|first| start.clone().after_uci([first]).expect("a first move"));
        let weights = [BEGINNING, BEGINNING / 2.0, BEGINNING / 2.0];
        for (moment, weight) in std::iter::once(start).chain(replies).zip(weights) {
            let plain = brain.judge(std::slice::from_ref(&moment), Wants::VALUE).pop();
            let plain = plain.and_then(|opinion| opinion.wdl).expect("a mind with a value");
            let [win, draw, loss] = white;
            let result = if moment.turn() == Color::White { white } else { [loss, draw, win] };
            cases.push(Case { seen: None, plain, counting: counting(plain, &moment), result, weight });
        }
    }
    cases
}

/// A position of a game between Lichess players and the one after the move that was played, with the points of the mover in each.
fn pair(sample: &Sample) -> Option<[(Moment, [f64; 3]); 2]> {
    let players = sample.moment.players?;
    let rated = players.white.is_some() && players.black.is_some() && applies(&sample.moment);
    let own = match sample.game.result.half_points(sample.moment.turn())? {
        0 => [0.0, 0.0, 1.0],
        1 => [0.0, 1.0, 0.0],
        _ => [1.0, 0.0, 0.0],
    };
    let after = after(sample)?;
    let goes_on = !after.legal_moves().is_empty();
    let [win, draw, loss] = own;
    (rated && goes_on).then(|| [(sample.moment.clone(), own), (after, [loss, draw, win])])
}

/// The moment after the move that was played, where its clocks are known if those before were.
fn after(sample: &Sample) -> Option<Moment> {
    let mut after = sample.moment.clone();
    after.play(sample.played);
    let next = usize::from(sample.ply) + 1;
    after.clocks = match sample.moment.clocks {
        None => None,
        Some(_) => Some(sample.game.clocks_at(next, after.turn())?),
    };
    Some(after)
}

/// The terms under which the outcomes are likeliest, by Newton's method: the likelihood has one maximum.
fn fit(cases: &[Case]) -> Vec<f64> {
    let len = zeros().len();
    let neighbours = neighbours();
    let mut values = vec![0.0; len];
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; len];
        let mut curvature = vec![vec![0.0; len]; len];
        for case in cases {
            learn(case, &values, &mut gradient, &mut curvature);
        }
        for (at, value) in values.iter().enumerate() {
            gradient[at] -= RIDGE * value;
            curvature[at][at] += RIDGE;
        }
        for &[one, other] in &neighbours {
            let apart = SMOOTHNESS * (values[one] - values[other]);
            gradient[one] -= apart;
            gradient[other] += apart;
            for (row, column, sign) in
                [(one, one, 1.0), (other, other, 1.0), (one, other, -1.0), (other, one, -1.0)]
            {
                curvature[row][column] += sign * SMOOTHNESS;
            }
        }
        let step = solve(curvature, gradient);
        values.iter_mut().zip(&step).for_each(|(value, step)| *value += step.clamp(-1.0, 1.0));
        if step.iter().all(|step| step.abs() < 1e-4) {
            break;
        }
    }
    values
}

/// Adds a case's part of the gradient and of the curvature of the likelihood.
fn learn(case: &Case, values: &[f64], gradient: &mut [f64], curvature: &mut [Vec<f64>]) {
    let wdl = moved(case.plain, &case.counting, |at| values[at] as f32);
    let [win, draw, loss] = [wdl.win(), wdl.draw(), wdl.loss()].map(f64::from);
    // What the terms of the odds and of draws move: a win counts 1 and a loss -1; a draw counts 1.
    let lead = win - loss;
    let surplus = [case.result[0] - case.result[2] - lead, case.result[1] - draw].map(|x| case.weight * x);
    let spread = [[win + loss - lead * lead, -lead * draw], [-lead * draw, draw * (1.0 - draw)]];
    let spread = spread.map(|row| row.map(|x| case.weight * x));
    for (kind, terms) in case.counting.iter().enumerate() {
        for &(at, by) in terms {
            gradient[at] += f64::from(by) * surplus[kind];
            for (other_kind, others) in case.counting.iter().enumerate() {
                for &(other, other_by) in others {
                    curvature[at][other] += f64::from(by * other_by) * spread[kind][other_kind];
                }
            }
        }
    }
}

/// The solution of a symmetric positive system, by Cholesky's decomposition.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let len = right.len();
    for row in 0..len {
        for column in 0..=row {
            let dot: f64 = (0..column).map(|k| matrix[row][k] * matrix[column][k]).sum();
            let rest = matrix[row][column] - dot;
            matrix[row][column] =
                if row == column { rest.max(1e-12).sqrt() } else { rest / matrix[column][column] };
        }
    }
    for row in 0..len {
        let dot: f64 = (0..row).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = (right[row] - dot) / matrix[row][row];
    }
    for row in (0..len).rev() {
        let dot: f64 = (row + 1..len).map(|k| matrix[k][row] * right[k]).sum();
        right[row] = (right[row] - dot) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use chess::{Clocks, Random};

    use super::*;
    use crate::balance::{Effect, balanced};

    #[test]
    fn a_system_is_solved() {
        let found =
            solve(vec![vec![4.0, 2.0, 0.0], vec![2.0, 5.0, 1.0], vec![0.0, 1.0, 3.0]], vec![8.0, 15.0, 11.0]);
        for (found, expected) in found.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
    }

    /// Pairs of a game's moments as a network sees them in which both sides are pessimists, and results by other terms.
    fn cases(truth: &[Term]) -> Vec<Case> {
        let mut random = Random::new(7);
        let mut cases = Vec::new();
        for _ in 0..6_000 {
            let rating = |random: &mut Random| Some(800 + random.below(1600) as u16);
            let players = Some(Ratings::lichess(rating(&mut random), rating(&mut random)));
            let mut clocks = Clocks::start(180, 0);
            clocks.left_cs.white = 100 * (1 + random.below(180) as u32);
            clocks.left_cs.black = 100 * (1 + random.below(180) as u32);
            let before = Moment { players, clocks: Some(clocks), ..Moment::default() };
            let mut after = before.clone();
            after.play(after.legal_moves()[0]);
            let win = 0.05 + 0.8 * random.part();
            let fair = Wdl::from_weights(win, 0.1, 0.9 - win);
            let chances = balanced(truth, fair, &before);
            let drawn = random.part();
            let result = match drawn {
                drawn if drawn < chances.win() => [1.0, 0.0, 0.0],
                drawn if drawn < chances.win() + chances.draw() => [0.0, 1.0, 0.0],
                _ => [0.0, 0.0, 1.0],
            };
            let gloomy = |wdl: Wdl| Wdl::from_weights(0.6 * wdl.win(), wdl.draw(), wdl.loss() / 0.6);
            for (moment, wdl, result) in
                [(&before, fair, result), (&after, fair.flipped(), [result[2], result[1], result[0]])]
            {
                let plain = gloomy(wdl);
                let counting = counting(plain, moment);
                cases.push(Case { seen: Some(plain), plain, counting, result, weight: 1.0 });
            }
        }
        cases
    }

    #[test]
    fn two_pessimists_add_up_after_the_fit_and_ratings_and_clocks_are_found() {
        let value = |effect: Effect| match effect {
            Effect::Ratings => 1.0,
            Effect::Clocks => 0.4,
            _ => 0.0,
        };
        let truth: Vec<Term> =
            zeros().into_iter().map(|term| Term { value: value(term.effect), ..term }).collect();
        let cases = cases(&truth);
        let (_, before) = figures(&cases, &|case| case.seen);
        let values = fit(&cases);
        let (_, after) =
            figures(&cases, &|case| Some(moved(case.plain, &case.counting, |at| values[at] as f32)));
        assert!((2.0 * before - 1.0).abs() > 0.15, "{before}");
        assert!((2.0 * after - 1.0).abs() < 1e-3, "{after}");
        let terms = zeros();
        let found = |effect: Effect, at: [f32; 2]| {
            values[terms.iter().position(|term| (term.effect, term.at) == (effect, at)).unwrap()]
        };
        assert!((found(Effect::Ratings, [1600.0, 1.0]) - 1.0).abs() < 0.15);
        assert!((found(Effect::Clocks, [16.0, 0.0]) - 0.4).abs() < 0.1);
        assert!((found(Effect::Mover, [1600.0, 1.0]) + 0.6f64.ln()).abs() < 0.1);
        assert!(fit(&[]).iter().all(|value| *value == 0.0), "nothing seen, nothing changed");
    }
}
