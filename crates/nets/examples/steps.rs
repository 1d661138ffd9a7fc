//! How fast a network is trained: samples a second of CPU time over some steps, reading and encoding included, on a dataset or a PGN file.
//!
//!     steps CONFIG.toml|FAMILY GAMES [STEPS] [KEY=VALUE]...
//!
//! The first three steps, which fill buffers, are not counted. Losses are those of the last step.

use std::{error::Error, fs, path::Path, sync::atomic::AtomicBool, time::Instant};

use nets::{Event, RunConfig, Team, TrainOptions};

const SKIPPED: u64 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [config, games, rest @ ..] = &args[..] else {
        return Err("steps CONFIG.toml|FAMILY GAMES [STEPS] [KEY=VALUE]...".into());
    };
    let (steps, sets) = match rest.split_first() {
        Some((first, sets)) if !first.contains('=') => (first.parse::<u64>()?, sets),
        _ => (10, rest),
    };
    let whole = format!("train.steps={}", steps + SKIPPED);
    let own =
        [whole.as_str(), "train.validation-samples=1", "train.validate-every=1000000", "train.warmup=1"];
    let sets: Vec<String> = own.iter().map(|set| (*set).to_owned()).chain(sets.iter().cloned()).collect();
    let config = match config.strip_suffix(".toml") {
        Some(_) => RunConfig::from_toml(&fs::read_to_string(config)?, &sets)?,
        None => RunConfig::family(config, &sets)?,
    };
    let folder = tempfile::tempdir()?;
    let data = match Path::new(games).is_dir() {
        true => data::Dataset::open(Path::new(games))?,
        false => {
            let data = folder.path().join("data");
            data::import(&[games.into()], &data, &data::ImportOptions::default(), |_| {})?;
            data::Dataset::open(&data)?
        }
    };
    let stop = AtomicBool::new(false);
    let options = TrainOptions {
        out: &folder.path().join("run"),
        resume: false,
        init: None,
        stop: &stop,
        team: &Team::Alone,
    };
    let began = Instant::now();
    let mut before = (0.0, 0.0, 0);
    nets::train(&config, &data, &options, &mut |event| {
        let Event::Step { step, samples, loss, parts, .. } = event else { return };
        let cpu = nets::kernel_bench::cpu_seconds(began);
        let now = (cpu, began.elapsed().as_secs_f64(), *samples);
        if *step == SKIPPED {
            before = now;
        }
        if *step == steps + SKIPPED {
            let samples = (now.2 - before.2) as f64;
            let (cpu, clock) = (samples / (now.0 - before.0), samples / (now.1 - before.1));
            println!("{cpu:.1} samples a second of CPU time, {clock:.1} by the clock");
            println!("loss {loss:.4}, {parts:?}");
        }
    })?;
    Ok(())
}
