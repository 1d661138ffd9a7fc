//! The first layers: nine dilated convolutions side by side, so that a square sees exactly the squares from which a piece could
//! threaten it, then a product per square.

use std::sync::Arc;

use burn::{
    module::{Module, Param},
    nn::Linear,
    tensor::{Tensor, TensorData, activation::relu, module::conv2d, ops::ConvOptions},
};
use chess::encoding::ranker::PLANES;
use kernels::{
    Level,
    dilated::{self, BRANCHES, Branch},
};

use crate::{
    fused::{self, Flat, Ones},
    layers::Builder,
    weights::values,
};

#[derive(Module, Debug)]
pub(super) struct Stem {
    /// Rows of each convolution: [taps x planes, channels].
    branches: Vec<Param<Tensor<2>>>,
    bias: Param<Tensor<1>>,
    mix: Linear,
}

/// The layers with their parameters packed for the CPU.
#[derive(Debug)]
pub(super) struct ReadyStem {
    packed: dilated::PackedDilated,
    width: usize,
}

/// Ones that a convolution usually meets, for the size of its first weights.
const USUAL_ONES: f32 = 4.0;

impl Stem {
    pub(super) fn new(channels: [usize; 9], width: usize, builder: &mut Builder<'_>) -> Stem {
        let branch = |(branch, channels): (&Branch, usize)| {
            builder.normal([branch.taps() * PLANES, channels], (1.0 / USUAL_ONES).sqrt())
        };
        let branches = BRANCHES.iter().zip(channels).map(branch).collect();
        let total = channels.iter().sum();
        Stem { branches, bias: builder.constant([total], 0.0), mix: builder.linear(total, width, true) }
    }

    /// [boards, 64, width].
    pub(super) fn forward(&self, ones: &Arc<Ones>) -> Tensor<3> {
        match self.shape() {
            Some(shape) => fused::stem(Level::best(), shape, ones, self.flat()),
            None => self.plain(ones),
        }
    }

    /// Packed for the CPU; nothing where that does not fit.
    pub(super) fn ready(&self) -> Option<ReadyStem> {
        let shape = self.shape()?;
        let packed = dilated::PackedDilated::new(Level::best(), shape, &values(self.flat()), false);
        Some(ReadyStem { packed, width: shape.width })
    }

    fn shape(&self) -> Option<dilated::Shape> {
        let channels = std::array::from_fn(|at| self.branches[at].val().dims()[1]);
        let [_, width] = self.mix.weight.val().dims();
        let shape = dilated::Shape { planes: PLANES, channels, width };
        if fused::reachable() && !shape.fits() {
            fused::tell_fallback(&format!("a stem of {shape:?}"));
        }
        (fused::reachable() && shape.fits()).then_some(shape)
    }

    fn flat(&self) -> Tensor<1> {
        let flat = Flat::new(&self.bias.val().device());
        self.branches.iter().fold(flat, Flat::tensor).tensor(&self.bias).linear(&self.mix).done()
    }

    /// The same by burn's own operations.
    fn plain(&self, ones: &Ones) -> Tensor<3> {
        let boards = ones.ends.len();
        let mut planes = vec![0.0f32; boards * PLANES * 64];
        let mut start = 0;
        for (board, &end) in planes.chunks_exact_mut(PLANES * 64).zip(&ones.ends) {
            for place in ones.places[start..end].iter().map(|&place| usize::from(place)) {
                board[place % PLANES * 64 + place / PLANES] = 1.0;
            }
            start = end;
        }
        let planes = TensorData::new(planes, [boards, PLANES, 8, 8]);
        let planes: Tensor<4> = Tensor::from_data(planes, &self.bias.val().device());
        let convolve = |(branch, rows): (&Branch, &Param<Tensor<2>>)| {
            let rows = rows.val();
            let [_, channels] = rows.dims();
            let weight = rows.reshape([branch.size, branch.size, PLANES, channels]).permute([3, 2, 0, 1]);
            // `Same` would leave the dilation out of account.
            let options = ConvOptions::new([1, 1], branch.padding(), branch.dilation, 1);
            conv2d(planes.clone(), weight, None, options).reshape([boards, channels, 64])
        };
        let seen: Vec<Tensor<3>> = BRANCHES.iter().zip(&self.branches).map(convolve).collect();
        let seen = Tensor::cat(seen, 1).swap_dims(1, 2) + self.bias.val().unsqueeze(); // [boards, 64, channels]
        relu(self.mix.forward(relu(seen)))
    }
}

impl ReadyStem {
    pub(super) fn forward(&self, ones: &Ones) -> Vec<f32> {
        fused::ready_stem(&self.packed, self.width, ones)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use chess::shakmaty::{Bitboard, Square, attacks};

    use super::*;
    use crate::weights::Weights;

    const CHANNELS: [usize; 9] = [16, 5, 4, 3, 2, 2, 2, 4, 4];

    fn ones(boards: &[&[(u16, u16)]]) -> Arc<Ones> {
        let mut ones = Ones::default();
        for board in boards {
            ones.places.extend(board.iter().map(|(square, plane)| square * PLANES as u16 + plane));
            ones.ends.push(ones.places.len());
        }
        Arc::new(ones)
    }

    #[test]
    fn a_square_sees_exactly_itself_and_the_squares_of_which_it_could_be_threatened() {
        let device = Device::flex();
        let mut stem = Stem::new(CHANNELS, 32, &mut Builder::new(3, &device));
        // Positive numbers only, so that nothing is hidden by the rectifiers.
        let weights = Weights::of(&stem).0.into_iter().map(|(name, mut array)| {
            array.values.iter_mut().for_each(|value| *value = value.abs() + 0.01);
            (name, array)
        });
        stem = Weights(weights.collect()).install(stem);
        let seen = |board: &[(u16, u16)]| {
            [values(stem.forward(&ones(&[board]))), values(stem.plain(&ones(&[board])))]
        };
        let empty = seen(&[]);
        for piece in Square::ALL {
            let found = seen(&[(u16::from(u8::from(piece)), 4)]);
            let expected = attacks::queen_attacks(piece, Bitboard::EMPTY)
                | attacks::knight_attacks(piece)
                | Bitboard::from_square(piece);
            for (found, empty) in found.iter().zip(&empty) {
                let squares = found.chunks_exact(32).zip(empty.chunks_exact(32));
                for (square, (found, empty)) in Square::ALL.into_iter().zip(squares) {
                    let changed = found.iter().zip(empty).any(|(a, b)| (a - b).abs() > 1e-3);
                    assert_eq!(changed, expected.contains(square), "a piece on {piece} seen from {square}");
                }
            }
        }
    }

    #[test]
    fn sums_of_rows_give_what_convolutions_give() {
        let device = Device::flex().autodiff();
        let mut builder = Builder::new(3, &device);
        let stem = Stem::new(CHANNELS, 32, &mut builder);
        let ones = ones(&[&[(0, 3), (9, 14), (63, 0), (36, 7)], &[], &[(28, 1), (35, 2), (56, 9), (7, 9)]]);
        let weights = builder.normal([3, 64, 32], 1.0).val().detach();
        let results = |y: Tensor<3>| {
            let gradients = (y.clone() * weights.clone()).sum().backward();
            let slopes = Weights::gradients(&stem, &gradients).0.into_values();
            [values(y), slopes.flat_map(|array| array.values).collect()]
        };
        let expected = results(stem.plain(&ones));
        let size = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>().sqrt();
        for level in Level::all() {
            let shape = stem.shape().expect("a shape that fits");
            let found = results(fused::stem(level, shape, &ones, stem.flat()));
            for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let error = size(&mut found.iter().zip(expected).map(|(a, b)| a - b));
                let share = error / size(&mut expected.iter().copied());
                // As in residual blocks bf16 opens or closes some gates, and rows of a few pieces are sums of few numbers.
                assert!(share < if level.rounds() { 0.1 } else { 1e-4 }, "{level} {at}: {share}");
            }
        }
    }
}
