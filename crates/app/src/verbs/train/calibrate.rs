//! `tabiya train calibrate`: chances that come true, and expectations that add up.

use std::{path::PathBuf, process::ExitCode};

use ::data::Dataset;
use nets::WeightFile;

/// Fit a temperature for players of each rating, so that moves which are given a chance of one in three are played one time in three,
/// and, where asked to, shifts of what players expect, so that both sides of a game together expect one point.
///
/// Fitted on validation games with a time control, which no training run learns from. The weights stay as they are; the
/// temperatures and shifts go into the card.
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
    /// Positions to fit on
    #[arg(long, default_value_t = 60_000, value_name = "N")]
    positions: usize,
    /// Positions to fit shifts on; 0 fits none
    #[arg(long, default_value_t = 0, value_name = "N")]
    balance_positions: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut file = WeightFile::read(&args.weights)?;
    let data = Dataset::open(&args.data)?;
    let fitted = nets::fit_temperatures(&mut file, &data, args.positions)?;
    let shifts = match args.balance_positions {
        0 => Vec::new(),
        positions => nets::fit_balance(&mut file, &data, positions)?,
    };
    file.write(&args.out)?;
    println!("rating  temperature  positions");
    for (temperature, positions) in &fitted {
        println!("{:>6}  {:>11.3}  {positions:>9}", temperature.rating, temperature.value);
    }
    println!("speed      rating  shift of the odds");
    for shift in &shifts {
        println!("{:<9}  {:>6}  {:>17.3}", shift.speed.name(), shift.rating, shift.value);
    }
    println!("{}", args.out.display());
    Ok(ExitCode::SUCCESS)
}
