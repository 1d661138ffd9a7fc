//! `tabiya uci`: the engine on stdin and stdout.

use std::{path::PathBuf, process::ExitCode};

use anyhow::bail;

use crate::{minds::PEOPLE, uci::Defaults};

/// Speak UCI on stdin and stdout, as chess programs expect of an engine. What is set here stands until the program sets it.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The mind that plays; the option `Brain`.
    #[arg(long, value_name = "NAME")]
    brain: Option<String>,
    /// The search that it thinks by; the option `Search`.
    #[arg(long, value_name = "NAME")]
    search: Option<String>,
    /// A file with a network; the option `Weights`.
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Rating of the person to play like; the option `UCI_Elo`. Without `--brain` or `--weights`, `human` plays.
    #[arg(long, value_name = "RATING")]
    elo: Option<u16>,
    /// Any other option; may be repeated.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// What the engine calls itself; usually after who plays.
    #[arg(long)]
    name: Option<String>,
}

impl Args {
    pub(crate) fn defaults(&self) -> anyhow::Result<Defaults> {
        let mut defaults = Defaults::named(self.name.clone());
        let weights = self.weights.as_ref().map(|path| path.to_string_lossy().into_owned());
        let elo = self.elo.map(|rating| rating.to_string());
        let limited = self.elo.map(|_| "true".to_owned());
        let named = [
            ("Brain", self.brain.clone()),
            ("Search", self.search.clone()),
            ("Weights", weights),
            ("UCI_Elo", elo),
            ("UCI_LimitStrength", limited.filter(|_| self.brain.as_deref() != Some(PEOPLE))),
        ];
        let others = self.options.iter().map(|text| match text.split_once('=') {
            Some((name, value)) => Ok((name, value.to_owned())),
            None => bail!("`--option {text}` is not NAME=VALUE"),
        });
        let named = named.into_iter().filter_map(|(name, value)| Some(Ok((name, value?))));
        for option in named.chain(others) {
            let (name, value) = option?;
            defaults.set(name, &value).map_err(anyhow::Error::msg)?;
        }
        Ok(defaults)
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    crate::uci::serve(args.defaults()?)?;
    Ok(ExitCode::SUCCESS)
}
