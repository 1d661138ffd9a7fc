//! How much the guard may do for a move: a number of nodes chosen from the clock alone, so that a game with a seed goes the
//! same way on every machine.

use chess::Moment;

use crate::{Limits, TimeBudget};

/// What sees short tactics, in a few hundredths of a second. docs/human.md has what fewer nodes see.
const MOST_NODES: u64 = 20_000;
/// Fewer nodes see too little to veto anything.
const LEAST_NODES: u64 = 200;
/// Nodes that even a slow or busy machine searches in a millisecond; others search a thousand and more.
const NODES_PER_MS: f64 = 300.0;
/// Share of the time planned for a move that is the guard's.
const SHARE: f64 = 0.5;
/// Searches that must fit into it: one for each move that is drawn, one for the whole position.
const SEARCHES: u64 = 4;

/// Nodes of the guard's searches for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// For each search.
    pub(crate) nodes: u64,
    /// For all of them.
    pub(crate) total: u64,
}

impl Effort {
    /// Where no time counts.
    pub(crate) const FULL: Effort = Effort { nodes: MOST_NODES, total: u64::MAX };

    /// `None` where the clock leaves no time for a guard.
    pub(crate) fn within(moment: &Moment, limits: &Limits, move_overhead_ms: u64) -> Option<Effort> {
        // Without the lateness, which is measured: the moves would depend on it.
        let Limits { on_clock, moves_to_go, move_time, .. } = *limits;
        let limits = Limits { on_clock, moves_to_go, move_time, ..Limits::default() };
        let TimeBudget { soft, hard } = TimeBudget::new(moment, &limits, move_overhead_ms);
        let Some(time) = soft.into_iter().chain(hard).min() else { return Some(Effort::FULL) };
        let total = (1000.0 * time.as_secs_f64() * SHARE * NODES_PER_MS) as u64;
        match total / SEARCHES {
            MOST_NODES.. => Some(Effort::FULL),
            nodes @ LEAST_NODES.. => Some(Effort { nodes, total }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chess::{Clocks, shakmaty::ByColor};

    use super::*;

    fn on_clock(left_ms: u32, increment_ms: u32) -> Option<Effort> {
        let both = |ms: u32| ByColor { white: ms / 10, black: ms / 10 };
        let clocks = Clocks { left_cs: both(left_ms), increment_cs: both(increment_ms), base_cs: None };
        let moment = Moment { clocks: Some(clocks), ..Moment::default() };
        Effort::within(&moment, &Limits::clock(), 20)
    }

    #[test]
    fn a_longer_clock_allows_more_nodes_up_to_the_most() {
        assert_eq!(on_clock(180_000, 2_000), Some(Effort::FULL));
        assert_eq!(on_clock(50, 0), None);
        let nodes: Vec<u64> = [300, 600, 1_200, 2_500, 5_000, 10_000]
            .into_iter()
            .map(|left_ms| on_clock(left_ms, 50).map_or(0, |effort| effort.nodes))
            .collect();
        assert!(nodes.is_sorted() && nodes[0] < nodes[5] && nodes[5] < MOST_NODES, "{nodes:?}");
    }

    #[test]
    fn a_move_time_counts_and_other_limits_do_not() {
        let within = |limits: &Limits| Effort::within(&Moment::default(), limits, 20);
        assert_eq!(within(&Limits::move_time(Duration::from_millis(10))), None);
        assert_eq!(within(&Limits::move_time(Duration::from_secs(2))), Some(Effort::FULL));
        assert_eq!(within(&Limits::nodes(1)), Some(Effort::FULL));
        let hundred = Limits::move_time(Duration::from_millis(100));
        let late = Limits { lateness: Duration::from_millis(50), ..hundred.clone() };
        assert_eq!(within(&hundred), within(&late), "what is measured changes no move");
    }
}
