//! `tabiya man`: the manual page, from the commands themselves.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::version::release;

/// Print the manual page of the program, or write those of all its commands.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder for a page of each command.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // Pages are read on other machines than the one that wrote them.
    let mut command = crate::Cli::command().version(release());
    command.build();
    match &args.out {
        None => io::Write::write_all(&mut io::stdout(), &page(&command)?)?,
        Some(folder) => {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            write_pages(&command, folder)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command.clone()).render(&mut text)?;
    Ok(text)
}

fn write_pages(command: &Command, folder: &Path) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let path = folder.join(format!("{name}.1"));
    fs::write(&path, page(command)?).with_context(|| path.display().to_string())?;
    command.get_subcommands().try_for_each(|command| write_pages(command, folder))
}
