//! Attention's softmax: rows of scores to rows of weights, and back.

#[cfg(target_arch = "x86_64")]
pub(crate) mod packed;
#[cfg(target_arch = "x86_64")]
mod packed_back;

use crate::{
    Level, math, product,
    simd::{self, Simd, Task},
};

/// `scores * scale + bias` to weights that sum to 1 over the first `valid` columns of each row; the rest of a row becomes 0.
/// Rows of `scores` are `stride` apart, rows of `bias` are `valid` apart.
pub fn forward(
    level: Level,
    scores: &mut [f32],
    stride: usize,
    valid: usize,
    scale: f32,
    bias: Option<&[f32]>,
) {
    assert!(0 < valid && valid <= stride && stride.is_multiple_of(16));
    let rows = scores.len() / stride;
    assert!(bias.is_none_or(|bias| bias.len() >= rows * valid));
    simd::run(level, Forward { scores, stride, valid, scale, bias });
}

/// Like [`forward`] with rows a whole grain apart, but the weights go to `to`, packed as a left factor, and the scores are lost. Only where
/// the level rounds.
pub fn packed(
    level: Level,
    scores: &mut [f32],
    valid: usize,
    scale: f32,
    bias: Option<&[f32]>,
    to: &mut [f32],
) {
    let stride = product::rounded(valid);
    let rows = scores.len() / stride;
    assert!(level.rounds() && to.len() >= product::words(level, rows, valid));
    assert!(bias.is_none_or(|bias| bias.len() >= rows * valid));
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the level says that the CPU has the instructions; lengths were checked above.
    if valid == 64 && rows.is_multiple_of(64) && unsafe { packed::rows(scores, scale, bias, to) } {
        return;
    }
    forward(level, scores, stride, valid, scale, bias);
    product::left(level, product::View { values: scores, rows, columns: valid, stride }, to);
}

/// The backward pass: `gradient` of the weights becomes that of `scores` before they were scaled, and `to_bias` that of the bias, if it
/// is asked for. Rows lie as in the forward pass.
pub fn backward(
    level: Level,
    weights: &[f32],
    gradient: &mut [f32],
    stride: usize,
    valid: usize,
    scale: f32,
    to_bias: Option<&mut [f32]>,
) {
    assert!(stride.is_multiple_of(16) && valid <= stride && weights.len() == gradient.len());
    assert!(to_bias.as_ref().is_none_or(|bias| bias.len() >= weights.len() / stride * valid));
    simd::run(level, Backward { weights, gradient, stride, valid, scale, to_bias });
}

/// A row of a left factor that [`product::left_rows`] would pack: the gradients of one head's biases.
#[derive(Debug)]
pub(crate) struct GradientRow<'a> {
    pub(crate) gradients: &'a mut [f32],
    pub(crate) row: usize,
}

/// Like [`backward`] for 64 rows of 64 weights that are packed as a left factor; gradients of the bias are rounded and packed, too. Only
/// where the level rounds.
pub(crate) fn backward_packed(
    level: Level,
    weights: &[f32],
    gradient: &mut [f32],
    scale: f32,
    to_bias: Option<GradientRow<'_>>,
) {
    assert!(level.rounds() && weights.len() >= product::words(level, 64, 64) && gradient.len() >= 64 * 64);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the level says that the CPU has the instructions; lengths were checked above and are where gradients are cut.
    unsafe {
        packed_back::rows(weights, gradient, scale, to_bias);
    }
}

struct Forward<'a> {
    scores: &'a mut [f32],
    stride: usize,
    valid: usize,
    scale: f32,
    bias: Option<&'a [f32]>,
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let valid = self.valid;
        for (row, scores) in self.scores.chunks_exact_mut(self.stride).enumerate() {
            let bias = self.bias.map(|bias| &bias[row * valid..][..valid]);
            if valid == 64 && S::LANES == 16 {
                short_row::<S, 4>(&mut scores[..64], self.scale, bias);
            } else {
                long_row::<S>(&mut scores[..valid], self.scale, bias);
            }
            scores[valid..].fill(0.0);
        }
    }
}

/// A row that fits into registers.
#[inline(always)]
fn short_row<S: Simd, const N: usize>(row: &mut [f32], scale: f32, bias: Option<&[f32]>) {
    let scale = S::splat(scale);
    let mut xs = [scale; N];
    for (i, to) in xs.iter_mut().enumerate() {
        let x = S::load(&row[i * S::LANES..]);
        *to = match bias {
            Some(bias) => S::fma(x, scale, S::load(&bias[i * S::LANES..])),
            None => S::mul(x, scale),
        };
    }
    let mut top = xs[0];
    for &x in &xs[1..] {
        top = S::max(x, top);
    }
    let top = S::splat(S::largest(top));
    let mut sum = S::splat(0.0);
    for x in &mut xs {
        *x = math::exp::<S>(S::sub(*x, top));
        sum = S::add(sum, *x);
    }
    let share = S::splat(1.0 / S::sum(sum));
    for (i, &x) in xs.iter().enumerate() {
        S::store(S::mul(x, share), &mut row[i * S::LANES..]);
    }
}

#[inline(always)]
pub(crate) fn long_row<S: Simd>(row: &mut [f32], scale: f32, bias: Option<&[f32]>) {
    let whole = row.len() / S::LANES * S::LANES;
    let mut top = S::splat(f32::NEG_INFINITY);
    for i in (0..whole).step_by(S::LANES) {
        let x = S::mul(S::load(&row[i..]), S::splat(scale));
        let x = match bias {
            Some(bias) => S::add(x, S::load(&bias[i..])),
            None => x,
        };
        S::store(x, &mut row[i..]);
        top = S::max(x, top);
    }
    let mut top = S::largest(top);
    for i in whole..row.len() {
        row[i] = row[i] * scale + bias.map_or(0.0, |bias| bias[i]);
        top = if row[i] > top { row[i] } else { top };
    }
    let mut sum = S::splat(0.0);
    let (body, tail) = row.split_at_mut(whole);
    for x in body.chunks_exact_mut(S::LANES) {
        let e = math::exp::<S>(S::sub(S::load(x), S::splat(top)));
        S::store(e, x);
        sum = S::add(sum, e);
    }
    let e = math::exp::<S>(S::sub(S::load_part(tail, f32::NEG_INFINITY), S::splat(top)));
    S::store_part(e, tail);
    let share = 1.0 / S::sum(S::add(sum, e));
    for x in body.chunks_exact_mut(S::LANES) {
        S::store(S::mul(S::load(x), S::splat(share)), x);
    }
    tail.iter_mut().for_each(|x| *x *= share);
}

struct Backward<'a> {
    weights: &'a [f32],
    gradient: &'a mut [f32],
    stride: usize,
    valid: usize,
    scale: f32,
    to_bias: Option<&'a mut [f32]>,
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let (stride, valid, scale) = (self.stride, self.valid, S::splat(self.scale));
        let rows = self.weights.chunks_exact(stride).zip(self.gradient.chunks_exact_mut(stride));
        for (row, (weights, gradient)) in rows.enumerate() {
            let mut along = S::splat(0.0);
            for i in (0..stride).step_by(S::LANES) {
                along = S::fma(S::load(&weights[i..]), S::load(&gradient[i..]), along);
            }
            let along = S::splat(S::sum(along));
            let mut to_bias = self.to_bias.as_mut().map(|to| &mut to[row * valid..][..valid]);
            for i in (0..stride).step_by(S::LANES) {
                let d = S::mul(S::load(&weights[i..]), S::sub(S::load(&gradient[i..]), along));
                S::store(S::mul(d, scale), &mut gradient[i..]);
                if let Some(to_bias) = &mut to_bias {
                    if i + S::LANES <= valid {
                        S::store(d, &mut to_bias[i..]);
                    } else if i < valid {
                        S::store_part(d, &mut to_bias[i..]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Plain, random};

    #[test]
    fn packed_weights_are_those_of_plain_softmax_however_large_the_scores() {
        for level in Level::all().filter(|level| level.rounds()) {
            for (size, valid) in [(1.0, 64), (30.0, 64), (1000.0, 64), (3.0, 40)] {
                let stride = product::rounded(valid);
                let mut scores: Vec<f32> = random(1, valid * stride).into_iter().map(|x| size * x).collect();
                let bias = random(2, valid * valid);
                let given = scores.clone();
                let mut packed_weights = vec![0.0; product::words(level, stride, valid)];
                packed(level, &mut scores, valid, 0.5, Some(&bias), &mut packed_weights);
                let mut weights = vec![f32::NAN; stride * stride];
                product::unpack_left(level, &packed_weights, valid, valid, &mut weights, stride);
                for row in 0..valid {
                    let x = |i: usize| {
                        f64::from(given[row * stride + i]) * 0.5 + f64::from(bias[row * valid + i])
                    };
                    let expected = Plain::softmax(&(0..valid).map(x).collect::<Vec<_>>());
                    for (found, expected) in weights[row * stride..].iter().zip(expected) {
                        let error = (f64::from(*found) - expected).abs();
                        assert!(error < 0.004 * expected + 1e-6, "{level} {size} {row}: {found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn nan_reaches_the_packed_weights_of_its_row_alone() {
        for level in Level::all().filter(|level| level.rounds()) {
            let mut scores = vec![0.0; 64 * 64];
            scores[64 * 5 + 3] = f32::NAN;
            let mut packed_weights = vec![0.0; product::words(level, 64, 64)];
            packed(level, &mut scores, 64, 1.0, None, &mut packed_weights);
            let mut weights = vec![0.0; 64 * 64];
            product::unpack_left(level, &packed_weights, 64, 64, &mut weights, 64);
            assert!(weights.iter().enumerate().all(|(i, x)| x.is_nan() == (i / 64 == 5)), "{level}");
        }
    }
}
