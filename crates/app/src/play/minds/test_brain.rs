//! A cheap brain for tests, in place of the human network: it likes a move the more, the better the hand-made
//! evaluation stands after it, and less surely so at a lower rating.

use chess::{
    Brain, Evaluated, Moment, MoveScores, Opinion, ThinkTime, Traits, Wants, search_name, shakmaty::Chess,
};
use engine::heuristic::{evaluate, win_chances};

#[derive(Debug)]
pub(crate) struct TestBrain(Traits);

impl Default for TestBrain {
    fn default() -> TestBrain {
        TestBrain(Traits { think: true, context: true, ..traits(Some(MoveScores::Chances), true) })
    }
}

impl Brain for TestBrain {
    fn traits(&self) -> &Traits {
        &self.0
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        moments.iter().map(|moment| judge(moment).only(wants)).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

/// Of a mind with a policy and a value, or without.
pub(crate) fn traits(policy: Option<MoveScores>, value: bool) -> Traits {
    let (think, line, context, hand_made) = (false, false, false, false);
    let search = search_name::INSTANT;
    Traits { policy, value, think, line, context, bins: None, hand_made, most_effort: 0, search }
}

fn judge(moment: &Moment) -> Opinion {
    let rating = moment.players.and_then(|players| players.of(moment.turn())).unwrap_or(1500);
    let spread_cp = 20.0 + 0.08 * f32::from(2700u16.saturating_sub(rating));
    let values: Vec<f32> = moment
        .legal_moves()
        .into_iter()
        .map(|m| {
            let mut next = moment.clone();
            next.play(m);
            -evaluate(&next.position) as f32 / spread_cp
        })
        .collect();
    let top = values.iter().copied().fold(f32::MIN, f32::max);
    let weights: Vec<f32> = values.iter().map(|value| (value - top).exp()).collect();
    let sum: f32 = weights.iter().sum();
    Opinion {
        policy: Some(weights.iter().map(|weight| weight / sum).collect()),
        wdl: Some(win_chances(evaluate(&moment.position), moment.halfmoves())),
        think: Some(think(moment)),
        line: Vec::new(),
    }
}

fn think(moment: &Moment) -> ThinkTime {
    let us = moment.turn();
    let left_s = moment.clocks.map_or(120.0, |clocks| *clocks.left_cs.get(us) as f32 / 100.0);
    let edges_s = [0.001, 0.003, 0.01, 0.02, 0.06].map(|share| share * left_s);
    ThinkTime::from_weights(&edges_s, &[0.2, 0.4, 0.3, 0.1])
}
