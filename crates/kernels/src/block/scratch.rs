//! A buffer for the work on one position, kept by each thread from call to call.

use std::cell::RefCell;

use super::Shape;
use crate::{Aligned, Level, norm::Moments, product};

/// Matrices are row-major with tokens rounded up to whole grains. A panel has the columns of one head, or of as many heads as
/// make 32 columns.
#[derive(Debug)]
pub(super) struct Scratch {
    key: (Level, Shape),
    /// The position's number in the batch.
    pub(super) position: usize,
    /// What is added to the scores of each token as a key, if some tokens are absent.
    pub(super) absent: Option<Vec<f32>>,
    pub(super) moments: Vec<Moments>,
    /// A strip of normalised rows.
    pub(super) strip: Aligned,
    pub(super) panels: [Aligned; 4],
    /// Left factors as wide as the block, the feed-forward layer, and query, key and value together.
    pub(super) narrow: [Aligned; 2],
    pub(super) hidden: Aligned,
    pub(super) triple: Aligned,
    /// Query, key and value of some heads, or their gradients: three panels.
    pub(super) qkv: Aligned,
    /// Query, key and value as they were kept, in f32 again.
    pub(super) kept: Aligned,
    /// Factors of one head: tokens x head or tokens x tokens.
    pub(super) heads: [Aligned; 2],
    /// Tokens x tokens.
    pub(super) scores: Aligned,
    pub(super) to_scores: Aligned,
    /// Tokens x width.
    pub(super) rows: [Aligned; 2],
}

impl Scratch {
    fn new(level: Level, shape: Shape) -> Scratch {
        let rows = product::rounded(shape.tokens);
        let deep = product::depth(level, shape.tokens);
        let panel = shape.panel().max(32 * shape.activation.inputs());
        let left = |k| Aligned::zeros(product::words(level, rows, k));
        let head = || Aligned::zeros(deep.max(rows) * deep.max(shape.panel().next_multiple_of(32)));
        Scratch {
            key: (level, shape),
            position: 0,
            absent: None,
            moments: vec![Moments::default(); shape.tokens],
            strip: Aligned::zeros(super::half::STRIP * shape.width),
            panels: std::array::from_fn(|_| Aligned::zeros(rows * panel)),
            narrow: [left(shape.width), left(shape.width)],
            hidden: left(shape.activation.inputs() * product::depth(level, shape.hidden)),
            triple: left(3 * product::depth(level, shape.width)),
            qkv: Aligned::zeros(3 * rows * shape.panel()),
            kept: Aligned::zeros(3 * rows * shape.panel()),
            heads: [head(), head()],
            scores: Aligned::zeros(rows * rows),
            to_scores: Aligned::zeros(rows * rows),
            rows: [Aligned::zeros(rows * shape.width), Aligned::zeros(rows * shape.width)],
        }
    }

    /// Begins the work on a position of the batch, of whose tokens only some may be present.
    pub(super) fn turn_to(&mut self, position: usize, present: Option<&[bool]>) {
        self.position = position;
        // So low that nothing is left of the token, but finite: without any token present there is still no NaN.
        self.absent =
            present.map(|present| present.iter().map(|&here| if here { 0.0 } else { -1e30 }).collect());
    }

    /// Lends this thread's buffers for blocks of `shape`.
    pub(super) fn lend<T>(level: Level, shape: Shape, work: impl FnOnce(&mut Scratch) -> T) -> T {
        thread_local! { static KEPT: RefCell<Vec<Scratch>> = const { RefCell::new(Vec::new()) }; }
        let found = KEPT.with_borrow_mut(|kept| {
            kept.iter().position(|scratch| scratch.key == (level, shape)).map(|at| kept.swap_remove(at))
        });
        let mut scratch = found.unwrap_or_else(|| Scratch::new(level, shape));
        let result = work(&mut scratch);
        KEPT.with_borrow_mut(|kept| {
            // A network has blocks of one or two shapes; more would be memory for nothing.
            if kept.len() >= 4 {
                kept.remove(0);
            }
            kept.push(scratch);
        });
        result
    }
}
