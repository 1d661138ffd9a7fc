//! What is learned: to rebuild positions from the output of a layer, and which of two positions is better.

use burn::tensor::{Tensor, TensorData, activation::log_sigmoid};
use chess::encoding::comparator::LEN;

use super::{
    Comparator,
    batch::{ComparatorBatch, Pairs, Source},
};
use crate::{
    family::{Figures, Objective},
    fused::Lookups,
    weights::values,
};

pub(super) fn objective(network: &Comparator, batch: &ComparatorBatch) -> Objective {
    match batch {
        ComparatorBatch::Boards { layer, places } => {
            let (input, code) = network.encode_layer(*layer, places);
            let rebuilt = network.decode_layer(*layer, code);
            let error = match input {
                Some(input) => (rebuilt - input).square().mean(),
                None => {
                    let bits = bits(places, &rebuilt);
                    -(log_sigmoid(-rebuilt.clone()) + bits * rebuilt).mean()
                }
            };
            Objective { total: error.clone(), parts: vec![("rebuilding", error)] }
        }
        ComparatorBatch::Pairs(pairs) => {
            let count = pairs.targets.len();
            if count == 0 {
                // A batch of drawn games without scores has nothing to compare.
                let nothing = network.embed(&pairs.places).mean() * 0.0;
                return Objective { total: nothing, parts: Vec::new() };
            }
            let odds = verdicts(network, pairs);
            let targets =
                Tensor::<1>::from_data(TensorData::new(pairs.targets.clone(), [count]), &odds.device());
            let right = log_sigmoid(odds.clone()) * targets.clone();
            let wrong = log_sigmoid(-odds) * (-targets + 1.0);
            let loss = -(right + wrong).mean();
            Objective { total: loss.clone(), parts: vec![("pairs", loss)] }
        }
    }
}

fn verdicts(network: &Comparator, pairs: &Pairs) -> Tensor<1> {
    let halves = network.halves(network.embed(&pairs.places));
    network.compare(halves, &pairs.halves)
}

pub(super) fn figures(network: &Comparator, batch: &ComparatorBatch) -> Figures {
    let mut figures = Figures::default();
    match batch {
        ComparatorBatch::Boards { layer, places } => {
            let (_, code) = network.encode_layer(*layer, places);
            let rebuilt = values(network.decode(*layer, code));
            for (rebuilt, bits) in rebuilt.chunks_exact(LEN).zip(dense(places).chunks_exact(LEN)) {
                let wrong = rebuilt
                    .iter()
                    .zip(bits)
                    .filter(|(rebuilt, bit)| (**rebuilt > 0.5) != (**bit > 0.5))
                    .count();
                let squares: f32 =
                    rebuilt.iter().zip(bits).map(|(rebuilt, bit)| (rebuilt - bit).powi(2)).sum();
                figures.add("reconstruction error", f64::from(squares), 1.0);
                figures.add("wrong bits", wrong as f64, 1.0);
                figures.add("rebuilt exactly", f64::from(u8::from(wrong == 0)), 1.0);
            }
        }
        ComparatorBatch::Pairs(pairs) if pairs.targets.is_empty() => {}
        ComparatorBatch::Pairs(pairs) => {
            let odds = values(verdicts(network, pairs));
            for ((odds, target), source) in odds.into_iter().zip(&pairs.targets).zip(&pairs.sources) {
                let name = match source {
                    Source::Results => "by results",
                    Source::Scores => "by scores",
                    Source::Teacher => "by the teacher",
                };
                let right = f64::from(u8::from((odds > 0.0) == (*target > 0.5)));
                figures.add("pair accuracy", right, 1.0);
                figures.add(&format!("pair accuracy, {name}"), right, 1.0);
                let loss = f64::from(odds).exp().ln_1p() - f64::from(target * odds);
                figures.add("pair loss", loss, 1.0);
            }
        }
    }
    figures
}

fn dense(places: &Lookups) -> Vec<f32> {
    let mut bits = vec![0.0; places.len() * LEN];
    for (owner, &place) in places.owners().into_iter().zip(&places.rows) {
        if (place as usize) < LEN {
            bits[owner as usize * LEN + place as usize] = 1.0;
        }
    }
    bits
}

fn bits(places: &Lookups, like: &Tensor<2>) -> Tensor<2> {
    Tensor::from_data(TensorData::new(dense(places), like.dims()), &like.device())
}
