//! What the minds of others have in common.

use chess::{Brain, Evaluated, Moment, MoveScores, Opinion, Ratings, Traits, Wants, Wdl, shakmaty::Chess};

/// What such a mind has, with the search that suits it.
pub(super) fn traits(search: &'static str) -> Traits {
    Traits {
        policy: Some(MoveScores::Chances),
        value: true,
        think: false,
        line: false,
        context: true,
        bins: None,
        hand_made: false,
        most_effort: 0,
        search,
    }
}

/// Judges the moments in which the game goes on; the others have a policy without moves.
pub(super) fn judge_alive(
    moments: &[Moment],
    wants: Wants,
    judge: impl FnOnce(&[&Moment]) -> Vec<Opinion>,
) -> Vec<Opinion> {
    let is_alive = |moment: &Moment| !moment.legal_moves().is_empty();
    let alive: Vec<&Moment> = moments.iter().filter(|moment| is_alive(moment)).collect();
    if alive.len() == moments.len() {
        return judge(&alive);
    }
    let mut answers = judge(&alive).into_iter();
    let finished = || Opinion { policy: wants.policy.then(Vec::new), ..Opinion::default() };
    let answer = |moment: &Moment| match is_alive(moment) {
        true => answers.next().expect("one answer per moment"),
        false => finished(),
    };
    moments.iter().map(answer).collect()
}

/// What players are rated who are not known.
const UNKNOWN_RATING: u16 = 1500;
/// What players are rated for a search: as strong as those that networks of people saw.
const STRONG_RATING: u16 = 2600;

/// Ratings of the side to move and of the other; one that is unknown is taken to be the other's.
pub(super) fn ratings(moment: &Moment) -> [u16; 2] {
    let us = moment.turn();
    let of = |color| moment.players.and_then(|players| players.of(color));
    match [of(us), of(!us)] {
        [Some(own), Some(other)] => [own, other],
        [Some(one), None] | [None, Some(one)] => [one; 2],
        [None, None] => [UNKNOWN_RATING; 2],
    }
}

/// Positions as strong players see them.
pub(super) fn evaluate_as_strong(brain: &dyn Brain, positions: &[Chess], wants: Wants) -> Evaluated {
    let players = Some(Ratings::lichess(Some(STRONG_RATING), Some(STRONG_RATING)));
    let bare = |position: &Chess| Moment { players, ..Moment::new(position.clone()) };
    Evaluated::of_moments(brain, &positions.iter().map(bare).collect::<Vec<_>>(), wants)
}

/// Opinions of what was computed.
pub(super) fn opinions(
    count: usize,
    policies: Option<Vec<Vec<f32>>>,
    outcomes: Option<Vec<Wdl>>,
) -> Vec<Opinion> {
    let mut opinions = vec![Opinion::default(); count];
    for (opinion, policy) in opinions.iter_mut().zip(policies.into_iter().flatten()) {
        opinion.policy = Some(policy);
    }
    for (opinion, wdl) in opinions.iter_mut().zip(outcomes.into_iter().flatten()) {
        opinion.wdl = Some(wdl);
    }
    opinions
}

/// Chances in proportion to `e` to the power of each score.
pub(super) fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

/// In sixteen sums side by side, which the compiler turns into vectors.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for i in 0..16 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum()
}
