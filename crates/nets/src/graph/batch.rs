//! Moments made ready for the network: their graphs, their legal moves side by side, and what is to be learned of them.

use std::sync::Arc;

use chess::{
    Evaluation, LOG_ODDS_PER_CENTIPAWN, Moment,
    encoding::{
        graph::{self, CENTRALITIES, Graph, PIECES, TENSIONS},
        swift,
    },
    shakmaty::{Color, Move, Position, Role},
};
use data::Sample;

use super::{GraphConfig, config::MemoryForm, earlier::Earlier, links::Link};
use crate::{
    choice::UNKNOWN,
    fused::{EdgeList, GraphLists, Lookups, MoveLookups},
    move_rows::MOVE_ROWS,
    teaching,
};

// Rows of the table of nodes, by what they tell: a piece on a square, a piece, its centrality, a square, whether it is occupied, how
// it is attacked.
const KINDS: usize = 64 * PIECES;
const CENTRALITY: usize = KINDS + PIECES;
const SQUARES: usize = CENTRALITY + CENTRALITIES;
const OCCUPIED: usize = SQUARES + 64;
const TENSION: usize = OCCUPIED + 2;
pub(super) const NODE_ROWS: usize = TENSION + TENSIONS;

// Rows of the table of moves without tactics: mover or promotion and what is captured, castling, check.
const CASTLING: usize = 10 * 6;
const CHECK: usize = CASTLING + 1;
const PLAIN_ROWS: usize = CHECK + 1;

#[derive(Debug, Default)]
pub(crate) struct GraphBatch {
    pub(super) len: usize,
    /// Numbers of legal moves.
    pub(super) counts: Vec<usize>,
    pub(super) graphs: Arc<GraphLists>,
    /// A bag per square of all graphs, then one per piece.
    pub(super) nodes: Arc<Lookups>,
    /// [graphs, WHOLE].
    pub(super) whole: Vec<f32>,
    /// The row of the node that stands for each square: its piece, or the square itself.
    pub(super) board: Vec<i32>,
    /// The graph of each piece.
    pub(super) owners: Vec<i32>,
    pub(super) moves: Arc<MoveLookups>,
    /// For networks with a memory: the graphs before those of this batch, and where each one's own lie; see [`Earlier`].
    pub(super) earlier: Option<Box<GraphBatch>>,
    pub(super) places: Vec<i32>,
    pub(super) targets: Targets,
}

/// What is to be learned, per sample.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// The place of the best move among the legal ones.
    pub(super) best: Vec<i32>,
    /// Chances to be learned of the legal moves, one list after another; each list sums to how much it counts.
    pub(super) moves: Vec<f32>,
    /// Whether an engine has named it.
    pub(super) judged: Vec<bool>,
    /// Places of an engine's best moves, best first, where it named several.
    pub(super) order: Vec<Vec<usize>>,
    /// Win, draw, loss for the side to move; zeros where unknown.
    pub(super) value: Vec<[f32; 3]>,
}

/// Rows of the table of moves.
pub(super) fn move_rows(config: &GraphConfig) -> usize {
    if config.tactics { MOVE_ROWS } else { PLAIN_ROWS }
}

impl GraphBatch {
    pub(super) fn from_samples(config: &GraphConfig, samples: &[Sample], window: usize) -> GraphBatch {
        let moments: Vec<&Moment> = samples.iter().map(|sample| &sample.moment).collect();
        let mut batch = GraphBatch::from_moments(config, &moments, true);
        if config.memory != MemoryForm::None {
            let earlier = Earlier::of(&moments, window);
            let moments: Vec<&Moment> = earlier.moments.iter().collect();
            batch.earlier =
                (!moments.is_empty()).then(|| GraphBatch::from_moments(config, &moments, false).into());
            batch.places = earlier.places;
        }
        samples.iter().for_each(|sample| batch.targets.push(config, sample));
        batch
    }

    /// Every moment must have a legal move. `moves` if they are to be scored.
    pub(super) fn from_moments(config: &GraphConfig, moments: &[&Moment], moves: bool) -> GraphBatch {
        let graphs: Vec<Graph> = moments.iter().map(|moment| Graph::of(moment)).collect();
        let links = Link::all(config);
        let mut lists = GraphLists { edges: vec![EdgeList::default(); links.len()], ..GraphLists::default() };
        let mut batch = GraphBatch { len: moments.len(), ..GraphBatch::default() };
        let mut first = 0;
        for (at, graph) in graphs.iter().enumerate() {
            for (link, edges) in links.iter().zip(&mut lists.edges) {
                link.push(graph, at, first, edges);
            }
            batch.whole.extend(&graph.whole);
            batch.push_board(graph, at, first, graphs.len());
            first += graph.pieces.len();
            lists.pieces.push(first);
        }
        if !config.weights {
            lists.edges.iter_mut().for_each(|list| list.weights.fill(0.0));
        }
        batch.nodes = nodes(config, &graphs).into();
        batch.graphs = lists.into();
        if moves {
            batch.push_moves(config, moments);
        }
        batch
    }

    fn push_moves(&mut self, config: &GraphConfig, moments: &[&Moment]) {
        let mut moves = MoveLookups::default();
        let mut encoded = swift::Swift::default();
        for moment in moments {
            self.counts.push(moment.legal_moves().len());
            match config.tactics {
                true => {
                    swift::encode(moment, &mut encoded);
                    moves.push(&encoded);
                }
                false => push_plain(moment, &mut moves),
            }
        }
        self.moves = moves.into();
    }

    fn push_board(&mut self, graph: &Graph, at: usize, first: usize, graphs: usize) {
        let start = self.board.len();
        self.board.extend((0..64).map(|square| (64 * at + square) as i32));
        for (piece, node) in graph.pieces.iter().enumerate() {
            self.board[start + usize::from(node.square)] = (65 * graphs + first + piece) as i32;
            self.owners.push(at as i32);
        }
    }
}

fn nodes(config: &GraphConfig, graphs: &[Graph]) -> Lookups {
    let mut nodes = Lookups::default();
    for graph in graphs {
        let mut occupied = [false; 64];
        graph.pieces.iter().for_each(|piece| occupied[usize::from(piece.square)] = true);
        for (square, &occupied) in occupied.iter().enumerate() {
            nodes.rows.push((SQUARES + square) as i32);
            nodes.rows.push((OCCUPIED + usize::from(occupied)) as i32);
            if config.tactics {
                nodes.rows.push((TENSION + usize::from(graph.tensions[square])) as i32);
            }
            nodes.end();
        }
    }
    for graph in graphs {
        let centralities = if config.centrality { graph::centralities(graph) } else { Vec::new() };
        for (at, piece) in graph.pieces.iter().enumerate() {
            let (kind, square) = (usize::from(piece.kind), usize::from(piece.square));
            nodes.rows.push((64 * kind + square) as i32);
            nodes.rows.push((KINDS + kind) as i32);
            if let Some(&class) = centralities.get(at) {
                nodes.rows.push((CENTRALITY + usize::from(class)) as i32);
            }
            if config.tactics {
                nodes.rows.push((TENSION + usize::from(graph.tensions[square])) as i32);
            }
            nodes.end();
        }
    }
    nodes
}

/// The legal moves by mover, promotion, capture, castling and check alone.
fn push_plain(moment: &Moment, moves: &mut MoveLookups) {
    let us = moment.turn();
    let seen = |square: chess::shakmaty::Square| u8::from(us.fold_wb(square, square.flip_vertical()));
    for m in moment.legal_moves() {
        moves.origins.push(seen(m.from().expect("no drops in chess")));
        moves.targets.push(seen(m.to()));
        let mover = match m.promotion() {
            Some(role) => 4 + role as usize,
            None => m.role() as usize - 1,
        };
        let captured = m.capture().map_or(0, |role: Role| role as usize);
        moves.rows.rows.push((6 * mover + captured) as i32);
        if m.is_castle() {
            moves.rows.rows.push(CASTLING as i32);
        }
        let mut after = moment.position.clone();
        after.play_unchecked(m);
        if after.is_check() {
            moves.rows.rows.push(CHECK as i32);
        }
        moves.rows.end();
    }
    moves.ends.push(moves.origins.len());
}

impl Targets {
    fn push(&mut self, config: &GraphConfig, sample: &Sample) {
        let moment = &sample.moment;
        let legal = moment.legal_moves();
        let place = |m: Move| legal.iter().position(|&other| other == m);
        let label = sample.label.as_ref();
        // A label whose move is not legal here is a label of something else.
        let order: Vec<usize> = label.map_or_else(Vec::new, |label| {
            let moves = label.best.iter().filter_map(|(m, _)| m.unpack(&moment.position));
            moves.filter_map(place).collect()
        });
        let first = label.and_then(|label| label.line.first()?.unpack(&moment.position)).and_then(place);
        let best = order.first().copied().or(first);
        let chosen = best.or_else(|| place(sample.played));
        self.best.push(chosen.map_or(UNKNOWN, |place| place as i32));
        let start = self.moves.len();
        match (best, &sample.teacher) {
            (Some(best), _) => {
                self.moves.resize(start + legal.len(), 0.0);
                self.moves[start + best] = 1.0;
            }
            (None, Some(_)) => teaching::push_moves(sample, &legal, &mut self.moves),
            (None, None) => {
                teaching::push_moves(sample, &legal, &mut self.moves);
                self.moves[start..].iter_mut().for_each(|chance| *chance *= config.objective.played);
            }
        }
        self.judged.push(best.is_some());
        self.order.push(if order.len() > 1 { order } else { Vec::new() });
        self.value.push(value(sample, config.objective.result));
    }
}

/// Win, draw and loss as a target: chances that go with an engine's score, and by its share what became of the game or what a teacher
/// thinks will. Zeros where neither is known.
pub(crate) fn value(sample: &Sample, share: f32) -> [f32; 3] {
    let us = sample.moment.turn();
    let result = Some(teaching::outcome(sample)).filter(|outcome| outcome.iter().any(|&chance| chance > 0.0));
    let score = sample.evaluation().map(|white| chances(us, white));
    match (score, result) {
        (Some(score), Some(result)) => {
            std::array::from_fn(|at| (1.0 - share) * score[at] + share * result[at])
        }
        (one, other) => one.or(other).unwrap_or_default(),
    }
}

/// Log odds that lie between a win and a draw at equality: a fifth of level positions are drawn then.
const DRAWISH: f32 = 0.4;

/// Win, draw and loss at an engine's score.
fn chances(us: Color, white: Evaluation) -> [f32; 3] {
    let own = us.fold_wb(white, white.flipped());
    let Some(centipawns) = own.as_centipawns() else {
        return if own.0 > 0 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
    };
    let sigmoid = |x: f32| 1.0 / (1.0 + (-x).exp());
    let odds = LOG_ODDS_PER_CENTIPAWN * f32::from(centipawns);
    let (win, loss) = (sigmoid(odds - DRAWISH), sigmoid(-odds - DRAWISH));
    [win, 1.0 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_scores_mirror_each_other_and_mates_are_sure() {
        let of = |cp| chances(Color::White, Evaluation::centipawns(cp));
        let [win, draw, loss] = of(0);
        assert!((win - loss).abs() < 1e-6 && draw > 0.15 && draw < 0.25, "{win} {draw} {loss}");
        assert!(of(300)[0] > 0.6 && (of(300)[0] - of(-300)[2]).abs() < 1e-6);
        assert_eq!(chances(Color::Black, Evaluation::mate(3)), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn plain_moves_tell_promotions_castling_and_checks_apart() {
        let moment =
            Moment::from_fen("4k3/P6P/8/8/8/8/8/4K2R w K - 0 1", chess::shakmaty::CastlingMode::Standard);
        let moment = moment.unwrap();
        let mut moves = MoveLookups::default();
        push_plain(&moment, &mut moves);
        let bags: Vec<(u8, u8, Vec<i32>)> = {
            let owners = moves.rows.owners();
            let rows = |at: usize| {
                let own = owners.iter().zip(&moves.rows.rows).filter(|(owner, _)| **owner == at as i32);
                own.map(|(_, row)| *row).collect::<Vec<_>>()
            };
            (0..moves.origins.len()).map(|at| (moves.origins[at], moves.targets[at], rows(at))).collect()
        };
        for (at, bag) in bags.iter().enumerate() {
            assert!(bags[..at].iter().all(|other| other != bag), "{bag:?}");
        }
        assert!(bags.iter().any(|(_, _, rows)| rows.contains(&(CASTLING as i32))));
        assert!(bags.iter().any(|(_, _, rows)| rows.contains(&(CHECK as i32))));
    }
}
