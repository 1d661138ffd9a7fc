//! `tabiya perft`: counts the leaves of the move tree, to check move generation.

use std::{
    io::{Write, stdout},
    process::ExitCode,
    thread::available_parallelism,
    time::Instant,
};

use chess::{
    Moment,
    perft::{Table, divide},
    shakmaty::CastlingMode,
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Count the positions that N plies lead to, as a check of move generation.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Depth in plies
    #[arg(value_name = "N")]
    depth: u32,
    /// Position to start from
    #[arg(long, default_value = START)]
    fen: String,
    /// Count behind each move as well
    #[arg(long)]
    divide: bool,
    /// Read the castling rights as Chess960 and write castling as the king taking its rook
    #[arg(long)]
    chess960: bool,
    /// Threads to count on [default: one per processor]
    #[arg(long)]
    threads: Option<usize>,
    /// Megabytes for a table of positions met before; 0 for none
    #[arg(long, value_name = "MB", default_value_t = 0)]
    hash: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let moment = Moment::from_fen(&args.fen, CastlingMode::from_chess960(args.chess960))?;
    let threads = args.threads.unwrap_or_else(|| available_parallelism().map_or(1, |count| count.get()));
    let table = (args.hash > 0).then(|| Table::with_megabytes(args.hash));
    let begun = Instant::now();
    let parts = divide(&moment.position, args.depth, threads, table.as_ref());
    let total = if args.depth == 0 { 1 } else { parts.iter().map(|(_, count)| count).sum::<u64>() };
    let seconds = begun.elapsed().as_secs_f64();

    let mut out = stdout().lock();
    if args.divide {
        let mut lines: Vec<String> =
            parts.iter().map(|(m, count)| format!("{}: {count}", moment.uci(*m))).collect();
        lines.sort_unstable();
        for line in lines {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out, "{total}")?;
    eprintln!("{seconds:.3} s, {:.0} nodes/s", total as f64 / seconds.max(1e-9));
    Ok(ExitCode::SUCCESS)
}
