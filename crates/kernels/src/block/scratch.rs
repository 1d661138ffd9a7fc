//! Room for the work on one position, kept by each thread from call to call.

use std::cell::RefCell;

use super::Shape;
use crate::{Aligned, Level, norm::Moments, product};

/// Everything is row-major with tokens rounded up to whole grains.
#[derive(Debug)]
pub(super) struct Scratch {
    key: (Level, Shape),
    pub(super) x: Aligned,
    pub(super) moments1: Vec<Moments>,
    pub(super) normed1: Aligned,
    /// Query, key and value side by side.
    pub(super) qkv: Aligned,
    /// Attention weights, head by head, tokens x tokens.
    pub(super) attention: Aligned,
    pub(super) mixed: Aligned,
    pub(super) x1: Aligned,
    pub(super) moments2: Vec<Moments>,
    pub(super) normed2: Aligned,
    pub(super) up: Aligned,
    pub(super) active: Aligned,
    pub(super) y: Aligned,
    pub(super) left: Aligned,
    pub(super) head: [Aligned; 4],
    /// Gradients on the way back.
    pub(super) wide: [Aligned; 2],
    pub(super) narrow: [Aligned; 2],
    pub(super) to_attention: Aligned,
}

impl Scratch {
    fn new(level: Level, shape: Shape) -> Scratch {
        let rows = product::rounded(shape.tokens);
        let room = |columns: usize| Aligned::zeros(rows * columns);
        let widest = (3 * shape.width).max(shape.up());
        let deep = product::depth(level, shape.tokens).max(product::depth(level, shape.head()));
        let head = || Aligned::zeros(rows.max(shape.head()).next_multiple_of(16) * deep);
        Scratch {
            key: (level, shape),
            x: room(shape.width),
            moments1: vec![Moments::default(); shape.tokens],
            normed1: room(shape.width),
            qkv: room(3 * shape.width),
            attention: Aligned::zeros(shape.heads * rows * rows),
            mixed: room(shape.width),
            x1: room(shape.width),
            moments2: vec![Moments::default(); shape.tokens],
            normed2: room(shape.width),
            up: room(shape.up()),
            active: room(shape.hidden),
            y: room(shape.width),
            left: Aligned::zeros(product::words(level, rows, widest)),
            head: [head(), head(), head(), head()],
            wide: [room(widest), room(widest)],
            narrow: [room(shape.width), room(shape.width)],
            to_attention: Aligned::zeros(rows * rows),
        }
    }

    /// Lends this thread's room for blocks of `shape`.
    pub(super) fn lend<T>(level: Level, shape: Shape, work: impl FnOnce(&mut Scratch) -> T) -> T {
        thread_local! { static KEPT: RefCell<Vec<Scratch>> = const { RefCell::new(Vec::new()) }; }
        let found = KEPT.with_borrow_mut(|kept| {
            kept.iter().position(|scratch| scratch.key == (level, shape)).map(|at| kept.swap_remove(at))
        });
        let mut scratch = found.unwrap_or_else(|| Scratch::new(level, shape));
        let result = work(&mut scratch);
        KEPT.with_borrow_mut(|kept| {
            // A network has blocks of one or two shapes; more would be room for nothing.
            if kept.len() >= 4 {
                kept.remove(0);
            }
            kept.push(scratch);
        });
        result
    }
}
