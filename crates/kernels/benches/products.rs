//! Speed of products that stay in cache: `cargo bench -p kernels`.

use std::time::Instant;

use kernels::{
    Aligned, Level,
    product::{self, Into, Size, View},
};

fn main() {
    for (m, k, n) in [(64, 256, 256), (64, 256, 768), (256, 512, 256), (64, 32, 64), (64, 64, 32)] {
        for level in Level::all() {
            let values = vec![0.5; m * k + k * n];
            let mut left = Aligned::zeros(product::words(level, m, k));
            let mut right = Aligned::zeros(product::words(level, n, k));
            product::left(level, View::new(&values, m, k), &mut left);
            product::right(level, View::new(&values, k, n), &mut right);
            let mut out = Aligned::zeros(m * n);
            let size = Size { m, n, k };
            let time = |f: &mut dyn FnMut()| {
                let mut best = f64::MAX;
                for _ in 0..20 {
                    let start = Instant::now();
                    for _ in 0..50 {
                        f();
                    }
                    best = best.min(start.elapsed().as_secs_f64() / 50.0);
                }
                best * 1e6
            };
            let t = time(&mut || product::product(level, size, &left, &right, &mut out, n, Into::Replace));
            let l = time(&mut || product::left(level, View::new(&values, m, k), &mut left));
            let r = time(&mut || product::right(level, View::new(&values, k, n), &mut right));
            let mut lt_room = Aligned::zeros(product::words(level, k, m));
            let lt = time(&mut || product::left_transposed(level, View::new(&values, m, k), &mut lt_room));
            let mut rt_room = Aligned::zeros(product::words(level, m, k));
            let rt = time(&mut || product::right_transposed(level, View::new(&values, m, k), &mut rt_room));
            let flops = 2.0 * (m * n * k) as f64;
            println!(
                "{m}x{k}x{n} {level:9} {t:8.2} us {:7.0} GFLOP/s; left {l:.2} right {r:.2} left^T {lt:.2} right^T {rt:.2} us",
                flops / t / 1e3
            );
        }
    }
}
