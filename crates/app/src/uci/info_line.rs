//! What the search thinks aloud, in the words of UCI.

use std::fmt;

use chess::shakmaty::{CastlingMode, Move};
use engine::{Bound, Info};

/// An [`Info`] as a line for the GUI.
#[derive(Debug)]
pub(crate) struct InfoLine<'a> {
    pub(crate) info: &'a Info,
    /// How the GUI wants castling written.
    pub(crate) mode: CastlingMode,
    pub(crate) show_wdl: bool,
}

impl fmt::Display for InfoLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.info;
        if let Some((m, number)) = info.current {
            let m = m.to_uci(self.mode);
            return write!(f, "info depth {} currmove {m} currmovenumber {number}", info.depth);
        }
        write!(f, "info depth {} seldepth {} multipv {}", info.depth, info.seldepth, info.multipv)?;
        write!(f, " score {}", info.score)?;
        f.write_str(match info.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        })?;
        if self.show_wdl
            && let Some(wdl) = info.wdl
        {
            let [win, draw, loss] = wdl.per_mille();
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        write!(f, " nodes {} nps {}", info.nodes, info.nodes_per_second())?;
        write!(f, " hashfull {} tbhits {} time {}", info.hashfull, info.tbhits, info.time.as_millis())?;
        if !info.line.is_empty() {
            f.write_str(" pv")?;
        }
        info.line.iter().try_for_each(|m| write!(f, " {}", m.to_uci(self.mode)))
    }
}

/// The end of every `go`. No move is written as Stockfish does, which all GUIs know.
#[derive(Debug)]
pub(crate) struct BestMove {
    pub(crate) best: Option<Move>,
    pub(crate) ponder: Option<Move>,
    pub(crate) mode: CastlingMode,
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(best) = self.best else { return f.write_str("bestmove (none)") };
        write!(f, "bestmove {}", best.to_uci(self.mode))?;
        match self.ponder {
            Some(ponder) => write!(f, " ponder {}", ponder.to_uci(self.mode)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chess::{Moment, Wdl};
    use engine::Score;

    use super::*;

    fn castling() -> Moment {
        Moment::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1", CastlingMode::Chess960).unwrap()
    }

    fn info() -> Info {
        Info {
            depth: 12,
            seldepth: 20,
            multipv: 2,
            score: Score::Centipawns(-31),
            bound: Bound::Exact,
            wdl: Some(Wdl::from_weights(0.25, 0.5, 0.25)),
            nodes: 5000,
            time: Duration::from_millis(500),
            hashfull: 7,
            tbhits: 3,
            chance: None,
            current: None,
            remark: None,
            line: vec![castling().parse_uci("e1h1").unwrap()],
        }
    }

    #[test]
    fn lines_hold_what_uci_asks_for() {
        let rest = "nodes 5000 nps 10000 hashfull 7 tbhits 3 time 500";
        let line = |info: Info, mode, show_wdl| InfoLine { info: &info, mode, show_wdl }.to_string();
        let (standard, chess960) = (CastlingMode::Standard, CastlingMode::Chess960);
        let head = "info depth 12 seldepth 20 multipv 2 score";
        for (made, expected) in [
            (line(info(), standard, false), format!("{head} cp -31 {rest} pv e1g1")),
            (line(info(), chess960, true), format!("{head} cp -31 wdl 250 500 250 {rest} pv e1h1")),
            (
                line(Info { score: Score::mates(3), bound: Bound::Lower, ..info() }, standard, false),
                format!("{head} mate 3 lowerbound {rest} pv e1g1"),
            ),
            (
                line(Info { score: Score::mated(2), bound: Bound::Upper, ..info() }, standard, true),
                format!("{head} mate -2 upperbound wdl 250 500 250 {rest} pv e1g1"),
            ),
            (
                line(Info { current: Some((info().line[0], 7)), ..info() }, standard, true),
                "info depth 12 currmove e1g1 currmovenumber 7".to_owned(),
            ),
            (
                line(Info { line: Vec::new(), wdl: None, ..info() }, standard, true),
                format!("{head} cp -31 {rest}"),
            ),
        ] {
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn the_best_move_is_written_as_the_gui_writes_castling() {
        let best = castling().parse_uci("e1h1").unwrap();
        let line = |best, ponder, mode| BestMove { best, ponder, mode }.to_string();
        assert_eq!(line(Some(best), None, CastlingMode::Standard), "bestmove e1g1");
        assert_eq!(line(Some(best), Some(best), CastlingMode::Chess960), "bestmove e1h1 ponder e1h1");
        assert_eq!(line(None, None, CastlingMode::Standard), "bestmove (none)");
    }
}
