//! A UCI engine in a process of its own, asked for one position at a time.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use chess::{
    Evaluation, Moment, PackedMove,
    shakmaty::{CastlingMode, Color},
};
use crossbeam_channel::{Receiver, unbounded};
use thiserror::Error;

use crate::{Label, Limit};

#[derive(Debug, Error)]
pub enum EngineError {
    #[error("cannot start `{command}`: {error}")]
    Start { command: String, error: std::io::Error },
    #[error("the engine ended")]
    Ended,
    #[error("the engine did not answer within {0} s")]
    Silent(u64),
    #[error("the engine gave no score")]
    NoScore,
}

/// Time for the engine to get ready; large hashes and networks take a while.
const START: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// What the engine calls itself.
    pub(crate) name: String,
    manner: Manner,
}

/// How an engine is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) limit: Limit,
    /// Best moves to tell.
    pub(crate) multipv: u32,
    /// Whether it keeps its memory from position to position.
    pub(crate) keeps_memory: bool,
    /// Longest wait for one answer.
    pub(crate) patience: Duration,
}

impl Engine {
    /// Starts `command` (words by spaces) with one thread.
    pub(crate) fn start(command: &str, manner: Manner) -> Result<Engine, EngineError> {
        let mut words = command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let start = |error| EngineError::Start { command: command.to_owned(), error };
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(start)?;
        let input = child.stdin.take().expect("piped above");
        let output = child.stdout.take().expect("piped above");
        let (sender, lines) = unbounded();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut engine = Engine { child, input, lines, name: program.to_owned(), manner };
        engine.send("uci")?;
        for line in engine.until("uciok", START)? {
            if let Some(name) = line.strip_prefix("id name ") {
                engine.name = name.trim().to_owned();
            }
        }
        engine.send("setoption name Threads value 1")?;
        engine.send(&format!("setoption name MultiPV value {}", manner.multipv))?;
        engine.ready()?;
        Ok(engine)
    }

    fn send(&mut self, line: &str) -> Result<(), EngineError> {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).map_err(|_| EngineError::Ended)
    }

    /// Lines up to the one that begins with `end`, that one included.
    fn until(&mut self, end: &str, patience: Duration) -> Result<Vec<String>, EngineError> {
        let deadline = Instant::now() + patience;
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_deadline(deadline).map_err(|error| match error {
                crossbeam_channel::RecvTimeoutError::Timeout => EngineError::Silent(patience.as_secs()),
                crossbeam_channel::RecvTimeoutError::Disconnected => EngineError::Ended,
            })?;
            let last = line.starts_with(end);
            lines.push(line);
            if last {
                return Ok(lines);
            }
        }
    }

    fn ready(&mut self) -> Result<(), EngineError> {
        self.send("isready")?;
        self.until("readyok", START).map(drop)
    }

    /// Analyses a position; as if nothing had been analysed before, so that the answer does not depend on the order, unless it keeps its
    /// memory: clearing it takes longer than a look of few plies.
    pub(crate) fn analyse(&mut self, fen: &str) -> Result<Label, EngineError> {
        if !self.manner.keeps_memory {
            self.send("ucinewgame")?;
            self.ready()?;
        }
        self.send(&format!("position fen {fen}"))?;
        match self.manner.limit {
            Limit::Depth(depth) => self.send(&format!("go depth {depth}"))?,
            Limit::Nodes(nodes) => self.send(&format!("go nodes {nodes}"))?,
            Limit::MovetimeMs(time) => self.send(&format!("go movetime {time}"))?,
        }
        let lines = self.until("bestmove", self.manner.patience)?;
        read_answer(fen, &lines).ok_or(EngineError::NoScore)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One `info` line with a score and a variation.
struct Info<'a> {
    depth: u16,
    multipv: usize,
    /// From the mover's view.
    score: Evaluation,
    line: Vec<&'a str>,
}

fn read_info(text: &str) -> Option<Info<'_>> {
    let mut words = text.strip_prefix("info ")?.split_whitespace();
    let mut info = Info { depth: 0, multipv: 1, score: Evaluation(0), line: Vec::new() };
    let mut scored = false;
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next()?.parse().ok()?,
            "multipv" => info.multipv = words.next()?.parse().ok()?,
            "score" => {
                let kind = words.next()?;
                let value: i64 = words.next()?.parse().ok()?;
                info.score = match kind {
                    "cp" => Evaluation::centipawns(value),
                    "mate" => Evaluation::mate(value),
                    _ => return None,
                };
                scored = true;
            }
            "lowerbound" | "upperbound" | "string" => return None,
            "pv" => info.line = words.by_ref().collect(),
            _ => {}
        }
    }
    (scored && !info.line.is_empty()).then_some(info)
}

/// The last word on each of the best lines. Moves that cannot be played end a line.
fn read_answer(fen: &str, lines: &[String]) -> Option<Label> {
    let moment = Moment::from_fen(fen, CastlingMode::Standard).ok()?;
    let mut best: Vec<Option<(Evaluation, u16, Vec<PackedMove>)>> = Vec::new();
    for info in
        lines.iter().filter_map(|line| read_info(line)).filter(|info| (1..=256).contains(&info.multipv))
    {
        if best.len() < info.multipv {
            best.resize(info.multipv, None);
        }
        let mut along = moment.clone();
        let mut line = Vec::new();
        for text in info.line {
            let Ok(m) = along.parse_uci(text) else { break };
            line.push(PackedMove::from(m));
            along.play(m);
        }
        let score = if moment.turn() == Color::White { info.score } else { info.score.flipped() };
        best[info.multipv - 1] = Some((score, info.depth, line)).filter(|(_, _, line)| !line.is_empty());
    }
    let found: Vec<_> = best.into_iter().map_while(|entry| entry).collect();
    let (score, depth, line) = found.first()?.clone();
    let best = found.iter().map(|(score, _, line)| (line[0], *score)).collect();
    Some(Label { score, depth, line, best })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ]
        .map(str::to_owned);
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
            assert_eq!(read_answer(fen, &[line.to_owned()]), None, "{line}");
        }
    }
}
