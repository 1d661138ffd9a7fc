//! What a position is worth to the side to move, as it is shown to people and decides on resignations.
//!
//! Minds that predict people know who tends to win with so much time on the clock and with the move. Both are facts about games, not
//! about the position: the clocks are left out, and what both sides would say on their turn is held against each other.

use chess::{
    Brain, Moment, Opinion, Wants, Wdl,
    shakmaty::{Move, Position},
};

use crate::{Score, chances::score_of};

/// Most that having the move may be taken to be overrated, in log odds: about 150 centipawns. In a sharp position the move is worth more
/// than that, and rightly so.
const MOST_BIAS: f32 = 0.55;

/// The chances of the side to move; `opinion` is what the mind said with all it knows.
pub(super) fn chances(brain: &dyn Brain, moment: &Moment, opinion: &Opinion) -> Option<Wdl> {
    if !brain.traits().context || opinion.wdl.is_none() {
        return opinion.wdl;
    }
    let own = Moment { clocks: None, ..moment.clone() };
    let turned = own.position.clone().swap_turn().ok().filter(|position| !position.legal_moves().is_empty());
    let views: Vec<Moment> = [own.clone()]
        .into_iter()
        .chain(turned.map(|position| Moment { players: own.players, ..Moment::new(position) }))
        .collect();
    let mut views = brain.judge(&views, Wants::VALUE).into_iter().map(|opinion| opinion.wdl);
    let own = views.next().flatten().or(opinion.wdl)?;
    let Some(theirs) = views.next().flatten() else { return Some(own) };
    let bias = 0.5 * (log_odds(own) + log_odds(theirs));
    Some(shifted(own, -bias.clamp(-MOST_BIAS, MOST_BIAS)))
}

/// What each of some moves is worth to the one who makes it.
pub(super) fn after(brain: &dyn Brain, moment: &Moment, moves: &[Move]) -> Vec<Option<Score>> {
    let next = |&m: &Move| {
        let mut next = Moment { clocks: None, ..moment.clone() };
        next.play(m);
        next
    };
    let moments: Vec<Moment> = moves.iter().map(next).collect();
    let open: Vec<Moment> = moments.iter().filter(|moment| moment.ending().is_none()).cloned().collect();
    let mut opinions = brain.judge(&open, Wants::VALUE).into_iter();
    let mut value = |moment: &Moment| match moment.ending() {
        Some(ending) if ending.winner().is_some() => Some(Score::mates(1)),
        Some(_) => Some(Score::Centipawns(0)),
        None => chances(brain, moment, &opinions.next()?).map(|wdl| score_of(wdl.flipped())),
    };
    moments.iter().map(&mut value).collect()
}

fn log_odds(wdl: Wdl) -> f32 {
    let expectation = wdl.expectation().clamp(1e-4, 1.0 - 1e-4);
    (expectation / (1.0 - expectation)).ln()
}

/// Other odds with as many draws, where these leave room for it.
fn shifted(wdl: Wdl, by: f32) -> Wdl {
    let expectation = 1.0 / (1.0 + (-(log_odds(wdl) + by)).exp());
    let draw = wdl.draw().min(2.0 * expectation.min(1.0 - expectation));
    Wdl::from_weights(expectation - 0.5 * draw, draw, 1.0 - expectation - 0.5 * draw)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shifted_odds_are_chances_and_turn_round(
            weights in (0.001f32..1.0, 0.0f32..1.0, 0.001f32..1.0),
            by in -1.0f32..1.0,
        ) {
            let wdl = Wdl::from_weights(weights.0, weights.1, weights.2);
            let moved = shifted(wdl, by);
            prop_assert!(moved.win() >= -1e-6 && moved.loss() >= -1e-6 && moved.draw() <= wdl.draw() + 1e-6);
            prop_assert!((log_odds(moved) - log_odds(wdl) - by).abs() < 0.02, "{moved:?}");
            let turned = shifted(wdl.flipped(), -by).flipped();
            prop_assert!((turned.expectation() - moved.expectation()).abs() < 1e-4);
        }
    }
}
