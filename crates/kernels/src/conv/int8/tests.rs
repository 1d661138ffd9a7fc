use super::*;
use crate::{
    conv::{
        parameters, parameters_with_squeeze,
        tests::{REDUCED, plain},
    },
    testing::random,
};

/// A block with or without gates, its parameters, and boards that went through a rectifier.
fn block(
    seed: u64,
    channels: usize,
    boards: usize,
    squeeze: bool,
) -> (PackedResidualInt8, Vec<f32>, Vec<f32>) {
    let len = if squeeze { parameters_with_squeeze(channels, REDUCED) } else { parameters(channels) };
    let scaled: Vec<f32> = random(seed, len).into_iter().map(|x| 0.1 * x).collect();
    let x = random(seed + 1, boards * 64 * channels).into_iter().map(|x| x.max(0.0)).collect();
    let packed = PackedResidualInt8::new(Level::best(), channels, if squeeze { REDUCED } else { 0 }, &scaled);
    (packed, scaled, x)
}

fn run(packed: &PackedResidualInt8, x: &[f32]) -> Vec<f32> {
    let mut y = vec![0.0; x.len()];
    forward(packed, x, &mut y);
    y
}

fn same(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

#[test]
fn fast_blocks_give_the_bits_of_plain_ones() {
    for (seed, (channels, boards, squeeze)) in
        [(32, 3, true), (64, 2, false), (96, 2, true), (160, 1, false)].into_iter().enumerate()
    {
        let (packed, _, mut x) = block(seed as u64, channels, boards, squeeze);
        // What a rectifier would not let through, and numbers of very different sizes.
        x[5] = -3.0;
        x[700] = -0.0;
        x[64 * channels - 1] = 77.0;
        let plain = PackedResidualInt8 { vnni: false, ..packed.clone() };
        assert!(same(&run(&packed, &x), &run(&plain, &x)), "{channels} channels, {boards} boards");
    }
}

#[test]
fn blocks_are_close_to_plain_f64() {
    for (channels, boards, squeeze) in [(32, 4, true), (64, 2, false), (96, 2, true)] {
        let (packed, parameters, x) = block(11, channels, boards, squeeze);
        let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|&x| f64::from(x)).collect() };
        let expected = plain(channels, &wide(&parameters), &wide(&x));
        // The shortcut is exact, so it is what was added to it that counts.
        let size = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
        let found = run(&packed, &x);
        let error = size(&mut found.iter().zip(&expected).map(|(&a, b)| f64::from(a) - b));
        let added = size(&mut x.iter().zip(&expected).map(|(&x, y)| y - f64::from(x)));
        assert!(error < 0.02 * added, "{channels} channels: {}", error / added);
    }
}

#[test]
fn a_board_gives_the_same_alone_and_among_others_on_any_number_of_threads() {
    let (channels, boards) = (64, 37);
    let (packed, _, x) = block(21, channels, boards, true);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(&packed, &x))
    };
    let together = on(1);
    assert!(same(&together, &on(3)));
    let alone: Vec<f32> = x.chunks(64 * channels).flat_map(|x| run(&packed, x)).collect();
    assert!(same(&together, &alone));
}

#[test]
fn empty_and_tiny_boards_give_what_the_biases_give_and_spoilt_ones_spoil_no_others() {
    let (channels, boards) = (32, 4);
    let (packed, _, mut x) = block(31, channels, boards, false);
    let len = 64 * channels;
    x[..2 * len].fill(0.0);
    x[len + 3] = 1e-40;
    x[2 * len + 9] = f32::NAN;
    for packed in [PackedResidualInt8 { vnni: false, ..packed.clone() }, packed] {
        let y = run(&packed, &x);
        assert!(y.iter().take(2 * len).all(|y| y.is_finite()) && y[0] == y[len]);
        assert!(y[2 * len..3 * len].iter().all(|y| y.is_nan()), "what is no number is seen");
        assert!(y[3 * len..].iter().all(|y| y.is_finite()));
    }
}

#[test]
fn the_largest_sums_fit() {
    let channels = 96;
    let mut ones = vec![1.0; parameters(channels)];
    let half = ones.len() / 2;
    ones[half..].fill(0.0);
    let packed = PackedResidualInt8::new(Level::best(), channels, 0, &ones);
    let x = vec![1.0; 64 * channels];
    let board = |packed: &PackedResidualInt8| {
        let mut board = Board { bytes: vec![0; x.len()], scale: 0.0 };
        packed.fill(&mut board, &x);
        let mut middle = vec![0.0; x.len()];
        packed.convolve(&board, &packed.convolutions[0], Then::Rectify, &mut middle);
        middle
    };
    for packed in [PackedResidualInt8 { vnni: false, ..packed.clone() }, packed] {
        let middle = board(&packed);
        // In a corner three neighbours in each direction are not there.
        for (square, neighbours) in [(0, 4.0), (3, 6.0), (27, 9.0)] {
            let found = middle[square * channels + 1];
            assert!((found - 96.0 * neighbours - 1.0).abs() < 0.01, "{square}: {found}");
        }
    }
}
