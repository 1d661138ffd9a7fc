//! What `tabiya` can be told to do: one file or folder per verb, each with its `Args` and `run`.

mod arena;
mod bench;
mod clone;
mod completions;
mod data;
mod eval;
mod eval_explain;
mod install_engines;
mod lichess;
mod man;
mod models;
mod opinion;
mod perft;
pub(crate) mod play;
mod selfplay;
mod train;
mod tune;
pub(crate) mod uci;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Arena(Box<arena::Args>),
    Bench(bench::Args),
    Clone(clone::Args),
    Completions(completions::Args),
    Data(data::Args),
    Eval(eval::Args),
    EvalExplain(eval_explain::Args),
    InstallEngines(install_engines::Args),
    Lichess(lichess::Args),
    Man(man::Args),
    Models(models::Args),
    Opinion(opinion::Args),
    Perft(perft::Args),
    Play(play::Args),
    Selfplay(selfplay::Args),
    Train(train::Args),
    Tune(tune::Args),
    Uci(uci::Args),
}

impl Verb {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        match self {
            Verb::Arena(args) => arena::run(args),
            Verb::Bench(args) => bench::run(args),
            Verb::Clone(args) => clone::run(args),
            Verb::Completions(args) => completions::run(args),
            Verb::Data(args) => data::run(args),
            Verb::Eval(args) => eval::run(args),
            Verb::EvalExplain(args) => eval_explain::run(args),
            Verb::InstallEngines(args) => install_engines::run(args),
            Verb::Lichess(args) => lichess::run(args),
            Verb::Man(args) => man::run(args),
            Verb::Models(args) => models::run(args),
            Verb::Opinion(args) => opinion::run(args),
            Verb::Perft(args) => perft::run(args),
            Verb::Play(args) => play::run(args),
            Verb::Selfplay(args) => selfplay::run(args),
            Verb::Train(args) => train::run(args),
            Verb::Tune(args) => tune::run(args),
            Verb::Uci(args) => uci::run(args),
        }
    }
}
