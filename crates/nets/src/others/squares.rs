//! Squares of boards that a head needs, gathered from the tokens of all.

use kernels::dense::Dense;

pub(super) const NONE: u16 = u16::MAX;

pub(super) struct Needed {
    tokens: Vec<f32>,
    rows: usize,
    /// Of the board at hand, by square.
    row: [u16; 64],
}

impl Needed {
    pub(super) fn none() -> Needed {
        Needed { tokens: Vec::new(), rows: 0, row: [NONE; 64] }
    }

    pub(super) fn next_board(&mut self) {
        self.row = [NONE; 64];
    }

    /// The row of a square of the board whose tokens are `x`.
    pub(super) fn of(&mut self, square: usize, x: &[f32], width: usize) -> usize {
        if self.row[square] == NONE {
            self.row[square] = self.rows as u16;
            self.rows += 1;
            self.tokens.extend_from_slice(&x[square * width..][..width]);
        }
        usize::from(self.row[square])
    }

    /// What a layer makes of all rows.
    pub(super) fn through(&self, dense: &Dense) -> Vec<f32> {
        let mut out = vec![0.0; self.rows * dense.outputs()];
        dense.forward(&self.tokens, &mut out);
        out
    }
}
