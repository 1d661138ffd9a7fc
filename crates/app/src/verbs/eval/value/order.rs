//! How far two orders of the same positions agree, each position weighted by how often its game was drawn.

/// Name in JSON and head in tables.
pub(super) const METRICS: [(&str, &str); 4] = [
    ("pair_accuracy", "pair accuracy"),
    ("tau_a", "Kendall tau a"),
    ("tau_b", "Kendall tau b"),
    ("spearman", "Spearman"),
];

/// Two orders as ranks from 0; equals share a rank.
#[derive(Debug)]
pub(super) struct Orders {
    truth: Vec<usize>,
    guess: Vec<usize>,
    games: Vec<usize>,
    /// Places by rising truth.
    rising: Vec<usize>,
}

impl Orders {
    /// All three are aligned.
    pub(super) fn new(truth: &[f32], guess: &[f32], games: Vec<usize>) -> Orders {
        let truth = ranks(truth);
        let mut rising: Vec<usize> = (0..truth.len()).collect();
        rising.sort_by_key(|&at| truth[at]);
        Orders { guess: ranks(guess), truth, games, rising }
    }

    /// One figure for each of [`METRICS`]; `weights` are by game.
    pub(super) fn measure(&self, weights: &[f64]) -> [f64; METRICS.len()] {
        let weight = |at: usize| weights[self.games[at]];
        let all: f64 = (0..self.truth.len()).map(weight).sum();
        let squares: f64 = (0..self.truth.len()).map(|at| weight(at) * weight(at)).sum();
        let pairs = (all * all - squares) / 2.0;
        let (right, wrong, undecided) = self.pairs(weights);
        let equal = |ranks: &[usize]| {
            let mut sums = vec![0.0; ranks.len()];
            ranks.iter().enumerate().for_each(|(at, &rank)| sums[rank] += weight(at));
            (sums.iter().map(|sum| sum * sum).sum::<f64>() - squares) / 2.0
        };
        let unequal = (pairs - equal(&self.truth)) * (pairs - equal(&self.guess));
        [
            (right + 0.5 * undecided) / (right + wrong + undecided),
            (right - wrong) / pairs,
            (right - wrong) / unequal.sqrt(),
            self.spearman(weights),
        ]
    }

    /// Pairs with unequal truth whose guesses are in order, in the wrong order, and equal.
    fn pairs(&self, weights: &[f64]) -> (f64, f64, f64) {
        let mut below = Sums::new(self.truth.len());
        let (mut right, mut wrong, mut undecided) = (0.0, 0.0, 0.0);
        for equals in self.rising.chunk_by(|&a, &b| self.truth[a] == self.truth[b]) {
            for &at in equals {
                let (weight, guess) = (weights[self.games[at]], self.guess[at]);
                let (less, up_to) = (below.before(guess), below.before(guess + 1));
                right += weight * less;
                undecided += weight * (up_to - less);
                wrong += weight * (below.total - up_to);
            }
            for &at in equals {
                below.add(self.guess[at], weights[self.games[at]]);
            }
        }
        (right, wrong, undecided)
    }

    /// Pearson's r of the places, equals in the middle of theirs.
    fn spearman(&self, weights: &[f64]) -> f64 {
        let weight = |at: usize| weights[self.games[at]];
        let places = |ranks: &[usize]| {
            let mut sums = vec![0.0; ranks.len()];
            ranks.iter().enumerate().for_each(|(at, &rank)| sums[rank] += weight(at));
            let mut before = 0.0;
            let middles: Vec<f64> = sums
                .iter()
                .map(|sum| {
                    before += sum;
                    before - sum / 2.0
                })
                .collect();
            ranks.iter().map(|&rank| middles[rank]).collect::<Vec<f64>>()
        };
        let (x, y) = (places(&self.truth), places(&self.guess));
        let all: f64 = (0..x.len()).map(weight).sum();
        let middle = all / 2.0;
        let product = |a: &[f64], b: &[f64]| -> f64 {
            (0..a.len()).map(|at| weight(at) * (a[at] - middle) * (b[at] - middle)).sum()
        };
        product(&x, &y) / (product(&x, &x) * product(&y, &y)).sqrt()
    }
}

fn ranks(values: &[f32]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.dedup();
    values.iter().map(|value| sorted.partition_point(|other| other.total_cmp(value).is_lt())).collect()
}

/// Sums over the first ranks, kept up while weights are added (a Fenwick tree).
struct Sums {
    tree: Vec<f64>,
    total: f64,
}

impl Sums {
    fn new(ranks: usize) -> Sums {
        Sums { tree: vec![0.0; ranks + 1], total: 0.0 }
    }

    fn add(&mut self, rank: usize, weight: f64) {
        self.total += weight;
        let mut at = rank + 1;
        while at < self.tree.len() {
            self.tree[at] += weight;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum over ranks below `rank`.
    fn before(&self, rank: usize) -> f64 {
        let (mut at, mut sum) = (rank, 0.0);
        while at > 0 {
            sum += self.tree[at];
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definitions, pair by pair.
    fn plain(truth: &[f32], guess: &[f32]) -> [f64; 3] {
        let (mut right, mut wrong, mut undecided, mut pairs, mut truths, mut guesses) =
            (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for (i, j) in (0..truth.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let (t, g) = (truth[i] - truth[j], guess[i] - guess[j]);
            pairs += 1.0;
            truths += f64::from(u8::from(t != 0.0));
            guesses += f64::from(u8::from(g != 0.0));
            let counted = if g == 0.0 {
                &mut undecided
            } else if (t > 0.0) == (g > 0.0) {
                &mut right
            } else {
                &mut wrong
            };
            *counted += f64::from(u8::from(t != 0.0));
        }
        let decided: f64 = right - wrong;
        [
            (right + 0.5 * undecided) / (right + wrong + undecided),
            decided / pairs,
            decided / f64::sqrt(truths * guesses),
        ]
    }

    fn same(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 || (a.is_nan() && b.is_nan())
    }

    proptest! {
        #[test]
        fn figures_are_those_of_a_double_loop(items in prop::collection::vec((-5i8..5, -5i8..5), 2..60)) {
            let (truth, guess): (Vec<f32>, Vec<f32>) =
                items.iter().map(|&(a, b)| (f32::from(a), f32::from(b))).unzip();
            let orders = Orders::new(&truth, &guess, vec![0; truth.len()]);
            let found = orders.measure(&[1.0]);
            for (found, expected) in found.iter().zip(plain(&truth, &guess)) {
                prop_assert!(same(*found, expected), "{} {}", found, expected);
            }
        }

        #[test]
        fn a_game_of_weight_two_counts_as_two_games(items in prop::collection::vec((-5i8..5, -5i8..5), 2..30)) {
            let (truth, guess): (Vec<f32>, Vec<f32>) =
                items.iter().map(|&(a, b)| (f32::from(a), f32::from(b))).unzip();
            let games: Vec<usize> = (0..truth.len()).collect();
            let weights: Vec<f64> = games.iter().map(|game| if game % 2 == 0 { 2.0 } else { 0.0 }).collect();
            let heavy = Orders::new(&truth, &guess, games).measure(&weights);
            let even = |values: &[f32]| values.iter().step_by(2).copied().collect::<Vec<f32>>();
            let len = truth.len().div_ceil(2);
            let once = Orders::new(&even(&truth), &even(&guess), vec![0; len]).measure(&[1.0]);
            // Pair accuracy and Spearman do not depend on a common factor.
            prop_assert!(same(heavy[0], once[0]) && same(heavy[3], once[3]), "{:?} {:?}", heavy, once);
        }
    }

    #[test]
    fn known_orders_have_known_figures() {
        let figures = |guess: &[f32]| Orders::new(&[1.0, 2.0, 3.0, 4.0], guess, vec![0; 4]).measure(&[1.0]);
        assert_eq!(figures(&[10.0, 20.0, 30.0, 40.0]), [1.0; 4]);
        assert_eq!(figures(&[4.0, 3.0, 2.0, 1.0]), [0.0, -1.0, -1.0, -1.0]);
        // One neighbour swapped: 5 of 6 pairs; 1 - 6 x 2 / (4 x 15).
        let swapped = figures(&[1.0, 3.0, 2.0, 4.0]);
        assert!(same(swapped[0], 5.0 / 6.0) && same(swapped[3], 0.8), "{swapped:?}");
    }
}
