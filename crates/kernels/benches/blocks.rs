//! Speed of a transformer block of HC3's shape on one thread: `cargo bench -p kernels --bench blocks`.

use std::time::Instant;

use kernels::{
    Activation, Level,
    block::{self, Layout, Packed, Shape},
};

fn main() {
    let shape = Shape { tokens: 64, width: 256, heads: 8, hidden: 256, activation: Activation::Gelu };
    let positions = 64;
    let parameters = vec![0.01; Layout::of(&shape).total()];
    let x: Vec<f32> = (0..positions * shape.len()).map(|i| (i as f32 * 0.37).sin()).collect();
    let bias = vec![0.1; positions * shape.bias_len()];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let flops = (2 * 64 * 256 * 256 * 6 + 4 * 64 * 64 * 256) as f64;
    let only = std::env::var("TABIYA_CPU").is_ok();
    for level in Level::all().filter(|level| !only || *level == Level::best()) {
        let packed = Packed::new(level, shape, &parameters, true);
        let mut y = vec![0.0; x.len()];
        let mut to_bias = vec![0.0; bias.len()];
        let mut time = |f: &mut (dyn FnMut() + Send)| {
            let mut best = f64::MAX;
            for _ in 0..10 {
                let start = Instant::now();
                pool.install(&mut *f);
                best = best.min(start.elapsed().as_secs_f64() / positions as f64);
            }
            best * 1e6
        };
        let ahead = time(&mut || block::forward(&packed, &x, Some(&bias), &mut y));
        let back = time(&mut || {
            block::backward(&packed, &x, Some(&bias), &x, &mut y, Some(&mut to_bias));
        });
        println!(
            "{level:9} forward {ahead:7.1} us ({:5.0} GFLOP/s), backward {back:7.1} us ({:5.0} GFLOP/s) a position",
            flops / ahead / 1e3,
            3.0 * flops / back / 1e3
        );
    }
}
