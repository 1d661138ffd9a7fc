//! `tabiya bench ranker`: how fast the ranker learns and judges.

use std::{fs, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::{Context, bail, ensure};
use nets::{NetConfig, RunConfig, ranker};

/// Measure how many positions a second the ranker learns from, values, and scores the moves of.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The network, as a TOML file such as configs/ranker.toml [default: the default sizes]
    #[arg(long)]
    config: Option<PathBuf>,
    /// Positions at a time
    #[arg(long, default_value_t = 256)]
    batch: usize,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Seconds for each kind of work
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let budget = Duration::try_from_secs_f64(args.seconds).context("--seconds must be a positive number")?;
    ensure!(args.batch > 0 && args.threads > 0, "--batch and --threads must be at least 1");
    let config = match &args.config {
        None => RunConfig::family("ranker", &[])?,
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            RunConfig::from_toml(&text, &[]).with_context(|| path.display().to_string())?
        }
    };
    let NetConfig::Ranker(network) = config.net else {
        bail!("a network `{}` is no ranker", config.net.family());
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let speed = pool.install(|| ranker::speed(&network, args.batch, budget));
    let ranker::Speed { train, values, moves } = speed;
    match args.json {
        true => println!("{}", serde_json::json!({ "train": train, "values": values, "moves": moves })),
        false => println!(
            "{train:.0} trained, {values:.0} valued, {moves:.0} with all moves scored; positions a second"
        ),
    }
    Ok(ExitCode::SUCCESS)
}
