//! Open nodes, roughly by priority: bins with a stack in each.

use chess::Bins;

/// A node that waits for its next move. It has one valid ticket at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) id: u32,
    pub(super) ticket: u32,
}

/// Work of which it is more and more doubtful that it will be needed: each level waits for those before it.
pub(super) const LEVELS: usize = 8;

/// How soon a node's next move is to be played.
#[derive(Clone, Copy, Debug)]
pub(super) enum Priority {
    /// The move that the table remembers.
    Remembered,
    /// A capture, or whatever else leads out of an unclear position.
    Forcing,
    /// By how far the score of the move stands out.
    Score(f32),
    /// When there is nothing better to do.
    Last,
    /// The deepest first: the order that needs the least memory.
    Deepest(u16),
}

#[derive(Debug)]
pub(super) struct Queue {
    bins: Bins,
    stacks: Vec<Vec<Open>>,
    /// One bit for each stack that holds something.
    filled: Vec<u64>,
    bins_per_level: usize,
}

impl Queue {
    pub(super) fn new(bins: Bins) -> Queue {
        let count = (bins.count() + 3).max(256);
        let all = LEVELS * count;
        let (stacks, filled) = (vec![Vec::new(); all], vec![0; all.div_ceil(64)]);
        Queue { bins, stacks, filled, bins_per_level: count }
    }

    pub(super) fn push(&mut self, open: Open, level: usize, priority: Priority) {
        let last = self.bins_per_level - 1;
        let bin = match priority {
            Priority::Remembered => last,
            Priority::Forcing => last - 1,
            Priority::Score(score) => 1 + self.bins.place(score),
            Priority::Last => 0,
            Priority::Deepest(ply) => usize::from(ply).min(last),
        };
        let index = (LEVELS - 1 - level.min(LEVELS - 1)) * self.bins_per_level + bin;
        self.stacks[index].push(open);
        self.filled[index / 64] |= 1 << (index % 64);
    }

    /// The level of the next open node.
    pub(super) fn level(&self) -> Option<usize> {
        Some(LEVELS - 1 - self.top()? / self.bins_per_level)
    }

    fn top(&self) -> Option<usize> {
        let word = self.filled.iter().rposition(|&word| word != 0)?;
        Some(64 * word + 63 - self.filled[word].leading_zeros() as usize)
    }

    pub(super) fn pop(&mut self) -> Option<Open> {
        let index = self.top()?;
        let open = self.stacks[index].pop();
        if self.stacks[index].is_empty() {
            self.filled[index / 64] &= !(1 << (index % 64));
        }
        open
    }

    pub(super) fn clear(&mut self) {
        self.stacks.iter_mut().for_each(Vec::clear);
        self.filled.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_out_comes_first_and_the_newest_of_a_bin() {
        let bins = Bins { shift: 1.0, edges: vec![1.0, 2.0, 4.0] };
        let mut queue = Queue::new(bins);
        let order = [
            Priority::Last,
            Priority::Score(1.5),
            Priority::Score(-2.0),
            Priority::Score(4.5),
            Priority::Score(9.0),
            Priority::Forcing,
            Priority::Remembered,
        ];
        for (id, priority) in order.into_iter().enumerate() {
            queue.push(Open { id: id as u32, ticket: 0 }, 0, priority);
        }
        queue.push(Open { id: 7, ticket: 0 }, 1, Priority::Remembered);
        let popped: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|open| open.id).collect();
        assert_eq!(popped, [6, 5, 4, 3, 2, 1, 0, 7]);
        queue.push(Open { id: 1, ticket: 0 }, 0, Priority::Last);
        queue.clear();
        assert_eq!(queue.pop(), None);
    }
}
