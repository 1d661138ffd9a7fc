//! Speed of a transformer block of HC3's shape on one thread: `cargo bench -p kernels --bench blocks`.

use kernels::{
    Activation, Level,
    block::{self, Layout, Packed, Shape},
};

fn main() {
    let shape =
        Shape { tokens: 64, width: 256, heads: 8, hidden: 256, activation: Activation::Gelu, biases: false };
    let positions = 8;
    let parameters = vec![0.01; Layout::of(&shape).total()];
    let x: Vec<f32> = (0..positions * shape.values()).map(|i| (i as f32 * 0.37).sin()).collect();
    let bias = vec![0.1; positions * shape.bias_len()];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let flops = (2 * 64 * 256 * 256 * 6 + 4 * 64 * 64 * 256) as f64;
    let only = std::env::var("TABIYA_CPU").is_ok();
    for level in Level::all().filter(|level| !only || *level == Level::best()) {
        let packed = Packed::new(level, shape, &parameters, true);
        let mut y = vec![0.0; x.len()];
        let mut to_bias = vec![0.0; bias.len()];
        let time = |f: &mut (dyn FnMut() + Send)| {
            let mut best = f64::MAX;
            for _ in 0..100 {
                let start = cpu_seconds();
                pool.install(&mut *f);
                best = best.min((cpu_seconds() - start) / positions as f64);
            }
            best * 1e6
        };
        let ahead = time(&mut || block::forward(&packed, &x, Some(&bias), &mut y, None));
        let back = time(&mut || {
            let kept = block::Kept { x: &x, middle: &x, bias: Some(&bias) };
            block::backward(&packed, kept, &x, &mut y, Some(&mut to_bias));
        });
        println!(
            "{level:9} forward {ahead:7.1} us ({:5.0} GFLOP/s), backward {back:7.1} us ({:5.0} GFLOP/s) a position",
            flops / ahead / 1e3,
            3.0 * flops / back / 1e3
        );
    }
}

/// Time that this process has computed: other work on the machine does not count.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
