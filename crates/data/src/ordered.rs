//! Work spread over threads whose results come back in the order of the items.

use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

/// Results in order. Each item's result has a channel of its own, and the channels are handed over in order; all queues are
/// bounded, so a slow reader slows the workers and memory stays flat. Dropping this ends the threads.
#[derive(Debug)]
pub(crate) struct Ordered<R> {
    answers: Receiver<Receiver<R>>,
}

impl<R: Send + 'static> Ordered<R> {
    /// `ahead` results may be finished before they are asked for.
    pub(crate) fn new<T: Send + 'static>(
        threads: usize,
        ahead: usize,
        items: impl Iterator<Item = T> + Send + 'static,
        work: impl Fn(T) -> R + Clone + Send + 'static,
    ) -> Ordered<R> {
        let threads = threads.max(1);
        let (item_sender, queue) = bounded::<(T, Sender<R>)>(threads);
        let (answer_sender, answers) = bounded(ahead.max(1));
        thread::spawn(move || {
            for item in items {
                let (sender, receiver) = bounded(1);
                if answer_sender.send(receiver).is_err() || item_sender.send((item, sender)).is_err() {
                    return;
                }
            }
        });
        for _ in 0..threads {
            let (queue, work) = (queue.clone(), work.clone());
            thread::spawn(move || {
                for (item, answer) in queue {
                    if answer.send(work(item)).is_err() {
                        return;
                    }
                }
            });
        }
        Ordered { answers }
    }
}

impl<R> Iterator for Ordered<R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        let answer = self.answers.recv().ok()?;
        Some(answer.recv().expect("a worker thread panicked"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let squares = Ordered::new(threads, 3, 0u64..500, |n| {
                thread::sleep(std::time::Duration::from_micros(n * 7919 % 97));
                n * n
            });
            assert!(squares.eq((0..500).map(|n| n * n)), "{threads} threads");
        }
    }

    #[test]
    fn dropping_it_half_way_ends_the_threads() {
        let mut endless = Ordered::new(2, 2, 0u64.., |n| n);
        assert_eq!(endless.nth(10), Some(10));
    }
}
