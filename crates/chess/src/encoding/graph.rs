//! A position as a heterogeneous graph, seen by the side to move: a node for each piece, one for each of the 64 squares and one for
//! the whole, joined by who attacks and defends whom, by lines, by control of squares and by neighbourhood.
//!
//! Ranks are mirrored for Black, files kept, and "own" is the side to move, so that a colour-flipped position is the same graph.

mod centrality;
mod edges;

use shakmaty::{Board, CastlingSide, Chess, Color, EnPassantMode, Piece, Position, Role, Square};

pub use self::{
    centrality::{CENTRALITIES, centralities},
    edges::{ALPHA, CONTROL_KINDS, Edge, GRID_KINDS, INTERACTION_KINDS, MOST_BLOCKERS, RAY_KINDS, Ray, grid},
};
use super::tension::{self, Attacks, STATES};
use crate::{Clocks, Moment};

/// Six own roles, then six of the opponent.
pub const PIECES: usize = 12;
/// Rows that tell who stands on a square and how it is attacked by either side: its cheapest attacker, alone or not.
pub const TENSIONS: usize = (PIECES + 1) * STATES * STATES;
/// Numbers of the node for the whole.
pub const WHOLE: usize = 31;

/// A piece and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceNode {
    /// Below [`PIECES`]: pawn, knight, bishop, rook, queen, king, then those of the opponent.
    pub kind: u8,
    pub square: u8,
}

impl PieceNode {
    /// What it is worth in pawns. The king counts for more than any piece, since attacks on him are the most urgent.
    pub fn value(self) -> f32 {
        [1.0, 3.0, 3.0, 5.0, 9.0, 10.0][usize::from(self.kind % 6)]
    }

    pub fn is_own(self) -> bool {
        self.kind < 6
    }
}

/// Edges lie by their target; those of a target by their source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// From a1 to h8.
    pub pieces: Vec<PieceNode>,
    /// Pieces that attack pieces of the other side.
    pub attacks: Vec<Edge>,
    /// Pieces that defend pieces of their own side.
    pub defences: Vec<Edge>,
    /// Pieces on a line with each other.
    pub rays: Vec<Edge>,
    /// Pieces and the squares that they control, empty or not.
    pub control: Vec<Edge>,
    /// Below [`TENSIONS`], for each square.
    pub tensions: Vec<u16>,
    pub whole: Vec<f32>,
}

impl Graph {
    pub fn of(moment: &Moment) -> Graph {
        Graph { whole: whole(moment), ..Graph::of_position(&moment.position) }
    }

    /// Without the node for the whole.
    fn of_position(position: &Chess) -> Graph {
        let us = position.turn();
        let board = match us {
            Color::White => position.board().clone(),
            Color::Black => position.board().clone().into_mirrored(),
        };
        let node =
            |(square, piece): (Square, Piece)| PieceNode { kind: kind(piece), square: u8::from(square) };
        let mut pieces: Vec<PieceNode> = board.iter().map(node).collect();
        pieces.sort_unstable_by_key(|piece| piece.square);
        let pinned = tension::pinned(&board, Color::White) | tension::pinned(&board, Color::Black);
        let (attacks, defences) = edges::interactions(&board, &pieces, pinned);
        let rays = edges::rays(&board, &pieces);
        let control = edges::control(&board, &pieces);
        let tensions = tensions(&board);
        Graph { pieces, attacks, defences, rays, control, tensions, whole: Vec::new() }
    }
}

fn tensions(board: &Board) -> Vec<u16> {
    let [own, others] = [Color::White, Color::Black].map(|color| Attacks::of(board, color));
    let row = |square: Square| {
        let holder = board.piece_at(square).map_or(0, |piece| 1 + usize::from(kind(piece)));
        (holder * STATES + own.state(square)) * STATES + others.state(square)
    };
    Square::ALL.into_iter().map(|square| row(square) as u16).collect()
}

/// White is the side to move on the boards seen here.
fn kind(piece: Piece) -> u8 {
    6 * u8::from(piece.color == Color::Black) + piece.role as u8 - 1
}

/// Castling, en passant, the fifty-move counter, material, check, repetition, ratings and clocks; own before the opponent's.
fn whole(moment: &Moment) -> Vec<f32> {
    let position = &moment.position;
    let us = position.turn();
    let flag = |holds: bool| f32::from(u8::from(holds));
    let mut numbers = Vec::with_capacity(WHOLE);
    for side in [us, !us] {
        numbers.extend(CastlingSide::ALL.map(|wing| flag(position.castles().has(side, wing))));
    }
    numbers.push(flag(position.ep_square(EnPassantMode::Legal).is_some()));
    numbers.push((position.halfmoves() as f32 / 100.0).min(1.0));
    numbers.push(flag(position.is_check()));
    let repetitions = moment.past.repetitions();
    numbers.extend([flag(repetitions > 0), flag(repetitions > 1)]);
    material(position.board(), us, &mut numbers);
    for side in [us, !us] {
        let rating = moment.players.and_then(|players| players.of(side));
        numbers.extend([flag(rating.is_some()), rating.map_or(0.0, |rating| f32::from(rating) / 3000.0)]);
    }
    clocks(moment.clocks, us, &mut numbers);
    debug_assert_eq!(numbers.len(), WHOLE);
    numbers
}

fn material(board: &Board, us: Color, numbers: &mut Vec<f32>) {
    const ROLES: [(Role, f32, f32); 5] = [
        (Role::Pawn, 1.0, 8.0),
        (Role::Knight, 3.0, 2.0),
        (Role::Bishop, 3.0, 2.0),
        (Role::Rook, 5.0, 2.0),
        (Role::Queen, 9.0, 1.0),
    ];
    let mut officers = 0.0;
    for side in [us, !us] {
        let mut sum = 0.0;
        for (role, value, usual) in ROLES {
            let count = (board.by_color(side) & board.by_role(role)).count() as f32;
            numbers.push(count / usual);
            sum += value * count;
            officers += if role == Role::Pawn { 0.0 } else { value * count };
        }
        numbers.push(sum / 39.0);
    }
    numbers.push((officers / 62.0f32).min(1.0));
}

/// Logarithms of seconds, which is how time is felt.
fn clocks(clocks: Option<Clocks>, us: Color, numbers: &mut Vec<f32>) {
    let seconds = |centiseconds: u32| (1.0 + centiseconds as f32 / 100.0).ln() / 8.0;
    match clocks {
        Some(clocks) => {
            let left = [us, !us].map(|side| seconds(*clocks.left_cs.get(side)));
            let increment = [us, !us].map(|side| seconds(*clocks.increment_cs.get(side)));
            numbers.extend([1.0, left[0], left[1], increment[0], increment[1]]);
        }
        None => numbers.extend([0.0; 5]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{mirrored, random_game};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn both_colours_see_the_same_graph(game in random_game(80)) {
            prop_assert_eq!(Graph::of(game.last().unwrap()), Graph::of(&mirrored(&game)));
        }

        #[test]
        fn edges_lie_by_target_and_name_nodes_that_exist(game in random_game(80)) {
            let graph = Graph::of(game.last().unwrap());
            let pieces = graph.pieces.len();
            let lists = [
                (&graph.attacks, pieces, INTERACTION_KINDS),
                (&graph.defences, pieces, INTERACTION_KINDS),
                (&graph.rays, pieces, RAY_KINDS),
                (&graph.control, 64, CONTROL_KINDS),
            ];
            for (edges, targets, kinds) in lists {
                prop_assert!(edges.is_sorted_by_key(|edge| (edge.to, edge.from)));
                for edge in edges {
                    prop_assert!(usize::from(edge.from) < pieces && usize::from(edge.to) < targets);
                    prop_assert!(usize::from(edge.kind) < kinds && (0.0..=1.0).contains(&edge.weight));
                }
            }
            prop_assert_eq!(graph.whole.len(), WHOLE);
            prop_assert!(graph.tensions.len() == 64 && graph.tensions.iter().all(|&row| usize::from(row) < TENSIONS));
        }
    }

    #[test]
    fn the_whole_tells_castling_material_and_counters() {
        let numbers = whole(&Moment::default());
        assert_eq!(numbers[..9], [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(numbers[9..15], [1.0; 6], "five roles and their sum");
        let moment = Moment::default().after_uci(["g1f3", "g8f6", "f3g1", "f6g8"]).unwrap();
        let numbers = whole(&moment);
        assert_eq!((numbers[5], numbers[7], numbers[8]), (0.04, 1.0, 0.0));
    }
}
