//! What heads begin with where they learn how much squares look at each other: the ways pieces move on an empty board.

/// How much likelier a head looks along its lines than elsewhere to begin with, as a power of e.
const FAVOUR: f32 = 2.0;

/// Biases of attention, heads x tokens x tokens; the last 64 tokens are the squares, and all see those before them alike.
pub(super) fn biases(heads: usize, tokens: usize) -> Vec<f32> {
    let others = tokens - 64;
    let favours = |head: usize, from: usize, to: usize| {
        let (Some(from), Some(to)) = (from.checked_sub(others), to.checked_sub(others)) else { return false };
        let (files, ranks) = (distance(from % 8, to % 8), distance(from / 8, to / 8));
        let far = files.max(ranks);
        // A head in eight sees everything alike.
        match head % 8 {
            0 => files == ranks && far > 0,
            1 => (files == 0) != (ranks == 0),
            2 => files.min(ranks) == 1 && far == 2,
            3 => far == 1,
            4 => files == 0 && far > 0,
            5 => files == 1 && ranks == 1,
            6 => far == 0,
            _ => false,
        }
    };
    let mut biases = vec![0.0; heads * tokens * tokens];
    for (at, bias) in biases.iter_mut().enumerate() {
        let (head, from, to) = (at / (tokens * tokens), at / tokens % tokens, at % tokens);
        *bias = if favours(head, from, to) { FAVOUR } else { 0.0 };
    }
    biases
}

fn distance(a: usize, b: usize) -> usize {
    a.abs_diff(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_begin_with_the_ways_pieces_move() {
        for tokens in [64, 65] {
            let others = tokens - 64;
            let biases = biases(8, tokens);
            // Squares that a token favours.
            let favoured = |head: usize, from: usize| {
                let row = &biases[(head * tokens + from) * tokens..][..tokens];
                row.iter().filter(|&&bias| bias > 0.0).count()
            };
            let (a1, d4) = (others, others + 27);
            assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|head| favoured(head, a1)), [7, 14, 2, 3, 7, 1, 1, 0]);
            assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|head| favoured(head, d4)), [13, 14, 8, 8, 7, 4, 1, 0]);
            (0..others).for_each(|other| assert_eq!([0, 1, 2, 3].map(|head| favoured(head, other)), [0; 4]));
        }
    }
}
