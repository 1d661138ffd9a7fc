//! Maia-3 out of a PyTorch checkpoint, whose arrays bear their own names.

use std::path::Path;

use half::{bf16, f16};
use pytorch_reader::{DType, PytorchReader};

use super::{
    OtherError,
    tensors::{MOST_ARRAYS, MOST_NUMBERS, Tensor, Tensors},
};

/// An array that every Maia-3 has; what stands before its name stands before all names.
const FIRST: &str = "token_projection.weight";
/// What smolgen is called in the newer files, and in the older ones.
const NEW_AND_OLD: [&str; 2] = ["gab", "smolgen"];

/// Maia-3's arrays by the names that its authors give them.
pub(super) fn maia3(path: &Path) -> Result<Tensors, OtherError> {
    super::open(path)?;
    let reader = PytorchReader::new(path).map_err(|error| broken(error.to_string()))?;
    let all = reader.into_tensors();
    if all.len() > MOST_ARRAYS {
        return Err(broken(format!("it has {} arrays, more than {MOST_ARRAYS}", all.len())));
    }
    let prefix = all.keys().filter_map(|name| name.strip_suffix(FIRST)).min_by_key(|prefix| prefix.len());
    let Some(prefix) = prefix.map(str::to_owned) else {
        return Err(OtherError::Unknown(format!("a PyTorch checkpoint without Maia-3's array `{FIRST}`")));
    };
    let mut tensors = Tensors::default();
    let mut total = 0;
    for (name, tensor) in all {
        let Some(name) = name.strip_prefix(&prefix) else { continue };
        // The blocks' own names for the matrix that they share.
        if name.starts_with("transformer.")
            && NEW_AND_OLD.iter().any(|part| name.ends_with(&format!("{part}_weight")))
        {
            continue;
        }
        total += tensor.num_elements();
        if total > MOST_NUMBERS {
            return Err(broken(format!(
                "with `{name}` of shape {:?} it has too many numbers",
                tensor.shape()
            )));
        }
        let bytes = tensor.read().map_err(|error| broken(format!("`{name}`: {error}")))?;
        let values = match tensor.dtype() {
            DType::F32 => numbers(&bytes, f32::from_le_bytes),
            DType::F16 => numbers(&bytes, |bytes| f16::from_le_bytes(bytes).to_f32()),
            DType::BF16 => numbers(&bytes, |bytes| bf16::from_le_bytes(bytes).to_f32()),
            DType::F64 => numbers(&bytes, |bytes| f64::from_le_bytes(bytes) as f32),
            _ => continue,
        };
        let [new, old] = NEW_AND_OLD;
        tensors.insert(name.replace(old, new), Tensor { shape: tensor.shape().to_vec(), values });
    }
    Ok(tensors)
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks::<N>().0.iter().map(|&bytes| number(bytes)).collect()
}

fn broken(reason: String) -> OtherError {
    OtherError::Broken { kind: "PyTorch", reason }
}
