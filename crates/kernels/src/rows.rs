//! Small work on the rows of a matrix.

use crate::{
    Level,
    matrix::View,
    simd::{self, Simd, Task},
};

/// Adds `bias` to the beginning of `count` rows that begin `stride` apart.
pub fn add_bias(level: Level, rows: &mut [f32], stride: usize, count: usize, bias: &[f32]) {
    struct Run<'a>(&'a mut [f32], usize, usize, &'a [f32]);
    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            for i in 0..self.2 {
                add_to::<S>(&mut self.0[i * self.1..][..self.3.len()], self.3);
            }
        }
    }
    simd::run(level, Run(rows, stride, count, bias));
}

/// Adds every row of a matrix to `sum`.
pub fn add_columns(level: Level, from: View<'_>, sum: &mut [f32]) {
    struct Run<'a>(View<'a>, &'a mut [f32]);
    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            for i in 0..self.0.rows {
                add_to::<S>(self.1, &self.0.values[i * self.0.stride..][..self.0.columns]);
            }
        }
    }
    assert_eq!(sum.len(), from.columns);
    simd::run(level, Run(from, sum));
}

/// `to = from + panel` for the panel's `columns`; rows of `from` and `to` begin `stride` apart.
pub fn add_panel(level: Level, from: &[f32], stride: usize, panel: &[f32], columns: usize, to: &mut [f32]) {
    struct Run<'a>(&'a [f32], usize, &'a [f32], usize, &'a mut [f32]);
    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            for (i, panel) in self.2.chunks_exact(self.3).enumerate() {
                let from = &self.0[i * self.1..][..self.3];
                let to = &mut self.4[i * self.1..][..self.3];
                for c in (0..self.3).step_by(S::LANES) {
                    S::store(S::add(S::load(&from[c..]), S::load(&panel[c..])), &mut to[c..]);
                }
            }
        }
    }
    assert!(columns.is_multiple_of(16));
    simd::run(level, Run(from, stride, panel, columns, to));
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

#[inline(always)]
pub(crate) fn add_to<S: Simd>(to: &mut [f32], from: &[f32]) {
    let whole = to.len() / S::LANES * S::LANES;
    for i in (0..whole).step_by(S::LANES) {
        S::store(S::add(S::load(&to[i..]), S::load(&from[i..])), &mut to[i..]);
    }
    for (to, from) in to[whole..].iter_mut().zip(&from[whole..]) {
        *to += from;
    }
}
