//! `tabiya lichess`: a bot account on Lichess, played by any mind.

mod check;
mod config;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context;
use lichess::{Bot, Client, Patience, Player, Report, Token};
use tokio::sync::watch;
use tracing::info;

use crate::terminal::interrupt;
use config::{Config, EXAMPLE};

/// Play on Lichess as a bot account; the token comes from the variable LICHESS_TOKEN or a file, never from the command line.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File with the settings.
    #[arg(long, value_name = "FILE", default_value = "lichess.toml")]
    config: PathBuf,
    /// Say what is wrong with settings, token, account and mind, and play nothing.
    #[arg(long)]
    check: bool,
    /// Print a file of settings with every default and what it means.
    #[arg(long, conflicts_with = "check")]
    example: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.example {
        print!("{EXAMPLE}");
        return Ok(ExitCode::SUCCESS);
    }
    // Each game thinks on threads of its own; two are enough to listen.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    if args.check {
        return Ok(runtime.block_on(check::run(&args.config)));
    }
    let config = Config::read(&args.config)?;
    let end = runtime.block_on(play(config));
    // Searches that were left to themselves end with the process.
    runtime.shutdown_background();
    end
}

async fn play(config: Config) -> anyhow::Result<ExitCode> {
    let bot = bot(&config)?;
    let (stop, stopped) = watch::channel(false);
    interrupt::flag_and(move || {
        let _ = stop.send(true);
    })?;
    bot.run(stopped).await?;
    Ok(ExitCode::SUCCESS)
}

fn client(config: &Config) -> anyhow::Result<Client> {
    let token = Token::find(config.token_file.as_deref())?;
    Ok(Client::new(&config.url, &token, Patience::default())?)
}

/// The bot of some settings; its mind is loaded once for all games.
fn bot(config: &Config) -> anyhow::Result<Bot> {
    let client = Arc::new(client(config)?);
    let preferences = config.mind.preferences(config.play.move_overhead_ms)?;
    let (names, level) = (preferences.names(), config.mind.level);
    let mind = names.mind()?;
    // What goes with what is found out now, not in the first game.
    names.build_with(&mind, &preferences.settings)?;
    let settings = preferences.settings;
    let seat = move |pairing: &lichess::Pairing| {
        let mut settings = settings.clone();
        let (least, most) = (engine::HumanSettings::LEAST_RATING, engine::HumanSettings::MOST_RATING);
        settings.human.rating = level.against(pairing.opponent_rating).clamp(least, most);
        settings.human.opponent = pairing.opponent_rating;
        let search = names.build_with(&mind, &settings).map_err(|error| format!("{error:#}"))?;
        let level = mind.brain.traits().context.then_some(settings.human.rating);
        Ok(Player { search, level })
    };
    Ok(Bot {
        client,
        policy: config.challenges.clone(),
        manners: config.play.clone(),
        chat: config.chat.clone(),
        seat: Arc::new(seat),
        tell: Arc::new(|report: &Report| info!("{report}")),
    })
}

impl Config {
    fn read(path: &std::path::Path) -> anyhow::Result<Config> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{name} (`tabiya lichess --example` prints one to begin with)"))?;
        let config: Config = toml::from_str(&text).with_context(|| name.to_string())?;
        config.challenges.check().with_context(|| name.to_string())?;
        Ok(config)
    }
}
