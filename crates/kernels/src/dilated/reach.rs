//! Which squares a piece reaches through which convolution.

use std::sync::LazyLock;

/// One of the convolutions: its kernel's size, and the distance between its taps in ranks and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub size: usize,
    pub dilation: [usize; 2],
}

/// A queen's lines at distances 1 to 7, then the two shapes of a knight's jumps.
pub const BRANCHES: [Branch; 9] = [
    Branch { size: 3, dilation: [1, 1] },
    Branch { size: 3, dilation: [2, 2] },
    Branch { size: 3, dilation: [3, 3] },
    Branch { size: 3, dilation: [4, 4] },
    Branch { size: 3, dilation: [5, 5] },
    Branch { size: 3, dilation: [6, 6] },
    Branch { size: 3, dilation: [7, 7] },
    Branch { size: 2, dilation: [2, 4] },
    Branch { size: 2, dilation: [4, 2] },
];

impl Branch {
    pub fn taps(&self) -> usize {
        self.size * self.size
    }

    /// Zeros around the board that make the result as large as the board.
    pub fn padding(&self) -> [usize; 2] {
        self.dilation.map(|dilation| dilation * (self.size - 1) / 2)
    }

    /// Where a tap looks, in ranks and files from the square in the middle.
    fn offset(&self, tap: usize) -> [isize; 2] {
        let [ranks, files] = self.padding();
        let at =
            |index: usize, dilation: usize, padding: usize| (index * dilation) as isize - padding as isize;
        [at(tap / self.size, self.dilation[0], ranks), at(tap % self.size, self.dilation[1], files)]
    }
}

/// A square that sees a piece, and through what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) from: u8,
    pub(super) branch: u8,
    pub(super) tap: u8,
}

/// By the piece's square, all squares that see it.
pub(super) static SEEN: LazyLock<[Vec<Seen>; 64]> = LazyLock::new(|| std::array::from_fn(seen));

fn seen(square: usize) -> Vec<Seen> {
    let mut all = Vec::new();
    for (branch, shape) in BRANCHES.iter().enumerate() {
        for tap in 0..shape.taps() {
            let [ranks, files] = shape.offset(tap);
            let (rank, file) = ((square / 8) as isize - ranks, (square % 8) as isize - files);
            if (0..8).contains(&rank) && (0..8).contains(&file) {
                let from = (8 * rank + file) as u8;
                all.push(Seen { from, branch: branch as u8, tap: tap as u8 });
            }
        }
    }
    all
}
