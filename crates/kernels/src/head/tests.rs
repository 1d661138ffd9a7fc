use super::*;
use crate::testing::{differences, random};

struct Case {
    ends: Vec<usize>,
    origins: Vec<u8>,
    targets: Vec<u8>,
    named: Vec<i32>,
    bag_ends: Vec<usize>,
}

const ROWS: usize = 30;

impl Case {
    /// Boards with 0, 1 and up to 100 moves, bags of two to four rows.
    fn new(boards: usize) -> Case {
        let ends: Vec<usize> = (0..boards)
            .scan(0, |end, board| {
                *end += [0, 1, 20, 37, 100][board % 5];
                Some(*end)
            })
            .collect();
        let moves = ends.last().copied().unwrap_or(0);
        let squares = |seed| random(seed, moves).iter().map(|x| ((x + 1.0) * 31.9) as u8).collect();
        let named = random(9, 4 * moves).iter().map(|x| ((x + 1.0) * 14.9) as i32).collect();
        let bag_ends = (0..moves).map(|m| 3 * m + 2 + m % 2).collect();
        Case { ends, origins: squares(7), targets: squares(8), named, bag_ends }
    }

    fn moves(&self) -> Moves<'_> {
        let bags = Bags { rows: &self.named, ends: &self.bag_ends };
        Moves { ends: &self.ends, origins: &self.origins, targets: &self.targets, bags }
    }

    fn plain(&self, shape: Shape, parameters: &[f64], x: &[f64], side: &[f64]) -> Vec<f64> {
        let Shape { channels: c, hidden: h } = shape;
        let places = shape.places();
        let table = &parameters[places.table()..];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let column = |part: Range<usize>, o: usize| {
            parameters[part].iter().skip(o).step_by(h).copied().collect::<Vec<_>>()
        };
        let mut scores = Vec::new();
        for board in 0..self.ends.len() {
            for m in self.moves().of(board..board + 1) {
                let square = |s: u8| &x[(64 * board + usize::from(s)) * c..][..c];
                let first: Vec<f64> = (0..h)
                    .map(|o| {
                        let ends = dot(square(self.origins[m]), &column(places.from.clone(), o))
                            + dot(square(self.targets[m]), &column(places.to.clone(), o));
                        let rows = self
                            .moves()
                            .bags
                            .bag(m)
                            .iter()
                            .map(|&row| table[row as usize * h + o])
                            .sum::<f64>();
                        (ends + rows + side[board * h + o]).max(0.0)
                    })
                    .collect();
                let second: Vec<f64> = (0..h)
                    .map(|o| {
                        (dot(&first, &column(places.hidden.clone(), o)) + parameters[places.bias.start + o])
                            .max(0.0)
                    })
                    .collect();
                scores.push(dot(&second, &parameters[places.score.clone()]));
            }
        }
        for part in [places.origin.clone(), places.target.clone()] {
            scores.extend(x.chunks(c).map(|x| dot(x, &parameters[part.clone()])));
        }
        for squares in x.chunks(64 * c) {
            scores.extend((0..c).map(|i| squares.iter().skip(i).step_by(c).sum::<f64>() / 64.0));
        }
        scores
    }
}

#[test]
fn scores_and_gradients_match_plain_ones_at_every_level() {
    let shape = Shape { channels: 32, hidden: 16 };
    let boards = 11;
    let case = Case::new(boards);
    let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|&x| f64::from(x)).collect() };
    let parameters: Vec<f32> =
        random(1, shape.places().table() + ROWS * shape.hidden).into_iter().map(|x| 0.3 * x).collect();
    let (x, side) = (random(2, boards * 64 * shape.channels), random(3, boards * shape.hidden));
    let expected = case.plain(shape, &wide(&parameters), &wide(&x), &wide(&side));
    let gradient = random(4, expected.len());
    let loss = |parameters: &[f64], x: &[f64], side: &[f64]| -> f64 {
        case.plain(shape, parameters, x, side).iter().zip(&gradient).map(|(y, &g)| y * f64::from(g)).sum()
    };
    let places = shape.places();
    let starts =
        [places.from, places.to, places.hidden, places.bias, places.score, places.origin, places.target];
    let mut at: Vec<usize> = starts.iter().flat_map(|part| [part.start, part.end - 3]).collect();
    at.extend([places_table(shape) + 5, places_table(shape) + 7 * shape.hidden]);
    let (at_x, at_side) = ([0, 2100, 4444, 9999], [0, 17, 40, 100]);
    let by_parameters = differences(&wide(&parameters), &at, |p| loss(p, &wide(&x), &wide(&side)));
    let by_x = differences(&wide(&x), &at_x, |x| loss(&wide(&parameters), x, &wide(&side)));
    let by_side = differences(&wide(&side), &at_side, |side| loss(&wide(&parameters), &wide(&x), side));
    for level in Level::all() {
        let packed = PackedHead::new(level, shape, &parameters, true);
        let found = forward(&packed, &parameters, case.moves(), &x, &side);
        let tolerance = if level.rounds() { 0.05 } else { 1e-3 };
        let close = |what: &str, found: f32, expected: f64| {
            let error = (f64::from(found) - expected).abs();
            assert!(error < tolerance * (1.0 + expected.abs()), "{level} {what}: {found} {expected}");
        };
        found.iter().zip(&expected).for_each(|(&found, &expected)| close("result", found, expected));
        let (mut to_x, mut to_side) = (vec![1.0; x.len()], vec![1.0; side.len()]);
        let to = (&mut to_x[..], &mut to_side[..]);
        let to_parameters = backward(&packed, &parameters, case.moves(), (&x, &side), &gradient, to);
        at.iter()
            .zip(&by_parameters)
            .for_each(|(&at, &expected)| close("parameter", to_parameters[at], expected));
        at_x.iter().zip(&by_x).for_each(|(&at, &expected)| close("x", to_x[at], expected));
        at_side.iter().zip(&by_side).for_each(|(&at, &expected)| close("side", to_side[at], expected));
    }
}

fn places_table(shape: Shape) -> usize {
    shape.places().table()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let shape = Shape { channels: 16, hidden: 16 };
    let boards = 150;
    let case = Case::new(boards);
    let parameters = random(1, shape.places().table() + ROWS * shape.hidden);
    let (x, side) = (random(2, boards * 64 * 16), random(3, boards * 16));
    let gradient = random(4, case.moves().results(shape));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let packed = PackedHead::new(Level::best(), shape, &parameters, true);
            let scores = forward(&packed, &parameters, case.moves(), &x, &side);
            let (mut to_x, mut to_side) = (vec![0.0; x.len()], vec![0.0; side.len()]);
            let to = (&mut to_x[..], &mut to_side[..]);
            let to_parameters = backward(&packed, &parameters, case.moves(), (&x, &side), &gradient, to);
            (scores, to_x, to_side, to_parameters)
        })
    };
    assert!(run(1) == run(3));
}
