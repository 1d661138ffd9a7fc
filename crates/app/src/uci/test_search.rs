//! A search that plays the first legal move, or a mate if one is on the board: enough to try the protocol.

use std::time::{Duration, Instant};

use chess::{
    Moment, Wdl,
    shakmaty::{Move, Position},
};
use engine::{Bound, Choice, Info, Score, Search, Settings, Task};

/// Where it runs out of things to say, even when asked to go on for ever.
const DEEPEST: u32 = 40;

#[derive(Debug, Default)]
pub(crate) struct FirstMove {
    settings: Settings,
}

impl Search for FirstMove {
    fn choose(&mut self, moment: &Moment, task: Task<'_>) -> Choice {
        let start = Instant::now();
        let mut moves = moment.legal_moves().to_vec();
        moves.retain(|m| task.limits.search_moves.is_empty() || task.limits.search_moves.contains(m));
        moves.sort_by_key(|&m| !mates(moment, m));
        let quick = task.limits.on_clock || task.limits.move_time.is_some();
        let depth = task.limits.depth.unwrap_or(if quick { 3 } else { DEEPEST }).min(DEEPEST);
        let nodes_allowed = task.limits.nodes.unwrap_or(u64::MAX);
        let mut nodes = 0;
        'deepening: for depth in 1..=depth {
            for (rank, &m) in moves.iter().enumerate().take(self.settings.multipv) {
                if nodes > 0 && (task.signals.is_stopped() || nodes >= nodes_allowed) {
                    break 'deepening;
                }
                nodes += 1;
                (task.report)(&info(moment, m, depth, rank + 1, nodes, start.elapsed()));
            }
        }
        let best = moves.first().copied();
        Choice { best, ponder: best.and_then(|m| reply(moment, m)), nodes, ..Choice::default() }
    }

    fn configure(&mut self, settings: &Settings) {
        self.settings = settings.clone();
    }

    fn new_game(&mut self) {}
}

fn info(moment: &Moment, m: Move, depth: u32, multipv: usize, nodes: u64, time: Duration) -> Info {
    Info {
        depth,
        seldepth: depth,
        multipv,
        score: if mates(moment, m) { Score::mates(1) } else { Score::Centipawns(0) },
        bound: Bound::Exact,
        wdl: Some(Wdl::from_weights(1.0, 1.0, 1.0)),
        nodes,
        time,
        hashfull: 0,
        tbhits: 0,
        chance: None,
        current: None,
        remark: None,
        line: [m].into_iter().chain(reply(moment, m)).collect(),
    }
}

fn reply(moment: &Moment, m: Move) -> Option<Move> {
    let mut next = moment.clone();
    next.play(m);
    next.legal_moves().first().copied()
}

fn mates(moment: &Moment, m: Move) -> bool {
    let mut next = moment.clone();
    next.play(m);
    next.position.is_checkmate()
}
