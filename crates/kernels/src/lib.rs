//! Fast arithmetic for networks on CPUs: plain functions on slices, with the instructions chosen at run time.

mod aligned;
mod level;
pub mod product;
mod simd;
#[cfg(test)]
mod testing;
#[cfg(target_arch = "x86_64")]
mod tiles;

pub use aligned::Aligned;
pub use level::{Level, LevelError};
