//! From noise to a future, step by step. The first action is decided last: until then its own variable stays hidden, and what is imagined of
//! the rest speaks for it. Illegal first actions are impossible, since only legal moves are scored.

mod confidence;
mod guess;
mod jumps;

use std::ops::Range;

use burn::tensor::{Tensor, activation::softmax};
use data::Random;

use self::guess::{Guess, Mode};
use super::{
    PlannerConfig, Process, Source,
    batch::Known,
    future::{Layout, MASKED, Variable},
    network::{PackedPlanner, Planner, Thought},
    noise::pure,
    prompt::{Asked, Prompt},
    split::{Encoded, First},
};
use crate::{choice, fused, weights::values};

/// Futures differ by chance, and are the same whenever the same is asked.
const SEED: u64 = 0x0070_6c61_6e6e_6572;

/// A network ready to imagine the futures of some positions.
#[derive(Clone, Copy)]
pub(super) struct Decoder<'a> {
    pub(super) config: &'a PlannerConfig,
    pub(super) layout: Layout,
    pub(super) network: &'a Planner,
    pub(super) packed: Option<&'a PackedPlanner>,
    pub(super) known: &'a Known,
    pub(super) encoded: Option<&'a Encoded>,
}

/// Futures on their way, those of a position side by side.
#[derive(Clone, Debug)]
pub(super) struct Dream {
    pub(super) values: Vec<Vec<i32>>,
    /// How sure the network was of each value; 0 where there is none.
    pub(super) sure: Vec<Vec<f32>>,
    random: Vec<Random>,
    /// Of each position.
    pub(super) futures: usize,
}

/// What comes of a number of futures.
#[derive(Debug)]
pub(super) struct Decision {
    /// Chances of the legal moves, one position after another: the mean over the futures.
    pub(super) chances: Vec<f32>,
    /// Win, draw, loss of each position: the mean over the futures.
    pub(super) outcomes: Vec<[f32; 3]>,
}

impl Decoder<'_> {
    /// Imagines `futures` futures of each position in `steps` steps, and decides on the first action. `watch` sees them after each step.
    pub(super) fn decide(
        &self,
        steps: usize,
        futures: usize,
        watch: &mut dyn FnMut(&Dream, &Decision),
    ) -> Decision {
        let mode = if futures == 1 { Mode::Best } else { Mode::Drawn(self.config.temperature) };
        let mut dream = self.nothing(futures);
        for step in 0..steps {
            let last = step + 1 == steps;
            let prompt = self.prompt(&dream, step as f32 / steps as f32);
            let thought = self.think(&prompt);
            let firsts = thought.firsts();
            let chances: Vec<Vec<f32>> = firsts.iter().map(|first| self.chances(first)).collect();
            let decision = self.decision(&chances, firsts);
            watch(&dream, &decision);
            if last {
                return decision;
            }
            self.advance(&mut dream, &prompt, &thought, (step, steps), mode);
            if self.config.source == Source::Uniform {
                self.replace_first(&mut dream, &chances);
            }
        }
        unreachable!("there is at least one step")
    }

    /// Imagines what follows after a known first action of each position.
    pub(super) fn continued(&self, steps: usize, first: &[i32], watch: &mut dyn FnMut(&Dream)) -> Dream {
        let mut dream = self.nothing(1);
        for (at, &first) in first.iter().enumerate() {
            (dream.values[at][0], dream.sure[at][0]) = (first, 1.0);
        }
        for step in 0..steps {
            watch(&dream);
            let prompt = self.prompt(&dream, step as f32 / steps as f32);
            self.advance(&mut dream, &prompt, &self.think(&prompt), (step, steps), Mode::Best);
        }
        watch(&dream);
        dream
    }

    fn nothing(&self, futures: usize) -> Dream {
        let count = self.known.len() * futures;
        let mut random: Vec<Random> =
            (0..count).map(|at| Random::keyed(SEED, (at % futures) as u64)).collect();
        let values = random.iter_mut().map(|random| pure(self.config.source, self.layout, random)).collect();
        Dream { values, sure: vec![vec![0.0; self.layout.len()]; count], random, futures }
    }

    fn prompt(&self, dream: &Dream, time: f32) -> Prompt {
        let states: Vec<&[i32]> = dream.values.iter().map(|values| &values[..]).collect();
        let noise = vec![1.0 - time.powf(self.config.kappa); states.len()];
        let told = (self.config.source == Source::Uniform).then_some(&noise[..]);
        Prompt::new(self.layout, dream.futures, &self.known.text, &states, told)
    }

    fn think<'a>(&'a self, prompt: &'a Prompt) -> Thought<'a> {
        self.network.think(self.known, self.encoded, prompt, self.packed)
    }

    fn chances(&self, first: &First) -> Vec<f32> {
        fused::chances(&choice::ends(&self.known.counts), values(first.moves.clone()))
    }

    /// Where nothing hides it, the first action stands for what it would be now.
    fn replace_first(&self, dream: &mut Dream, chances: &[Vec<f32>]) {
        for (board, legal) in ranges(&self.known.counts).enumerate() {
            for (future, chances) in chances.iter().enumerate() {
                let best = legal.clone().max_by(|&a, &b| chances[a].total_cmp(&chances[b]));
                let best = best.expect("a legal move");
                let at = board * dream.futures + future;
                (dream.values[at][0], dream.sure[at][0]) = (self.known.actions[best], chances[best]);
            }
        }
    }

    fn decision(&self, each: &[Vec<f32>], firsts: Vec<First>) -> Decision {
        let share = 1.0 / firsts.len() as f32;
        let mut chances = vec![0.0; self.known.actions.len()];
        let mut outcomes = vec![[0.0; 3]; self.known.len()];
        for (own, First { outcome, .. }) in each.iter().zip(firsts) {
            chances.iter_mut().zip(own).for_each(|(sum, chance)| *sum += share * chance);
            let own = values(softmax(outcome, 1));
            for (sum, own) in outcomes.iter_mut().zip(own.chunks_exact(3)) {
                sum.iter_mut().zip(own).for_each(|(sum, chance)| *sum += share * chance);
            }
        }
        Decision { chances, outcomes }
    }

    /// One step from noise towards futures.
    fn advance(
        &self,
        dream: &mut Dream,
        prompt: &Prompt,
        thought: &Thought<'_>,
        at: (usize, usize),
        mode: Mode,
    ) {
        let hidden = |dream: &Dream, future: usize, variable: usize| match self.config.source {
            Source::Masked => dream.values[future][variable] == MASKED,
            Source::Uniform => true,
        };
        // The first variable is decided by the move list.
        let mut places = Vec::new();
        let mut asked = Asked::default();
        for future in 0..dream.values.len() {
            for variable in (1..self.layout.len()).filter(|&variable| hidden(dream, future, variable)) {
                asked.push(prompt, future, self.layout.variable(variable));
                places.push((future, variable));
            }
        }
        let guesses = self.guesses(dream, thought, &asked, &places, mode);
        for (future, guesses) in by_future(&guesses) {
            let random = &mut dream.random[future];
            let (values, sure) = (&mut dream.values[future], &mut dream.sure[future]);
            match self.config.process {
                Process::Diffusion => confidence::keep(self.layout, at, &guesses, values, sure),
                Process::Flow => jumps::jump(self.config, self.layout, at, &guesses, (values, sure), random),
            }
        }
    }

    fn guesses(
        &self,
        dream: &mut Dream,
        thought: &Thought<'_>,
        asked: &Asked,
        places: &[(usize, usize)],
        mode: Mode,
    ) -> Vec<(usize, usize, Guess)> {
        let scores = |asked: &[i32], of: &dyn Fn() -> Tensor<2>| match asked.is_empty() {
            true => Vec::new(),
            false => values(of()),
        };
        let actions = scores(&asked.actions, &|| thought.actions(asked));
        let changes = scores(&asked.states, &|| thought.changes(asked));
        let mut actions = actions.chunks_exact(self.layout.actions());
        let mut changes = changes.chunks_exact(self.layout.contents());
        let guess = |&(future, variable): &(usize, usize)| {
            let scores = match self.layout.variable(variable) {
                Variable::Action(_) => actions.next(),
                Variable::Square(..) => changes.next(),
            };
            let guess = Guess::of(scores.expect("scores of what was asked"), mode, &mut dream.random[future]);
            (future, variable, guess)
        };
        places.iter().map(guess).collect()
    }
}

/// The guesses of each future, which lie side by side.
fn by_future(guesses: &[(usize, usize, Guess)]) -> Vec<(usize, Vec<(usize, Guess)>)> {
    let same = guesses.chunk_by(|one, other| one.0 == other.0);
    same.map(|own| (own[0].0, own.iter().map(|&(_, variable, guess)| (variable, guess)).collect())).collect()
}

/// The legal moves of each position among those of all.
pub(super) fn ranges(counts: &[usize]) -> impl Iterator<Item = Range<usize>> {
    choice::ends(counts).into_iter().zip(counts).map(|(end, count)| end - count..end)
}
