//! What a search tells while it thinks.

use std::{fmt, time::Duration};

use chess::{Wdl, shakmaty::Move};

/// Who waits as long as this wants to see which move is searched.
pub(crate) const TELLS_MOVES_AFTER: Duration = Duration::from_secs(3);

/// A value for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    /// Mated in this many moves (0: mated now).
    Mated(std::cmp::Reverse<u32>),
    Centipawns(i32),
    /// Mates in this many moves.
    Mates(std::cmp::Reverse<u32>),
}

impl Score {
    pub fn mates(moves: u32) -> Score {
        Score::Mates(std::cmp::Reverse(moves))
    }

    pub fn mated(moves: u32) -> Score {
        // Being mated later is better, so the larger number must be the greater score.
        Score::Mated(std::cmp::Reverse(u32::MAX - moves))
    }

    /// Moves to mate: positive for the side that mates, as UCI writes it.
    pub fn mate_in(self) -> Option<i32> {
        match self {
            Score::Mates(moves) => Some(moves.0 as i32),
            Score::Mated(moves) => Some(-((u32::MAX - moves.0) as i32)),
            Score::Centipawns(_) => None,
        }
    }

    /// The same score seen by the opponent.
    #[must_use]
    pub fn flipped(self) -> Score {
        match self {
            Score::Centipawns(value) => Score::Centipawns(-value),
            Score::Mates(moves) => Score::mated(moves.0),
            Score::Mated(moves) => Score::mates(u32::MAX - moves.0),
        }
    }
}

/// In the words of UCI: `cp 31` or `mate -4`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.mate_in()) {
            (Score::Centipawns(value), _) => write!(f, "cp {value}"),
            (_, mate) => write!(f, "mate {}", mate.unwrap_or(0)),
        }
    }
}

/// Whether a score is exact or only a bound of the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    #[default]
    Exact,
    Lower,
    Upper,
}

/// One line of thinking aloud.
#[derive(Clone, Debug)]
pub struct Info {
    pub depth: u32,
    /// Deepest ply that was searched (`seldepth`).
    pub seldepth: u32,
    /// Rank of this line among the best, from 1.
    pub multipv: usize,
    pub score: Score,
    pub bound: Bound,
    pub wdl: Option<Wdl>,
    pub nodes: u64,
    pub time: Duration,
    /// Thousandths of the hash table in use.
    pub hashfull: u32,
    pub tbhits: u64,
    /// How likely the mind holds the first move of the line to be played.
    pub chance: Option<f32>,
    pub line: Vec<Move>,
    /// The root move that is searched now and its number from 1, where the rest repeats what is known already.
    pub current: Option<(Move, usize)>,
    /// A word for people on how the search went.
    pub remark: Option<String>,
}

impl Info {
    pub fn nodes_per_second(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-3)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_order_as_a_player_would() {
        let rising = [
            Score::mated(1),
            Score::mated(5),
            Score::Centipawns(-300),
            Score::Centipawns(20),
            Score::mates(7),
            Score::mates(1),
        ];
        assert!(rising.is_sorted(), "{rising:?}");
        for score in rising {
            assert_eq!(score.flipped().flipped(), score);
        }
        assert_eq!(Score::mated(3).to_string(), "mate -3");
        assert_eq!(Score::mates(3).to_string(), "mate 3");
    }
}
