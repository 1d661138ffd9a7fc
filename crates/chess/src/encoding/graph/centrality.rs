//! How much of what goes on passes through a piece: betweenness in the graph of attacks and defences.

use super::Graph;

/// Classes of centrality.
pub const CENTRALITIES: usize = 8;

/// The class of each piece, by the share of the other pairs' shortest paths that lead over it (Brandes 2001, without weights).
/// Neighbours are sets of bits, so that a step of the search from a piece is a few words.
pub fn centralities(graph: &Graph) -> Vec<u8> {
    let pieces = graph.pieces.len();
    let mut neighbours = vec![0u64; pieces];
    for edge in graph.attacks.iter().chain(&graph.defences) {
        let (from, to) = (usize::from(edge.from), usize::from(edge.to));
        neighbours[from] |= 1 << to;
        neighbours[to] |= 1 << from;
    }
    let pairs = (pieces.saturating_sub(1) * pieces.saturating_sub(2)).max(1) as f32;
    betweenness(&neighbours).into_iter().map(|between| class(between / pairs)).collect()
}

/// Classes of equal width in the root: most pieces lie near 0.
fn class(share: f32) -> u8 {
    ((2.0 * CENTRALITIES as f32 * share.max(0.0).sqrt()) as u8).min(CENTRALITIES as u8 - 1)
}

/// Over ordered pairs.
fn betweenness(neighbours: &[u64]) -> Vec<f32> {
    let count = neighbours.len();
    let mut between = vec![0.0f32; count];
    let (mut paths, mut share) = (vec![0.0f32; count], vec![0.0f32; count]);
    for start in 0..count {
        paths.fill(0.0);
        share.fill(0.0);
        paths[start] = 1.0;
        let mut seen = 1u64 << start;
        let mut levels = vec![seen];
        loop {
            let last = *levels.last().expect("the start");
            let next = bits(last).fold(0, |next, at| next | neighbours[at]) & !seen;
            if next == 0 {
                break;
            }
            for at in bits(next) {
                paths[at] = bits(neighbours[at] & last).map(|before| paths[before]).sum();
            }
            seen |= next;
            levels.push(next);
        }
        for pair in levels.windows(2).rev() {
            for at in bits(pair[1]) {
                for before in bits(neighbours[at] & pair[0]) {
                    share[before] += paths[before] / paths[at] * (1.0 + share[at]);
                }
            }
        }
        (0..count).filter(|&at| at != start).for_each(|at| between[at] += share[at]);
    }
    between
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of(pairs: &[(usize, usize)], count: usize) -> Vec<f32> {
        let mut neighbours = vec![0u64; count];
        for &(a, b) in pairs {
            neighbours[a] |= 1 << b;
            neighbours[b] |= 1 << a;
        }
        betweenness(&neighbours)
    }

    #[test]
    fn the_middle_of_a_chain_and_of_a_star_lies_between_all_others() {
        assert_eq!(graph_of(&[(0, 1), (1, 2)], 3), [0.0, 2.0, 0.0]);
        assert_eq!(graph_of(&[(0, 1), (0, 2), (0, 3)], 4), [6.0, 0.0, 0.0, 0.0]);
        assert_eq!(graph_of(&[(0, 1), (1, 2), (2, 0)], 3), [0.0; 3]);
    }

    #[test]
    fn paths_of_equal_length_share_what_passes() {
        // A square: opposite corners have two ways each.
        assert_eq!(graph_of(&[(0, 1), (1, 2), (2, 3), (3, 0)], 4), [1.0; 4]);
    }

    #[test]
    fn parts_that_nothing_joins_do_not_count() {
        assert_eq!(graph_of(&[(0, 1), (2, 3)], 4), [0.0; 4]);
        assert_eq!(class(0.0), 0);
        assert_eq!(class(1.0), CENTRALITIES as u8 - 1);
    }
}
