//! What a mind expects of a game, from what its network says about the board alone: few numbers, fitted on games, that add what
//! ratings, clocks and having the move are worth.
//!
//! A network that sees ratings and clocks learns who sat behind them: where few accounts fill a rating, both sides of a game expect to
//! lose. So it is asked for equals without clocks, and what tells the sides apart comes in by terms that change their sign
//! with the side. How much having the move is over- or underrated is a term of its own.

use chess::{
    Clocks, Moment, RatingScale, Ratings, Wdl,
    shakmaty::{Color, Position},
};
use serde::{Deserialize, Serialize};

/// One number of the fit, and where it counts in full.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Term {
    pub effect: Effect,
    /// By the axes of the effect: mean rating and move number; for clocks the seconds of the shorter one.
    pub at: [f32; 2],
    pub value: f32,
}

/// What a term multiplies. All but the last move half the logarithm of the odds of a win against a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// What the network says itself: how much more or less sure one has to be.
    Sureness,
    /// Having the move.
    Mover,
    /// Having White, by one over the number of the move: what the board does not yet show.
    White,
    /// The difference of ratings, in 400 points.
    Ratings,
    /// The logarithm of the ratio of the clocks.
    Clocks,
    /// A draw, for both sides alike: the logarithm of its weight.
    Draws,
}

const FINE: &[f32] = &[800.0, 1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 2000.0, 2200.0, 2400.0];
const COARSE: &[f32] = &[1000.0, 1600.0, 2200.0];
const OFTEN: &[f32] = &[1.0, 6.0, 16.0, 40.0];
const SELDOM: &[f32] = &[1.0, 15.0, 40.0];
const SECONDS: &[f32] = &[4.0, 16.0, 64.0, 256.0, 1024.0];

/// Effects with the points of their two axes, in the order of the terms.
const LAYOUT: [(Effect, &[f32], &[f32]); 6] = [
    (Effect::Sureness, COARSE, SELDOM),
    (Effect::Mover, FINE, OFTEN),
    (Effect::White, FINE, &[0.0]),
    (Effect::Ratings, COARSE, SELDOM),
    (Effect::Clocks, SECONDS, &[0.0]),
    (Effect::Draws, COARSE, SELDOM),
];

const TYPICAL: u16 = 1500;
/// Larger differences of ratings are taken for this one: the fit has seen few of them.
const WIDEST: f32 = 800.0;
/// Moves that a player is taken to have before him, whose increments count as time that he has.
const MOVES_AHEAD: f32 = 10.0;
/// Keeps the last second from being worth without bound.
const LEAST_S: f32 = 1.0;
/// No fit comes near this; chances survive it.
const LARGEST: f32 = 6.0;

/// Every term, without effect.
pub(crate) fn zeros() -> Vec<Term> {
    let all = LAYOUT.into_iter().flat_map(|(effect, first, second)| {
        let points = first.iter().flat_map(move |&x| second.iter().map(move |&y| [x, y]));
        points.map(move |at| Term { effect, at, value: 0.0 })
    });
    all.collect()
}

/// Pairs of terms that are neighbours on the first axis of their effect.
pub(crate) fn neighbours() -> Vec<[usize; 2]> {
    let mut start = 0;
    let mut pairs = Vec::new();
    for (_, first, second) in LAYOUT {
        let len = first.len() * second.len();
        pairs.extend((start..start + len - second.len()).map(|at| [at, at + second.len()]));
        start += len;
    }
    pairs
}

/// Ratings at which the fit is finest.
pub(crate) fn equals() -> impl Iterator<Item = u16> {
    FINE.iter().map(|&rating| rating as u16)
}

/// Whether the terms are of the players at a moment: they are fitted on Lichess's ratings.
pub(crate) fn applies(moment: &Moment) -> bool {
    moment.players.unwrap_or_default().scale == RatingScale::Lichess
}

/// The board as equals without clocks would see it; nothing where the moment is seen so already.
pub(crate) fn plain(moment: &Moment) -> Option<Moment> {
    let players = moment.players.map(|players| {
        let mean = mean_rating(players);
        Ratings { white: mean, black: mean, ..players }
    });
    let same = moment.clocks.is_none() && moment.players == players;
    (!same).then(|| Moment { clocks: None, players, ..moment.clone() })
}

fn mean_rating(players: Ratings) -> Option<u16> {
    match (players.white, players.black) {
        (Some(white), Some(black)) => Some(white.midpoint(black)),
        (one, other) => one.or(other),
    }
}

/// Places of the terms that count at a moment, and how much, given what the network says about the board alone: first those
/// that move the odds of a win, then those of a draw.
pub(crate) fn counting(plain: Wdl, moment: &Moment) -> [Vec<(usize, f32)>; 2] {
    let players = moment.players.unwrap_or_default();
    let rating = f32::from(mean_rating(players).unwrap_or(TYPICAL));
    let (us, move_number) = (moment.turn(), u32::from(moment.position.fullmoves()) as f32);
    let difference = match (players.of(us), players.of(!us)) {
        (Some(own), Some(other)) => (f32::from(own) - f32::from(other)).clamp(-WIDEST, WIDEST) / 400.0,
        _ => 0.0,
    };
    let clocks = moment.clocks.map(|clocks| [us, !us].map(|side| seconds(&clocks, side)));
    let (ratio, shorter) = clocks.map_or((0.0, 0.0), |[own, other]| ((own / other).ln(), own.min(other)));
    let mut found = [Vec::new(), Vec::new()];
    let mut start = 0;
    for (effect, first, second) in LAYOUT {
        let (value, x) = match effect {
            Effect::Sureness => (log_odds(plain), rating),
            Effect::Mover => (1.0, rating),
            Effect::White => (us.fold_wb(1.0, -1.0) / move_number, rating),
            Effect::Ratings => (difference, rating),
            Effect::Clocks => (ratio, shorter),
            Effect::Draws => (1.0, rating),
        };
        let side = &mut found[usize::from(effect == Effect::Draws)];
        for (row, share) in shares(first, x) {
            for (column, other) in shares(second, move_number) {
                let value = value * share * other;
                if value != 0.0 {
                    side.push((start + row * second.len() + column, value));
                }
            }
        }
        start += first.len() * second.len();
    }
    found
}

/// Time on a side's clock and what its increments will add, in seconds.
fn seconds(clocks: &Clocks, side: Color) -> f32 {
    let left = *clocks.left_cs.get(side) as f32 + MOVES_AHEAD * *clocks.increment_cs.get(side) as f32;
    left / 100.0 + LEAST_S
}

/// Half the logarithm of the odds of a win against a loss.
fn log_odds(wdl: Wdl) -> f32 {
    0.5 * (wdl.win().max(1e-4) / wdl.loss().max(1e-4)).ln()
}

/// The two points next to `x` with their shares; points lie closer at small numbers, so that all is by logarithms.
fn shares(points: &[f32], x: f32) -> Vec<(usize, f32)> {
    let above = points.partition_point(|&point| point < x);
    match (above.checked_sub(1), points.get(above)) {
        (None, _) => vec![(0, 1.0)],
        (Some(last), None) => vec![(last, 1.0)],
        (Some(below), Some(high)) => {
            let low = points[below];
            let share = (x / low).ln() / (high / low).ln();
            vec![(below, 1.0 - share), (above, share)]
        }
    }
}

/// What the network says about the board alone, moved by the terms. `values` are theirs in order; without any nothing moves.
pub(crate) fn moved(plain: Wdl, counting: &[Vec<(usize, f32)>; 2], values: impl Fn(usize) -> f32) -> Wdl {
    let [odds, draws] =
        counting.each_ref().map(|terms| terms.iter().map(|&(at, by)| by * values(at)).sum::<f32>());
    Wdl::from_weights(
        plain.win().max(1e-6) * odds.exp(),
        plain.draw().max(1e-6) * draws.exp(),
        plain.loss().max(1e-6) * (-odds).exp(),
    )
}

/// The chances at a moment, given what the network says about the board alone.
pub(crate) fn balanced(terms: &[Term], plain: Wdl, moment: &Moment) -> Wdl {
    moved(plain, &counting(plain, moment), |at| terms[at].value)
}

/// Whether terms can be used: all of them in order, or none.
pub(crate) fn check(terms: &[Term]) -> Result<(), String> {
    let known = zeros();
    if !terms.is_empty() && terms.len() != known.len() {
        return Err(format!("balance has {} terms, not {} or none", terms.len(), known.len()));
    }
    for (term, known) in terms.iter().zip(&known) {
        if (term.effect, term.at) != (known.effect, known.at) {
            return Err(format!(
                "balance has {:?} at {:?} where {:?} at {:?} belongs",
                term.effect, term.at, known.effect, known.at
            ));
        }
        if term.value.is_nan() || term.value.abs() > LARGEST {
            return Err(format!("the term {:?} at {:?} is {}", term.effect, term.at, term.value));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn moment(ratings: [u16; 2], left_s: [u32; 2]) -> Moment {
        let players = Some(Ratings::lichess(Some(ratings[0]), Some(ratings[1])));
        let mut clocks = Clocks::start(180, 2);
        (clocks.left_cs.white, clocks.left_cs.black) = (100 * left_s[0], 100 * left_s[1]);
        Moment { players, clocks: Some(clocks), ..Moment::default() }
    }

    /// Terms of all effects but having the move.
    fn antisymmetric() -> Vec<Term> {
        let value = |term: Term| match term.effect {
            Effect::Sureness => 0.1,
            Effect::Mover | Effect::White => 0.0,
            Effect::Ratings => 0.5,
            Effect::Clocks => 0.2,
            Effect::Draws => -0.3,
        };
        zeros().into_iter().map(|term| Term { value: value(term), ..term }).collect()
    }

    proptest! {
        #[test]
        fn what_one_side_gains_by_ratings_and_clocks_the_other_loses(
            weights in (0.01f32..1.0, 0.01f32..1.0, 0.01f32..1.0),
            ratings in [600u16..2800, 600..2800],
            left_s in [0u32..2000, 0..2000],
        ) {
            let plain = Wdl::from_weights(weights.0, weights.1, weights.2);
            let [one, other] = [
                moment(ratings, left_s),
                moment([ratings[1], ratings[0]], [left_s[1], left_s[0]]),
            ];
            let terms = antisymmetric();
            let own = balanced(&terms, plain, &one);
            let theirs = balanced(&terms, plain.flipped(), &other);
            prop_assert!((own.expectation() + theirs.expectation() - 1.0).abs() < 1e-4, "{own:?} {theirs:?}");
            prop_assert!((own.draw() - theirs.draw()).abs() < 1e-4);
        }
    }

    #[test]
    fn more_rating_and_more_time_are_worth_something_and_equal_ones_nothing() {
        let (terms, even) = (antisymmetric(), Wdl::from_weights(0.4, 0.2, 0.4));
        let expected = |ratings, left_s| balanced(&terms, even, &moment(ratings, left_s)).expectation();
        assert!((expected([1500, 1500], [60, 60]) - 0.5).abs() < 1e-6);
        assert!(expected([1700, 1500], [60, 60]) > 0.55);
        assert!(expected([1500, 1500], [60, 20]) > 0.55);
        assert!(expected([1500, 1500], [5, 60]) < 0.45);
        let nobody = balanced(&terms, even, &Moment::default());
        assert!((nobody.expectation() - 0.5).abs() < 1e-6, "{nobody:?}");
    }

    #[test]
    fn terms_without_effect_change_nothing() {
        let wdl = Wdl::from_weights(0.3, 0.1, 0.6);
        let same = balanced(&zeros(), wdl, &moment([1900, 1200], [10, 300]));
        assert!((same.win() - wdl.win()).abs() < 1e-6 && (same.draw() - wdl.draw()).abs() < 1e-6);
    }

    #[test]
    fn the_plain_board_is_that_of_equals_without_clocks() {
        let seen = plain(&moment([1500, 1801], [5, 60])).expect("it differs");
        assert_eq!((seen.clocks, seen.players), (None, Some(Ratings::lichess(Some(1650), Some(1650)))));
        assert!(plain(&seen).is_none(), "asked once");
        let one = Moment { players: Some(Ratings::lichess(None, Some(1400))), ..Moment::default() };
        assert_eq!(plain(&one).and_then(|seen| seen.players?.white), Some(1400));
        assert!(plain(&Moment::default()).is_none());
    }

    #[test]
    fn shares_sum_to_one_and_lie_between_neighbours() {
        for x in [0.1, 1.0, 4.0, 7.0, 16.0, 100.0, 5000.0] {
            let found = shares(SECONDS, x);
            assert!((found.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-6, "{x}");
            assert!(found.iter().all(|&(at, share)| at < SECONDS.len() && share >= 0.0), "{x}");
        }
        assert_eq!(shares(SECONDS, 32.0).iter().map(|&(at, _)| at).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn terms_that_are_not_those_of_the_program_are_refused() {
        assert_eq!((check(&[]), check(&zeros())), (Ok(()), Ok(())));
        let mut swapped = zeros();
        swapped.swap(0, 1);
        let mut wild = zeros();
        wild[3].value = f32::NAN;
        for (terms, word) in [(zeros()[1..].to_vec(), "76"), (swapped, "belongs"), (wild, "NaN")] {
            let error = check(&terms).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn neighbours_share_their_effect_and_second_axis() {
        let terms = zeros();
        for [one, other] in neighbours() {
            assert_eq!(terms[one].effect, terms[other].effect);
            assert!(terms[one].at[0] < terms[other].at[0] && terms[one].at[1] == terms[other].at[1]);
        }
    }
}
