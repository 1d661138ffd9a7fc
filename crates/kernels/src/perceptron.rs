//! A small head on rows that learns: `y = down(gelu(up(norm(x))))`, and the backward pass, a strip of rows at a time.

use std::ops::Range;

use rayon::prelude::*;

use crate::{
    Activation, Aligned, Level, activation,
    norm::{self, Moments},
    product::{self, Into, Out, Size, View, rounded},
    rows,
};

/// Rows that go through together.
const STRIP: usize = 128;
/// Rows whose gradients of the parameters one task sums.
const GROUP: usize = 8 * STRIP;

/// Sizes of a head; all but the outputs are multiples of sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub inputs: usize,
    pub hidden: usize,
    pub outputs: usize,
}

impl Shape {
    /// Whether such heads can be computed here.
    pub fn fits(self) -> bool {
        [self.inputs, self.hidden].iter().all(|&width| width > 0 && width.is_multiple_of(16))
            && self.outputs > 0
    }

    /// Weight and bias of the norm, then `[inputs, hidden]` and its bias, then `[hidden, outputs]` and its bias.
    pub fn parameters(self) -> usize {
        self.places().down_bias.end
    }

    fn places(self) -> Places {
        let mut end = 0;
        let mut next = |len: usize| {
            end += len;
            end - len..end
        };
        Places {
            norm: next(self.inputs),
            norm_bias: next(self.inputs),
            up: next(self.inputs * self.hidden),
            up_bias: next(self.hidden),
            down: next(self.hidden * self.outputs),
            down_bias: next(self.outputs),
        }
    }
}

struct Places {
    norm: Range<usize>,
    norm_bias: Range<usize>,
    up: Range<usize>,
    up_bias: Range<usize>,
    down: Range<usize>,
    down_bias: Range<usize>,
}

/// A head with its weights laid out for the CPU.
#[derive(Clone, Debug)]
pub struct PackedPerceptron {
    level: Level,
    shape: Shape,
    norm: Vec<f32>,
    norm_bias: Vec<f32>,
    up: Aligned,
    up_bias: Vec<f32>,
    down: Aligned,
    /// For whole groups of columns.
    down_bias: Vec<f32>,
    /// The transposes of `up` and `down`, for the backward pass.
    back: Option<[Aligned; 2]>,
}

impl PackedPerceptron {
    /// `train` if the backward pass will be asked for.
    pub fn new(level: Level, shape: Shape, parameters: &[f32], train: bool) -> PackedPerceptron {
        assert!(shape.fits() && parameters.len() == shape.parameters(), "{shape:?}");
        let places = shape.places();
        let up = View::new(&parameters[places.up], shape.inputs, shape.hidden);
        let down = View::new(&parameters[places.down], shape.hidden, shape.outputs);
        let ahead = |view: View<'_>| {
            let mut to = Aligned::zeros(product::words(level, view.columns, view.rows));
            product::right(level, view, &mut to);
            to
        };
        let back = |view: View<'_>| {
            let mut to = Aligned::zeros(product::words(level, view.rows, view.columns));
            product::right_transposed(level, view, &mut to);
            to
        };
        let mut down_bias = parameters[places.down_bias].to_vec();
        down_bias.resize(rounded(shape.outputs), 0.0);
        PackedPerceptron {
            level,
            shape,
            norm: parameters[places.norm].to_vec(),
            norm_bias: parameters[places.norm_bias].to_vec(),
            up: ahead(up),
            up_bias: parameters[places.up_bias].to_vec(),
            down: ahead(down),
            down_bias,
            back: train.then(|| [back(up), back(down)]),
        }
    }
}

/// Rows of outputs from rows of inputs.
pub fn forward(packed: &PackedPerceptron, x: &[f32], y: &mut [f32]) {
    let Shape { inputs, outputs, .. } = packed.shape;
    assert_eq!(x.len() / inputs * outputs, y.len());
    let strips = y.par_chunks_mut(STRIP * outputs).zip(x.par_chunks(STRIP * inputs));
    strips.for_each(|(y, x)| {
        let strip = Strip::new(packed, x);
        let stride = rounded(outputs);
        let mut wide = Aligned::scratch(rounded(strip.count) * stride);
        let out = Out { values: &mut wide, stride, into: Into::Row(&packed.down_bias) };
        strip.multiply(packed.level, &strip.active, packed.shape.hidden, &packed.down, outputs, out);
        for (y, wide) in y.chunks_exact_mut(outputs).zip(wide.chunks_exact(stride)) {
            y.copy_from_slice(&wide[..outputs]);
        }
    });
}

/// From the gradient of `y` to that of `x`; returns that of the parameters.
pub fn backward(packed: &PackedPerceptron, x: &[f32], gradient: &[f32], to_x: &mut [f32]) -> Vec<f32> {
    let Shape { inputs, outputs, .. } = packed.shape;
    assert!(x.len() == to_x.len() && x.len() / inputs * outputs == gradient.len());
    let places = packed.shape.places();
    let groups = to_x.par_chunks_mut(GROUP * inputs).zip(x.par_chunks(GROUP * inputs));
    let groups = groups.zip(gradient.par_chunks(GROUP * outputs));
    let sums: Vec<Sums> = groups
        .map(|((to_x, x), gradient)| {
            let mut sums = Sums::new(packed.shape);
            let strips = to_x.chunks_mut(STRIP * inputs).zip(x.chunks(STRIP * inputs));
            for ((to_x, x), gradient) in strips.zip(gradient.chunks(STRIP * outputs)) {
                Strip::new(packed, x).back(packed, x, gradient, to_x, &mut sums);
            }
            sums
        })
        .collect();
    let mut total = vec![0.0; packed.shape.parameters()];
    for Sums { before, down, down_bias } in &sums {
        rows::add(packed.level, &mut total[..places.down.start], before);
        rows::add(packed.level, &mut total[places.down_bias.clone()], down_bias);
        let down = down.chunks_exact(rounded(outputs));
        for (total, down) in total[places.down.clone()].chunks_exact_mut(outputs).zip(down) {
            rows::add(packed.level, total, &down[..outputs]);
        }
    }
    total
}

/// Gradients of parameters, summed over some rows.
struct Sums {
    /// Of all parameters before `down`.
    before: Aligned,
    /// With room for whole groups of columns.
    down: Aligned,
    down_bias: Vec<f32>,
}

impl Sums {
    fn new(shape: Shape) -> Sums {
        Sums {
            before: Aligned::zeros(shape.places().down.start),
            down: Aligned::zeros(shape.hidden * rounded(shape.outputs)),
            down_bias: vec![0.0; shape.outputs],
        }
    }
}

/// Some rows on their way: normalised, and before and after the activation.
struct Strip {
    count: usize,
    moments: Vec<Moments>,
    normed: Aligned,
    raised: Aligned,
    active: Aligned,
}

impl Strip {
    fn new(packed: &PackedPerceptron, x: &[f32]) -> Strip {
        let (level, Shape { inputs, hidden, .. }) = (packed.level, packed.shape);
        let count = x.len() / inputs;
        let buffer = |width: usize| Aligned::scratch(rounded(count) * width);
        let mut strip = Strip {
            count,
            moments: vec![Moments::default(); count],
            normed: buffer(inputs),
            raised: buffer(hidden),
            active: buffer(hidden),
        };
        let normed = &mut strip.normed[..count * inputs];
        norm::forward(level, x, &packed.norm, Some(&packed.norm_bias), normed, &mut strip.moments);
        let mut raised = std::mem::take(&mut strip.raised);
        let out = Out { values: &mut raised, stride: hidden, into: Into::Row(&packed.up_bias) };
        strip.multiply(level, &strip.normed, inputs, &packed.up, hidden, out);
        strip.raised = raised;
        let (raised, active) = (&strip.raised[..count * hidden], &mut strip.active[..count * hidden]);
        activation::forward(level, Activation::Gelu, raised, hidden, active);
        strip
    }

    /// Multiplies rows of `k` numbers by a packed matrix of `n` columns.
    fn multiply(&self, level: Level, rows: &[f32], k: usize, right: &[f32], n: usize, out: Out<'_>) {
        let mut buffer = Aligned::default();
        if level.rounds() {
            buffer = Aligned::scratch(product::words(level, rounded(self.count), k));
        }
        let size = Size { m: self.count, n, k };
        product::product_of(level, size, View::new(rows, self.count, k), &mut buffer, right, out);
    }

    /// Fills the gradient of `x` and adds those of the parameters.
    fn back(
        &self,
        packed: &PackedPerceptron,
        x: &[f32],
        gradient: &[f32],
        to_x: &mut [f32],
        sums: &mut Sums,
    ) {
        let (level, count, shape) = (packed.level, self.count, packed.shape);
        let Shape { inputs, hidden, outputs } = shape;
        let places = shape.places();
        let [back_up, back_down] = packed.back.as_ref().expect("a head packed for training");
        rows::add_columns(level, View::new(gradient, count, outputs), &mut sums.down_bias);
        let down = Out { values: &mut sums.down, stride: rounded(outputs), into: Into::Add };
        add_outer(level, (&self.active, hidden), (gradient, outputs), count, down);
        let [mut to_active, mut to_raised] = [(); 2].map(|()| Aligned::scratch(rounded(count) * hidden));
        let out = Out { values: &mut to_active, stride: hidden, into: Into::Replace };
        self.multiply(level, gradient, outputs, back_down, hidden, out);
        let used = ..count * hidden;
        let mut active = Aligned::scratch(count * hidden);
        let (raised, to_active) = (&self.raised[used], &to_active[used]);
        activation::backward(
            level,
            Activation::Gelu,
            raised,
            hidden,
            to_active,
            &mut active,
            &mut to_raised[used],
        );
        rows::add_rows(level, &to_raised[used], &mut sums.before[places.up_bias]);
        let up = Out { values: &mut sums.before[places.up], stride: hidden, into: Into::Add };
        add_outer(level, (&self.normed, inputs), (&to_raised[used], hidden), count, up);
        let mut to_normed = Aligned::scratch(rounded(count) * inputs);
        let out = Out { values: &mut to_normed, stride: inputs, into: Into::Replace };
        self.multiply(level, &to_raised[used], hidden, back_up, inputs, out);
        to_x.fill(0.0);
        let both = &mut sums.before[places.norm.start..places.norm_bias.end];
        let (to_weight, to_bias) = both.split_at_mut(inputs);
        let to_normed = &to_normed[..count * inputs];
        norm::backward(level, x, &self.moments, &packed.norm, to_normed, to_x, to_weight, Some(to_bias));
    }
}

/// Adds the product of the transpose of rows of one width with rows of another.
fn add_outer(
    level: Level,
    (left, m): (&[f32], usize),
    (right, n): (&[f32], usize),
    count: usize,
    out: Out<'_>,
) {
    let mut turned = Aligned::scratch(product::words(level, m, count));
    product::left_transposed(level, View::new(left, count, m), &mut turned);
    let mut packed = Aligned::scratch(product::words(level, n, count));
    product::right(level, View::new(right, count, n), &mut packed);
    product::product_transposed(level, Size { m, n, k: count }, &turned, &packed, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Plain, differences, random};

    fn wide(values: &[f32]) -> Vec<f64> {
        values.iter().map(|&x| f64::from(x)).collect()
    }

    fn plain(shape: Shape, parameters: &[f64], x: &[f64]) -> Vec<f64> {
        let Places { norm, norm_bias, up, up_bias, down, down_bias } = shape.places();
        let normed = Plain::norm(x, &parameters[norm], &parameters[norm_bias]);
        let raised = Plain::linear(&normed, &parameters[up], &parameters[up_bias]);
        let active = Plain::activation(Activation::Gelu, &raised, shape.hidden);
        Plain::linear(&active, &parameters[down], &parameters[down_bias])
    }

    fn error(found: &[f32], expected: &[f64]) -> f64 {
        assert_eq!(found.len(), expected.len());
        let squares = found.iter().zip(expected).map(|(f, e)| (f64::from(*f) - e).powi(2)).sum::<f64>();
        (squares / expected.iter().map(|e| e * e).sum::<f64>().max(1e-9)).sqrt()
    }

    #[test]
    fn there_and_back_is_what_plain_code_and_differences_say_for_any_sizes() {
        for (rows, inputs, hidden, outputs) in
            [(1, 16, 32, 7), (37, 32, 16, 1), (130, 32, 48, 16), (20, 48, 32, 33)]
        {
            let shape = Shape { inputs, hidden, outputs };
            let mut parameters = random(2, shape.parameters());
            let [x, factors] = [random(1, rows * inputs), random(3, rows * outputs)];
            parameters[shape.places().norm].iter_mut().for_each(|weight| *weight += 1.5);
            let (all, given) = (wide(&parameters), wide(&x));
            let expected = plain(shape, &all, &given);
            let loss = |parameters: &[f64], x: &[f64]| -> f64 {
                plain(shape, parameters, x).iter().zip(&factors).map(|(y, f)| y * f64::from(*f)).sum()
            };
            let some = |len: usize| (0..len).step_by((len / 40).max(1)).collect::<Vec<_>>();
            let (at_x, at_parameters) = (some(x.len()), some(parameters.len()));
            let to_x = differences(&given, &at_x, |x| loss(&all, x));
            let to_parameters = differences(&all, &at_parameters, |all| loss(all, &given));
            for level in Level::all() {
                let packed = PackedPerceptron::new(level, shape, &parameters, true);
                let (mut y, mut back) = (vec![9.0; rows * outputs], vec![9.0; x.len()]);
                forward(&packed, &x, &mut y);
                let found = backward(&packed, &x, &factors, &mut back);
                let pick = |from: &[f32], at: &[usize]| at.iter().map(|&at| from[at]).collect::<Vec<_>>();
                let allowed = if level.rounds() { 0.03 } else { 1e-4 };
                for (name, error) in [
                    ("y", error(&y, &expected)),
                    ("x", error(&pick(&back, &at_x), &to_x)),
                    ("parameters", error(&pick(&found, &at_parameters), &to_parameters)),
                ] {
                    assert!(error < allowed, "{level}, {shape:?}: {name} {error}");
                }
            }
        }
    }
}
