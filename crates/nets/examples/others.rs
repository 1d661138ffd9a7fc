//! Judges positions by a network of others: what `runs/agreement_networks.py` compares, and how fast it is.
//!
//!     others NETWORK                  positions on stdin, a line each: both ratings, side to move first, and the game's moves
//!     others NETWORK --speed BATCH    the same, for positions/s of CPU time alone
//!
//! `TABIYA_CPU` chooses the arithmetic. A line of answers is JSON: chances of moves, and of loss, draw and win.

use std::{
    error::Error,
    io::{BufRead, Write},
    path::Path,
    time::{Duration, Instant},
};

use chess::{Moment, Opinion, Ratings, Wants, shakmaty::Color};

const BATCH: usize = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (path, speed) = match &args[..] {
        [path] => (path, None),
        [path, flag, batch] if flag == "--speed" => (path, Some(batch.parse::<usize>()?)),
        _ => return Err("others NETWORK [--speed BATCH]".into()),
    };
    let started = Instant::now();
    let (_, brain) = nets::others::load(Path::new(path))?;
    eprintln!("loaded in {:.2} s", started.elapsed().as_secs_f64());
    let lines: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let moments: Vec<Moment> = lines.iter().map(|line| moment(line)).collect::<Result<_, _>>()?;
    if let Some(batch) = speed {
        let some: Vec<Moment> = moments.iter().cycle().take(batch.max(1)).cloned().collect();
        let budget = Duration::from_secs(2);
        let [_, cpu] = nets::kernel_bench::time(budget, || {
            brain.judge(&some, Wants::POLICY_AND_VALUE);
        });
        println!("{:.1}", batch as f64 / cpu);
        return Ok(());
    }
    let judge = |some| brain.judge(some, Wants::POLICY_AND_VALUE);
    let opinions: Vec<Opinion> = moments.chunks(BATCH).flat_map(judge).collect();
    let mut out = std::io::stdout().lock();
    for (moment, opinion) in moments.iter().zip(opinions) {
        let policy = opinion.policy.unwrap_or_default();
        let moves =
            moment.legal_moves().into_iter().zip(policy).map(|(m, chance)| (moment.uci(m), chance.into()));
        let moves: serde_json::Map<String, serde_json::Value> = moves.collect();
        let wdl = opinion.wdl.map(|wdl| [wdl.loss(), wdl.draw(), wdl.win()]);
        writeln!(out, "{}", serde_json::json!({ "moves": moves, "wdl": wdl }))?;
    }
    Ok(())
}

fn moment(line: &str) -> Result<Moment, Box<dyn Error>> {
    let mut words = line.split_whitespace();
    let mut rating =
        || words.next().ok_or("two ratings, then moves")?.parse::<u16>().map_err(Box::<dyn Error>::from);
    let (own, other) = (rating()?, rating()?);
    let mut moment = Moment::default().after_uci(words)?;
    let [white, black] = if moment.turn() == Color::White { [own, other] } else { [other, own] };
    moment.players = Some(Ratings::lichess(Some(white), Some(black)));
    Ok(moment)
}
