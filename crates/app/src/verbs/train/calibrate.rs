//! `tabiya train calibrate`: chances that come true, and expectations that add up.

use std::{path::PathBuf, process::ExitCode};

use ::data::Dataset;
use nets::{BalanceFit, Term, WeightFile};

/// Fit a temperature for players of each rating, so that moves which are given a chance of one in three are played one time in three,
/// and what ratings, clocks and having the move add to what the network says about a board, so that both sides of a game together expect one
/// point.
///
/// Fitted on validation games, which no training run learns from: temperatures on those with a time control, expectations on those between
/// Lichess players, at most 40 games of an account. The weights stay as they are; what is fitted goes into the card.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Weights of a human network
    weights: PathBuf,
    /// Folder of the dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Where to write the weights with their temperatures
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Positions to fit temperatures on; 0 leaves them as they are
    #[arg(long, default_value_t = 60_000, value_name = "N")]
    positions: usize,
    /// Positions to fit expectations on, each with the one after the move that was played; 0 leaves them as the network says them
    #[arg(long, default_value_t = 40_000, value_name = "N")]
    balance_positions: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut file = WeightFile::read(&args.weights)?;
    let data = Dataset::open(&args.data)?;
    let fitted = match args.positions {
        0 => Vec::new(),
        positions => nets::fit_temperatures(&mut file, &data, positions)?,
    };
    let balance = match args.balance_positions {
        0 => None,
        positions => Some(nets::fit_balance(&mut file, &data, positions)?),
    };
    file.write(&args.out)?;
    if !fitted.is_empty() {
        println!("rating  temperature  positions");
    }
    for (temperature, positions) in &fitted {
        println!("{:>6}  {:>11.3}  {positions:>9}", temperature.rating, temperature.value);
    }
    if let Some(balance) = balance {
        tell(&balance);
    }
    println!("{}", args.out.display());
    Ok(ExitCode::SUCCESS)
}

fn tell(fit: &BalanceFit) {
    println!("expectations, on {} pairs of positions", fit.pairs);
    println!("  surprise at the outcome     {:.4} before, {:.4} after", fit.surprise[0], fit.surprise[1]);
    println!("  both sides expect together  {:.4} before, {:.4} after", fit.together[0], fit.together[1]);
    println!("effect    rating or seconds   move   value");
    for Term { effect, at, value } in &fit.terms {
        println!("{:<10}{:>17}{:>7}{value:>8.3}", format!("{effect:?}"), at[0], at[1]);
    }
}
