//! Small networks with random numbers in the formats of others, as every family of ours has a tiny one: for tests, which need no file
//! of anybody's.

use chess::Random;
use prost::Message;

use super::{
    leela::samples,
    onnx::{Array, FLOAT, Graph, Input, Model, Node},
    tensors::{Tensor, Tensors, transposed},
};

pub use samples::{leela_attention, leela_classical, leela_residual};

const WIDTH: usize = 32;
const HIDDEN: usize = 64;
const BLOCKS: usize = 2;
const HEADS: usize = 2;
/// Of the vectors of ratings, of smolgen's vector of the board, and of those of its heads.
const SMALL: usize = 16;

/// Maia-3 as an ONNX file.
pub fn maia3_onnx(seed: u64) -> Vec<u8> {
    let mut tensors = maia3(seed);
    let mut graph = Graph::default();
    let block = |block: usize| {
        ["self_attn.mha.in_proj_weight", "self_attn.mha.out_proj.weight", "linear1.weight", "linear2.weight"]
            .map(|part| format!("transformer.layers.{block}.{part}"))
    };
    let heads = ["proj_sq_from.weight", "proj_sq_to.weight", "promo_bias_proj.weight"].map(str::to_owned);
    let products =
        ["token_projection.weight".to_owned()].into_iter().chain((0..BLOCKS).flat_map(block)).chain(heads);
    for (number, name) in products.enumerate() {
        // Exporters keep no names for the weights of products, and turn them round.
        let Tensor { shape, values } = tensors.0.remove(&name).expect("an array of the network");
        let weight = format!("onnx::MatMul_{number}");
        let values = transposed(&values, shape[0], shape[1]);
        graph.initializer.push(array(&weight, &[shape[1], shape[0]], &values));
        graph.node.push(Node { input: vec![format!("x{number}"), weight], op_type: "MatMul".to_owned() });
    }
    graph
        .initializer
        .extend(tensors.0.iter().map(|(name, tensor)| array(name, &tensor.shape, &tensor.values)));
    graph.input = ["tokens", "self_elo", "oppo_elo"].map(|name| Input { name: name.to_owned() }).into();
    Model { graph: Some(graph) }.encode_to_vec()
}

fn array(name: &str, shape: &[usize], values: &[f32]) -> Array {
    Array {
        dims: shape.iter().map(|&size| size as i64).collect(),
        data_type: FLOAT,
        name: name.to_owned(),
        raw_data: values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        ..Array::default()
    }
}

/// Maia-3's arrays by name.
pub(super) fn maia3(seed: u64) -> Tensors {
    let mut random = Random::new(seed);
    let mut tensors = Tensors::default();
    let mut add = |name: &str, shape: &[usize]| {
        let spread = match shape {
            [_, inputs] => (3.0 / *inputs as f32).sqrt(),
            _ => 0.1,
        };
        let middle =
            if shape.len() == 1 && name.contains("norm") && name.ends_with("weight") { 1.0 } else { 0.0 };
        let number = |_| middle + spread * (2.0 * random.part() - 1.0);
        let values = (0..shape.iter().product::<usize>()).map(number).collect();
        tensors.insert(name, Tensor { shape: shape.to_vec(), values });
    };
    add("elo_embedding_low.weight", &[1, SMALL]);
    add("elo_embedding_high.weight", &[1, SMALL]);
    add("token_projection.weight", &[WIDTH, 96 + 2 * SMALL]);
    add("token_projection.bias", &[WIDTH]);
    add("gab_shared_weight", &[4096, SMALL]);
    for block in 0..BLOCKS {
        let mut add = |name: &str, shape: &[usize]| add(&format!("transformer.layers.{block}.{name}"), shape);
        add("self_attn.mha.in_proj_weight", &[3 * WIDTH, WIDTH]);
        add("self_attn.mha.out_proj.weight", &[WIDTH, WIDTH]);
        for (layer, inputs, outputs) in [
            ("linear1", WIDTH, HIDDEN),
            ("linear2", HIDDEN, WIDTH),
            ("self_attn.sm2", WIDTH, SMALL),
            ("self_attn.sm3", SMALL, HEADS * SMALL),
        ] {
            add(&format!("{layer}.weight"), &[outputs, inputs]);
            add(&format!("{layer}.bias"), &[outputs]);
        }
        for (norm, width) in [("self_attn.ln1", SMALL), ("self_attn.ln2", HEADS * SMALL)] {
            add(&format!("{norm}.weight"), &[width]);
            add(&format!("{norm}.bias"), &[width]);
        }
        add("norm1.weight", &[WIDTH]);
        add("norm2.weight", &[WIDTH]);
    }
    for norm in ["transformer.norm", "last_ln"] {
        add(&format!("{norm}.weight"), &[WIDTH]);
        add(&format!("{norm}.bias"), &[WIDTH]);
    }
    add("fc_value_hid.weight", &[WIDTH, WIDTH]);
    add("fc_value_hid.bias", &[WIDTH]);
    add("fc_value.weight", &[3, WIDTH]);
    add("fc_value.bias", &[3]);
    add("proj_sq_from.weight", &[WIDTH, WIDTH]);
    add("proj_sq_to.weight", &[WIDTH, WIDTH]);
    add("promo_bias_proj.weight", &[4, WIDTH]);
    tensors
}
