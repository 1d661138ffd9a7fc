//! `tabiya install-engines`: entries for the lists of other programs, each level one of its own.

mod entry;
mod merge;
mod program;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use engine::HumanSettings;

use entry::Entry;
use program::Program;

/// Print or write entries for chess programs: several levels of `human`, the calculating mind, and networks of yours.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The program.
    program: Program,
    /// Levels of `human`, parted by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [1100, 1500, 1900, 2300])]
    levels: Vec<u16>,
    /// A folder with networks of others (`.onnx`, `.pb.gz`), each an entry.
    #[arg(long, value_name = "DIR")]
    networks: Option<PathBuf>,
    /// Add the entries to the program's own file, beside what is there; what was there is kept with `.before` after its name.
    #[arg(long)]
    write: bool,
    /// The file to add them to, in place of the usual one.
    #[arg(long, value_name = "FILE", requires = "write")]
    file: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let binary = env::current_exe().context("where this program is cannot be told")?;
    let entries = entries(args)?;
    let text = args.program.text(&binary, &entries);
    if !args.write {
        print!("{text}");
        return Ok(ExitCode::SUCCESS);
    }
    let home = directories::BaseDirs::new();
    let usual = args.program.file(home.as_ref().map(|dirs| dirs.home_dir()));
    let Some(path) = args.file.clone().or(usual) else {
        bail!("{} keeps no list that could be written; without --write its lines are printed", args.program);
    };
    let before = fs::read_to_string(&path).ok();
    let shared = args.program.shared_file().filter(|_| args.file.is_none());
    let begin = before.clone().or_else(|| fs::read_to_string(shared?).ok()).unwrap_or_default();
    let after = args.program.merged(&begin, &text);
    let after = after.with_context(|| path.display().to_string())?;
    write(&path, before.as_deref(), &after)?;
    eprintln!("{} entries in {}", entries.len(), path.display());
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, before: Option<&str>, after: &str) -> anyhow::Result<()> {
    let place = || path.display().to_string();
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).with_context(place)?;
    if let Some(before) = before.filter(|&before| before != after) {
        fs::write(path.with_added_extension("before"), before).with_context(place)?;
    }
    let fresh = path.with_added_extension("new");
    fs::write(&fresh, after).and_then(|()| fs::rename(&fresh, path)).with_context(place)
}

fn entries(args: &Args) -> anyhow::Result<Vec<Entry>> {
    let (least, most) = (HumanSettings::LEAST_RATING, HumanSettings::MOST_RATING);
    for level in &args.levels {
        ensure!((least..=most).contains(level), "there is no level {level}; they go from {least} to {most}");
    }
    let mut entries: Vec<Entry> = args.levels.iter().map(|&level| Entry::level(level)).collect();
    entries.push(Entry::calculating());
    if let Some(folder) = &args.networks {
        let files = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut files: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
        files.retain(|path| nets::others::is_other(path));
        files.sort();
        for path in files {
            let path = path.canonicalize().with_context(|| path.display().to_string())?;
            match crate::minds::knows_levels(&path) {
                true => entries.extend(args.levels.iter().map(|&level| Entry::network(&path, Some(level)))),
                false => entries.push(Entry::network(&path, None)),
            }
        }
    }
    Ok(entries)
}
