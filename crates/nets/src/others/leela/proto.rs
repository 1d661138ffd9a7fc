//! Leela's weight files: protobuf, usually compressed. Layers hold steps of 16 bits from their least number to their greatest.

use std::{io::Read, path::Path};

use flate2::read::MultiGzDecoder;
use prost::Message;

use super::super::{MOST_BYTES, OtherError};

#[derive(Clone, PartialEq, Message)]
pub(super) struct Net {
    #[prost(fixed32, tag = "1")]
    pub(super) magic: u32,
    #[prost(message, optional, tag = "4")]
    pub(super) format: Option<Format>,
    #[prost(message, optional, tag = "10")]
    pub(super) weights: Option<Weights>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct Format {
    #[prost(int32, tag = "1")]
    pub(super) weights_encoding: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) network_format: Option<NetworkFormat>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct NetworkFormat {
    #[prost(int32, tag = "1")]
    pub(super) input: i32,
    #[prost(int32, tag = "3")]
    pub(super) network: i32,
    #[prost(int32, tag = "4")]
    pub(super) policy: i32,
    #[prost(int32, tag = "5")]
    pub(super) value: i32,
    #[prost(int32, tag = "7")]
    pub(super) default_activation: i32,
    #[prost(int32, tag = "8")]
    pub(super) smolgen_activation: i32,
    #[prost(int32, tag = "9")]
    pub(super) ffn_activation: i32,
    #[prost(int32, tag = "10")]
    pub(super) input_embedding: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Layer {
    #[prost(float, tag = "1")]
    pub(super) min_val: f32,
    #[prost(float, tag = "2")]
    pub(super) max_val: f32,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) params: Vec<u8>,
}

/// Messages that hold layers and other such messages.
macro_rules! layers {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $kind:tt = $tag:literal),* $(,)? }) => {
        layers!(@ $(#[$doc])* $name [] $($field $kind $tag)*);
    };
    (@ $(#[$doc:meta])* $name:ident [$($done:tt)*] $field:ident layer $tag:literal $($rest:tt)*) => {
        layers!(@ $(#[$doc])* $name [$($done)* #[prost(message, optional, tag = $tag)] pub(super) $field: Option<Layer>,] $($rest)*);
    };
    (@ $(#[$doc:meta])* $name:ident [$($done:tt)*] $field:ident (one $kind:ident) $tag:literal $($rest:tt)*) => {
        layers!(@ $(#[$doc])* $name [$($done)* #[prost(message, optional, tag = $tag)] pub(super) $field: Option<$kind>,] $($rest)*);
    };
    (@ $(#[$doc:meta])* $name:ident [$($done:tt)*] $field:ident (many $kind:ident) $tag:literal $($rest:tt)*) => {
        layers!(@ $(#[$doc])* $name [$($done)* #[prost(message, repeated, tag = $tag)] pub(super) $field: Vec<$kind>,] $($rest)*);
    };
    (@ $(#[$doc:meta])* $name:ident [$($done:tt)*] $field:ident count $tag:literal $($rest:tt)*) => {
        layers!(@ $(#[$doc])* $name [$($done)* #[prost(uint32, tag = $tag)] pub(super) $field: u32,] $($rest)*);
    };
    (@ $(#[$doc:meta])* $name:ident [$($done:tt)*]) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct $name { $($done)* }
    };
}

layers!(Convolution {
    weights: layer = "1",
    biases: layer = "2",
    means: layer = "3",
    variances: layer = "4",
    gammas: layer = "5",
    betas: layer = "6",
});
layers!(Squeeze { w1: layer = "1", b1: layer = "2", w2: layer = "3", b2: layer = "4" });
layers!(Residual { conv1: (one Convolution) = "1", conv2: (one Convolution) = "2", se: (one Squeeze) = "3" });
layers!(Smolgen {
    compress: layer = "1",
    dense1_w: layer = "2",
    dense1_b: layer = "3",
    ln1_gammas: layer = "4",
    ln1_betas: layer = "5",
    dense2_w: layer = "6",
    dense2_b: layer = "7",
    ln2_gammas: layer = "8",
    ln2_betas: layer = "9",
});
layers!(Attention {
    q_w: layer = "1",
    q_b: layer = "2",
    k_w: layer = "3",
    k_b: layer = "4",
    v_w: layer = "5",
    v_b: layer = "6",
    dense_w: layer = "7",
    dense_b: layer = "8",
    smolgen: (one Smolgen) = "9",
    rpe_q: layer = "10",
});
layers!(FeedForward {
    dense1_w: layer = "1",
    dense1_b: layer = "2",
    dense2_w: layer = "3",
    dense2_b: layer = "4"
});
layers!(EncoderLayer {
    mha: (one Attention) = "1",
    ln1_gammas: layer = "2",
    ln1_betas: layer = "3",
    ffn: (one FeedForward) = "4",
    ln2_gammas: layer = "5",
    ln2_betas: layer = "6",
});
layers!(Weights {
    input: (one Convolution) = "1",
    residual: (many Residual) = "2",
    policy: (one Convolution) = "3",
    ip_pol_w: layer = "4",
    ip_pol_b: layer = "5",
    value: (one Convolution) = "6",
    ip1_val_w: layer = "7",
    ip1_val_b: layer = "8",
    ip2_val_w: layer = "9",
    ip2_val_b: layer = "10",
    policy1: (one Convolution) = "11",
    ip2_pol_w: layer = "17",
    ip2_pol_b: layer = "18",
    ip3_pol_w: layer = "19",
    ip3_pol_b: layer = "20",
    pol_encoder: (many EncoderLayer) = "21",
    ip4_pol_w: layer = "22",
    ip_emb_w: layer = "25",
    ip_emb_b: layer = "26",
    encoder: (many EncoderLayer) = "27",
    headcount: count = "28",
    ip_val_w: layer = "29",
    ip_val_b: layer = "30",
    ip_mult_gate: layer = "33",
    ip_add_gate: layer = "34",
    smolgen_w: layer = "35",
    ip_emb_preproc_w: layer = "37",
});

pub(super) const MAGIC: u32 = 0x1c0;
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The network of a file, compressed or not.
pub(super) fn read(path: &Path) -> Result<Net, OtherError> {
    let mut bytes = super::super::read(path)?;
    if bytes.starts_with(&GZIP) {
        let mut all = Vec::new();
        let unpacked = MultiGzDecoder::new(&bytes[..]).take(MOST_BYTES + 1).read_to_end(&mut all);
        unpacked.map_err(|error| broken(error.to_string()))?;
        if all.len() as u64 > MOST_BYTES {
            return Err(broken(format!("it unpacks to more than {MOST_BYTES} bytes")));
        }
        bytes = all;
    }
    let net = Net::decode(&bytes[..]).map_err(|error| broken(error.to_string()))?;
    match net.magic {
        MAGIC => Ok(net),
        other => Err(broken(format!("it begins with {other:#x} and not with {MAGIC:#x}"))),
    }
}

fn broken(reason: String) -> OtherError {
    OtherError::Broken { kind: "Leela", reason }
}

/// The number of numbers in a layer; 0 where there is none.
pub(super) fn len(layer: &Option<Layer>) -> usize {
    layer.as_ref().map_or(0, |layer| layer.params.len() / 2)
}

/// The numbers of a layer that must have so many.
pub(super) fn numbers(layer: &Option<Layer>, name: &str, count: usize) -> Result<Vec<f32>, OtherError> {
    let layer = layer.as_ref().ok_or_else(|| OtherError::Missing(name.to_owned()))?;
    let found = layer.params.len() / 2;
    if found != count || layer.params.len() % 2 != 0 {
        return Err(OtherError::Shape { name: name.to_owned(), found: vec![found], expected: vec![count] });
    }
    let (least, step) = (layer.min_val, (layer.max_val - layer.min_val) / 65535.0);
    if !(least.is_finite() && step.is_finite()) {
        return Err(OtherError::NotFinite(name.to_owned()));
    }
    let steps = layer.params.as_chunks().0.iter().map(|&bytes| f32::from(u16::from_le_bytes(bytes)));
    Ok(steps.map(|steps| least + step * steps).collect())
}
