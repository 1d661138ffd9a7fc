//! How the backward pass shares out a batch. Gradients of parameters are sums over all positions: each task sums those of some, and
//! these sums are added in the order of the batch. How many depends on the batch alone, so that a sum has one order whatever
//! the number of threads.

/// Positions whose gradients one task sums. Small batches make more tasks of less work, or a second core would have none.
pub(crate) fn summed_together(batch: usize) -> usize {
    if batch <= 128 { 32 } else { 64 }
}
