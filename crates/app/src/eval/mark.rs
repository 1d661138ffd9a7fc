//! One forecast held against what really happened.

use std::{cmp::Ordering, collections::HashMap, time::Duration};

use ::data::{Game, Sample};
use chess::{
    ThinkTime, Wdl,
    shakmaty::{Move, Square},
};

/// What a model says of one position.
#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    pub(crate) moves: Moves,
    pub(crate) wdl: Option<Wdl>,
    pub(crate) think: Option<ThinkTime>,
}

#[derive(Clone, Debug)]
pub(crate) enum Moves {
    /// The chance of each legal move, in the order of `legal_moves`.
    Chances(Vec<f32>),
    /// The move that the model would play; `None` if it played nonsense.
    Best(Option<Move>),
}

/// How good one forecast was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    /// Positions of one game are not independent, so intervals are made from whole games.
    pub(crate) game: usize,
    /// Whether the move was among the first 1, 3, 5. Equals share the places.
    pub(crate) top: [Option<f64>; 3],
    /// The chance that the move was given.
    pub(crate) chance: Option<f64>,
    /// The chances of the likeliest 1, 3, 5 moves together.
    pub(crate) coverage: [Option<f64>; 3],
    /// The share of moves that were given less than a percent, where there are many moves.
    pub(crate) unlikely: Option<f64>,
    /// Whether the likeliest square to move from, and to, was the one.
    pub(crate) origin: f64,
    pub(crate) target: f64,
    pub(crate) think: Option<Think>,
    pub(crate) outcome: Option<Outcome>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Think {
    pub(crate) right_bin: bool,
    pub(crate) expected_s: f64,
    pub(crate) spent_s: f64,
    /// The chance that the move was given to be a snap one.
    pub(crate) snap: f64,
    /// Whether it was one. Clocks in whole seconds leave it open whether two seconds were more or less: a half then.
    pub(crate) snapped: f64,
}

/// Positions with fewer moves say little about how many of them a model holds for nothing.
const MANY_MOVES: usize = 20;

/// Moves made in less are snap moves.
pub(crate) const SNAP: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) wdl: Wdl,
    /// For the side to move: 1, 0.5 or 0.
    pub(crate) points: f64,
}

/// Numbers the games of samples from 0.
pub(crate) fn game_numbers(samples: &[Sample]) -> Vec<usize> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut number = |id| {
        let next = known.len();
        *known.entry(id).or_insert(next)
    };
    samples.iter().map(|sample| number(sample.game.id.as_str())).collect()
}

impl Mark {
    pub(crate) fn new(sample: &Sample, game: usize, forecast: &Forecast) -> Mark {
        let legal = sample.moment.legal_moves();
        let played = sample.played;
        let (top, chance, origin, target) = match &forecast.moves {
            Moves::Chances(chances) => {
                let of_played = legal.iter().position(|&m| m == played).and_then(|at| chances.get(at));
                let of_played = of_played.copied().unwrap_or(0.0);
                let squares = |square: fn(&Move) -> Square| {
                    likeliest(legal.iter().map(square).zip(chances.iter().copied()))
                };
                (
                    [1, 3, 5].map(|places| Some(share_of_top(chances, of_played, places))),
                    Some(f64::from(of_played)),
                    squares(origin),
                    squares(target),
                )
            }
            Moves::Best(best) => {
                let right = f64::from(u8::from(*best == Some(played)));
                (
                    [Some(right), None, None],
                    None,
                    best.map(|m| self::origin(&m)),
                    best.map(|m| self::target(&m)),
                )
            }
        };
        let (coverage, unlikely) = match &forecast.moves {
            Moves::Chances(chances) => (coverage(chances).map(Some), unlikely(chances)),
            Moves::Best(_) => ([None; 3], None),
        };
        Mark {
            game,
            top,
            chance,
            coverage,
            unlikely,
            origin: f64::from(u8::from(origin == Some(self::origin(&played)))),
            target: f64::from(u8::from(target == Some(self::target(&played)))),
            think: forecast.think.as_ref().and_then(|think| mark_think(sample, think)),
            outcome: forecast.wdl.and_then(|wdl| {
                let points = sample.game.result.half_points(sample.moment.turn())?;
                Some(Outcome { wdl, points: f64::from(points) / 2.0 })
            }),
        }
    }
}

fn origin(m: &Move) -> Square {
    m.from().expect("no drops in chess")
}

fn target(m: &Move) -> Square {
    m.to()
}

/// Chance that a move which stands among equals is within the first `places`.
fn share_of_top(chances: &[f32], of_played: f32, places: usize) -> f64 {
    let better = chances.iter().filter(|&&chance| chance > of_played).count();
    let equal = chances.iter().filter(|&&chance| chance == of_played).count().max(1);
    ((places as f64 - better as f64) / equal as f64).clamp(0.0, 1.0)
}

/// The chances of the likeliest 1, 3, 5 moves together.
fn coverage(chances: &[f32]) -> [f64; 3] {
    let mut sorted: Vec<f64> = chances.iter().map(|&chance| chance.into()).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    [1, 3, 5].map(|places| sorted.iter().take(places).sum())
}

fn unlikely(chances: &[f32]) -> Option<f64> {
    let few = chances.iter().filter(|&&chance| chance < 0.01).count();
    (chances.len() >= MANY_MOVES).then(|| few as f64 / chances.len() as f64)
}

/// The square with the largest sum of chances; the first of equals.
fn likeliest(chances: impl Iterator<Item = (Square, f32)>) -> Option<Square> {
    let mut sums = [0.0f32; 64];
    chances.for_each(|(square, chance)| sums[square.to_usize()] += chance);
    let most = sums.iter().copied().fold(0.0, f32::max);
    sums.iter().position(|&sum| most > 0.0 && sum == most).map(|at| Square::new(at as u32))
}

/// Nobody's clock runs during his first move, so that one tells nothing.
fn mark_think(sample: &Sample, think: &ThinkTime) -> Option<Think> {
    let spent = Duration::from_millis(10 * u64::from(sample.spent_cs.filter(|_| sample.ply >= 2)?));
    Some(Think {
        right_bin: think.likeliest()? == think.bin_of(spent)?,
        expected_s: think.mean().as_secs_f64(),
        spent_s: spent.as_secs_f64(),
        snap: think.below(SNAP).into(),
        snapped: match spent.cmp(&SNAP) {
            Ordering::Less => 1.0,
            Ordering::Equal if whole_seconds(&sample.game) => 0.5,
            _ => 0.0,
        },
    })
}

fn whole_seconds(game: &Game) -> bool {
    let clocks = game.clocks_cs.iter().flatten().flatten();
    clocks.into_iter().all(|clock| clock.is_multiple_of(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_share_the_places() {
        let chances = [0.4, 0.2, 0.2, 0.2];
        for (of_played, places, share) in
            [(0.4, 1, 1.0), (0.2, 1, 0.0), (0.2, 3, 2.0 / 3.0), (0.2, 5, 1.0), (0.1, 3, 0.0), (0.1, 5, 1.0)]
        {
            assert!((share_of_top(&chances, of_played, places) - share).abs() < 1e-9, "{of_played} {places}");
        }
        let uniform = [0.05; 20];
        assert!((share_of_top(&uniform, 0.05, 1) - 0.05).abs() < 1e-9, "a guess is right once in twenty");
    }

    #[test]
    fn chances_are_covered_by_the_likeliest_and_told_to_be_few_where_moves_are_many() {
        let mut chances = vec![0.005; 20];
        assert_eq!(unlikely(&chances[..19]), None);
        (chances[7], chances[3]) = (0.6, 0.31);
        assert_eq!(unlikely(&chances), Some(0.9));
        for (found, expected) in coverage(&chances).into_iter().zip([0.6, 0.915, 0.925]) {
            assert!((found - expected).abs() < 1e-6, "{found}");
        }
        assert_eq!(coverage(&[1.0]), [1.0; 3]);
    }

    #[test]
    fn the_likeliest_square_collects_its_moves() {
        let chances = [(Square::E2, 0.3), (Square::G1, 0.2), (Square::G1, 0.25), (Square::D2, 0.25)];
        assert_eq!(likeliest(chances.into_iter()), Some(Square::G1));
        assert_eq!(likeliest([].into_iter()), None);
    }
}
