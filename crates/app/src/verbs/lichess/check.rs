//! `tabiya lichess --check`: everything that could be wrong, looked at in order, each with its own word.

use std::{path::Path, process::ExitCode};

use super::{client, config::Config};

/// 0 if all is well, 1 if something is not.
pub(super) async fn run(path: &Path) -> ExitCode {
    let config = match Config::read(path) {
        Ok(config) => config,
        Err(error) => {
            println!("settings: {error:#}");
            return ExitCode::from(1);
        }
    };
    println!("settings: {} is understood", path.display());
    let mind = config.mind.preferences(config.play.move_overhead_ms).and_then(|preferences| {
        let names = preferences.names();
        names.build(&preferences.settings)?;
        Ok(format!("{names} plays"))
    });
    let client = client(&config);
    let account = match &client {
        Ok(client) => client.profile().await.map_err(anyhow::Error::from).and_then(|profile| {
            anyhow::ensure!(profile.is_bot(), "{} is not a bot account", profile.username);
            Ok(format!("{} is a bot account", profile.username))
        }),
        Err(_) => Err(anyhow::anyhow!("not asked without a token and an address")),
    };
    let token = client.map(|_| "found; it is not shown".to_owned());
    let mut well = true;
    for (what, found) in [("mind", mind), ("token", token), ("account", account)] {
        well &= found.is_ok();
        println!("{what}: {}", found.unwrap_or_else(|error| format!("{error:#}")));
    }
    if well { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
