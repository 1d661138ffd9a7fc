//! `tabiya bench ranker`: how fast the ranker learns and judges.

use std::{fs, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::{Context, ensure};
use nets::{NetConfig, RunConfig, WeightFile, ranker};

use crate::embedded::WEIGHTS;

/// Measure how many positions a second the ranker learns from, values, and scores the moves of.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The network, as a TOML file such as configs/ranker.toml [default: as the one that ships]
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
        None => shipped()?,
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            RunConfig::from_toml(&text, &[]).with_context(|| path.display().to_string())?.net
        }
    };
    ensure!(config.family() == "ranker", "a network `{}` is no ranker", config.family());
    let network: ranker::RankerConfig = config.typed().context("the ranker's configuration")?;
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

/// The sizes of the ranker inside the binary.
fn shipped() -> anyhow::Result<NetConfig> {
    let ranker =
        WEIGHTS.iter().find(|weights| weights.name == "ranker").context("no ranker in this binary")?;
    let card = WeightFile::card(ranker.bytes)?;
    Ok(NetConfig::parse(&card.family, &card.network)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_is_what_the_configuration_says() {
        let text = include_str!("../../../../../configs/ranker.toml");
        assert_eq!(shipped().unwrap(), RunConfig::from_toml(text, &[]).unwrap().net);
    }
}
