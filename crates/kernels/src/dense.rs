//! Dense layers of networks that no longer learn, in int8, bf16 or f32: `y = x * weights + bias`, row by row. A row gives the same
//! bits alone and among others.

use rayon::prelude::*;

use crate::{
    Aligned, Arithmetic,
    int8::{self, Base, Int8Matrix, Int8Rows},
    product::{self, Into, Out, Size, View, product_of},
    rows,
};

/// Rows that one task takes.
const STRIP: usize = 32;

/// The parameters of a dense layer as a network stores them: weights `[inputs, outputs]`, and a bias for each output.
#[derive(Clone, Copy, Debug)]
pub struct Linear<'a> {
    pub weights: View<'a>,
    pub bias: Option<&'a [f32]>,
}

impl<'a> Linear<'a> {
    /// `weights` has the outputs of the first input first.
    pub fn new(weights: &'a [f32], inputs: usize, outputs: usize, bias: Option<&'a [f32]>) -> Linear<'a> {
        assert_eq!(weights.len(), inputs * outputs);
        assert!(bias.is_none_or(|bias| bias.len() == outputs));
        Linear { weights: View::new(weights, inputs, outputs), bias }
    }
}

/// A dense layer with its weights laid out for the CPU.
#[derive(Clone, Debug)]
pub struct Dense {
    arithmetic: Arithmetic,
    inputs: usize,
    outputs: usize,
    weights: DenseWeights,
    /// For whole groups of columns.
    bias: Option<Vec<f32>>,
}

#[derive(Clone, Debug)]
enum DenseWeights {
    /// f32 or bf16, as the level multiplies.
    Floats(Aligned),
    Bytes(Int8Matrix),
}

/// Memory for the left factor of a dense layer's product, used again from call to call.
#[derive(Debug, Default)]
pub struct DenseBuffer {
    words: Aligned,
    bytes: Int8Rows,
}

impl Dense {
    pub fn new(arithmetic: Arithmetic, linear: Linear<'_>) -> Dense {
        let View { rows: inputs, columns: outputs, .. } = linear.weights;
        let level = arithmetic.level();
        let weights = match arithmetic.int8() {
            Some(_) => DenseWeights::Bytes(Int8Matrix::new(linear.weights, linear.bias)),
            None => {
                let mut to = Aligned::scratch(product::words(level, outputs, inputs));
                product::right(level, linear.weights, &mut to);
                DenseWeights::Floats(to)
            }
        };
        let bias = linear.bias.map(|bias| {
            let mut bias = bias.to_vec();
            bias.resize(product::rounded(outputs), 0.0);
            bias
        });
        Dense { arithmetic, inputs, outputs, weights, bias }
    }

    pub fn inputs(&self) -> usize {
        self.inputs
    }

    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Rows of `outputs` numbers from rows of `inputs` numbers, on all threads.
    pub fn forward(&self, x: &[f32], y: &mut [f32]) {
        let rows = x.len() / self.inputs;
        assert!(x.len() == rows * self.inputs && y.len() == rows * self.outputs);
        let strips = y.par_chunks_mut(STRIP * self.outputs).zip(x.par_chunks(STRIP * self.inputs));
        strips.for_each(|(y, x)| {
            let rows = x.len() / self.inputs;
            let (stride, tall) = (product::rounded(self.outputs), product::rounded(rows));
            let (x, mut buffer) = (View::new(x, rows, self.inputs), DenseBuffer::default());
            let mut wide = Aligned::scratch(tall * stride);
            self.rows(x, &mut buffer, &mut wide, stride, Base::Nothing);
            for (y, wide) in y.chunks_exact_mut(self.outputs).zip(wide.chunks_exact(stride)) {
                y.copy_from_slice(&wide[..self.outputs]);
            }
        });
    }

    /// A few rows on this thread, which begin [`product::rounded`] `outputs` apart.
    pub fn forward_here(&self, x: View<'_>, buffer: &mut DenseBuffer, y: &mut Vec<f32>) {
        let stride = product::rounded(self.outputs);
        y.resize(product::rounded(x.rows) * stride, 0.0);
        self.rows(x, buffer, y, stride, Base::Nothing);
    }

    /// The rows of a matrix on this thread. Rows of `out` begin `stride` apart; whole groups of sixteen columns are written, and on
    /// tiles whole groups of sixteen rows.
    pub(crate) fn rows(
        &self,
        x: View<'_>,
        buffer: &mut DenseBuffer,
        out: &mut [f32],
        stride: usize,
        base: Base<'_>,
    ) {
        assert_eq!(x.columns, self.inputs);
        let level = self.arithmetic.level();
        match (&self.weights, self.arithmetic.int8()) {
            (DenseWeights::Bytes(matrix), Some(by)) => {
                buffer.bytes.fill(by, x);
                int8::gemm(by, &buffer.bytes, matrix, out, stride, base);
            }
            (DenseWeights::Floats(right), _) => {
                let words = product::words(level, x.rows, x.columns);
                if level.rounds() && buffer.words.len() < words {
                    buffer.words = Aligned::zeros(words);
                }
                let size = Size { m: x.rows, n: self.outputs, k: self.inputs };
                let into = match (base, &self.bias) {
                    (Base::There, _) => Into::Add,
                    (Base::Matrix(values), _) => Into::Onto(values),
                    (Base::Nothing, Some(bias)) => Into::Row(bias),
                    (Base::Nothing, None) => Into::Replace,
                };
                let to = Out { values: &mut *out, stride, into };
                product_of(level, size, x, &mut buffer.words, right, to);
                if let Some(bias) = self.bias.as_ref().filter(|_| base != Base::Nothing) {
                    rows::add_bias(level, out, stride, x.rows, bias);
                }
            }
            (DenseWeights::Bytes(_), None) => unreachable!("weights are bytes only beside int8"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Plain, random};

    #[test]
    fn every_arithmetic_is_close_to_plain_code_for_any_number_of_rows_and_columns() {
        for [rows, inputs, outputs] in [[1, 64, 3], [2, 96, 1858], [65, 128, 48], [33, 256, 100]] {
            let (x, weights) = (random(1, rows * inputs), random(2, inputs * outputs));
            let bias = random(3, outputs);
            let wide = |values: &[f32]| values.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
            for bias in [None, Some(&bias[..])] {
                let none = vec![0.0; outputs];
                let expected = Plain::linear(&wide(&x), &wide(&weights), &wide(bias.unwrap_or(&none)));
                for arithmetic in Arithmetic::all() {
                    let dense = Dense::new(arithmetic, Linear::new(&weights, inputs, outputs, bias));
                    let mut y = vec![0.0; rows * outputs];
                    dense.forward(&x, &mut y);
                    let errors = y.iter().zip(&expected).map(|(y, e)| (f64::from(*y) - e).powi(2));
                    let error = (errors.sum::<f64>() / y.len() as f64).sqrt();
                    let allowed = match arithmetic.int8() {
                        Some(_) => 0.05,
                        None if arithmetic.level().rounds() => 0.05,
                        None => 1e-5,
                    };
                    assert!(error < allowed, "{arithmetic} {rows} {inputs} {outputs}: {error}");
                }
            }
        }
    }

    #[test]
    fn a_row_has_the_same_bits_alone_and_among_others() {
        let [rows, inputs, outputs] = [37, 128, 80];
        let (x, weights) = (random(1, rows * inputs), random(2, inputs * outputs));
        for arithmetic in Arithmetic::all() {
            let dense = Dense::new(arithmetic, Linear::new(&weights, inputs, outputs, None));
            let mut together = vec![0.0; rows * outputs];
            dense.forward(&x, &mut together);
            for (x, together) in x.chunks(inputs).zip(together.chunks(outputs)) {
                let mut alone = vec![0.0; outputs];
                dense.forward(x, &mut alone);
                assert_eq!(alone, together, "{arithmetic}");
            }
        }
    }
}
