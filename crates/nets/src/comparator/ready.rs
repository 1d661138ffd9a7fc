//! The network packed for the CPU, for one position and one pair at a time.
//!
//! The first layer is summed in whole numbers of sixteen bits: what a move changes is added and taken away, and the sum is to the bit what
//! it would be from nothing.

use std::sync::Arc;

use chess::{
    Comparer, Embedding,
    encoding::comparator::{self, LEN, WORDS},
    shakmaty::{Chess, Color},
};
use kernels::{
    Arithmetic,
    dense::{Dense, DenseBuffer, Linear},
    product::{View, rounded},
};

use super::network::{BIAS, Parts, REFERENCES};
use crate::weights::values;

#[derive(Debug)]
pub(super) struct Ready {
    /// Rows of the first layer, the bias last, each `width` numbers.
    places: Vec<i16>,
    width: usize,
    /// The value of one.
    scale: f32,
    encoder: Vec<Dense>,
    /// From an embedding to what the comparison's first layer makes of it as the first of a pair, and as the second.
    halves: Dense,
    half: usize,
    bias: Vec<f32>,
    compare: Vec<Dense>,
    /// From the last layer to the log odds.
    verdict: Vec<f32>,
    verdict_bias: f32,
    /// Halves of the reference positions.
    references: Vec<Embedding>,
    /// Log odds of a point for each of the comparison's log odds.
    pub(super) odds: f32,
}

/// Bits that a position can have at once: the sums of the first layer have room for so many.
const MOST_BITS: usize = 64 + 5;

impl Ready {
    pub(super) fn new(parts: &Parts<'_>, arithmetic: Arithmetic) -> Ready {
        let [_, width] = parts.places.val().dims();
        let table = values(parts.places.val());
        let scale = scale(&table, width);
        let dense = |linear: &burn::nn::Linear| {
            let [inputs, outputs] = linear.weight.val().dims();
            let bias = linear.bias.as_ref().map(|bias| values(bias.val()));
            let weights = values(linear.weight.val());
            Dense::new(arithmetic, Linear::new(&weights, inputs, outputs, bias.as_deref()))
        };
        let first = &parts.compare[0];
        let [both, half] = first.weight.val().dims();
        let weights = values(first.weight.val());
        let embedding = both / 2;
        // [embedding, 2 x half]: the rows for a first position beside those for a second one.
        let rows = (0..embedding).flat_map(|row| {
            let of = |row: usize| weights[row * half..][..half].to_vec();
            [of(row), of(embedding + row)].concat()
        });
        let rows: Vec<f32> = rows.collect();
        let verdict = values(parts.verdict.weight.val());
        let verdict_bias = parts.verdict.bias.as_ref().map_or(vec![0.0; 2], |bias| values(bias.val()));
        let mut ready = Ready {
            places: table.iter().map(|value| (value / scale).round() as i16).collect(),
            width,
            scale,
            encoder: parts.encoder.iter().map(dense).collect(),
            halves: Dense::new(arithmetic, Linear::new(&rows, embedding, 2 * half, None)),
            half,
            bias: first.bias.as_ref().map_or(vec![0.0; half], |bias| values(bias.val())),
            compare: parts.compare[1..].iter().map(dense).collect(),
            verdict: verdict.chunks_exact(2).map(|pair| pair[0] - pair[1]).collect(),
            verdict_bias: verdict_bias[0] - verdict_bias[1],
            references: Vec::new(),
            odds: values(parts.odds.val())[0],
        };
        let mut buffer = DenseBuffer::default();
        let references = values(parts.references.val());
        ready.references =
            references.chunks_exact(embedding).map(|one| ready.halve(one, &mut buffer)).collect();
        ready
    }

    /// In f32 throughout.
    pub(super) fn exact(parts: &Parts<'_>) -> Arc<Ready> {
        Arc::new(Ready::new(parts, Arithmetic::of(kernels::Level::exact())))
    }

    /// Both halves of the comparison's first layer from an embedding.
    fn halve(&self, embedding: &[f32], buffer: &mut DenseBuffer) -> Embedding {
        let mut halves = Vec::new();
        self.halves.forward_here(View::new(embedding, 1, embedding.len()), buffer, &mut halves);
        halves.truncate(2 * self.half);
        halves.into()
    }
}

/// The value of one, so that no sum of the table's rows is beyond sixteen bits.
fn scale(table: &[f32], width: usize) -> f32 {
    let largest_sum = |column: usize| {
        let mut sizes: Vec<f32> = table[column..].iter().step_by(width).map(|value| value.abs()).collect();
        sizes.sort_by(|a, b| b.total_cmp(a));
        // Rounding adds half a unit to each.
        sizes.iter().take(MOST_BITS + 1).sum::<f32>()
    };
    let largest = (0..width).map(largest_sum).fold(f32::MIN_POSITIVE, f32::max);
    largest / f32::from(i16::MAX - MOST_BITS as i16)
}

/// A packed network with room to work in.
#[derive(Debug)]
pub(super) struct Desk {
    ready: Arc<Ready>,
    buffer: DenseBuffer,
    /// The sums of the first layer for these bits.
    sums: Vec<i16>,
    bits: [u64; WORDS],
    x: Vec<f32>,
    y: Vec<f32>,
}

impl Desk {
    pub(super) fn new(ready: Arc<Ready>) -> Desk {
        let sums = ready.places[BIAS as usize * ready.width..].to_vec();
        Desk { ready, buffer: DenseBuffer::default(), sums, bits: [0; WORDS], x: vec![], y: vec![] }
    }

    pub(super) fn embed_bits(&mut self, bits: [u64; WORDS]) -> Embedding {
        self.update(bits);
        let Desk { ready, buffer, sums, x, y, .. } = self;
        x.clear();
        x.extend(sums.iter().map(|&sum| f32::from(sum.max(0)) * ready.scale));
        let mut columns = ready.width;
        for layer in &ready.encoder {
            layer.forward_here(View::new(x, 1, columns), buffer, y);
            columns = layer.outputs();
            x.clear();
            x.extend(y[..columns].iter().map(|y| y.max(0.0)));
        }
        ready.halve(x, buffer)
    }

    /// Brings the sums from the last position to this one, or begins anew where that is less work.
    fn update(&mut self, bits: [u64; WORDS]) {
        let count = |words: &[u64; WORDS]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        let changed: [u64; WORDS] = std::array::from_fn(|at| self.bits[at] ^ bits[at]);
        if count(&changed) > count(&bits) {
            let bias = &self.ready.places[LEN * self.ready.width..];
            self.sums.copy_from_slice(bias);
            self.bits = [0; WORDS];
        }
        let both = |one: [u64; WORDS], other: [u64; WORDS]| std::array::from_fn(|at| one[at] & !other[at]);
        for place in comparator::places(both(bits, self.bits)) {
            let row = &self.ready.places[usize::from(place) * self.ready.width..];
            self.sums.iter_mut().zip(row).for_each(|(sum, row)| *sum += row);
        }
        for place in comparator::places(both(self.bits, bits)) {
            let row = &self.ready.places[usize::from(place) * self.ready.width..];
            self.sums.iter_mut().zip(row).for_each(|(sum, row)| *sum -= row);
        }
        self.bits = bits;
    }

    /// Log odds of pairs of halves, each as it lies.
    fn verdicts<'a>(&mut self, pairs: impl Iterator<Item = (&'a Embedding, &'a Embedding)>) -> Vec<f32> {
        let Desk { ready, buffer, x, y, .. } = self;
        let mut columns = ready.half;
        let mut rows = 0;
        x.clear();
        for (one, other) in pairs {
            let sums = one[..columns].iter().zip(&other[columns..]).zip(&ready.bias);
            x.extend(sums.map(|((one, other), bias)| (one + other + bias).max(0.0)));
            rows += 1;
        }
        for layer in &ready.compare {
            layer.forward_here(View::new(x, rows, columns), buffer, y);
            columns = layer.outputs();
            x.clear();
            for row in y.chunks_exact(rounded(columns)).take(rows) {
                x.extend(row[..columns].iter().map(|y| y.max(0.0)));
            }
        }
        let one = |row: &[f32]| row.iter().zip(&ready.verdict).map(|(x, weight)| x * weight).sum::<f32>();
        x.chunks_exact(columns).map(|row| one(row) + ready.verdict_bias).collect()
    }

    /// How much better an embedding is than others, on average.
    pub(super) fn mean_odds(&mut self, one: &[f32], others: &[&[f32]]) -> f32 {
        let ready = Arc::clone(&self.ready);
        let one = ready.halve(one, &mut self.buffer);
        let others: Vec<Embedding> =
            others.iter().map(|other| ready.halve(other, &mut self.buffer)).collect();
        let verdicts = self.verdicts(others.iter().map(|other| (&one, other)));
        verdicts.iter().sum::<f32>() / others.len() as f32
    }

    /// What the position is worth to the side to move, in log odds of a point: how much better it is than the references to him, less how
    /// much better it is to his opponent.
    pub(super) fn value(&mut self, position: &Chess, turn: Color) -> f32 {
        let ready = Arc::clone(&self.ready);
        let [ours, theirs] = [turn, !turn].map(|player| self.embed_bits(comparator::bits(position, player)));
        let with = |embedding| ready.references.iter().map(move |reference| (embedding, reference));
        let verdicts = self.verdicts(with(&ours).chain(with(&theirs)));
        let [ours, theirs]: [f32; 2] = [0, 1].map(|at| {
            let verdicts = &verdicts[at * REFERENCES..][..REFERENCES];
            verdicts.iter().sum::<f32>() / REFERENCES as f32
        });
        0.5 * ready.odds * (ours - theirs)
    }
}

impl Comparer for Desk {
    fn embed(&mut self, position: &Chess, player: Color) -> Embedding {
        self.embed_bits(comparator::bits(position, player))
    }

    fn compare(&mut self, one: &Embedding, other: &Embedding) -> f32 {
        let verdicts = self.verdicts([(one, other), (other, one)].into_iter());
        0.5 * (verdicts[0] - verdicts[1])
    }

    /// The first position of a game, half seen by the one who moves and half by the other.
    fn draw(&mut self) -> Embedding {
        let [ours, theirs] = Color::ALL.map(|player| self.embed(&Chess::default(), player));
        ours.iter().zip(theirs.iter()).map(|(one, other)| 0.5 * (one + other)).collect()
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use chess::shakmaty::Position;
    use tempfile::tempdir;

    use super::*;
    use crate::{
        comparator::{
            Comparator, ComparatorConfig,
            batch::{pair_rows, push_places},
        },
        fused::Lookups,
        layers::Builder,
        testing::{dataset, samples},
    };

    fn positions() -> Vec<Chess> {
        let folder = tempdir().unwrap();
        samples(&dataset(folder.path(), 4), 24).into_iter().map(|sample| sample.moment.position).collect()
    }

    fn network() -> Comparator {
        Comparator::new(&ComparatorConfig::all_tiny()[0], &mut Builder::new(5, &Device::flex()))
    }

    #[test]
    fn sums_that_follow_moves_are_what_they_are_from_nothing() {
        let ready = Ready::exact(&network().parts());
        let mut going = Desk::new(Arc::clone(&ready));
        for position in positions() {
            let mut next = position.clone();
            next.play_unchecked(position.legal_moves()[0]);
            for position in [position, next] {
                for player in Color::ALL {
                    let fresh = Desk::new(Arc::clone(&ready)).embed(&position, player);
                    assert_eq!(going.embed(&position, player), fresh);
                }
            }
        }
    }

    #[test]
    fn every_arithmetic_gives_about_what_plain_operations_give() {
        let (network, positions) = (network(), positions());
        let (mut places, mut rows) = (Lookups::default(), Lookups::default());
        for position in &positions {
            push_places(position, Color::White, false, &mut places);
        }
        for second in 1..positions.len() {
            pair_rows((0, second), positions.len(), &mut rows);
            pair_rows((second, 0), positions.len(), &mut rows);
        }
        let halves = network.halves(network.embed(&Arc::new(places)));
        let expected = values(network.compare(halves, &Arc::new(rows)));
        for arithmetic in Arithmetic::all() {
            let mut desk = Desk::new(Arc::new(Ready::new(&network.parts(), arithmetic)));
            let embeddings: Vec<Embedding> =
                positions.iter().map(|position| desk.embed(position, Color::White)).collect();
            for (pair, second) in expected.chunks_exact(2).zip(&embeddings[1..]) {
                let found = desk.compare(&embeddings[0], second);
                assert!((found - 0.5 * (pair[0] - pair[1])).abs() < 0.2, "{arithmetic}: {found} {pair:?}");
                assert_eq!(desk.compare(second, &embeddings[0]), -found, "{arithmetic}");
            }
        }
    }

    #[test]
    fn both_players_agree_on_what_a_position_is_worth() {
        let mut desk = Desk::new(Ready::exact(&network().parts()));
        for position in positions() {
            let value = desk.value(&position, position.turn());
            assert_eq!(desk.value(&position, !position.turn()), -value);
        }
    }
}
