//! How a match ended: the table, the pairings, the test.

use std::{io::Write, process::ExitCode};

use crate::arena::{
    sprt::{Sprt, Verdict},
    standings::Standings,
    table,
};

#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) standings: &'a Standings,
    pub(super) sprt: Option<Sprt>,
    pub(super) json: bool,
}

/// 1 where a test did not say that the first player is stronger.
pub(super) fn exit_code(report: &Report<'_>) -> ExitCode {
    let pairs = &report.standings.tallies[0].pairs;
    let refuted = report.sprt.is_some_and(|sprt| sprt.verdict(pairs) != Verdict::H1);
    if refuted { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

pub(super) fn sprt_line(sprt: &Sprt, standings: &Standings) -> String {
    let pairs = &standings.tallies[0].pairs;
    let (lower, upper) = sprt.bounds();
    let verdict = match sprt.verdict(pairs) {
        Verdict::H0 => "H0 accepted",
        Verdict::H1 => "H1 accepted",
        Verdict::Undecided => "undecided",
    };
    let (elo0, elo1) = (sprt.elo0, sprt.elo1);
    format!(
        "SPRT [{elo0}, {elo1}] logistic Elo: LLR {:.2} in ({lower:.2}, {upper:.2}), {verdict}",
        sprt.llr(pairs)
    )
}

impl Report<'_> {
    pub(super) fn print(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let (rows, duels) = (self.standings.rows(), self.standings.duels());
        if self.json {
            let json = serde_json::json!({ "players": rows, "pairings": duels, "sprt": self.sprt_json() });
            writeln!(out, "{json:#}")?;
            return Ok(());
        }
        write!(out, "{}\n{}", table::table(&rows, console::colors_enabled()), table::duels(&duels))?;
        if let Some(sprt) = &self.sprt {
            writeln!(out, "{}", sprt_line(sprt, self.standings))?;
        }
        Ok(())
    }

    fn sprt_json(&self) -> Option<serde_json::Value> {
        let sprt = self.sprt?;
        let pairs = &self.standings.tallies[0].pairs;
        let (lower, upper) = sprt.bounds();
        Some(serde_json::json!({
            "model": "logistic", "elo0": sprt.elo0, "elo1": sprt.elo1, "alpha": sprt.alpha, "beta": sprt.beta,
            "llr": sprt.llr(pairs), "lower": lower, "upper": upper, "verdict": sprt.verdict(pairs),
        }))
    }
}
