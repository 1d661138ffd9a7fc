//! A UCI engine, asked for one position at a time.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use chess::{
    Evaluation, Moment, PackedMove,
    shakmaty::{CastlingMode, Color},
};
use thiserror::Error;
use uci::{Client, Failure, Said, StartError, Value};

use crate::{Label, Limit};

#[derive(Debug, Error)]
pub enum EngineError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("the engine {0}")]
    Failed(#[from] Failure),
    #[error("no engine is left")]
    Ended,
    #[error("the engine gave no score")]
    NoScore,
}

/// Lines of moves that are asked for at most.
const MOST_LINES: usize = 256;

#[derive(Debug)]
pub(crate) struct Engine {
    client: Client,
    manner: Manner,
}

/// How an engine is asked.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) limit: Limit,
    /// Best moves to tell.
    pub(crate) multipv: u32,
    /// Whether it keeps its memory from position to position.
    pub(crate) keeps_memory: bool,
    /// Longest wait for one answer.
    pub(crate) patience: Duration,
    /// Set from another thread, it ends every wait.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Engine {
    /// Starts `command` (words by spaces) with one thread.
    pub(crate) fn start(command: &str, manner: Manner) -> Result<Engine, EngineError> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let mut client = Client::start(&words, &manner.stop)?;
        client.send("setoption name Threads value 1")?;
        client.send(&format!("setoption name MultiPV value {}", manner.multipv))?;
        client.ready(&manner.stop)?;
        Ok(Engine { client, manner })
    }

    /// What the engine calls itself.
    pub(crate) fn name(&self) -> &str {
        self.client.name()
    }

    /// Analyses a position; as if nothing had been analysed before, so that the answer does not depend on the order, unless it keeps its
    /// memory: clearing it takes longer than a look of few plies.
    pub(crate) fn analyse(&mut self, fen: &str) -> Result<Label, EngineError> {
        let Manner { limit, keeps_memory, patience, ref stop, .. } = self.manner;
        if !keeps_memory {
            self.client.send("ucinewgame")?;
            self.client.ready(stop)?;
        }
        self.client.forget();
        self.client.send(&format!("position fen {fen}"))?;
        let asked = Instant::now();
        self.client.send(&match limit {
            Limit::Depth(depth) => format!("go depth {depth}"),
            Limit::Nodes(nodes) => format!("go nodes {nodes}"),
            Limit::MovetimeMs(time) => format!("go movetime {time}"),
        })?;
        let mut answer = Answer::default();
        loop {
            let (arrived, line) = self.client.hear(asked + patience, stop)?;
            if arrived >= asked && answer.take_in(&line) {
                return answer.label(fen).ok_or(EngineError::NoScore);
            }
        }
    }
}

/// The last word on each of the best lines: value, depth and moves.
#[derive(Debug, Default)]
struct Answer(Vec<Option<(Value, u16, Vec<String>)>>);

impl Answer {
    /// Whether the line was the last.
    fn take_in(&mut self, line: &str) -> bool {
        let info = match Said::parse(line) {
            Said::BestMove(_) => return true,
            Said::Info(info) => info,
            _ => return false,
        };
        let rank = info.multipv.unwrap_or(1);
        let Some(value) = info.value.filter(|_| !info.is_bound && !info.line.is_empty()) else {
            return false;
        };
        if !(1..=MOST_LINES).contains(&rank) {
            return false;
        }
        if self.0.len() < rank {
            self.0.resize(rank, None);
        }
        let moves = info.line.into_iter().map(str::to_owned).collect();
        self.0[rank - 1] = Some((value, info.depth.unwrap_or(0), moves));
        false
    }

    /// As White sees it. Moves that cannot be played end a line.
    fn label(self, fen: &str) -> Option<Label> {
        let moment = Moment::from_fen(fen, CastlingMode::Standard).ok()?;
        let found = self.0.into_iter().map_while(|entry| {
            let (value, depth, moves) = entry?;
            let mut along = moment.clone();
            let mut line = Vec::new();
            for text in moves {
                let Ok(m) = along.parse_uci(&text) else { break };
                line.push(PackedMove::from(m));
                along.play(m);
            }
            let score = match value {
                Value::Centipawns(value) => Evaluation::centipawns(value.into()),
                Value::Mate(moves) => Evaluation::mate(moves.into()),
            };
            let score = if moment.turn() == Color::White { score } else { score.flipped() };
            (!line.is_empty()).then_some((score, depth, line))
        });
        let found: Vec<_> = found.collect();
        let (score, depth, line) = found.first()?.clone();
        let best = found.iter().map(|(score, _, line)| (line[0], *score)).collect();
        Some(Label { score, depth, line, best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_answer(fen: &str, lines: &[&str]) -> Option<Label> {
        let mut answer = Answer::default();
        let _ended = lines.iter().any(|line| answer.take_in(line));
        answer.label(fen)
    }

    #[test]
    fn the_last_depth_counts_and_scores_are_whites() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let lines = [
            "info depth 1 multipv 1 score cp 5 pv e7e5",
            "info string NNUE",
            "info depth 2 seldepth 3 multipv 1 score cp -20 nodes 99 pv c7c5 g1f3 zzzz",
            "info depth 2 multipv 2 score cp -30 pv e7e5",
            "info depth 3 multipv 1 score cp 99 lowerbound pv a7a6",
            "bestmove c7c5",
        ];
        let label = read_answer(fen, &lines).unwrap();
        assert_eq!((label.score, label.depth, label.line.len()), (Evaluation(20), 2, 2));
        assert_eq!(label.best.iter().map(|pair| pair.1.0).collect::<Vec<_>>(), [20, 30]);
    }

    #[test]
    fn nonsense_gives_no_label() {
        for line in
            ["", "info depth", "info score cp x pv e2e4", "info depth 1 score cp 1 pv e9e9", "bestmove e2e4"]
        {
            let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
            assert_eq!(read_answer(fen, &[line]), None, "{line}");
        }
    }
}
