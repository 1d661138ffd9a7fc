//! Times residual blocks there and back, and there in int8 where networks use it: `residual CHANNELS BATCH`. For profiles.
use kernels::{Level, conv};
use std::time::Duration;

fn time(budget: Duration, mut work: impl FnMut()) -> f64 {
    let began = std::time::Instant::now();
    let mut least = f64::MAX;
    while began.elapsed() < budget {
        let start = std::time::Instant::now();
        work();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least
}

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<usize>().expect("a number"));
    let channels = args.next().unwrap_or(64);
    let batch = args.next().unwrap_or(512);
    let level = Level::best();
    let numbers = |len: usize| -> Vec<f32> { (0..len).map(|i| (i % 251) as f32 / 251.0 - 0.5).collect() };
    let parameters: Vec<f32> = numbers(conv::parameters(channels)).into_iter().map(|x| 0.05 * x).collect();
    let packed = conv::PackedResidual::new(level, channels, &parameters, true);
    let x = numbers(batch * 64 * channels);
    let mut y = vec![0.0; x.len()];
    let mut to_x = vec![0.0; x.len()];
    let flops = 2.0 * (batch * 2 * 64 * 9 * channels * channels) as f64;
    let only = args.next().unwrap_or(0);
    let budget = |i: usize| Duration::from_millis(if only == 0 || only == i { 1500 } else { 1 });
    let between = conv::forward_keeping(&packed, &x, &mut y);
    let there = time(budget(1), || conv::forward(&packed, &x, &mut y));
    let back = time(budget(2), || {
        std::hint::black_box(conv::backward(
            &packed,
            conv::Kept { x: &x, y: &y, between: Some(&between) },
            &x,
            &mut to_x,
        ));
    });
    println!(
        "{level} {channels} x {batch}: there {:.3} ms {:.0} GFLOP/s, back {:.2} ms {:.0} GFLOP/s",
        1e3 * there,
        flops / there / 1e9,
        1e3 * back,
        2.0 * flops / back / 1e9
    );
    if kernels::int8() {
        let packed = conv::int8::PackedResidualInt8::new(level, channels, 0, &parameters);
        let x: Vec<f32> = x.iter().map(|x| x.max(0.0)).collect();
        let there = time(budget(1), || conv::int8::forward(&packed, &x, &mut y));
        println!("int8 {channels} x {batch}: there {:.3} ms {:.0} GOP/s", 1e3 * there, flops / there / 1e9);
    }
}
