//! Convolutions as Leela's files hold them, with the norm behind them folded into weights and biases.

use kernels::dense::Linear;

use super::{
    WIDEST,
    proto::{self, Convolution},
};
use crate::others::OtherError;

const EPSILON: f32 = 1e-5;

/// A convolution: weights `[neighbours x inputs, outputs]`, the nine neighbours from the lower left to the upper right, or the square
/// alone; and a bias for each output.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) weights: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) inputs: usize,
}

impl Filter {
    /// `neighbours` is 9 or 1.
    pub(super) fn read(
        from: Option<&Convolution>,
        name: &str,
        neighbours: usize,
        inputs: usize,
    ) -> Result<Filter, OtherError> {
        let from = from.ok_or_else(|| OtherError::Missing(name.to_owned()))?;
        let outputs = outputs(Some(from));
        if outputs == 0 || outputs > WIDEST {
            return Err(OtherError::Unknown(format!("its layer `{name}` has {outputs} channels")));
        }
        let part = |layer, what: &str, usual: f32| match layer {
            &None => Ok(vec![usual; outputs]),
            layer => proto::numbers(layer, &format!("{name}.{what}"), outputs),
        };
        let (gammas, betas) = (part(&from.gammas, "gammas", 1.0)?, part(&from.betas, "betas", 0.0)?);
        let mut bias = part(&from.biases, "biases", 0.0)?;
        let mut factors = vec![1.0; outputs];
        if from.means.is_some() {
            let means = part(&from.means, "means", 0.0)?;
            let variances = part(&from.variances, "variances", 1.0)?;
            for output in 0..outputs {
                factors[output] = gammas[output] / (variances[output] + EPSILON).sqrt();
                bias[output] = (bias[output] - means[output]) * factors[output] + betas[output];
            }
        }
        let given = proto::numbers(&from.weights, name, neighbours * inputs * outputs)?;
        let mut weights = vec![0.0; given.len()];
        for (output, given) in given.chunks_exact(neighbours * inputs).enumerate() {
            for (input, given) in given.chunks_exact(neighbours).enumerate() {
                for (neighbour, weight) in given.iter().enumerate() {
                    weights[(neighbour * inputs + input) * outputs + output] = weight * factors[output];
                }
            }
        }
        match weights.iter().chain(&bias).all(|value| value.is_finite()) {
            true => Ok(Filter { weights, bias, inputs }),
            false => Err(OtherError::NotFinite(name.to_owned())),
        }
    }

    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// With zeros for inputs and outputs beyond those that are there.
    pub(super) fn padded(&self, inputs: usize, outputs: usize) -> Filter {
        let rows = self.weights.len() / self.outputs();
        let mut weights = vec![0.0; rows / self.inputs * inputs * outputs];
        for (row, from) in self.weights.chunks_exact(self.outputs()).enumerate() {
            let to = row / self.inputs * inputs + row % self.inputs;
            weights[to * outputs..][..from.len()].copy_from_slice(from);
        }
        let mut bias = self.bias.clone();
        bias.resize(outputs, 0.0);
        Filter { weights, bias, inputs }
    }

    /// As a dense layer on the neighbours of a square, side by side.
    pub(super) fn linear(&self) -> Linear<'_> {
        Linear::new(&self.weights, self.weights.len() / self.outputs(), self.outputs(), Some(&self.bias))
    }
}

/// Output channels of a convolution; 0 where there is none.
pub(super) fn outputs(from: Option<&Convolution>) -> usize {
    from.map_or(0, |from| proto::len(&from.biases).max(proto::len(&from.means)))
}
