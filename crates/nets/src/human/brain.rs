//! The mind that comes of a trained network.

use burn::tensor::activation::softmax;
use chess::{Brain, Evaluated, Moment, MoveScores, Opinion, ThinkTime, Traits, Wants, Wdl, shakmaty::Chess};

use super::{Human, HumanConfig, Outputs, Packed, THINK_BINS, THINK_EDGES, batch::Batch};
use crate::{
    balance::{applies, balanced, plain},
    choice,
    family::Family,
    fused,
    temperature::at_temperature,
    weights::values,
};

/// Moments that are judged in one go.
const MOST_AT_ONCE: usize = 256;
/// Where the last class of thinking time ends, in seconds.
const LONGEST_THOUGHT: f32 = 180.0;

#[derive(Debug)]
pub(super) struct HumanBrain {
    network: Human,
    packed: Option<Packed>,
    config: HumanConfig,
    traits: Traits,
}

impl HumanBrain {
    pub(super) fn new(network: Human, config: HumanConfig) -> HumanBrain {
        let traits = Traits {
            policy: Some(MoveScores::Chances),
            value: true,
            think: true,
            line: false,
            context: true,
            bins: None,
            hand_made: false,
            most_effort: 0,
            search: Human::SEARCH,
        };
        HumanBrain { packed: network.packed(), network, config, traits }
    }

    /// What is wanted of each moment. With terms for ratings and clocks the outcome is asked of the board alone, in the same batch: once more
    /// where the moves are wanted too, in their place where they are not. Of players with other ratings than Lichess's it is taken as it is.
    fn judge_some(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        if !wants.value || self.config.balance.is_empty() {
            return self.judge_seen(moments, wants);
        }
        let board = |moment: &&Moment| if applies(moment) { plain(moment) } else { None };
        let boards: Vec<Option<Moment>> = moments.iter().map(board).collect();
        let moves_too = wants.policy || wants.think;
        let asked: Vec<&Moment> = match moves_too {
            true => moments.iter().copied().chain(boards.iter().flatten()).collect(),
            false => {
                moments.iter().zip(&boards).map(|(&seen, board)| board.as_ref().unwrap_or(seen)).collect()
            }
        };
        let mut opinions = self.judge_seen(&asked, wants);
        let extra = if moves_too { opinions.split_off(moments.len()) } else { Vec::new() };
        let mut extra = extra.into_iter();
        for ((opinion, moment), board) in opinions.iter_mut().zip(moments).zip(&boards) {
            let said = board.as_ref().and_then(|_| extra.next()).and_then(|extra| extra.wdl).or(opinion.wdl);
            opinion.wdl = said.map(|said| match applies(moment) {
                true => balanced(&self.config.balance, said, moment),
                false => said,
            });
        }
        opinions
    }

    /// What the network says about moments as they are. All heads share what is costly, so a part of the opinion costs as much as the whole;
    /// only what is made of the outputs is left out.
    fn judge_seen(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let batch = Batch::from_moments(&self.config, moments);
        let Outputs { moves, outcome, think, .. } = self.network.forward(&batch, false, self.packed.as_ref());
        let moves = fused::chances(&choice::ends(&batch.counts), values(moves));
        let outcome = values(softmax(outcome, 1));
        let think = values(softmax(think, 1));
        let mut rest_of_moves = &moves[..];
        let rows = batch.counts.iter().map(|&count| rest_of_moves.split_off(..count).expect("its list"));
        let rest = outcome.chunks_exact(3).zip(think.chunks_exact(THINK_BINS));
        rows.zip(rest)
            .zip(moments)
            .map(|((row, (wdl, think)), moment)| Opinion {
                policy: wants.policy.then(|| self.calibrated(row, moment)),
                wdl: wants.value.then(|| Wdl::from_weights(wdl[0], wdl[1], wdl[2])),
                think: wants.think.then(|| think_time(think)),
                line: Vec::new(),
            })
            .collect()
    }

    fn calibrated(&self, chances: &[f32], moment: &Moment) -> Vec<f32> {
        let rating = moment.players.and_then(|players| players.of(moment.turn()));
        match self.config.temperature(rating) {
            1.0 => chances.to_vec(),
            temperature => at_temperature(chances, temperature),
        }
    }
}

impl Brain for HumanBrain {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        let alive: Vec<&Moment> = moments.iter().filter(|moment| !moment.legal_moves().is_empty()).collect();
        let mut answers = alive.chunks(MOST_AT_ONCE).flat_map(|some| self.judge_some(some, wants));
        let finished = || Opinion { policy: wants.policy.then(Vec::new), ..Opinion::default() };
        let answer = |moment: &Moment| match moment.legal_moves().is_empty() {
            true => finished(),
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

fn think_time(chances: &[f32]) -> ThinkTime {
    let edges: Vec<f32> = [0.0].into_iter().chain(THINK_EDGES).chain([LONGEST_THOUGHT]).collect();
    ThinkTime::from_weights(&edges, chances)
}
