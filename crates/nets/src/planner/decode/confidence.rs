//! Decoding of the diffusion: after each step the surest values stay, the rest is hidden again, also what was shown before.
//!
//! What stays is measured by doubt, not by number, since most squares of a future are certain at once: after step i of n, the surest values
//! whose doubts add up to i / n of all doubt. Squares that are in doubt wait for the actions that decide them.

use super::{
    super::future::{Layout, MASKED, Variable},
    guess::Guess,
};

/// Squares as sure as that cost nothing.
const CERTAIN: f32 = 0.9;

/// Keeps the surest of what is shown and what was guessed after `step` of `steps` (from 0). The first action is not touched.
pub(super) fn keep(
    layout: Layout,
    (step, steps): (usize, usize),
    guesses: &[(usize, Guess)],
    values: &mut [i32],
    sure: &mut [f32],
) {
    let shown = (1..values.len()).filter(|&at| values[at] != MASKED).count();
    for &(at, guess) in guesses {
        (values[at], sure[at]) = (guess.value, guess.sure);
    }
    let mut order: Vec<usize> = (1..values.len()).collect();
    order.sort_by(|&a, &b| rank(layout, b, sure[b]).total_cmp(&rank(layout, a, sure[a])));
    let doubt = |at: usize| if is_certain(layout, at, sure[at]) { 0.0 } else { 1.0 - sure[at] };
    let all: f32 = order.iter().map(|&at| doubt(at)).sum();
    let allowed = all * (step + 1) as f32 / steps as f32;
    let mut sum = 0.0;
    let mut stays = |&at: &usize| {
        sum += doubt(at);
        sum <= allowed
    };
    let kept = if step + 1 == steps { order.len() } else { order.iter().take_while(|at| stays(at)).count() };
    // Something new is shown in every step.
    for &at in &order[kept.max(shown + 1).min(order.len())..] {
        (values[at], sure[at]) = (MASKED, 0.0);
    }
}

fn is_certain(layout: Layout, at: usize, sure: f32) -> bool {
    sure >= CERTAIN && matches!(layout.variable(at), Variable::Square(..))
}

/// Certain squares first, then actions, then squares in doubt.
fn rank(layout: Layout, at: usize, sure: f32) -> f32 {
    match layout.variable(at) {
        Variable::Square(..) if sure >= CERTAIN => 2.0 + sure,
        Variable::Action(_) => 1.0 + sure,
        Variable::Square(..) => sure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout =
        Layout { horizon: 3, states: true, form: super::super::super::future::Form::Changes };

    fn guesses(sure_of_squares: f32) -> Vec<(usize, Guess)> {
        let sure = |at| match LAYOUT.variable(at) {
            Variable::Action(ply) => 0.1 + 0.2 * ply as f32,
            Variable::Square(_, 7) => 0.5,
            Variable::Square(..) => sure_of_squares,
        };
        (1..LAYOUT.len()).map(|at| (at, Guess { value: 3, sure: sure(at) })).collect()
    }

    #[test]
    fn certain_squares_come_first_then_the_surest_action_and_all_at_the_end() {
        let (mut values, mut sure) = (vec![MASKED; LAYOUT.len()], vec![0.0; LAYOUT.len()]);
        keep(LAYOUT, (0, 10), &guesses(0.99), &mut values, &mut sure);
        let shown = |values: &[i32]| values.iter().filter(|&&value| value != MASKED).count();
        assert_eq!(shown(&values), 2 * 63);
        keep(LAYOUT, (1, 10), &guesses(0.99), &mut values, &mut sure);
        assert_eq!(shown(&values), 2 * 63 + 1);
        assert_eq!((values[LAYOUT.action(2)], values[LAYOUT.action(1)]), (3, MASKED));
        keep(LAYOUT, (9, 10), &guesses(0.99), &mut values, &mut sure);
        assert_eq!(shown(&values), LAYOUT.len() - 1);
        assert_eq!(values[0], MASKED, "the first action is decided elsewhere");
    }

    #[test]
    fn what_was_shown_is_hidden_again_when_others_are_surer() {
        let (mut values, mut sure) = (vec![MASKED; LAYOUT.len()], vec![0.0; LAYOUT.len()]);
        let action = LAYOUT.action(2);
        (values[action], sure[action]) = (5, 0.2);
        let others: Vec<_> = guesses(0.8).into_iter().filter(|&(at, _)| at != action).collect();
        let mut sooner = others;
        sooner.iter_mut().for_each(|(at, guess)| {
            if *at == LAYOUT.action(1) {
                guess.sure = 0.95;
            }
        });
        keep(LAYOUT, (0, 100), &sooner, &mut values, &mut sure);
        assert_eq!(values[LAYOUT.action(1)], 3);
        let again = guesses(0.99).into_iter().filter(|&(at, _)| values[at] == MASKED).collect::<Vec<_>>();
        keep(LAYOUT, (1, 1000), &again, &mut values, &mut sure);
        assert_eq!(values[action], MASKED);
    }
}
