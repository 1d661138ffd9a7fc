//! Trained weights inside the binary.

/// Weights under the name of their mind.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(crate) name: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// Every file in `models/`, listed by the build script. A constant would lie in the binary once for every part that is compiled apart.
pub(crate) static WEIGHTS: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/weights.rs"));
