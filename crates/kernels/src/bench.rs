//! How fast the kernels are on this machine: single operations, and the trunks of whole networks.

mod peak;
mod trunk;

use std::time::{Duration, Instant};

use crate::{
    Aligned, Level, adamw, bags,
    product::{self, Into, Size, View},
};
pub use peak::{peak, peak_int8};
pub use trunk::{NETWORKS, Network};

/// What is measured of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Positions to results.
    Infer,
    /// The same in int8; residual blocks alone have that.
    InferInt8,
    /// Positions to results, back, and a step of AdamW.
    Train,
}

/// One measured line.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub level: Level,
    /// Median time of one run.
    pub seconds: f64,
    /// Median CPU time of one run, of all threads: steadier than the clock where other work comes and goes.
    pub cpu_seconds: f64,
    /// Floating-point operations of one run, counting a multiplication and its addition as two.
    pub operations: f64,
    /// Positions of one run, for networks.
    pub positions: usize,
}

impl Line {
    pub fn gflops(&self) -> f64 {
        self.operations / self.seconds / 1e9
    }

    pub fn positions_per_second(&self) -> f64 {
        self.positions as f64 / self.seconds
    }
}

/// Median times of `work` by the clock and by the CPU, over rounds that fill about `budget`.
pub fn time(budget: Duration, mut work: impl FnMut()) -> [f64; 2] {
    work();
    let began = Instant::now();
    let mut times = [Vec::new(), Vec::new()];
    while times[0].len() < 3 || began.elapsed() < budget {
        let (start, cpu) = (Instant::now(), cpu_seconds(began));
        work();
        times[0].push(start.elapsed().as_secs_f64());
        times[1].push(cpu_seconds(began) - cpu);
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

/// CPU time of this process so far; where the system does not tell, the time since `began`.
pub fn cpu_seconds(began: Instant) -> f64 {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is what the call fills.
        if unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) } == 0 {
            return time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64;
        }
    }
    began.elapsed().as_secs_f64()
}

/// Every single operation at one level, on one thread.
pub fn operations(level: Level, budget: Duration) -> Vec<Line> {
    let mut lines = Vec::new();
    for (m, k, n) in [(64, 256, 256), (64, 256, 768), (256, 512, 256)] {
        lines.push(one_product(level, Size { m, n, k }, budget));
    }
    for network in NETWORKS {
        lines.extend(network.single_block(level, budget));
    }
    lines.extend(trunk::smolgen(level, budget));
    lines.push(one_bag(level, budget));
    lines.push(one_step(level, budget));
    lines
}

fn numbers(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i % 251) as f32 / 251.0 - 0.5).collect()
}

fn one_product(level: Level, size: Size, budget: Duration) -> Line {
    let Size { m, n, k } = size;
    let values = numbers(m.max(n) * k);
    let mut left = Aligned::scratch(product::words(level, m, k));
    let mut right = Aligned::scratch(product::words(level, n, k));
    product::left(level, View::new(&values, m, k), &mut left);
    product::right(level, View::new(&values, k, n), &mut right);
    let mut out = Aligned::scratch(m * n);
    // One alone is too short for the clock.
    const TIMES: usize = 20;
    let [seconds, cpu_seconds] = time(budget, || {
        for _ in 0..TIMES {
            product::product(level, size, &left, &right, &mut out, n, Into::Replace);
        }
    });
    let operations = 2.0 * (m * n * k) as f64;
    Line {
        name: format!("product {m}x{k}x{n}"),
        level,
        seconds: seconds / TIMES as f64,
        cpu_seconds: cpu_seconds / TIMES as f64,
        operations,
        positions: 0,
    }
}

fn one_bag(level: Level, budget: Duration) -> Line {
    let (width, count, each) = (256, 512, 32);
    let rows: Vec<i32> = (0..count * each).map(|i| (i * 7919 % 5000) as i32).collect();
    let ends: Vec<usize> = (1..=count).map(|i| i * each).collect();
    let table = numbers(5000 * width);
    let mut out = vec![0.0; count * width];
    let named = bags::Bags { rows: &rows, ends: &ends };
    let [seconds, cpu_seconds] = time(budget, || bags::forward(level, named, &table, width, &mut out));
    let operations = (count * each * width) as f64;
    let name = format!("bags {count}x{each} of {width}");
    Line { name, level, seconds, cpu_seconds, operations, positions: count }
}

fn one_step(level: Level, budget: Duration) -> Line {
    let len = 1 << 20;
    let gradient = numbers(len);
    let [mut weights, mut mean, mut first, mut second] = [(); 4].map(|()| vec![0.5; len]);
    let [seconds, cpu_seconds] = time(budget, || {
        let slices =
            adamw::Slices { weights: &mut weights, mean: &mut mean, first: &mut first, second: &mut second };
        adamw::update(level, trunk::STEP, slices, &gradient);
    });
    let name = format!("adamw {len}");
    Line { name, level, seconds, cpu_seconds, operations: 16.0 * len as f64, positions: 0 }
}
