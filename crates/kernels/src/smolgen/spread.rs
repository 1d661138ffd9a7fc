//! The last matrix of a smolgen, by far its largest. Blocks of a network share it, so it is packed once for all that have the same
//! numbers: eight copies would not stay in any cache.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::Shape;
use crate::{
    Aligned, Level,
    product::{self, View},
};

#[derive(Debug)]
pub(super) struct Spread {
    level: Level,
    per_head: usize,
    plain: Vec<f32>,
    pub(super) ahead: Aligned,
    pub(super) back: Option<Aligned>,
}

impl Spread {
    /// Packs `[per_head, tokens x tokens]`, unless the last one that was packed and is still in use is the same.
    pub(super) fn new(level: Level, shape: &Shape, plain: &[f32], train: bool) -> Arc<Spread> {
        static LAST: Mutex<Weak<Spread>> = Mutex::new(Weak::new());
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.upgrade()
            && (last.level, last.per_head) == (level, shape.per_head)
            && (last.back.is_some() || !train)
            && last.plain == plain
        {
            return last;
        }
        let (rows, columns) = (shape.per_head, shape.square());
        let view = View::new(plain, rows, columns);
        let mut ahead = Aligned::scratch(product::words(level, columns, rows));
        product::right(level, view, &mut ahead);
        let back = train.then(|| {
            let mut to = Aligned::scratch(product::words(level, rows, columns));
            product::right_transposed(level, view, &mut to);
            to
        });
        let spread = Arc::new(Spread { level, per_head: rows, plain: plain.to_vec(), ahead, back });
        *last = Arc::downgrade(&spread);
        spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn the_same_numbers_are_packed_once_and_others_anew() {
        let shape = Shape { tokens: 8, width: 16, heads: 1, compressed: 1, hidden: 16, per_head: 16 };
        let mut plain = random(77, 16 * 64);
        for level in Level::all() {
            // Other tests may pack theirs in between, which costs sharing but never takes the wrong one.
            let shared = (0..100).any(|_| {
                let first = Spread::new(level, &shape, &plain, true);
                Arc::ptr_eq(&first, &Spread::new(level, &shape, &plain, false))
            });
            assert!(shared, "{level}");
            let first = Spread::new(level, &shape, &plain, false);
            plain[5] += 1.0;
            assert_ne!(first.ahead[..], Spread::new(level, &shape, &plain, false).ahead[..], "{level}");
        }
    }
}
