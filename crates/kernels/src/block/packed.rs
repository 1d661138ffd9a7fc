//! A block's parameters laid out for products: packed once per step of training, or once for all when it only plays.

use super::{Dropout, Layout, Part, Shape};
use crate::{
    Aligned, Level,
    product::{self, Place, View},
    smolgen,
};

#[derive(Clone, Debug)]
pub struct PackedBlock {
    pub(super) level: Level,
    pub(super) shape: Shape,
    pub(super) layout: Layout,
    /// Norms and biases.
    pub(super) small: Small,
    pub(super) ahead: Matrices,
    /// The transposes, for the backward pass.
    pub(super) back: Option<Matrices>,
    /// Makes the attention's biases.
    pub(super) smolgen: Option<smolgen::PackedSmolgen>,
    /// Attention's biases that all positions share, heads x tokens x tokens.
    pub(super) shared_bias: Option<Vec<f32>>,
    pub(super) dropout: Option<Dropout>,
}

#[derive(Clone, Debug)]
pub(super) struct Matrices {
    /// Query, key and value side by side.
    pub(super) qkv: Aligned,
    pub(super) out: Aligned,
    pub(super) up: Aligned,
    pub(super) down: Aligned,
}

#[derive(Clone, Debug)]
pub(super) struct Small {
    pub(super) norm1: [Vec<f32>; 2],
    pub(super) qkv_bias: Option<Vec<f32>>,
    pub(super) out_bias: Option<Vec<f32>>,
    pub(super) norm2: [Vec<f32>; 2],
    pub(super) up_bias: Option<Vec<f32>>,
    pub(super) down_bias: Option<Vec<f32>>,
}

impl PackedBlock {
    /// From parameters in the order of [`Layout`]; `train` packs what the backward pass needs, too.
    pub fn new(level: Level, shape: Shape, parameters: &[f32], train: bool) -> PackedBlock {
        let layout = Layout::of(&shape);
        assert_eq!(parameters.len(), layout.total());
        let get = |part| &parameters[layout.range(part)];
        let own = |part| get(part).to_vec();
        let biases = |values: Vec<f32>| shape.biases.then_some(values);
        let small = Small {
            norm1: [own(Part::Norm1), own(Part::Norm1Bias)],
            qkv_bias: biases(own(Part::QkvBias)),
            out_bias: biases(own(Part::OutBias)),
            norm2: [own(Part::Norm2), own(Part::Norm2Bias)],
            up_bias: biases(own(Part::UpBias)),
            down_bias: biases(own(Part::DownBias)),
        };
        let ahead = Matrices::ahead(level, &shape, get);
        let back = train.then(|| Matrices::back(level, &shape, get));
        PackedBlock {
            level,
            shape,
            layout,
            small,
            ahead,
            back,
            smolgen: None,
            shared_bias: None,
            dropout: None,
        }
    }

    /// The block with its own source of attention biases; gradients of its parameters follow those of the block.
    pub fn with_smolgen(self, smolgen: smolgen::PackedSmolgen) -> PackedBlock {
        PackedBlock { smolgen: Some(smolgen), ..self }
    }

    /// The block with attention biases of its own, the same for all positions: heads x tokens x tokens. Their gradients follow those of
    /// the block, which has no smolgen then.
    pub fn with_shared_bias(self, bias: &[f32]) -> PackedBlock {
        assert!(bias.len() == self.shape.bias_len() && self.smolgen.is_none());
        PackedBlock { shared_bias: Some(bias.to_vec()), ..self }
    }

    /// The block as training disturbs it; only for blocks that learn.
    pub fn with_dropout(self, dropout: Dropout) -> PackedBlock {
        PackedBlock { dropout: Some(dropout), ..self }
    }

    /// Numbers in all parameters, those of the smolgen or the shared biases last.
    pub fn parameters(&self) -> usize {
        let shared = self.shared_bias.as_ref().map_or(0, Vec::len);
        self.layout.total() + self.smolgen.as_ref().map_or(0, smolgen::PackedSmolgen::parameters) + shared
    }
}

impl Matrices {
    fn ahead<'a>(level: Level, shape: &Shape, get: impl Fn(Part) -> &'a [f32]) -> Matrices {
        let Shape { width, hidden, .. } = *shape;
        let pack = |part, k, n| {
            let mut to = Aligned::scratch(product::words(level, n, k));
            product::right(level, View::new(get(part), k, n), &mut to);
            to
        };
        Matrices {
            qkv: pack(Part::Qkv, width, 3 * width),
            out: pack(Part::Out, width, width),
            up: pack(Part::Up, width, shape.up()),
            down: pack(Part::Down, hidden, width),
        }
    }

    fn back<'a>(level: Level, shape: &Shape, get: impl Fn(Part) -> &'a [f32]) -> Matrices {
        let Shape { width, hidden, .. } = *shape;
        let pack = |part, rows, columns| {
            let mut to = Aligned::scratch(product::words(level, rows, columns));
            product::right_transposed(level, View::new(get(part), rows, columns), &mut to);
            to
        };
        // Parts of a longer sum begin at whole steps of it.
        let beside = |parts: &[(View<'_>, usize)]| {
            let step = product::depth(level, parts[0].1);
            let mut to = Aligned::scratch(product::words(level, width, parts.len() * step));
            for (i, &(view, _)) in parts.iter().enumerate() {
                let place = Place { at: i * step, of: parts.len() * step };
                product::right_transposed_at(level, view, &mut to, place);
            }
            to
        };
        let qkv = View::new(get(Part::Qkv), width, 3 * width);
        let up = View::new(get(Part::Up), width, shape.up());
        let ups: Vec<_> =
            (0..shape.activation.inputs()).map(|i| (up.columns(i * hidden, hidden), hidden)).collect();
        Matrices {
            qkv: beside(&[0, 1, 2].map(|i| (qkv.columns(i * width, width), width))),
            out: pack(Part::Out, width, width),
            up: beside(&ups),
            down: pack(Part::Down, hidden, width),
        }
    }
}
