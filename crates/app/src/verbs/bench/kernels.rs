//! `tabiya bench kernels`: how fast networks are computed on this CPU, at every level of instructions that it has.

use std::{process::ExitCode, time::Duration};

use anyhow::Context;
use nets::{
    Level,
    kernel_bench::{self, Line, NETWORKS, Network, Work},
};

/// Measure the arithmetic of networks on this CPU: time, GFLOP/s and share of the measured peak, for every level of
/// instructions. TABIYA_CPU=portable|avx2|avx512|bf16|int8|amx measures one level only.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Measure one network's trunk only: human-hc3, human-small or residual-64x2
    #[arg(long)]
    network: Option<String>,
    /// What to measure of networks: infer, train, or both
    #[arg(long, default_value = "both", value_parser = ["infer", "train", "both"])]
    work: String,
    /// Positions at a time in networks
    #[arg(long, default_value_t = 64)]
    batch: usize,
    /// Threads for networks; single operations always use one
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Seconds for each line
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let budget = Duration::try_from_secs_f64(args.seconds).context("--seconds must be a positive number")?;
    anyhow::ensure!(args.batch > 0 && args.threads > 0, "--batch and --threads must be at least 1");
    let only = match &args.network {
        Some(name) => {
            let names = || NETWORKS.iter().map(|network| network.name).collect::<Vec<_>>().join(", ");
            let found = Network::named(name);
            Some(found.with_context(|| format!("no network `{name}` to measure; there are: {}", names()))?)
        }
        None => None,
    };
    let chosen = Level::chosen()?;
    let levels: Vec<Level> = match std::env::var_os("TABIYA_CPU") {
        Some(_) => vec![chosen],
        None => Level::all().collect(),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let mut lines = Vec::new();
    for level in levels {
        let peak = kernel_bench::peak(level);
        let mut show = |line: Line, peak: f64| {
            if !args.json {
                print(&line, peak);
            }
            lines.push(line);
        };
        if only.is_none() {
            kernel_bench::operations(level, budget / 4).into_iter().for_each(|line| show(line, peak));
        }
        for network in only.map_or(NETWORKS, std::slice::from_ref) {
            let kinds = [("infer", Work::Infer), ("infer int8", Work::InferInt8), ("train", Work::Train)];
            for (name, work) in kinds {
                let asked = args.work == "both" || name.starts_with(&args.work);
                let int8 = work == Work::InferInt8;
                // Bytes go with the level that networks use.
                if asked && network.has(work) && (!int8 || level == chosen) {
                    let line = pool.install(|| network.measure(level, work, args.batch, budget));
                    let peak = if int8 { kernel_bench::peak_int8() } else { peak };
                    show(Line { name: format!("{} {name}", line.name), ..line }, peak * args.threads as f64);
                }
            }
        }
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&lines.iter().map(json).collect::<Vec<_>>())?);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(line: &Line, peak: f64) {
    let positions = match line.positions {
        0 => String::new(),
        _ => format!("{:9.0} positions/s", line.positions_per_second()),
    };
    println!(
        "{:9} {:28} {:11.1} us {:8.1} GFLOP/s {:5.1} % of peak {positions}",
        line.level,
        line.name,
        1e6 * line.seconds,
        line.gflops(),
        100.0 * line.gflops() * 1e9 / peak,
    );
}

fn json(line: &Line) -> serde_json::Value {
    serde_json::json!({
        "name": line.name,
        "level": line.level.to_string(),
        "seconds": line.seconds,
        "cpu_seconds": line.cpu_seconds,
        "gflops": line.gflops(),
        "positions_per_second": line.positions_per_second(),
    })
}
