//! One descent: selection of a leaf by PUCT, its expansion, and the backup to the root.

use chess::{Moment, MoveScores, PackedMove};

use super::{
    q::{first_play, is_decided, is_lost, is_won, of_centipawns, to_mover},
    tree::{Edge, NONE, Node, ROOT, State, Tree},
};
use crate::{PuctSettings, alpha_beta::Syzygy, evaluator::Judgement, heuristic::known_ending};

/// Centipawns below the best score that make a move e times less likely: about what the ranker's scores mean by themselves.
const SPREAD: f32 = 110.0;
/// Visits of a node at which the tactical probe is made, and how many positions it evaluates: it costs as much as many visits, so it goes
/// further where there are more.
const PROBES: [(u32, u64); 3] = [(16, 100), (300, 3_000), (2_000, 30_000)];
/// Prior of a move that the probe finds. Below a half it is often given up before the line that justifies it is found.
const PROBE_PRIOR: f32 = 0.6;

/// What descents need beside the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guide<'a> {
    pub(super) settings: PuctSettings,
    /// What the scores of moves mean.
    pub(super) scores: MoveScores,
    pub(super) syzygy: &'a Syzygy,
    /// The root with its past, for a mind whose answers depend on it.
    pub(super) moment: Option<&'a Moment>,
}

/// What a descent ended at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// The mind must be asked about this node.
    New(u32),
    /// The result is known, or the position is known from elsewhere in the tree; it is backed up already.
    Known,
    /// The mind is being asked about this node, or there is nothing left to find out below it.
    Collision(u32),
}

impl Tree {
    /// Goes from the root to a leaf along the edges of the highest PUCT score.
    pub(super) fn descend(&mut self, guide: &Guide<'_>) -> Leaf {
        let mut id = ROOT;
        loop {
            match self.node(id).state {
                State::Leaf => {
                    self.add_visits(id, 1);
                    if self.copy_transposition(id, guide) {
                        return Leaf::Known;
                    }
                    self.node_mut(id).state = State::Pending;
                    return Leaf::New(id);
                }
                State::Terminal => {
                    self.add_visits(id, 1);
                    self.back_up(id);
                    return Leaf::Known;
                }
                State::Pending => return Leaf::Collision(id),
                State::Expanded if is_decided(self.node(id).q) => return Leaf::Collision(id),
                State::Expanded => {}
            }
            self.probe_if_due(id);
            let Some(place) = self.node(id).select(guide.settings.c_puct) else { return Leaf::Collision(id) };
            id = self.child(id, place, guide.syzygy);
        }
    }

    /// Adds visits to a node and all above it. A descent counts as a visit before its value is known (a virtual visit), so that the next
    /// one goes elsewhere.
    pub(super) fn add_visits(&mut self, mut id: u32, visits: i32) {
        loop {
            let node = self.node_mut(id);
            node.visits = node.visits.saturating_add_signed(visits);
            let (parent, place) = (node.parent, usize::from(node.place));
            if parent == NONE {
                return;
            }
            let edge = &mut self.node_mut(parent).edges[place];
            edge.visits = edge.visits.saturating_add_signed(visits);
            id = parent;
        }
    }

    /// Expands a node by the mind's answer. Minds know that a rook is won against a bare king, but not which pawn is.
    pub(super) fn take_in(&mut self, id: u32, judgement: &Judgement, guide: &Guide<'_>) {
        let known = known_ending(&self.node(id).board.chess).map(|value| value as f32);
        let value = of_centipawns(known.unwrap_or(judgement.value));
        self.expand(id, value, edges(value, &judgement.moves, guide));
        self.back_up(id);
    }

    /// Takes over what the tree knows of the same position elsewhere, if it does.
    fn copy_transposition(&mut self, id: u32, guide: &Guide<'_>) -> bool {
        let Some(other) = self.transposition(id).filter(|other| !is_decided(other.q)) else { return false };
        let value = other.q;
        let q = first_play(value, guide.settings.fpu_reduction);
        let edges = other.edges.iter().map(|edge| Edge { child: NONE, q, visits: 0, ..*edge }).collect();
        self.expand(id, value, edges);
        self.back_up(id);
        true
    }

    /// Backs a node's Q up to the root.
    fn back_up(&mut self, mut id: u32) {
        loop {
            let node = self.node(id);
            let (parent, place, q) = (node.parent, usize::from(node.place), node.q);
            if parent == NONE {
                return;
            }
            let node = self.node_mut(parent);
            node.edges[place].q = to_mover(q);
            node.q = node.mean();
            id = parent;
        }
    }

    /// Makes the tactical probe when a node has become important enough.
    fn probe_if_due(&mut self, id: u32) {
        let node = self.node_mut(id);
        let Some(&(visits, positions)) = PROBES.get(usize::from(node.probes)) else { return };
        if node.visits < visits {
            return;
        }
        node.probes += 1;
        let Some(m) = self.probe(id, positions) else { return };
        if let Some(edge) = self.node_mut(id).edges.iter_mut().find(|edge| edge.m == m) {
            edge.prior = edge.prior.max(PROBE_PRIOR);
        }
    }
}

/// The moves of a position of this value, with priors that sum to 1. A policy temperature above 1 makes them more alike.
fn edges(value: f32, moves: &[(PackedMove, f32)], guide: &Guide<'_>) -> Vec<Edge> {
    let PuctSettings { fpu_reduction, policy_temperature, .. } = guide.settings;
    let best = moves.first().map_or(0.0, |&(_, score)| score);
    let logit = |score: f32| match guide.scores {
        MoveScores::Values => (score - best) / SPREAD,
        MoveScores::Chances => (score.max(1e-6) / best.max(1e-6)).ln(),
    };
    let weight = |score: f32| (logit(score) / policy_temperature.max(0.01)).exp();
    let sum: f32 = moves.iter().map(|&(_, score)| weight(score)).sum();
    let q = first_play(value, fpu_reduction);
    let edge =
        |&(m, score): &(PackedMove, f32)| Edge { m, child: NONE, prior: weight(score) / sum, q, visits: 0 };
    moves.iter().map(edge).collect()
}

impl Node {
    /// The edge of the highest PUCT score: Q, and an exploration term that grows with the prior and falls with the visits.
    fn select(&self, c_puct: f32) -> Option<usize> {
        let exploration = c_puct * (self.visits as f32).sqrt();
        let puct = |edge: &Edge| edge.q + exploration * edge.prior / (1 + edge.visits) as f32;
        let open = self.edges.iter().enumerate().filter(|(_, edge)| !is_lost(edge.q));
        let scored = open.map(|(place, edge)| (place, puct(edge)));
        scored.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place)
    }

    /// The mean of the mind's value and of all visits below, so that no single error of the mind goes through to the root; proven mates go
    /// before it.
    fn mean(&self) -> f32 {
        let visited = self.edges.iter().filter(|edge| edge.visits > 0);
        let best = visited.clone().map(|edge| edge.q).fold(f32::NEG_INFINITY, f32::max);
        if is_won(best) || self.edges.iter().all(|edge| is_lost(edge.q)) {
            return best;
        }
        let (mut sum, mut visits) = (self.value, 1.0);
        for edge in visited.filter(|edge| !is_lost(edge.q)) {
            sum += edge.visits as f32 * edge.q;
            visits += edge.visits as f32;
        }
        sum / visits
    }

    /// Edges in the order in which they would be played.
    pub(super) fn ranked(&self) -> Vec<&Edge> {
        let mut edges: Vec<&Edge> = self.edges.iter().collect();
        edges.sort_by(|a, b| b.rank().partial_cmp(&a.rank()).expect("Q is a number"));
        edges
    }

    /// The edge that would be played; the likeliest where none was visited.
    pub(super) fn best(&self) -> Option<&Edge> {
        let rising = |a: &&Edge, b: &&Edge| a.rank().partial_cmp(&b.rank()).expect("Q is a number");
        // Of equals the first, since edges stand in the order of their priors.
        self.edges.iter().rev().max_by(rising)
    }
}

impl Edge {
    /// Proven wins first, the shortest before others; then by visits, since the highest Q may be so by a single error; proven losses last.
    fn rank(&self) -> (u8, f32, u32) {
        match self.q {
            q if is_won(q) => (2, q, 0),
            q if is_lost(q) => (0, q, 0),
            _ => (1, 0.0, self.visits),
        }
    }
}
