//! Maia-3 out of an ONNX file: the arrays of its graph, some beside it in a file of external data. The graph is not run; it tells
//! which array is which, since exporters number the weights of products and keep no names for them.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Component, Path},
};

use half::f16;
use prost::Message;

use super::{
    OtherError,
    tensors::{MOST_ARRAYS, MOST_NUMBERS, Tensor, Tensors, transposed},
};

// Messages of ONNX, as far as they are needed.

#[derive(Clone, PartialEq, Message)]
pub(super) struct Model {
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<Graph>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(super) node: Vec<Node>,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializer: Vec<Array>,
    #[prost(message, repeated, tag = "11")]
    pub(super) input: Vec<Input>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(super) input: Vec<String>,
    #[prost(string, tag = "4")]
    pub(super) op_type: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Input {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Array {
    #[prost(int64, repeated, tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(super) data_type: i32,
    #[prost(float, repeated, tag = "4")]
    pub(super) float_data: Vec<f32>,
    #[prost(string, tag = "8")]
    pub(super) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(super) raw_data: Vec<u8>,
    #[prost(message, repeated, tag = "13")]
    pub(super) external_data: Vec<Entry>,
    #[prost(int32, tag = "14")]
    pub(super) data_location: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Entry {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

/// ONNX's numbers for types and places.
pub(super) const FLOAT: i32 = 1;
const FLOAT16: i32 = 10;
pub(super) const EXTERNAL: i32 = 1;

/// Maia-3's arrays by the names that its authors give them.
pub(super) fn maia3(path: &Path) -> Result<Tensors, OtherError> {
    let model = Model::decode(&super::read(path)?[..]).map_err(|error| broken(error.to_string()))?;
    let graph = model.graph.ok_or_else(|| broken("it has no graph".to_owned()))?;
    for wanted in ["tokens", "self_elo", "oppo_elo"] {
        if !graph.input.iter().any(|input| input.name == wanted) {
            let why = format!("an ONNX graph without Maia-3's input `{wanted}`");
            return Err(OtherError::Unknown(why));
        }
    }
    named(&graph, arrays(path, &graph.initializer)?)
}

fn broken(reason: String) -> OtherError {
    OtherError::Broken { kind: "ONNX", reason }
}

/// All arrays of floats, by the names in the graph.
fn arrays(path: &Path, arrays: &[Array]) -> Result<BTreeMap<String, Tensor>, OtherError> {
    if arrays.len() > MOST_ARRAYS {
        return Err(broken(format!("it has {} arrays, more than {MOST_ARRAYS}", arrays.len())));
    }
    let mut files = BTreeMap::new();
    let mut total = 0usize;
    let mut found = BTreeMap::new();
    for array in arrays.iter().filter(|array| [FLOAT, FLOAT16].contains(&array.data_type)) {
        let sizes = array.dims.iter().map(|&size| usize::try_from(size).ok());
        let shape: Option<Vec<usize>> = sizes.collect();
        let count = shape
            .as_ref()
            .and_then(|shape| shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size)));
        let all = count.and_then(|count| total.checked_add(count)).filter(|&all| all <= MOST_NUMBERS);
        let (Some(shape), Some(count), Some(all)) = (shape, count, all) else {
            let reason = format!("with `{}` of shape {:?} it has too many numbers", array.name, array.dims);
            return Err(broken(reason));
        };
        total = all;
        let values = numbers(path, array, count, &mut files)?;
        found.insert(array.name.clone(), Tensor { shape, values });
    }
    Ok(found)
}

/// The `count` numbers of an array.
fn numbers(
    path: &Path,
    array: &Array,
    count: usize,
    files: &mut BTreeMap<String, File>,
) -> Result<Vec<f32>, OtherError> {
    let size = if array.data_type == FLOAT { 4 } else { 2 };
    let short = |found: usize| {
        broken(format!("`{}` has {found} bytes where {} are needed", array.name, count * size))
    };
    if array.data_location == EXTERNAL {
        let bytes = external(path, array, count * size, files)?;
        return Ok(floats(&bytes, size));
    }
    if array.float_data.len() == count && count > 0 && array.raw_data.is_empty() {
        return Ok(array.float_data.clone());
    }
    match array.raw_data.len() == count * size {
        true => Ok(floats(&array.raw_data, size)),
        false => Err(short(array.raw_data.len())),
    }
}

fn floats(bytes: &[u8], size: usize) -> Vec<f32> {
    match size {
        4 => bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
        _ => bytes.as_chunks().0.iter().map(|&bytes| f16::from_le_bytes(bytes).to_f32()).collect(),
    }
}

/// The bytes of an array that lie in a file beside the graph's.
fn external(
    path: &Path,
    array: &Array,
    len: usize,
    files: &mut BTreeMap<String, File>,
) -> Result<Vec<u8>, OtherError> {
    let entry =
        |key: &str| array.external_data.iter().find(|entry| entry.key == key).map(|entry| &entry.value[..]);
    let location = entry("location").unwrap_or_default();
    // No other file than a neighbour is opened, whatever the graph says.
    let plain = Path::new(location).components().eq([Component::Normal(location.as_ref())]);
    if !plain {
        return Err(broken(format!("`{}` lies in `{location}`, which is no file beside it", array.name)));
    }
    let number = |key: &str, usual: u64| match entry(key) {
        None => Ok(usual),
        Some(text) => {
            text.parse::<u64>().map_err(|_| broken(format!("`{}` has the {key} `{text}`", array.name)))
        }
    };
    let (offset, told) = (number("offset", 0)?, number("length", len as u64)?);
    if told != len as u64 {
        return Err(broken(format!("`{}` has {told} bytes where {len} are needed", array.name)));
    }
    let beside = path.with_file_name(location);
    let wrong = |error| OtherError::Read { path: beside.clone(), error };
    let file = match files.entry(location.to_owned()) {
        std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
        std::collections::btree_map::Entry::Vacant(place) => {
            place.insert(File::open(&beside).map_err(wrong)?)
        }
    };
    let end = file.metadata().map_err(wrong)?.len();
    if offset.checked_add(len as u64).is_none_or(|last| last > end) {
        let reason = format!("`{location}` ends before `{}` does, at {end} bytes", array.name);
        return Err(broken(reason));
    }
    file.seek(SeekFrom::Start(offset)).map_err(wrong)?;
    let mut bytes = vec![0; len];
    file.read_exact(&mut bytes).map_err(wrong)?;
    Ok(bytes)
}

/// Gives the weights of products the names of their layers, by the order in which the graph uses them.
fn named(graph: &Graph, mut arrays: BTreeMap<String, Tensor>) -> Result<Tensors, OtherError> {
    let products = graph.node.iter().filter(|node| node.op_type == "MatMul");
    let weights = products.filter_map(|node| node.input.get(1)).filter(|name| arrays.contains_key(*name));
    let weights: Vec<String> = weights.cloned().collect();
    let blocks =
        (0..).take_while(|block| arrays.contains_key(&format!("transformer.layers.{block}.norm1.weight")));
    let of_block =
        ["self_attn.mha.in_proj_weight", "self_attn.mha.out_proj.weight", "linear1.weight", "linear2.weight"];
    let layers = blocks.flat_map(|block| of_block.map(|name| format!("transformer.layers.{block}.{name}")));
    let heads = ["proj_sq_from.weight", "proj_sq_to.weight", "promo_bias_proj.weight"].map(str::to_owned);
    let names: Vec<String> =
        ["token_projection.weight".to_owned()].into_iter().chain(layers).chain(heads).collect();
    let mut tensors = Tensors::default();
    if weights.len() != names.len() {
        let (found, wanted) = (weights.len(), names.len());
        return Err(OtherError::Unknown(format!(
            "its graph has {found} products with weights, Maia-3's {wanted}"
        )));
    }
    for (name, weight) in names.into_iter().zip(weights) {
        let Tensor { shape, values } =
            arrays.remove(&weight).ok_or_else(|| OtherError::Missing(weight.clone()))?;
        let [inputs, outputs] = shape[..] else {
            return Err(OtherError::Shape { name: weight, found: shape, expected: vec![0, 0] });
        };
        let values = transposed(&values, inputs, outputs);
        tensors.insert(name, Tensor { shape: vec![outputs, inputs], values });
    }
    // The matrix that all blocks share bears the name of the last of them.
    let shared = arrays.keys().find(|name| name.ends_with("gab_weight")).cloned();
    if let Some(tensor) = shared.and_then(|name| arrays.remove(&name)) {
        tensors.insert("gab_shared_weight", tensor);
    }
    tensors.0.extend(arrays);
    Ok(tensors)
}
