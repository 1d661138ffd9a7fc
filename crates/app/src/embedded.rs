//! Trained weights inside the binary.

/// Weights under the name of their mind.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(crate) name: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// Every mind that needs no file.
pub(crate) const WEIGHTS: &[Embedded] = &[
    Embedded { name: "human", bytes: include_bytes!("../../../models/human.safetensors") },
    Embedded { name: "ranker", bytes: include_bytes!("../../../models/ranker.safetensors") },
];
