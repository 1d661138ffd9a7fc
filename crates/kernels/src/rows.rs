//! Small work on the rows of a matrix.

use crate::{
    Level,
    simd::{self, Simd, Task},
};

/// Adds `bias` to every row.
pub fn add_bias(level: Level, rows: &mut [f32], bias: &[f32]) {
    struct Run<'a>(&'a mut [f32], &'a [f32]);
    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            for row in self.0.chunks_exact_mut(self.1.len()) {
                add_to::<S>(row, self.1);
            }
        }
    }
    assert!(!bias.is_empty());
    simd::run(level, Run(rows, bias));
}

/// Adds every row to `sum`: the gradient of a bias.
pub fn add_rows(level: Level, rows: &[f32], sum: &mut [f32]) {
    struct Run<'a>(&'a [f32], &'a mut [f32]);
    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            for row in self.0.chunks_exact(self.1.len()) {
                add_to::<S>(self.1, row);
            }
        }
    }
    assert!(!sum.is_empty());
    simd::run(level, Run(rows, sum));
}

/// `to += from`.
pub fn add(level: Level, to: &mut [f32], from: &[f32]) {
    struct Run<'a>(&'a mut [f32], &'a [f32]);
    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            add_to::<S>(self.0, self.1);
        }
    }
    assert_eq!(to.len(), from.len());
    simd::run(level, Run(to, from));
}

/// `x *= factor`.
pub fn scale(level: Level, x: &mut [f32], factor: f32) {
    struct Run<'a>(&'a mut [f32], f32);
    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            for x in self.0.iter_mut() {
                *x *= self.1;
            }
        }
    }
    simd::run(level, Run(x, factor));
}

#[inline(always)]
fn add_to<S: Simd>(to: &mut [f32], from: &[f32]) {
    let whole = to.len() / S::LANES * S::LANES;
    for i in (0..whole).step_by(S::LANES) {
        S::store(S::add(S::load(&to[i..]), S::load(&from[i..])), &mut to[i..]);
    }
    for (to, from) in to[whole..].iter_mut().zip(&from[whole..]) {
        *to += from;
    }
}
