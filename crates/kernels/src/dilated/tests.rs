use super::*;
use crate::testing::{Plain, differences, random};

const SHAPE: Shape = Shape { planes: 3, channels: [16, 5, 4, 3, 1, 2, 7, 9, 8], width: 32 };

fn boards() -> (Vec<u16>, Vec<usize>) {
    let mut places = Vec::new();
    let mut ends = Vec::new();
    for board in 0..70u16 {
        places.extend((0..board % 9).map(|one| (37 * one + 11 * board) % 192));
        ends.push(places.len());
    }
    (places, ends)
}

fn plain(parameters: &[f64], places: &[u16], ends: &[usize]) -> Vec<f64> {
    let total = SHAPE.total();
    let starts = SHAPE.starts();
    let (rows, rest) = parameters.split_at(starts[BRANCHES.len()]);
    let (bias, rest) = rest.split_at(total);
    let (weight, mix_bias) = rest.split_at(total * SHAPE.width);
    let mut begin = 0;
    let mut out = Vec::new();
    for &end in ends {
        let ones = &places[begin..end];
        begin = end;
        for square in 0..64isize {
            let mut sums = bias.to_vec();
            let mut first = 0;
            for (at, branch) in BRANCHES.iter().enumerate() {
                let channels = SHAPE.channels[at];
                for tap in 0..branch.size * branch.size {
                    let step = |index: usize, axis: usize| {
                        let middle = branch.dilation[axis] * (branch.size - 1) / 2;
                        (index * branch.dilation[axis]) as isize - middle as isize
                    };
                    let rank = square / 8 + step(tap / branch.size, 0);
                    let file = square % 8 + step(tap % branch.size, 1);
                    for plane in 0..SHAPE.planes {
                        let place = SHAPE.planes as isize * (8 * rank + file) + plane as isize;
                        let inside = (0..8).contains(&rank) && (0..8).contains(&file);
                        let times =
                            ones.iter().filter(|&&one| inside && isize::from(one as i16) == place).count();
                        let row = &rows[starts[at] + (tap * SHAPE.planes + plane) * channels..][..channels];
                        for (sum, value) in sums[first..].iter_mut().zip(row) {
                            *sum += times as f64 * value;
                        }
                    }
                }
                first += channels;
            }
            sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
            out.extend(Plain::linear(&sums, weight, mix_bias).into_iter().map(|y| y.max(0.0)));
        }
    }
    out
}

#[test]
fn boards_and_gradients_match_plain_ones_at_every_level() {
    let (places, ends) = boards();
    let parameters: Vec<f32> = random(1, SHAPE.parameters()).into_iter().map(|x| 0.3 * x).collect();
    let wide: Vec<f64> = parameters.iter().map(|&x| f64::from(x)).collect();
    let expected = plain(&wide, &places, &ends);
    let gradient = random(2, expected.len());
    let loss = |parameters: &[f64]| -> f64 {
        plain(parameters, &places, &ends).iter().zip(&gradient).map(|(y, &g)| y * f64::from(g)).sum()
    };
    let rows = SHAPE.starts()[BRANCHES.len()];
    let total = SHAPE.total();
    let mut at: Vec<usize> = (0..9).map(|branch| SHAPE.starts()[branch] + 1).collect();
    at.extend([
        rows + 3,
        rows + total - 1,
        rows + total + 40,
        SHAPE.parameters() - 33,
        SHAPE.parameters() - 1,
    ]);
    let gradients = differences(&wide, &at, loss);
    for level in Level::all() {
        let packed = PackedDilated::new(level, SHAPE, &parameters, true);
        let ones = Ones { places: &places, ends: &ends };
        let mut y = vec![1.0; expected.len()];
        forward(&packed, ones, &mut y);
        let tolerance = if level.rounds() { 0.03 } else { 1e-4 };
        for (at, (y, expected)) in y.iter().zip(&expected).enumerate() {
            assert!((f64::from(*y) - expected).abs() < tolerance, "{level} {at}: {y} {expected}");
        }
        let found = backward(&packed, Kept { ones, y: &y }, &gradient);
        for (&at, expected) in at.iter().zip(&gradients) {
            let error = (f64::from(found[at]) - expected).abs();
            let tolerance = if level.rounds() { 0.05 } else { 2e-3 };
            assert!(error < tolerance * (4.0 + expected.abs()), "{level} {at}: {} {expected}", found[at]);
        }
    }
}
