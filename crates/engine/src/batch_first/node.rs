//! A node of the tree: a position, its scored moves, and what is known of its value.

use chess::PackedMove;

use crate::alpha_beta::Node as Board;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const ROOT: u32 = 0;

/// A move and the node that it leads to, once that was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) m: PackedMove,
    pub(super) child: u32,
    pub(super) score: f32,
    /// Whether the quiescence follows it.
    pub(super) forcing: bool,
}

/// Which moves a node has edges for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    None,
    /// The one that the table remembers: often it is all that is needed.
    Remembered,
    /// Those that the quiescence follows, and no others.
    Forcing,
    All,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) parent: u32,
    pub(super) arrived_by: PackedMove,
    pub(super) ply: u16,
    /// The game ends here; the bounds are its value for ever.
    pub(super) over: bool,

    /// Plies to look ahead from here, for which the bounds hold.
    pub(super) depth: i16,
    pub(super) lower: f32,
    pub(super) upper: f32,
    pub(super) best: PackedMove,
    /// The mind's word on the bare position, NaN until it is known.
    pub(super) value: f32,

    /// The node after passing, and the last visit in which that was not enough.
    pub(super) pass: u32,
    pub(super) pass_failed: u32,
    pub(super) moves: Moves,
    pub(super) edges: Vec<Edge>,
    /// All moves as the mind ranks them, until they become edges.
    pub(super) ranked: Vec<(PackedMove, f32)>,
    /// Whether the first edge is there because it was best before.
    pub(super) hinted: bool,
    /// The edge to follow next in this visit.
    pub(super) next: u16,
    /// Edges of which it is not known whether they fail to reach the goal.
    pub(super) waiting: u16,
    /// The most that the failed edges can be worth.
    pub(super) refuted: f32,

    /// Number of the present visit, and of the parent's visit that led here: what came of older visits is stale.
    pub(super) visit: u32,
    pub(super) under: u32,
    /// Whether this visit has found out what it came for.
    pub(super) closed: bool,
    /// Whether one of its moves is expected to reach the goal, so that the others need no visit.
    pub(super) cuts: bool,
    /// Moves of its parent that are being searched and may well make it needless.
    pub(super) doubt: u16,
    /// Moves that are being searched.
    pub(super) under_way: u16,
    /// Its valid place in the queue.
    pub(super) ticket: u32,
    /// Whether the mind is being asked.
    pub(super) asked: bool,
    /// Not 0 if it was asked before anybody visited the node, and nobody has since: iterations until that is expected.
    pub(super) foreseen: u8,
    /// Whether it is known which of its edges the quiescence follows.
    pub(super) sorted_out: bool,
    /// How far its moves were asked about ahead of time.
    pub(super) explored: u8,
}

impl Node {
    pub(super) fn new(board: Board, parent: u32, arrived_by: PackedMove, ply: u16) -> Node {
        Node {
            board,
            parent,
            arrived_by,
            ply,
            over: false,
            depth: i16::MIN,
            lower: f32::NEG_INFINITY,
            upper: f32::INFINITY,
            best: PackedMove::NONE,
            value: f32::NAN,
            pass: NONE,
            pass_failed: 0,
            moves: Moves::None,
            edges: Vec::new(),
            ranked: Vec::new(),
            hinted: false,
            next: 0,
            waiting: 0,
            refuted: f32::NEG_INFINITY,
            visit: 0,
            under: 0,
            closed: false,
            cuts: false,
            doubt: 0,
            under_way: 0,
            ticket: 0,
            asked: false,
            foreseen: 0,
            sorted_out: false,
            explored: 0,
        }
    }

    /// Forgets what was found at another depth.
    pub(super) fn look_to(&mut self, depth: i16) {
        self.depth = depth;
        self.lower = f32::NEG_INFINITY;
        self.upper = f32::INFINITY;
    }

    /// The value is at least this. What came last is believed where searches to the same depth contradict each other.
    pub(super) fn at_least(&mut self, value: f32) {
        self.lower = self.lower.max(value);
        self.upper = self.upper.max(self.lower);
    }

    pub(super) fn at_most(&mut self, value: f32) {
        self.upper = self.upper.min(value);
        self.lower = self.lower.min(self.upper);
    }

    /// Whether it is known on which side of the goal the value lies.
    pub(super) fn decides(&self, goal: f32) -> bool {
        self.lower >= goal || self.upper < goal
    }

    /// Takes `moves`, best first, for its edges, and keeps the children that it has.
    pub(super) fn take_moves(&mut self, kind: Moves, moves: impl Iterator<Item = (PackedMove, f32)>) {
        let old = std::mem::take(&mut self.edges);
        let child = |m| old.iter().find(|edge| edge.m == m).map_or(NONE, |edge| edge.child);
        let forcing = kind == Moves::Forcing;
        self.edges = moves.map(|(m, score)| Edge { m, child: child(m), score, forcing }).collect();
        self.sorted_out = forcing;
        self.moves = kind;
        self.hinted = false;
    }

    /// Brings a move that was best before to the front.
    pub(super) fn prefer(&mut self, m: PackedMove) {
        let place = self.edges.iter().position(|edge| edge.m == m);
        if let Some(place) = place {
            self.edges[..=place].rotate_right(1);
        }
        self.hinted = place.is_some();
    }
}
