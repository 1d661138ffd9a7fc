//! Trained weights inside the binary.

/// Weights under the name of their mind.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(crate) name: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// Every file in `models/`, listed by the build script.
pub(crate) const WEIGHTS: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/weights.rs"));
