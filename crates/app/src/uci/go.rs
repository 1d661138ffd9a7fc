//! The arguments of `go`: what to think about, and for how long.

use std::{fmt, time::Duration};

use chess::{
    Clocks,
    shakmaty::{ByColor, uci::UciMove},
};
use engine::Limits;

/// A century and ten thousand plies: nobody waits for more, and sums with them are far from overflow.
const FOR_EVER_MS: u64 = 100 * 366 * 24 * 3_600_000;
const FOR_EVER_PLIES: u32 = 10_000;

/// `go` as it was asked for. Times are in milliseconds; GUIs send negative ones when a player is late.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Go {
    pub(crate) left_ms: ByColor<Option<i64>>,
    pub(crate) increment_ms: ByColor<Option<i64>>,
    pub(crate) moves_to_go: Option<u32>,
    pub(crate) move_time_ms: Option<u64>,
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    pub(crate) mate: Option<u32>,
    /// Count the leaves of the move tree instead of thinking.
    pub(crate) perft: Option<u32>,
    pub(crate) infinite: bool,
    pub(crate) ponder: bool,
    pub(crate) search_moves: Vec<UciMove>,
    /// Limits whose number could not be read, as they were written.
    pub(crate) unread: Vec<String>,
}

/// Every limit that takes a number.
const LIMITS: [&str; 10] =
    ["wtime", "btime", "winc", "binc", "movestogo", "movetime", "depth", "nodes", "mate", "perft"];

impl Go {
    /// Reads the words after `go`, in any order. What means nothing is skipped.
    pub(crate) fn parse(mut words: &[&str]) -> Go {
        let mut go = Go::default();
        while let [word, rest @ ..] = words {
            words = match (*word, rest) {
                ("infinite", _) => {
                    go.infinite = true;
                    rest
                }
                ("ponder", _) => {
                    go.ponder = true;
                    rest
                }
                ("searchmoves", _) => go.take_moves(rest),
                (limit, _) if LIMITS.contains(&limit) => match rest {
                    [value, after @ ..] if let Some(value) = whole(value) => {
                        go.set(limit, value);
                        after
                    }
                    _ => {
                        go.complain(limit, rest.first());
                        rest
                    }
                },
                _ => rest,
            };
        }
        go
    }

    fn complain(&mut self, limit: &str, value: Option<&&str>) {
        const LONGEST: usize = 20;
        let value: String = value.map_or("", |value| value).chars().take(LONGEST).collect();
        self.unread.push(format!("{limit} {value}").trim_end().to_owned());
    }

    fn take_moves<'a, 'b>(&mut self, mut words: &'a [&'b str]) -> &'a [&'b str] {
        while let [word, rest @ ..] = words
            && let Ok(uci) = word.parse()
        {
            self.search_moves.push(uci);
            words = rest;
        }
        words
    }

    fn set(&mut self, limit: &str, value: i64) {
        match limit {
            "wtime" => self.left_ms.white = Some(value),
            "btime" => self.left_ms.black = Some(value),
            "winc" => self.increment_ms.white = Some(value),
            "binc" => self.increment_ms.black = Some(value),
            // Some GUIs write 0 for the rest of the game.
            "movestogo" => self.moves_to_go = (value > 0).then(|| at_least(1, value)),
            "movetime" => self.move_time_ms = Some(value.max(1).unsigned_abs()),
            "depth" => self.depth = Some(at_least(1, value)),
            "nodes" => self.nodes = Some(value.max(1).unsigned_abs()),
            "mate" => self.mate = Some(at_least(1, value)),
            _ => self.perft = Some(at_least(0, value)),
        }
    }

    /// The clocks, if at least one was given; the other is then taken to show the same.
    pub(crate) fn clocks(&self) -> Option<Clocks> {
        let left = |own: Option<i64>, other: Option<i64>| own.or(other).map(|ms| centiseconds(ms).max(1));
        Some(Clocks {
            left_cs: ByColor {
                white: left(self.left_ms.white, self.left_ms.black)?,
                black: left(self.left_ms.black, self.left_ms.white)?,
            },
            increment_cs: self.increment_ms.map(|ms| centiseconds(ms.unwrap_or(0))),
            base_cs: None,
        })
    }

    /// All limits but the moves to look at, which need a board, and the lateness, which is measured.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            on_clock: self.clocks().is_some(),
            moves_to_go: self.moves_to_go,
            move_time: self.move_time_ms.map(|ms| Duration::from_millis(ms.min(FOR_EVER_MS))),
            depth: self.depth.or(self.answers_at_once().then_some(1)).map(|plies| plies.min(FOR_EVER_PLIES)),
            nodes: self.nodes,
            mate: self.mate.map(|moves| moves.min(FOR_EVER_PLIES)),
            ..Limits::default()
        }
    }

    /// Nothing that was asked for is sure to end this search.
    pub(crate) fn is_endless(&self) -> bool {
        self.infinite || self.is_unlimited() && !self.answers_at_once()
    }

    /// A limit was meant, but none could be read: whoever asked waits for a move, and nothing else would end the search.
    fn answers_at_once(&self) -> bool {
        !self.unread.is_empty() && !self.infinite && self.is_unlimited() && self.mate.is_none()
    }

    fn is_unlimited(&self) -> bool {
        self.clocks().is_none() && self.move_time_ms.is_none() && self.depth.is_none() && self.nodes.is_none()
    }

    /// The answer must wait for `stop`, even if there is nothing left to think about.
    pub(crate) fn awaits_stop(&self) -> bool {
        self.infinite || self.is_endless() && self.mate.is_none()
    }
}

/// A whole number. Some GUIs write times with a fraction, which is dropped.
fn whole(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    fraction.bytes().all(|digit| digit.is_ascii_digit()).then(|| whole.parse().ok()).flatten()
}

fn at_least(least: u32, value: i64) -> u32 {
    u32::try_from(value.max(0)).unwrap_or(u32::MAX).max(least)
}

fn centiseconds(ms: i64) -> u32 {
    at_least(0, ms / 10)
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if self.ponder {
            f.write_str(" ponder")?;
        }
        let whole = |value: Option<u32>| value.map(i128::from);
        for (name, value) in [
            ("wtime", self.left_ms.white.map(i128::from)),
            ("btime", self.left_ms.black.map(i128::from)),
            ("winc", self.increment_ms.white.map(i128::from)),
            ("binc", self.increment_ms.black.map(i128::from)),
            ("movestogo", whole(self.moves_to_go)),
            ("movetime", self.move_time_ms.map(i128::from)),
            ("depth", whole(self.depth)),
            ("nodes", self.nodes.map(i128::from)),
            ("mate", whole(self.mate)),
            ("perft", whole(self.perft)),
        ] {
            if let Some(value) = value {
                write!(f, " {name} {value}")?;
            }
        }
        if !self.search_moves.is_empty() {
            f.write_str(" searchmoves")?;
        }
        self.search_moves.iter().try_for_each(|uci| write!(f, " {uci}"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::{collection::vec, option, prelude::*};

    use super::*;

    pub(crate) fn any_go() -> impl Strategy<Value = Go> {
        let times = || option::of(any::<i64>());
        let counts = || option::of(1u32..);
        let large = || option::of(1u64..i64::MAX as u64);
        let moves = vec("[a-h][1-8][a-h][1-8]q?".prop_map(|text| text.parse().unwrap()), 0..4);
        (
            (times(), times(), times(), times()),
            (counts(), counts(), counts(), counts()),
            (large(), large()),
            (any::<bool>(), any::<bool>(), moves),
        )
            .prop_map(|(times, counts, large, (infinite, ponder, search_moves))| Go {
                left_ms: ByColor { white: times.0, black: times.1 },
                increment_ms: ByColor { white: times.2, black: times.3 },
                moves_to_go: counts.0,
                depth: counts.1,
                mate: counts.2,
                perft: counts.3,
                move_time_ms: large.0,
                nodes: large.1,
                infinite,
                ponder,
                search_moves,
                unread: Vec::new(),
            })
    }

    fn go(line: &str) -> Go {
        Go::parse(&line.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn arguments_come_in_any_order_and_strangers_are_skipped() {
        let mut expected = Go {
            depth: Some(7),
            nodes: Some(900),
            ponder: true,
            search_moves: vec!["e2e4".parse().unwrap(), "d2d4".parse().unwrap()],
            ..Go::default()
        };
        for line in [
            "depth 7 nodes 900 ponder searchmoves e2e4 d2d4",
            "searchmoves e2e4 d2d4 ponder nodes 900 depth 7",
            "joho depth 7 7 ponder searchmoves e2e4 d2d4 nodes 900 movestogo 0",
        ] {
            assert_eq!(go(line), expected, "{line}");
        }
        expected.unread = ["depth x", "wtime"].map(str::to_owned).to_vec();
        assert_eq!(go("depth x depth 7 ponder searchmoves e2e4 d2d4 nodes 900 wtime"), expected);
    }

    #[test]
    fn a_limit_that_cannot_be_read_never_becomes_an_endless_search() {
        for (line, unread, depth, endless) in [
            ("depth abc", 1, Some(1), false),
            ("depth", 1, Some(1), false),
            ("depth 99999999999999999999", 1, Some(1), false),
            ("movetime -", 1, Some(1), false),
            ("wtime x btime 5000", 1, None, false),
            ("movetime 1e3 wtime 9000 btime 9000", 1, None, false),
            ("infinite depth x", 1, None, true),
            ("mate x", 1, Some(1), false),
            ("wtime 9990.5 btime 100.25", 0, None, false),
            ("wtime 1.2.3", 1, Some(1), false),
        ] {
            let go = go(line);
            assert_eq!(
                (go.unread.len(), go.limits().depth, go.is_endless()),
                (unread, depth, endless),
                "{line}"
            );
        }
        assert_eq!(go("wtime 9990.5").clocks().unwrap().left_cs.white, 999);
        assert_eq!((go("movestogo 0").moves_to_go, go("movestogo -3").moves_to_go), (None, None));
    }

    #[test]
    fn a_late_or_missing_clock_still_leaves_time_to_move() {
        for (line, white, black) in [
            ("wtime 60000 btime 30000", 6000, 3000),
            ("wtime -250 btime 3", 1, 1),
            ("wtime 5000", 500, 500),
            ("btime 5000 winc 10", 500, 500),
            ("wtime 99999999999999999999 btime 1000", 100, 100),
        ] {
            assert_eq!(go(line).clocks().unwrap().left_cs, ByColor { white, black }, "{line}");
            assert!(go(line).limits().on_clock && !go(line).is_endless(), "{line}");
        }
        assert_eq!(go("winc 100 movestogo 3").clocks(), None);
    }

    #[test]
    fn only_an_endless_search_awaits_stop() {
        for (line, endless, awaits) in [
            ("infinite", true, true),
            ("", true, true),
            ("ponder", true, true),
            ("infinite depth 3", true, true),
            ("mate 3", true, false),
            ("depth 3", false, false),
            ("ponder wtime 1000 btime 1000", false, false),
        ] {
            assert_eq!((go(line).is_endless(), go(line).awaits_stop()), (endless, awaits), "{line}");
        }
    }
}
