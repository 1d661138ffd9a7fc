//! Fast arithmetic for networks on CPUs: plain functions on slices, with the instructions chosen at run time.

pub mod activation;
pub mod adamw;
mod aligned;
mod arithmetic;
pub mod bags;
pub mod bench;
pub mod block;
pub mod choice;
mod chunks;
pub mod conv;
pub mod cross;
pub mod dense;
pub mod dilated;
pub mod encoder;
pub mod graph;
pub mod head;
mod int8;
pub mod layer;
mod level;
mod math;
mod matrix;
pub mod meet;
pub mod memory;
pub mod muon;
pub mod norm;
pub mod perceptron;
pub mod pointer;
pub mod product;
pub mod rows;
mod simd;
pub mod smolgen;
pub mod softmax;
pub mod squares;
#[cfg(test)]
mod testing;
#[cfg(target_arch = "x86_64")]
mod tiles;

pub use activation::Activation;
pub use aligned::Aligned;
pub use arithmetic::Arithmetic;
pub use level::{Int8, Level, LevelError, int8};
