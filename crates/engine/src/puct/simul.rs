//! Many searches side by side, a tree for each: their leaves go to the mind in one batch, so that a network sees full batches however few
//! visits a search has. For games of a mind against itself.

use std::{fmt, sync::Arc};

use chess::{Brain, Moment, MoveScores, Random, shakmaty::Move};

use super::{
    descent::{Guide, Leaf},
    q::score,
    tree::{ROOT, State, Tree},
};
use crate::{
    PuctSettings, Score,
    alpha_beta::{Node as Board, Syzygy},
    evaluator::{EvalBatch, judge},
};

/// Memory of a tree; small ones are all that few visits need.
const TREE_MB: usize = 4;
/// Descents that find nothing new, for each leaf that a tree may add to a batch.
const IN_VAIN: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulSettings {
    pub puct: PuctSettings,
    /// Positions that each search adds to its tree.
    pub visits: u64,
    /// Leaves of a tree in one batch.
    pub leaves: usize,
    /// Share of noise in the priors of the root, and how even it is: the parameter of a symmetric Dirichlet distribution.
    pub noise: Option<(f32, f32)>,
}

/// A mind that thinks about many games at the same time.
pub struct Simul {
    brain: Arc<dyn Brain>,
    settings: SimulSettings,
    syzygy: Syzygy,
}

/// The tree of a game, which stays from move to move.
#[derive(Debug, Default)]
pub struct GameTree(Tree);

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Visited {
    /// All legal moves with their visits, in the order in which they would be played.
    pub moves: Vec<(Move, u32)>,
    /// For the side to move.
    pub score: Score,
}

/// A game that waits for a move.
#[derive(Debug)]
pub struct Seat<'a> {
    pub moment: &'a Moment,
    pub tree: &'a mut GameTree,
    /// Where the noise comes from.
    pub random: &'a mut Random,
}

impl Simul {
    /// `brain` must have a policy and a value.
    pub fn new(brain: Arc<dyn Brain>, settings: SimulSettings) -> Simul {
        Simul { brain, settings, syzygy: Syzygy::open(&[]) }
    }

    /// Thinks about all games, none of which is over.
    pub fn think<'a>(&self, seats: &mut [Seat<'a>]) -> Vec<Visited> {
        let traits = self.brain.traits();
        let guide = |moment: &'a Moment| Guide {
            settings: self.settings.puct,
            scores: traits.policy.unwrap_or(MoveScores::Chances),
            syzygy: &self.syzygy,
            moment: traits.context.then_some(moment),
        };
        for Seat { moment, tree, .. } in seats.iter_mut() {
            tree.0.root_in(Board::new(&moment.position), moment.past.keys(), TREE_MB);
        }
        let mut quiet = vec![true; seats.len()];
        loop {
            let mut batch = EvalBatch::default();
            let mut owners = Vec::new();
            for (at, Seat { moment, tree, random }) in seats.iter_mut().enumerate() {
                if quiet[at] && tree.0.root().state == State::Expanded {
                    quiet[at] = false;
                    self.disturb(&mut tree.0, random);
                }
                self.gather(&mut tree.0, &guide(moment), &mut batch);
                owners.resize(batch.len(), at);
            }
            if batch.len() == 0 {
                break;
            }
            let judgements = judge(&*self.brain, true, &batch).expect("the mind has an answer");
            for ((&id, owner), judgement) in batch.ids().iter().zip(owners).zip(judgements) {
                let Seat { moment, tree, .. } = &mut seats[owner];
                tree.0.take_in(id, &judgement, &guide(moment));
            }
        }
        // Hundreds of tables would be kept otherwise, and a move would depend on those before it.
        seats.iter_mut().for_each(|seat| seat.tree.0.forget_probes());
        seats.iter().map(|seat| visited(seat.moment, &seat.tree.0)).collect()
    }

    /// Mixes noise into the priors of the root, so that not every game goes the same way.
    fn disturb(&self, tree: &mut Tree, random: &mut Random) {
        let Some((share, evenness)) = self.settings.noise else { return };
        let edges = &mut tree.node_mut(ROOT).edges;
        let noise: Vec<f32> = edges.iter().map(|_| gamma(evenness, random)).collect();
        let sum: f32 = noise.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        for (edge, noise) in edges.iter_mut().zip(noise) {
            edge.prior = (1.0 - share) * edge.prior + share * noise / sum;
        }
    }

    /// The leaves that a tree wants to hear the mind on next; none when it is done.
    fn gather(&self, tree: &mut Tree, guide: &Guide<'_>, batch: &mut EvalBatch) {
        let mut collisions = Vec::new();
        let (mut found, mut in_vain) = (0, 0);
        while found < self.settings.leaves.max(1)
            && in_vain < IN_VAIN * self.settings.leaves.max(1)
            && (tree.made < self.settings.visits || tree.root().state == State::Leaf)
        {
            match tree.descend(guide) {
                Leaf::New(id) => {
                    found += 1;
                    match guide.moment {
                        Some(root) => batch.push_moment(id, tree.moment(id, root)),
                        None => batch.push(id, &tree.node(id).board.chess),
                    }
                }
                Leaf::Known => in_vain += 1,
                Leaf::Collision(ROOT) => break,
                Leaf::Collision(id) => {
                    in_vain += 1;
                    tree.add_visits(id, 1);
                    collisions.push(id);
                }
            }
        }
        collisions.into_iter().for_each(|id| tree.add_visits(id, -1));
    }
}

fn visited(moment: &Moment, tree: &Tree) -> Visited {
    let root = tree.root();
    let ranked = root.ranked();
    let moves = ranked.iter().filter_map(|edge| Some((root.board.recall(edge.m)?, edge.visits)));
    let score = ranked.first().map_or_else(|| score(root.q), |edge| score(edge.q));
    let moves: Vec<(Move, u32)> = moves.collect();
    debug_assert_eq!(moves.len(), moment.legal_moves().len());
    Visited { moves, score }
}

/// A number of the gamma distribution with this shape (Marsaglia and Tsang 2000).
fn gamma(shape: f32, random: &mut Random) -> f32 {
    let mut uniform = || random.part().max(1e-7);
    if shape < 1.0 {
        let power = uniform().powf(1.0 / shape);
        return power * gamma(shape + 1.0, random);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let normal = (-2.0 * uniform().ln()).sqrt() * (std::f32::consts::TAU * uniform()).cos();
        let v = (1.0 + c * normal).powi(3);
        if v > 0.0 && uniform().ln() < 0.5 * normal * normal + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

impl fmt::Debug for Simul {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Simul with {:?}", self.settings)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use chess::{Evaluated, Opinion, Traits, Wants, shakmaty::CastlingMode, shakmaty::Chess};

    use super::*;
    use crate::testing::Whim;

    /// Remembers the sizes of its batches.
    #[derive(Default)]
    struct Counting(Whim, Mutex<Vec<usize>>);

    impl Brain for Counting {
        fn traits(&self) -> &Traits {
            self.0.traits()
        }

        fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
            self.0.judge(moments, wants)
        }

        fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
            self.1.lock().unwrap().push(positions.len());
            self.0.evaluate(positions, wants)
        }

        fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
            None
        }
    }

    const SETTINGS: SimulSettings = SimulSettings {
        puct: PuctSettings { c_puct: 2.0, fpu_reduction: 0.2, policy_temperature: 1.0 },
        visits: 40,
        leaves: 2,
        noise: None,
    };

    fn think(simul: &Simul, moments: &[Moment], seed: u64) -> Vec<Visited> {
        let mut trees: Vec<GameTree> = moments.iter().map(|_| GameTree::default()).collect();
        let mut randoms: Vec<Random> = (0..).map(|at| Random::keyed(seed, at)).take(moments.len()).collect();
        let boards = moments.iter().zip(&mut trees).zip(&mut randoms);
        let mut seats: Vec<Seat<'_>> =
            boards.map(|((moment, tree), random)| Seat { moment, tree, random }).collect();
        simul.think(&mut seats)
    }

    fn games() -> Vec<Moment> {
        let moment = |moves: &str| Moment::default().after_uci(moves.split_whitespace()).unwrap();
        ["", "e2e4", "d2d4 d7d5", "e2e4 e7e5 g1f3", "c2c4 g8f6"].map(moment).to_vec()
    }

    #[test]
    fn searches_side_by_side_find_what_each_finds_alone_in_fewer_and_larger_batches() {
        let brain = Arc::new(Counting::default());
        let simul = Simul::new(brain.clone(), SETTINGS);
        let together = think(&simul, &games(), 1);
        let batches = std::mem::take(&mut *brain.1.lock().unwrap());
        assert!(batches.iter().take(10).skip(1).all(|&size| size > 5), "{batches:?}");
        for (game, expected) in games().into_iter().zip(&together) {
            assert_eq!(&think(&simul, &[game], 1)[0], expected);
        }
        for found in together {
            let visits: u32 = found.moves.iter().map(|(_, visits)| visits).sum();
            assert!(visits >= 39, "{visits}");
        }
    }

    #[test]
    fn mates_are_proven_and_noise_changes_what_is_visited() {
        let simul = Simul::new(Arc::new(Whim::default()), SETTINGS);
        let mate = Moment::from_fen("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", CastlingMode::Standard).unwrap();
        let found = think(&simul, std::slice::from_ref(&mate), 1).remove(0);
        assert_eq!((mate.uci(found.moves[0].0), found.score), ("a1a8".to_owned(), Score::mates(1)));
        let noisy = SimulSettings { noise: Some((0.5, 0.3)), ..SETTINGS };
        let noisy = Simul::new(Arc::new(Whim::default()), noisy);
        let of = |seed| think(&noisy, &games(), seed);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn gamma_numbers_have_the_mean_of_their_shape() {
        let mut random = Random::new(5);
        for shape in [0.3, 1.0, 4.0] {
            let mean = (0..20_000).map(|_| gamma(shape, &mut random)).sum::<f32>() / 20_000.0;
            assert!((mean - shape).abs() < 0.06 * shape.max(0.5), "{shape}: {mean}");
        }
    }
}
