//! How late our moves are by the GUI's own clock: what it took off for a move beyond what the move was meant to take. Searches keep that
//! back, so that a busy machine or a slow pipe costs no game.

use std::{sync::Arc, time::Duration};

use chess::shakmaty::{ByColor, Color};
use engine::Lateness;

use super::{command::Place, go::Go, running::Running};

#[derive(Debug, Default)]
pub(crate) struct Delays {
    lateness: Lateness,
    last: Option<Asked>,
}

/// A `go` by the clock, for comparison with the next one.
#[derive(Debug)]
struct Asked {
    place: Place,
    clock_ms: ByColor<i64>,
    running: Arc<Running>,
}

impl Delays {
    /// The machine stays what it is; the clocks are others.
    pub(crate) fn new_game(&mut self) {
        self.last = None;
    }

    pub(crate) fn expected(&self) -> Duration {
        self.lateness.expected()
    }

    /// Takes in the clocks of a new `go`, with `us` to move: they tell what our last move has cost.
    pub(crate) fn look(&mut self, place: &Place, us: Color, go: &Go) {
        let Some((last, left)) = self.last.as_ref().zip(*go.left_ms.get(us)) else { return };
        let Some(planned) = last.running.planned().filter(|_| is_next_turn(&last.place, place)) else {
            return;
        };
        let cost = *last.clock_ms.get(us) + go.increment_ms.get(us).unwrap_or(0) - left;
        // Time that was added meanwhile tells nothing.
        if let Ok(cost) = u64::try_from(cost) {
            self.lateness.add(Duration::from_millis(cost).saturating_sub(planned));
        }
    }

    /// Remembers a `go` and its search, if it is by the clock from the start.
    pub(crate) fn remember(&mut self, place: &Place, go: &Go, running: &Arc<Running>) {
        let by_clock = !go.ponder && !go.infinite;
        self.last = match (go.left_ms.white, go.left_ms.black) {
            (Some(white), Some(black)) if by_clock => {
                let (place, running) = (place.clone(), Arc::clone(running));
                Some(Asked { place, clock_ms: ByColor { white, black }, running })
            }
            _ => None,
        };
    }
}

/// Whether each side has made one move between the two.
fn is_next_turn(before: &Place, now: &Place) -> bool {
    before.fen == now.fen
        && now.moves.len() == before.moves.len() + 2
        && now.moves[..before.moves.len()] == before.moves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(moves: &str) -> Place {
        Place { fen: None, moves: moves.split_whitespace().map(str::to_owned).collect() }
    }

    fn go(words: &str) -> Go {
        Go::parse(&words.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn what_the_clock_lost_beyond_the_plan_is_late() {
        for (moves, second, late_ms) in [
            ("e2e4 e7e5", "wtime 4800 btime 5000 winc 50 binc 50", 150),
            ("e2e4 e7e5", "wtime 4950 btime 100 winc 50 binc 50", 0),
            ("e2e4 e7e5", "wtime 9000 btime 5000 winc 50 binc 50", 0),
            ("e2e4 e7e5 g1f3 b8c6", "wtime 4800 btime 5000", 0),
            ("d2d4 d7d5", "wtime 4800", 200 - 100),
        ] {
            let mut delays = Delays::default();
            let first = go("wtime 5000 btime 5000 winc 50 binc 50");
            let running = Arc::new(Running::new(&first));
            delays.remember(&place(""), &first, &running);
            running.plan(Duration::from_millis(100));
            delays.look(&place(moves), Color::White, &go(second));
            assert_eq!(delays.expected(), Duration::from_millis(late_ms), "{moves} {second}");
        }
    }
}
