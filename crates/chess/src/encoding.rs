//! How minds see a moment: one file per encoding, each a pure function into flat buffers.

pub mod comparator;
pub mod graph;
pub mod hc3;
pub mod leela;
pub mod maia3;
pub mod ranker;
pub mod recycler;
pub mod swift;
mod tension;
