//! What the minds of others have in common.

use chess::{Moment, MoveScores, Opinion, Traits, Wants, Wdl};

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
