//! The edges between nodes.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use super::PieceNode;

/// An edge between nodes, which are numbered by their place among those of their kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    pub from: u8,
    pub to: u8,
    /// What kind of edge it is, below the number of kinds of its relation.
    pub kind: u16,
    /// How much is at stake, from 0 to 1; see [`ALPHA`].
    pub weight: f32,
}

/// How fast the weight of an attack grows with what the attacked piece is worth beyond the attacker: sigmoid(alpha x difference).
pub const ALPHA: f32 = 1.0;
/// Whether the piece that attacks or defends is pinned to its king.
pub const INTERACTION_KINDS: usize = 2;
/// Empty squares, pieces of the same side, pieces of the other.
pub const CONTROL_KINDS: usize = 3;
/// Directions of a neighbour.
pub const GRID_KINDS: usize = 8;
/// More pieces than that between two on a line, and they do not feel each other: the line has no edge.
pub const MOST_BLOCKERS: usize = 2;
/// See [`Ray`].
pub const RAY_KINDS: usize = 2 * 8 * (MOST_BLOCKERS + 1) * 7;

/// What an edge along a line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ray {
    /// Whether the piece that it comes from moves along such lines.
    pub slides: bool,
    /// Below 8, from source to target.
    pub direction: u8,
    /// Pieces between the two, up to [`MOST_BLOCKERS`].
    pub blockers: u8,
    /// 1 to 7.
    pub distance: u8,
}

impl Ray {
    fn kind(self) -> u16 {
        let Ray { slides, direction, blockers, distance } = self;
        let line = 8 * u16::from(slides) + u16::from(direction);
        (line * (MOST_BLOCKERS as u16 + 1) + u16::from(blockers)) * 7 + u16::from(distance) - 1
    }

    /// The kind of the edge in the other direction.
    pub fn of_kind(kind: u16) -> Ray {
        let (rest, distance) = (kind / 7, kind % 7 + 1);
        let (line, blockers) = (rest / (MOST_BLOCKERS as u16 + 1), rest % (MOST_BLOCKERS as u16 + 1));
        Ray {
            slides: line / 8 == 1,
            direction: (line % 8) as u8,
            blockers: blockers as u8,
            distance: distance as u8,
        }
    }
}

fn square(piece: PieceNode) -> Square {
    Square::new(piece.square.into())
}

/// Attacks and defences. A defence counts in full: what would be won back is not weighed against what is lost.
pub(super) fn interactions(board: &Board, pieces: &[PieceNode], pinned: Bitboard) -> (Vec<Edge>, Vec<Edge>) {
    let (mut attacks, mut defences) = (Vec::new(), Vec::new());
    for (to, target) in pieces.iter().enumerate() {
        let bears = |color| board.attacks_to(square(*target), color, board.occupied());
        let all = bears(Color::White) | bears(Color::Black);
        for (from, source) in pieces.iter().enumerate().filter(|(_, piece)| all.contains(square(**piece))) {
            let kind = u16::from(pinned.contains(square(*source)));
            let edge = |weight| Edge { from: from as u8, to: to as u8, kind, weight };
            match source.is_own() == target.is_own() {
                true => defences.push(edge(1.0)),
                false => {
                    let gain = target.value() - source.value();
                    attacks.push(edge(1.0 / (1.0 + (-ALPHA * gain).exp())));
                }
            }
        }
    }
    (attacks, defences)
}

/// Pairs on a rank, a file or a diagonal, both ways.
pub(super) fn rays(board: &Board, pieces: &[PieceNode]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (to, target) in pieces.iter().enumerate() {
        for (from, source) in pieces.iter().enumerate() {
            let Some(ray) = ray(board, square(*source), square(*target)) else { continue };
            edges.push(Edge { from: from as u8, to: to as u8, kind: ray.kind(), weight: 0.0 });
        }
    }
    edges
}

fn ray(board: &Board, from: Square, to: Square) -> Option<Ray> {
    let files = i32::from(to.file()) - i32::from(from.file());
    let ranks = i32::from(to.rank()) - i32::from(from.rank());
    let straight = files == 0 || ranks == 0;
    if from == to || !(straight || files.abs() == ranks.abs()) {
        return None;
    }
    let blockers = (attacks::between(from, to) & board.occupied()).count();
    if blockers > MOST_BLOCKERS {
        return None;
    }
    let slides = match board.role_at(from) {
        Some(Role::Queen) => true,
        Some(Role::Rook) => straight,
        Some(Role::Bishop) => !straight,
        _ => false,
    };
    let distance = files.abs().max(ranks.abs()) as u8;
    Some(Ray { slides, direction: direction(files, ranks), blockers: blockers as u8, distance })
}

/// Below 8: the nine pairs of signs without standing still.
fn direction(files: i32, ranks: i32) -> u8 {
    let place = 3 * (files.signum() + 1) + ranks.signum() + 1;
    (place - i32::from(place > 4)) as u8
}

/// From pieces to the squares that they control.
pub(super) fn control(board: &Board, pieces: &[PieceNode]) -> Vec<Edge> {
    let reach: Vec<Bitboard> = pieces.iter().map(|piece| board.attacks_from(square(*piece))).collect();
    let mut edges = Vec::new();
    for to in Square::ALL {
        let holder = board.color_at(to);
        for (from, piece) in pieces.iter().enumerate().filter(|(from, _)| reach[*from].contains(to)) {
            let kind = match holder {
                None => 0,
                Some(color) if (color == Color::White) == piece.is_own() => 1,
                Some(_) => 2,
            };
            edges.push(Edge { from: from as u8, to: u8::from(to), kind, weight: 0.0 });
        }
    }
    edges
}

/// The neighbours of all squares; they are the same in every position.
pub fn grid() -> &'static [Edge] {
    static GRID: LazyLock<Vec<Edge>> = LazyLock::new(|| {
        let step = |from: Square, to: Square| {
            let files = i32::from(to.file()) - i32::from(from.file());
            let ranks = i32::from(to.rank()) - i32::from(from.rank());
            Edge {
                from: u8::from(from),
                to: u8::from(to),
                kind: u16::from(direction(files, ranks)),
                weight: 0.0,
            }
        };
        let around = |to: Square| attacks::king_attacks(to).into_iter().map(move |from| step(from, to));
        Square::ALL.into_iter().flat_map(around).collect()
    });
    &GRID
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{Moment, encoding::graph::Graph};

    fn graph(fen: &str) -> Graph {
        Graph::of(&Moment::from_fen(fen, CastlingMode::Standard).unwrap())
    }

    fn name(graph: &Graph, piece: u8) -> String {
        let PieceNode { kind, square } = graph.pieces[usize::from(piece)];
        format!("{}{}", &"PNBRQKpnbrqk"[usize::from(kind)..][..1], Square::new(square.into()))
    }

    /// Edges as `source target`, in the order of the graph.
    fn named(graph: &Graph, edges: &[Edge]) -> Vec<String> {
        edges.iter().map(|edge| format!("{} {}", name(graph, edge.from), name(graph, edge.to))).collect()
    }

    fn weight(graph: &Graph, edges: &[Edge], words: &str) -> f32 {
        let at = named(graph, edges).iter().position(|edge| edge == words).expect("such an edge");
        edges[at].weight
    }

    fn line(graph: &Graph, words: &str) -> Option<Ray> {
        let at = named(graph, &graph.rays).iter().position(|edge| edge == words)?;
        Some(Ray::of_kind(graph.rays[at].kind))
    }

    #[test]
    fn attacks_and_defences_are_all_that_the_board_has() {
        let graph = graph("4k3/8/2p5/3N4/8/5b2/3R4/3QK3 w - - 0 1");
        assert_eq!(named(&graph, &graph.attacks), ["bf3 Qd1", "Qd1 bf3", "bf3 Nd5", "pc6 Nd5"]);
        assert_eq!(
            named(&graph, &graph.defences),
            ["Ke1 Qd1", "Rd2 Qd1", "Qd1 Ke1", "Qd1 Rd2", "Ke1 Rd2", "Rd2 Nd5"]
        );
    }

    #[test]
    fn what_is_dearer_than_its_attacker_weighs_more() {
        let graph = graph("4k3/8/2p5/3N4/8/5b2/3R4/3QK3 w - - 0 1");
        let sigmoid = |x: f32| 1.0 / (1.0 + (-x).exp());
        for (words, gain) in [("bf3 Qd1", 6.0), ("bf3 Nd5", 0.0), ("pc6 Nd5", 2.0), ("Qd1 bf3", -6.0)] {
            assert!((weight(&graph, &graph.attacks, words) - sigmoid(gain)).abs() < 1e-6, "{words}");
        }
        assert_eq!(weight(&graph, &graph.defences, "Rd2 Nd5"), 1.0);
    }

    #[test]
    fn a_pin_is_a_line_with_one_piece_between_and_marks_what_the_pinned_piece_does() {
        // The bishop on b4 pins the knight on c3 to the king on e1.
        let graph = graph("4k3/8/8/3p4/1b6/2N5/3P4/R3K3 b - - 0 1");
        // Black is to move, so ranks are mirrored and Black's pieces are own.
        let pin = line(&graph, "Bb5 ke8").unwrap_or_else(|| panic!("{:?}", named(&graph, &graph.rays)));
        assert_eq!((pin.slides, pin.blockers, pin.distance), (true, 2, 3), "knight and pawn stand between");
        assert_eq!(line(&graph, "ke8 Bb5").map(|ray| (ray.slides, ray.blockers)), Some((false, 2)));
        assert_eq!(line(&graph, "Bb5 nc6").map(|ray| ray.blockers), Some(0));
        let pinned = self::graph("4k3/8/8/3p4/1b6/2N5/8/R3K3 b - - 0 1");
        assert_eq!(line(&pinned, "Bb5 ke8").map(|ray| ray.blockers), Some(1));
        let kind = |graph: &Graph, words: &str| {
            let at = named(graph, &graph.attacks).iter().position(|edge| edge == words).expect("an attack");
            graph.attacks[at].kind
        };
        assert_eq!((kind(&graph, "nc6 Pd4"), kind(&pinned, "nc6 Pd4")), (0, 1));
    }

    #[test]
    fn a_skewer_a_battery_and_an_x_ray_are_lines() {
        // Rook e1 looks through the king on e5 at the queen on e8.
        let skewer = graph("4q3/8/8/4k3/8/8/8/K3R3 b - - 0 1");
        let through = line(&skewer, "re8 Qe1").expect("a line through the king");
        assert_eq!((through.slides, through.blockers, through.distance), (true, 1, 7));
        // Queen and rook behind each other aim at the pawn on d7.
        let battery = graph("4k3/3p4/8/8/8/8/3R4/3QK3 w - - 0 1");
        assert_eq!(named(&battery, &battery.attacks), ["Rd2 pd7"]);
        assert_eq!(line(&battery, "Qd1 pd7").map(|ray| (ray.slides, ray.blockers)), Some((true, 1)));
        assert_eq!(line(&battery, "pd7 Qd1").map(|ray| (ray.slides, ray.blockers)), Some((false, 1)));
        // A bishop sees through two pawns, and through three no more.
        let x_ray = |fen: &str| line(&graph(fen), "Ba1 kh8").map(|ray| ray.blockers);
        assert_eq!(x_ray("7k/8/8/4p3/3p4/8/8/B3K3 w - - 0 1"), Some(2));
        assert_eq!(x_ray("7k/6p1/8/4p3/3p4/8/8/B3K3 w - - 0 1"), None);
    }

    #[test]
    fn a_knight_is_on_no_line_with_what_it_attacks() {
        let graph = graph("4k3/8/3p4/8/4N3/8/8/4K3 w - - 0 1");
        assert_eq!(named(&graph, &graph.attacks), ["Ne4 pd6"]);
        assert_eq!(line(&graph, "Ne4 pd6"), None);
        assert_eq!(line(&graph, "Ne4 ke8").map(|ray| (ray.slides, ray.blockers)), Some((false, 0)));
    }

    #[test]
    fn control_reaches_empty_squares_and_tells_who_stands_there() {
        let graph = graph("4k3/8/8/8/8/1p6/P1P5/4K3 w - - 0 1");
        let of = |square: Square| -> Vec<(String, u16)> {
            let edges = graph.control.iter().filter(|edge| edge.to == u8::from(square));
            edges.map(|edge| (name(&graph, edge.from), edge.kind)).collect()
        };
        let two = |a: &str, b: &str, kind| vec![(a.to_owned(), kind), (b.to_owned(), kind)];
        assert_eq!(of(Square::B3), two("Pa2", "Pc2", 2));
        assert_eq!(of(Square::A2), [("pb3".to_owned(), 2)]);
        assert_eq!(of(Square::D3), [("Pc2".to_owned(), 0)]);
        assert!(of(Square::E1).is_empty());
    }

    #[test]
    fn the_grid_joins_every_square_with_its_neighbours() {
        assert_eq!(grid().len(), 420);
        assert!(grid().is_sorted_by_key(|edge| (edge.to, edge.from)));
        assert_eq!(grid().iter().filter(|edge| edge.to == u8::from(Square::A1)).count(), 3);
        for edge in grid() {
            let back = grid().iter().find(|other| (other.from, other.to) == (edge.to, edge.from));
            assert_eq!(back.map(|back| back.kind), Some(7 - edge.kind), "the opposite direction");
        }
    }

    #[test]
    fn every_kind_of_line_has_its_own_number() {
        for kind in 0..RAY_KINDS as u16 {
            assert_eq!(Ray::of_kind(kind).kind(), kind);
        }
    }
}
