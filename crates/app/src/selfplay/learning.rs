//! From the games of the last generations to the weights of the next: an import and a run of training from the weights that played.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::Context;
use data::{Dataset, ImportOptions, Shares, durable, import};
use nets::{CHECKPOINT, NetConfig, RunConfig, Team, TrainOptions, WeightFile};

/// Makes `to` of the weights `from` and the games in `games`, with what it takes on the way in `folder`. Goes on with what a stopped
/// program left there. Without weights where it was stopped.
pub(super) fn learn(
    from: &Path,
    games: &[PathBuf],
    settings: &toml::Table,
    folder: &Path,
    to: &Path,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let config = run_config(&WeightFile::read(from)?, settings)?;
    let dataset = folder.join("dataset");
    let run = folder.join("run");
    if !run.join(CHECKPOINT).exists() {
        // Nothing has been learned yet, so the games may as well be read anew.
        for old in [&dataset, &run].into_iter().filter(|old| old.exists()) {
            fs::remove_dir_all(old).with_context(|| old.display().to_string())?;
        }
        let shares = Shares { valid: 1000, test: 0, ..Shares::default() };
        let options = ImportOptions { shares, stop: Arc::clone(stop), ..ImportOptions::default() };
        import(games, &dataset, &options, |_| {})?;
    }
    let (resume, team) = (run.join(CHECKPOINT).exists(), &Team::Alone);
    let options = TrainOptions { out: &run, resume, init: Some(from), stop, team };
    nets::train(&config, &Dataset::open(&dataset)?, &options, &mut |_| {})?;
    if stop.load(Ordering::Relaxed) {
        return Ok(());
    }
    let best = run.join("best.safetensors");
    let bytes = fs::read(&best).with_context(|| best.display().to_string())?;
    durable::write(to, &bytes).with_context(|| to.display().to_string())
}

/// The run that a network's own card describes, with the settings of self-play in place of its training.
pub(super) fn run_config(weights: &WeightFile, settings: &toml::Table) -> anyhow::Result<RunConfig> {
    let card = &weights.card;
    let run = toml::Table::from_iter([
        ("family".to_owned(), card.family.clone().into()),
        ("train".to_owned(), defaults(settings).into()),
    ]);
    let net = NetConfig::parse(&card.family, &card.network)?;
    Ok(RunConfig { net, ..RunConfig::from_toml(&run.to_string(), &[])? })
}

/// All positions of all games, in a few careful steps.
fn defaults(settings: &toml::Table) -> toml::Table {
    let own: [(&str, toml::Value); 9] = [
        ("policy", "all".into()),
        ("validation-policy", "all".into()),
        ("steps", 300.into()),
        ("batch", 256.into()),
        ("rate", 3e-4.into()),
        ("warmup", 30.into()),
        ("mean", 0.99.into()),
        ("validate-every", 100.into()),
        ("validation-samples", 2048.into()),
    ];
    let mut table = toml::Table::from_iter(own.map(|(key, value)| (key.to_owned(), value)));
    table.extend(settings.clone());
    table
}
