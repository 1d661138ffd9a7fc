//! Fixed work whose node count is the engine's signature, and whose time is its speed.

use std::time::Instant;

use chess::{Moment, shakmaty::CastlingMode};
use engine::{Limits, Search, Settings, Signals, Task, alpha_beta::AlphaBeta};

pub(crate) const DEPTH: u32 = 12;
pub(crate) const HASH_MB: usize = 16;

/// Openings, middlegames and endings of many kinds.
const POSITIONS: &str = include_str!("../../../testdata/bench.fen");

/// Nodes and speed in one line, as test frameworks read it.
pub(crate) fn summary(depth: u32, settings: Settings, signals: &Signals) -> String {
    let started = Instant::now();
    let nodes = signature(depth, settings, signals);
    let seconds = started.elapsed().as_secs_f64();
    format!("{nodes} nodes {:.0} nps", nodes as f64 / seconds.max(1e-9))
}

/// Nodes over all positions, each searched with an empty memory; a stop ends it early.
fn signature(depth: u32, settings: Settings, signals: &Signals) -> u64 {
    let mut search = AlphaBeta::new(settings);
    positions()
        .take_while(|_| !signals.is_stopped())
        .map(|moment| {
            search.new_game();
            let task = Task { limits: Limits::depth(depth), signals, report: &mut |_| {} };
            search.choose(&moment, task).nodes
        })
        .sum()
}

pub(crate) fn positions() -> impl Iterator<Item = Moment> {
    POSITIONS
        .lines()
        .map(|fen| Moment::from_fen(fen, CastlingMode::Chess960).expect("bench positions are legal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour changed if this number did: the commit that edits it says why.
    const SIGNATURE_AT_8: u64 = 251955;

    #[test]
    fn the_signature_is_the_known_one() {
        let settings = Settings { hash_mb: HASH_MB, ..Settings::default() };
        assert_eq!(signature(8, settings, &Signals::new()), SIGNATURE_AT_8);
    }
}
