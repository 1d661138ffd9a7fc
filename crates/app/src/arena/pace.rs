//! How fast a player plays: on a clock, or by a fixed effort for each move.

use std::{fmt, time::Duration};

use engine::Limits;

use super::clock::{Clock, TimeControl};

/// All limits that are given hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) clock: Option<TimeControl>,
    pub(crate) move_time: Option<Duration>,
    pub(crate) nodes: Option<u64>,
    pub(crate) depth: Option<u32>,
}

impl Pace {
    pub(crate) fn is_unlimited(&self) -> bool {
        *self == Pace::default()
    }

    /// What a search of ours is told; the clocks themselves travel in the moment.
    pub(crate) fn limits(&self, clock: Option<&Clock>) -> Limits {
        Limits {
            on_clock: clock.is_some(),
            moves_to_go: clock.and_then(Clock::moves_to_go),
            move_time: self.move_time,
            depth: self.depth,
            nodes: self.nodes,
            ..Limits::default()
        }
    }

    /// Time after which the flag falls, if time matters at all.
    pub(crate) fn allowed(&self, clock: Option<&Clock>) -> Option<Duration> {
        let left = clock.map(|clock| clock.left);
        left.into_iter().chain(self.move_time).min()
    }
}

/// The clock as PGN writes it, then the fixed efforts: `8+0.08`, `-` with `nodes 5000`.
impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.clock.map(|clock| clock.to_string()),
            self.move_time.map(|time| format!("movetime {}", time.as_millis())),
            self.nodes.map(|nodes| format!("nodes {nodes}")),
            self.depth.map(|depth| format!("depth {depth}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}
