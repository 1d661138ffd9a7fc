//! Small networks of Leela's with random numbers.

use chess::{
    Random,
    encoding::leela::CHANNELS,
    vocabulary::leela::{PLANES, SIZE},
};
use prost::Message;

use super::{
    CLASSICAL_POLICY, CONVOLUTION_POLICY,
    input::REACH,
    proto::{
        Attention, Convolution, EncoderLayer, FeedForward, Format, Layer, MAGIC, Net, NetworkFormat,
        Residual, Smolgen, Squeeze, Weights,
    },
};

/// Not a whole group of channels, as the smallest published networks have.
const WIDTH: usize = 16;
const ATTENTION_WIDTH: usize = 32;
const HEADS: usize = 2;
const SMALL: usize = 4;
const EACH: usize = 16;
const WDL: usize = 3;

/// Residual blocks with squeeze and excitation, a convolutional policy, chances of the outcome.
pub fn leela_residual(seed: u64) -> Vec<u8> {
    let mut some = Layers(Random::new(seed));
    let blocks = (0..2).map(|_| Residual {
        conv1: some.convolution(9, WIDTH, WIDTH, true),
        conv2: some.convolution(9, WIDTH, WIDTH, true),
        se: Some(Squeeze {
            w1: some.layer(WIDTH * SMALL, WIDTH),
            b1: some.layer(SMALL, 1),
            w2: some.layer(2 * WIDTH * SMALL, SMALL),
            b2: some.layer(2 * WIDTH, 1),
        }),
    });
    let residual = blocks.collect();
    let weights = Weights {
        residual,
        policy1: some.convolution(9, WIDTH, WIDTH, true),
        policy: some.convolution(9, WIDTH, PLANES, false),
        ..some.residual_rest(WDL)
    };
    net(NetworkFormat { policy: CONVOLUTION_POLICY, ..NetworkFormat::default() }, weights)
}

/// Residual blocks alone, a policy over all words, an expectation.
pub fn leela_classical(seed: u64) -> Vec<u8> {
    let mut some = Layers(Random::new(seed));
    let conv = |some: &mut Layers| some.convolution(9, WIDTH, WIDTH, true);
    let weights = Weights {
        residual: vec![Residual { conv1: conv(&mut some), conv2: conv(&mut some), se: None }],
        policy: some.convolution(1, WIDTH, SMALL, true),
        ip_pol_w: some.layer(64 * SMALL * SIZE, 64 * SMALL),
        ip_pol_b: some.layer(SIZE, 1),
        ..some.residual_rest(1)
    };
    net(NetworkFormat { policy: CLASSICAL_POLICY, ..NetworkFormat::default() }, weights)
}

/// An attention body with smolgen, a policy by attention, chances of the outcome.
pub fn leela_attention(seed: u64) -> Vec<u8> {
    let mut some = Layers(Random::new(seed));
    let width = ATTENTION_WIDTH;
    let square = |some: &mut Layers| (some.layer(width * width, width), some.layer(width, 1));
    let [(q_w, q_b), (k_w, k_b), (v_w, v_b), (dense_w, dense_b), (dense1_w, dense1_b), (dense2_w, dense2_b)] =
        [(); 6].map(|()| square(&mut some));
    let smolgen = Smolgen {
        compress: some.layer(width * SMALL, width),
        dense1_w: some.layer(64 * SMALL * EACH, 64 * SMALL),
        dense1_b: some.layer(EACH, 1),
        ln1_gammas: some.layer(EACH, 1),
        ln1_betas: some.layer(EACH, 1),
        dense2_w: some.layer(EACH * HEADS * EACH, EACH),
        dense2_b: some.layer(HEADS * EACH, 1),
        ln2_gammas: some.layer(HEADS * EACH, 1),
        ln2_betas: some.layer(HEADS * EACH, 1),
    };
    let mha = Attention {
        q_w,
        q_b,
        k_w,
        k_b,
        v_w,
        v_b,
        dense_w,
        dense_b,
        smolgen: Some(smolgen),
        ..Attention::default()
    };
    let encoder = EncoderLayer {
        mha: Some(mha),
        ln1_gammas: some.layer(width, 1),
        ln1_betas: some.layer(width, 1),
        ffn: Some(FeedForward { dense1_w, dense1_b, dense2_w, dense2_b }),
        ln2_gammas: some.layer(width, 1),
        ln2_betas: some.layer(width, 1),
    };
    let [(ip_pol_w, ip_pol_b), (ip2_pol_w, ip2_pol_b), (ip3_pol_w, ip3_pol_b)] =
        [(); 3].map(|()| square(&mut some));
    let weights = Weights {
        encoder: vec![encoder],
        headcount: HEADS as u32,
        smolgen_w: some.layer(EACH * 4096, EACH),
        ip_emb_w: some.layer((CHANNELS + REACH) * width, CHANNELS),
        ip_emb_b: some.layer(width, 1),
        ip_pol_w,
        ip_pol_b,
        ip2_pol_w,
        ip2_pol_b,
        ip3_pol_w,
        ip3_pol_b,
        ip4_pol_w: some.layer(4 * width, width),
        ip_val_w: some.layer(width * SMALL, width),
        ip_val_b: some.layer(SMALL, 1),
        ..some.value(SMALL, WDL)
    };
    net(NetworkFormat { policy: 3, ..NetworkFormat::default() }, weights)
}

fn net(format: NetworkFormat, weights: Weights) -> Vec<u8> {
    let format = Format { weights_encoding: 1, network_format: Some(NetworkFormat { input: 1, ..format }) };
    Net { magic: MAGIC, format: Some(format), weights: Some(weights) }.encode_to_vec()
}

/// Makes layers.
struct Layers(Random);

impl Layers {
    /// So many numbers, for sums of so many products.
    fn layer(&mut self, count: usize, inputs: usize) -> Option<Layer> {
        let largest = if inputs == 1 { 0.2 } else { (3.0 / inputs as f32).sqrt() };
        let params = (0..count).flat_map(|_| ((self.0.part() * 65535.0) as u16).to_le_bytes()).collect();
        Some(Layer { min_val: -largest, max_val: largest, params })
    }

    fn convolution(
        &mut self,
        neighbours: usize,
        inputs: usize,
        outputs: usize,
        normed: bool,
    ) -> Option<Convolution> {
        let weights = self.layer(neighbours * inputs * outputs, neighbours * inputs);
        let biases = self.layer(outputs, 1);
        let positive =
            |layer: Option<Layer>| layer.map(|layer| Layer { min_val: 0.5, max_val: 1.5, ..layer });
        let [means, variances, gammas, betas] =
            [(); 4].map(|()| if normed { self.layer(outputs, 1) } else { None });
        Some(Convolution {
            weights,
            biases,
            means,
            variances: positive(variances),
            gammas: positive(gammas),
            betas,
        })
    }

    fn value(&mut self, each: usize, last: usize) -> Weights {
        Weights {
            ip1_val_w: self.layer(64 * each * EACH, 64 * each),
            ip1_val_b: self.layer(EACH, 1),
            ip2_val_w: self.layer(EACH * last, EACH),
            ip2_val_b: self.layer(last, 1),
            ..Weights::default()
        }
    }

    /// What residual networks have before and after their blocks, but for the policy.
    fn residual_rest(&mut self, last: usize) -> Weights {
        Weights {
            input: self.convolution(9, CHANNELS, WIDTH, true),
            value: self.convolution(1, WIDTH, SMALL, true),
            ..self.value(SMALL, last)
        }
    }
}
