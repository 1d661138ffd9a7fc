//! `tabiya train`: a network from a dataset, and the curves of past runs.

mod calibrate;
mod plot;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::Ordering,
    time::Duration,
};

use ::data::Dataset;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use nets::{Event, RunConfig, Team, TrainOptions};
use tracing::info;

use crate::terminal::interrupt;

/// Train a network, or draw the curves of runs (`tabiya train plot RUN...`).
///
/// Everything is appended to metrics.jsonl in the run's folder; best.safetensors there is the best network so far.
/// Under `mpirun -n N` (a build with `--features mpi`) N processes share the batches of each step (train.accumulate), with the same
/// weights as one. Ctrl-C saves and ends; --resume goes on as if nothing had happened, or with another schedule (train.steps, train.rate).
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// A family, such as human, or a TOML file such as configs/human-small.toml
    #[arg(required = true, value_name = "FAMILY|CONFIG")]
    config: Option<String>,
    /// Folder of the dataset, as `tabiya data import` makes it
    #[arg(long, required = true)]
    data: Option<PathBuf>,
    /// Folder of the run
    #[arg(long, required = true, value_name = "RUN")]
    out: Option<PathBuf>,
    /// Change a setting, such as train.batch=256 or network.architecture=hc3
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Go on from the run's last checkpoint
    #[arg(long)]
    resume: bool,
    /// Begin with these weights and a fresh optimiser; the network may have more blocks and longer tables than they have
    #[arg(long, value_name = "WEIGHTS", conflicts_with = "resume")]
    init: Option<PathBuf>,
    /// Print the whole configuration and end
    #[arg(long)]
    show_config: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Plot(plot::Args),
    Calibrate(calibrate::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.verb {
        Some(Verb::Plot(args)) => return plot::run(args),
        Some(Verb::Calibrate(args)) => return calibrate::run(args),
        None => {}
    }
    let (Some(config), Some(data), Some(out)) = (&args.config, &args.data, &args.out) else {
        unreachable!("clap asks for all three");
    };
    let config = read(config, &args.sets)?;
    if args.show_config {
        print!("{}", config.to_toml());
        return Ok(ExitCode::SUCCESS);
    }
    let data = Dataset::open(data)?;
    let stop = interrupt::flag()?;
    let team = Team::join()?;
    let options =
        TrainOptions { out, resume: args.resume, init: args.init.as_deref(), stop: &stop, team: &team };
    let mut watcher = team.leads().then(|| Watcher::new(&config, out, team.size()));
    nets::train(&config, &data, &options, &mut |event| {
        watcher.iter_mut().for_each(|watcher| watcher.see(event));
    })?;
    if let Some(watcher) = watcher {
        watcher.end(stop.load(Ordering::Relaxed));
    }
    team.leave();
    Ok(ExitCode::SUCCESS)
}

fn read(name: &str, sets: &[String]) -> anyhow::Result<RunConfig> {
    if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
        return Ok(RunConfig::family(name, sets)?);
    }
    let text = fs::read_to_string(name).with_context(|| format!("cannot read `{name}`"))?;
    RunConfig::from_toml(&text, sets).with_context(|| format!("`{name}`"))
}

/// Shows a run on standard error: a bar on a terminal, now and then a line elsewhere.
struct Watcher {
    /// Said at the first step, when nothing can be wrong with the run any more.
    headline: String,
    bar: ProgressBar,
    folder: PathBuf,
    batch: usize,
    /// Loss, smoothed over steps.
    loss: Option<f64>,
    /// Step, seconds and waiting when this process began.
    began: Option<(u64, f64)>,
    waited: f64,
    last: (u64, f64),
}

/// Steps over which the loss that is shown is smoothed.
const SMOOTH: f64 = 50.0;

impl Watcher {
    fn new(config: &RunConfig, folder: &Path, processes: usize) -> Watcher {
        let (family, device) = (config.net.family(), nets::device_name());
        let batch = config.train.batch * config.train.accumulate;
        let together = if processes > 1 { format!(", {processes} processes") } else { String::new() };
        let headline =
            format!("training {family} on {device}{together}, {} steps of {batch}", config.steps());
        let bar = ProgressBar::new(config.steps());
        let style = "{bar:24} {pos}/{len}  {msg}  left {eta}";
        bar.set_style(ProgressStyle::with_template(style).expect("a fixed template"));
        bar.enable_steady_tick(Duration::from_secs(1));
        Watcher {
            headline,
            bar,
            folder: folder.to_owned(),
            batch,
            loss: None,
            began: None,
            waited: 0.0,
            last: (0, 0.0),
        }
    }

    fn see(&mut self, event: &Event) {
        match event {
            Event::Step { step, loss, waited, seconds, .. } => {
                // Speed and waiting count from the end of the first step, which also fills the pool of samples.
                match self.began {
                    Some(_) => self.waited += waited,
                    None => {
                        info!("{}", self.headline);
                        self.began = Some((*step, *seconds));
                        self.bar.reset_eta();
                    }
                }
                self.loss = Some(self.loss.map_or(*loss, |mean| mean + (loss - mean) / SMOOTH));
                self.last = (*step, *seconds);
                self.bar.set_position(*step);
                self.bar.set_message(self.message());
            }
            Event::Validation { step, figures, best, .. } => {
                let star = if *best { "  best so far" } else { "" };
                let figure = |(name, value): (&String, &f64)| format!("{name} {value:.4}");
                let figures: Vec<_> = figures.iter().map(figure).collect();
                let line = format!("step {step}  {}  {}{star}", self.message(), figures.join("  "));
                self.bar.suspend(|| eprintln!("{line}"));
            }
            Event::Saved { step, .. } => self.last.0 = *step,
        }
    }

    fn message(&self) -> String {
        let (steps, seconds) =
            self.began.map_or((0, 0.0), |(step, seconds)| (self.last.0 - step, self.last.1 - seconds));
        let Some(loss) = self.loss else { return "nothing was left to do".to_owned() };
        if steps == 0 {
            return format!("loss {loss:.4}");
        }
        let speed = (steps * self.batch as u64) as f64 / seconds;
        let waiting = 100.0 * self.waited / seconds;
        format!("loss {loss:.4}  {speed:.0} samples/s  {waiting:.1} % waiting")
    }

    fn end(&self, stopped: bool) {
        self.bar.finish_and_clear();
        let how = if stopped { "stopped" } else { "done" };
        info!("{how} after step {}: {}", self.last.0, self.message());
        println!("{}", self.folder.display());
    }
}
