//! Sizes of matrices, and parts of them.

/// Rows and columns of a result are computed in multiples of this.
pub const GRAIN: usize = 16;

/// The next multiple of [`GRAIN`].
pub const fn rounded(n: usize) -> usize {
    n.next_multiple_of(GRAIN)
}

/// A row-major matrix, possibly a part of a larger one with `stride` values from row to row.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub values: &'a [f32],
    pub rows: usize,
    pub columns: usize,
    pub stride: usize,
}

impl<'a> View<'a> {
    pub fn new(values: &'a [f32], rows: usize, columns: usize) -> View<'a> {
        View { values, rows, columns, stride: columns }
    }

    /// The columns from `first` on, `columns` of them.
    pub fn columns(self, first: usize, columns: usize) -> View<'a> {
        View { values: &self.values[first..], columns, ..self }
    }

    /// Whether the numbers are all there.
    pub(crate) fn check(&self) {
        assert!(self.columns <= self.stride);
        assert!(self.rows == 0 || self.values.len() >= (self.rows - 1) * self.stride + self.columns);
    }
}

/// Rows, columns and length of the sum of a product.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}
