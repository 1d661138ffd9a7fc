//! A mind, and what can be asked of it. Every method is required: a wrapper that forgets one does not compile.

use shakmaty::Chess;

use crate::{Bins, Comparer, Moment, Opinion};

/// Names of searches, for minds that say which one suits them. The list of searches is the engine's.
pub mod search_name {
    pub const ALPHA_BETA: &str = "alpha-beta";
    pub const BATCH_FIRST: &str = "batch-first";
    pub const COMPARISONS: &str = "comparisons";
    pub const INSTANT: &str = "instant";
    pub const PUCT: &str = "puct";
}

/// What a mind has. A wrapper hands out the traits of the mind inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Traits {
    /// What it says about moves; `None` from a mind that compares positions only.
    pub policy: Option<MoveScores>,
    /// Whether it puts a value on positions.
    pub value: bool,
    /// Whether it foresees how long a player thinks.
    pub think: bool,
    /// Whether it foresees a continuation.
    pub line: bool,
    /// Whether its answers depend on more than the position: the past, the clocks, the ratings. Searches then ask it about moments where
    /// they can.
    pub context: bool,
    /// How the scores of moves are spread, if that was measured.
    pub bins: Option<Bins>,
    /// Its values are those of the engine's hand-made evaluation, which alpha-beta computes faster by itself.
    pub hand_made: bool,
    /// The most [`Wants::effort`] that makes a difference: 0 for a mind that always thinks as long.
    pub most_effort: u32,
    /// The search for those who name none.
    pub search: &'static str,
}

/// What the scores of moves mean that searches get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveScores {
    /// Chances that the move is played; they sum to 1.
    Chances,
    /// What the position after the move is worth to the one who made it, in centipawns like values.
    Values,
}

impl Traits {
    pub fn scores_are_values(&self) -> bool {
        self.policy == Some(MoveScores::Values)
    }
}

/// What the caller will use. A mind computes no more than that and leaves the rest empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    pub policy: bool,
    pub value: bool,
    pub think: bool,
    pub line: bool,
    /// How much longer than usual it is to think: each one more takes about twice as long.
    pub effort: u32,
}

impl Wants {
    pub const NOTHING: Wants = Wants { policy: false, value: false, think: false, line: false, effort: 0 };
    pub const ALL: Wants = Wants { policy: true, value: true, think: true, line: true, effort: 0 };
    pub const POLICY: Wants = Wants { policy: true, ..Wants::NOTHING };
    pub const VALUE: Wants = Wants { value: true, ..Wants::NOTHING };
    pub const POLICY_AND_VALUE: Wants = Wants { policy: true, value: true, ..Wants::NOTHING };

    /// What either of them wants.
    #[must_use]
    pub fn or(self, other: Wants) -> Wants {
        Wants {
            policy: self.policy || other.policy,
            value: self.value || other.value,
            think: self.think || other.think,
            line: self.line || other.line,
            effort: self.effort.max(other.effort),
        }
    }
}

/// What searches get about positions, in the order of the positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluated {
    /// What each position is worth to the side to move, in centipawns and as fine as the mind has it; a draw is 0. Empty where it was not
    /// wanted, and from a mind without a value.
    pub values: Vec<f32>,
    /// [`MoveScores`], aligned with each position's `legal_moves()`. Empty where they were not wanted, and from a mind without a policy.
    pub scores: Vec<Vec<f32>>,
}

/// A mind. Questions come in batches: one answer for each, in order.
pub trait Brain: Send + Sync {
    fn traits(&self) -> &Traits;

    /// Opinions on moments. What is wanted and the mind has is there for every moment in which the game goes on.
    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion>;

    /// What searches ask: values, scores of moves, or both, of positions without a past, none of which is over. Of `wants`, only policy and
    /// value count. A mind with nothing faster answers with [`Evaluated::by_judging`].
    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated;

    /// Its own way to compare positions, for a mind that has one. A wrapper hands out that of the mind inside.
    fn comparer(&self) -> Option<Box<dyn Comparer>>;
}

impl Evaluated {
    /// What a mind's opinions say about positions.
    pub fn by_judging(brain: &dyn Brain, positions: &[Chess], wants: Wants) -> Evaluated {
        let moments: Vec<Moment> = positions.iter().cloned().map(Moment::new).collect();
        Evaluated::of_moments(brain, &moments, wants)
    }

    /// The same of moments, for a mind whose answers depend on more than the position.
    pub fn of_moments(brain: &dyn Brain, moments: &[Moment], wants: Wants) -> Evaluated {
        let traits = brain.traits();
        let wants = Wants {
            policy: wants.policy && traits.policy.is_some(),
            value: wants.value && traits.value,
            ..Wants::NOTHING
        };
        let mut found = Evaluated::default();
        if wants == Wants::NOTHING {
            return found;
        }
        for opinion in brain.judge(moments, wants) {
            if wants.value {
                found.values.push(opinion.wdl.map_or(0.0, |wdl| wdl.centipawns()));
            }
            if wants.policy {
                found.scores.push(opinion.policy.unwrap_or_default());
            }
        }
        found
    }
}

impl Opinion {
    /// Without what nobody wants.
    #[must_use]
    pub fn only(self, wants: Wants) -> Opinion {
        Opinion {
            policy: self.policy.filter(|_| wants.policy),
            wdl: self.wdl.filter(|_| wants.value),
            think: self.think.filter(|_| wants.think),
            line: if wants.line { self.line } else { Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wdl;

    /// Holds the side to move for winning as far as it has moves.
    struct Hopeful(Traits);

    impl Brain for Hopeful {
        fn traits(&self) -> &Traits {
            &self.0
        }

        fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
            let opinion = |moment: &Moment| {
                let moves = moment.legal_moves().len();
                let wdl = Wdl::from_weights(moves as f32, 0.0, 20.0);
                let opinion =
                    Opinion { policy: Some(vec![1.0; moves]), wdl: Some(wdl), ..Opinion::default() };
                opinion.only(wants)
            };
            moments.iter().map(opinion).collect()
        }

        fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
            Evaluated::by_judging(self, positions, wants)
        }

        fn comparer(&self) -> Option<Box<dyn Comparer>> {
            None
        }
    }

    fn hopeful(policy: Option<MoveScores>, value: bool) -> Hopeful {
        let (think, line, context, hand_made) = (false, false, false, false);
        let search = search_name::INSTANT;
        Hopeful(Traits { policy, value, think, line, context, bins: None, hand_made, most_effort: 0, search })
    }

    #[test]
    fn searches_get_what_they_want_and_the_mind_has() {
        let mut after_e4 = Moment::default();
        after_e4.play(after_e4.parse_uci("e2e4").unwrap());
        after_e4.play(after_e4.parse_uci("e7e5").unwrap());
        let positions = [Chess::default(), after_e4.position];
        let both = hopeful(Some(MoveScores::Chances), true);
        let found = both.evaluate(&positions, Wants::ALL);
        assert!(found.values[0].abs() < 1e-3 && found.values[1] > 50.0, "{found:?}");
        assert_eq!(found.scores.iter().map(Vec::len).collect::<Vec<_>>(), [20, 29]);
        assert!(both.evaluate(&positions, Wants::POLICY).values.is_empty());
        assert!(both.evaluate(&positions, Wants::VALUE).scores.is_empty());
        let (mute, blind) = (hopeful(None, true), hopeful(Some(MoveScores::Chances), false));
        assert_eq!(mute.evaluate(&positions, Wants::ALL), Evaluated { scores: Vec::new(), ..found.clone() });
        assert_eq!(blind.evaluate(&positions, Wants::ALL), Evaluated { values: Vec::new(), ..found });
        assert_eq!(hopeful(None, false).evaluate(&positions, Wants::ALL), Evaluated::default());
    }

    #[test]
    fn two_wants_together_want_what_either_does() {
        assert_eq!(Wants::POLICY.or(Wants::VALUE), Wants::POLICY_AND_VALUE);
        assert_eq!(Wants::NOTHING.or(Wants::ALL), Wants::ALL);
    }
}
