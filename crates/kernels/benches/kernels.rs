//! The same lines as `tabiya bench kernels`, without building the rest: `cargo bench -p kernels`. `TABIYA_CPU` picks one level.

use std::time::Duration;

use kernels::{
    Level,
    bench::{Line, NETWORKS, Work, operations, peak},
};

fn main() {
    let budget = Duration::from_millis(400);
    let only = std::env::var_os("TABIYA_CPU").map(|_| Level::best());
    for level in Level::all().filter(|level| only.is_none_or(|only| only == *level)) {
        let peak = peak(level);
        let mut lines = operations(level, budget);
        for network in NETWORKS {
            lines.extend([Work::Infer, Work::Train].map(|work| network.measure(level, work, 64, budget)));
            if level == Level::best() && network.has(Work::InferInt8) {
                let line = network.measure(level, Work::InferInt8, 64, budget);
                lines.push(Line { name: format!("{} int8", line.name), ..line });
            }
        }
        println!("{level}: peak of one core {:.0} GFLOP/s", peak / 1e9);
        for line in lines {
            let (time, rate) = (1e6 * line.seconds, line.positions_per_second());
            println!(
                "  {:28} {time:11.1} us {:8.1} GFLOP/s {rate:9.0} positions/s",
                line.name,
                line.gflops()
            );
        }
    }
}
