//! The mind that comes of a trained network.

use chess::{
    Brain, Evaluated, Moment, MoveScores, Opinion, Traits, Wants, Wdl,
    shakmaty::{Chess, Move},
};

use super::{
    Planner, PlannerConfig,
    batch::Known,
    config::MOST_EFFORT,
    decode::{Decision, Decoder, ranges},
    figures::chosen,
    line::Line,
    network::PackedPlanner,
};
use crate::family::Family;

/// Futures that are imagined in one go.
const MOST_AT_ONCE: usize = 256;

#[derive(Debug)]
pub(super) struct PlannerBrain {
    network: Planner,
    packed: Option<PackedPlanner>,
    config: PlannerConfig,
    traits: Traits,
}

impl PlannerBrain {
    pub(super) fn new(network: Planner, config: PlannerConfig) -> PlannerBrain {
        // A policy alone has nothing to think about.
        let later = config.layout().horizon > 1;
        let traits = Traits {
            policy: Some(MoveScores::Chances),
            value: true,
            think: false,
            line: true,
            context: true,
            bins: None,
            hand_made: false,
            most_effort: if later && config.uses_clock { MOST_EFFORT } else { 0 },
            search: Planner::SEARCH,
        };
        PlannerBrain { packed: network.packed(config.layout()), network, config, traits }
    }

    fn judge_some(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let known = Known::new(self.config.layout(), moments);
        let encoded = self.network.encode(&known, self.packed.as_ref());
        let decoder = Decoder {
            config: &self.config,
            layout: self.config.layout(),
            network: &self.network,
            packed: self.packed.as_ref(),
            known: &known,
            encoded: encoded.as_ref(),
        };
        let (steps, futures) = self.config.effort(wants.effort);
        let decision = decoder.decide(steps, futures, &mut |_, _| {});
        let mut lines = match wants.line {
            true => self.lines(moments, &decoder, &decision),
            false => vec![Vec::new(); moments.len()],
        };
        let opinion = |(at, legal): (usize, std::ops::Range<usize>)| {
            let [win, draw, loss] = decision.outcomes[at];
            Opinion {
                policy: wants.policy.then(|| decision.chances[legal].to_vec()),
                wdl: wants.value.then(|| Wdl::from_weights(win, draw, loss)),
                think: None,
                line: std::mem::take(&mut lines[at]),
            }
        };
        ranges(&known.counts).enumerate().map(opinion).collect()
    }

    /// What is imagined after the moves that were decided on, as far as it is legal.
    fn lines(&self, moments: &[&Moment], decoder: &Decoder<'_>, decision: &Decision) -> Vec<Vec<Move>> {
        let counts = &decoder.known.counts;
        let chosen = chosen(counts, &decision.chances);
        let actions: Vec<i32> = chosen.iter().map(|&place| decoder.known.actions[place]).collect();
        let dream = decoder.continued(self.config.steps, &actions, &mut |_| {});
        let starts = ranges(counts).map(|legal| legal.start);
        let line = |((&moment, values), (place, start)): ((&&Moment, &Vec<i32>), (usize, usize))| {
            let first = moment.legal_moves()[place - start];
            Line::of(decoder.layout, &moment.position, first, values).moves
        };
        moments.iter().zip(&dream.values).zip(chosen.into_iter().zip(starts)).map(line).collect()
    }
}

impl Brain for PlannerBrain {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        if !(wants.policy || wants.value || wants.line) {
            return vec![Opinion::default(); moments.len()];
        }
        let alive: Vec<&Moment> = moments.iter().filter(|moment| !moment.legal_moves().is_empty()).collect();
        let (_, futures) = self.config.effort(wants.effort);
        let most = (MOST_AT_ONCE / futures).max(1);
        let mut answers = alive.chunks(most).flat_map(|some| self.judge_some(some, wants));
        let answer = |moment: &Moment| match moment.legal_moves().is_empty() {
            true => Opinion { policy: wants.policy.then(Vec::new), ..Opinion::default() },
            false => answers.next().expect("one answer per moment"),
        };
        moments.iter().map(answer).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}
