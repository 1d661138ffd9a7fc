//! The architecture `stream`, the seed's: the known position and its future as one sequence of characters and words in a bidirectional
//! transformer. Attention goes over everything in every step.

pub(super) mod sequence;

use self::sequence::{CHARACTERS, WORDS};
use super::{
    StreamConfig,
    batch::Known,
    block::TokenBlock,
    future::Layout,
    prompt::{Asked, Prompt, text_rows, tokens},
    split::{First, looked_up, packed_rows, rows},
};
use crate::{
    fused::Ready,
    layers::{Builder, indices},
};
use burn::{
    module::{Module, Param},
    nn::{LayerNorm, Linear},
    tensor::Tensor,
};

#[derive(Module, Debug)]
pub(crate) struct Stream {
    /// Rows of characters, words and places: see `prompt`.
    table: Param<Tensor<2>>,
    blocks: Vec<TokenBlock>,
    norm: LayerNorm,
    words: Linear,
    characters: Linear,
    outcome: Linear,
}

/// Parts packed for the CPU.
#[derive(Debug)]
pub(super) struct PackedStream {
    table: Ready,
    blocks: Vec<Ready>,
}

impl Stream {
    pub(super) fn new(config: &StreamConfig, layout: Layout, builder: &mut Builder<'_>) -> Stream {
        let StreamConfig { layers, width, heads, feed } = *config;
        Stream {
            table: builder.normal([text_rows(layout), width], 0.1),
            blocks: (0..layers).map(|_| TokenBlock::new([layers, width, heads, feed], builder)).collect(),
            norm: builder.norm(width),
            words: builder.linear(width, WORDS, true),
            characters: builder.linear(width, CHARACTERS, true),
            outcome: builder.linear(width, 3, true),
        }
    }

    /// The tokens of whole sequences: [batch x futures, tokens, width].
    pub(super) fn denoise(&self, prompt: &Prompt, packed: Option<&PackedStream>) -> Tensor<3> {
        let [_, width] = self.table.val().dims();
        let x = looked_up(&self.table, &prompt.tokens, packed.map(|packed| &packed.table));
        let x = x.reshape([prompt.len * prompt.futures, tokens(prompt.layout), width]);
        let blocks = self.blocks.iter().enumerate();
        let x = blocks.fold(x, |x, (at, block)| block.forward(x, packed.map(|packed| &packed.blocks[at])));
        self.norm.forward(x)
    }

    /// What the futures with one number say of the first action, and of the result.
    pub(super) fn first(&self, known: &Known, prompt: &Prompt, x: &Tensor<3>, future: usize) -> First {
        let own = own(prompt, x, future); // [batch, tokens, width]
        let words = self.words.forward(own.clone().narrow(1, prompt.first_token(), 1).squeeze_dim::<2>(1));
        let boards = known.counts.iter().enumerate().flat_map(|(at, &count)| std::iter::repeat_n(at, count));
        let legal = boards.zip(&known.actions).map(|(board, &word)| (board * WORDS) as i32 + word);
        let legal = indices(legal.collect(), &x.device());
        let moves = words.reshape([known.len() * WORDS]).select(0, legal);
        First { moves, outcome: self.outcome.forward(own.mean_dim(1).squeeze_dim::<2>(1)) }
    }

    /// Scores of the words of later actions: [asked, 1968].
    pub(super) fn actions(&self, x: &Tensor<3>, asked: &Asked) -> Tensor<2> {
        self.words.forward(rows(x, &asked.actions))
    }

    /// Scores of characters: [asked, 32].
    pub(super) fn changes(&self, x: &Tensor<3>, asked: &Asked) -> Tensor<2> {
        self.characters.forward(rows(x, &asked.states))
    }

    /// The parts packed for the CPU; nothing where one of them does not fit.
    pub(super) fn packed(&self, layout: Layout) -> Option<PackedStream> {
        let blocks = self.blocks.iter().map(|block| block.packed(tokens(layout)));
        Some(PackedStream { table: packed_rows(&self.table)?, blocks: blocks.collect::<Option<_>>()? })
    }
}

/// The tokens of the futures with one number: [batch, tokens, width].
pub(super) fn own(prompt: &Prompt, x: &Tensor<3>, future: usize) -> Tensor<3> {
    let [_, each, width] = x.dims();
    let all = x.clone().reshape([prompt.len, prompt.futures, each, width]);
    all.narrow(1, future, 1).squeeze_dim::<3>(1)
}
