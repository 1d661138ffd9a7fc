//! `tabiya arena`: matches between minds of ours and any UCI engines, with the statistics to judge them by.

mod merge;
mod referee;
mod report;

use std::{path::PathBuf, process::ExitCode};

use data::Part;

use crate::arena::{clock::TimeControl, sprt::Sprt};

/// Play matches between minds and UCI engines, and tell who is stronger.
///
/// A player is a mind of ours (`heuristic:alpha-beta`, `random`) or the command line of a UCI engine, with
/// settings after semicolons:
///
/// "/usr/games/gnuchess --uci;name=gnu;option.Hash=128;tc=10+0.1"
///
/// Settings are name, tc, movetime, nodes, depth and option.NAME. Engines that have the options get Hash and
/// Threads as given below, and OwnBook=false.
///
/// Every opening is played twice, with colours reversed. Players that break down (time, crash, hang, illegal
/// move) lose their game, are reported by name and started anew.
///
/// Exit code: 0 done (with --sprt: H1 accepted), 1 H1 not accepted, 2 an error, 130 stopped.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Two or more players
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    players: Vec<String>,
    /// Games of each pairing, an even number [default: 100; with --sprt 40000]
    #[arg(long, short = 'g', value_name = "N")]
    games: Option<usize>,
    /// The first player meets all others, and these do not meet each other
    #[arg(long)]
    gauntlet: bool,
    /// Games played at the same time
    #[arg(long, short = 'c', value_name = "N", default_value_t = 1)]
    concurrency: usize,

    /// Time control [MOVES/]SECONDS[+INCREMENT] [default: 8+0.08 if no other limit is given]
    #[arg(long, value_name = "TC")]
    tc: Option<TimeControl>,
    /// Milliseconds for every move
    #[arg(long, value_name = "MS")]
    movetime: Option<u32>,
    /// Nodes for every move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Depth of every search in plies
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Milliseconds that a player may overstep its time
    #[arg(long, value_name = "MS", default_value_t = 10)]
    timemargin: u32,
    /// Seconds after the fall of its flag until a silent player is taken for hung
    #[arg(long, value_name = "S", default_value_t = 5)]
    grace: u32,
    /// Longest thought of a player without a clock, in seconds
    #[arg(long, value_name = "S", default_value_t = 300)]
    patience: u32,

    /// Hash table of each player in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    hash: usize,
    /// Threads of each player
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,

    /// Openings: .epd or .pgn, also .zst [default: 32 short lines of our own]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Cut the lines of a PGN book after so many plies
    #[arg(long, value_name = "N")]
    book_plies: Option<usize>,
    /// Decides the order of the openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Castling by the rules of Chess960
    #[arg(long)]
    chess960: bool,

    /// Won, when both players see CP centipawns or more for one side over MOVES moves each; or `off`
    #[arg(long, value_name = "CP,MOVES", default_value = "1000,4")]
    resign: String,
    /// Drawn, when both see no more than CP centipawns over MOVES moves each, past move AFTER; or `off`
    #[arg(long, value_name = "CP,MOVES,AFTER", default_value = "10,8,40")]
    draw: String,
    /// Games of so many plies are drawn
    #[arg(long, value_name = "N", default_value_t = 600)]
    max_plies: usize,

    /// Stop when it is decided whether the first player is ELO1 (H1) or only ELO0 (H0) stronger: pentanomial
    /// GSPRT, logistic Elo; ALPHA and BETA are 0.05 if not given
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// Append finished games to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Journal of finished games, to resume from [default: the PGN's name with .journal]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on with the match in the journal
    #[arg(long)]
    resume: bool,
    /// Play only the I-th of N equal parts of the match, as one machine of N would; `tabiya arena merge` judges them together
    #[arg(long, value_name = "I/N")]
    part: Option<Part>,
    /// Print the final table as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Merge(merge::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.verb {
        Some(Verb::Merge(args)) => merge::run(args),
        None => referee::run(args),
    }
}
