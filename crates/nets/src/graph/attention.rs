//! What a trained network attends to in a position, edge by edge, for those who want to look inside.

use chess::Moment;

use super::{GraphConfig, GraphNet, batch::GraphBatch, links::Link};
use crate::{WeightError, WeightFile, family::Family, loading};

/// How much each edge counts, by layer, aligned with the lists of [`chess::encoding::graph::Graph`]: the edge's share of all edges of its
/// kind that end at the same node, and for rays how open the gate is. Means over the heads, from 0 to 1. A list without layers belongs to a
/// relation that the network does without.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attention {
    pub attacks: Vec<Vec<f32>>,
    pub defences: Vec<Vec<f32>>,
    pub rays: Vec<Vec<f32>>,
    pub control: Vec<Vec<f32>>,
}

/// A network that is asked for its attention alone.
#[derive(Debug)]
pub struct AttentionReader {
    network: GraphNet,
    config: GraphConfig,
}

impl AttentionReader {
    /// From the bytes of a weight file.
    pub fn from_bytes(bytes: &[u8]) -> Result<AttentionReader, WeightError> {
        let file = WeightFile::from_bytes(bytes)?;
        if file.card.family != GraphNet::NAME {
            let family = &file.card.family;
            return Err(WeightError::Family(format!("`{family}` has no edges to attend to")));
        }
        let config: GraphConfig = serde_json::from_value(file.card.network.clone())
            .map_err(|error| WeightError::Network(error.to_string()))?;
        config.check().map_err(WeightError::Network)?;
        Ok(AttentionReader { network: loading::network(&config, &file.weights)?, config })
    }

    pub fn layers(&self) -> usize {
        self.config.layers
    }

    pub fn read(&self, moment: &Moment) -> Attention {
        let batch = GraphBatch::from_moments(&self.config, &[moment], false);
        let layers = self.network.shares(&self.config, &batch);
        let mut found = Attention::default();
        for (relation, link) in Link::all(&self.config).into_iter().enumerate() {
            let own = match link {
                Link::Attack => &mut found.attacks,
                Link::Defence => &mut found.defences,
                Link::Ray => &mut found.rays,
                Link::Control => &mut found.control,
                _ => continue,
            };
            own.extend(layers.iter().map(|shares| shares[relation].clone()));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use chess::encoding::graph::Graph;

    use super::*;
    use crate::layers::Builder;

    #[test]
    fn every_edge_has_its_attention_and_shares_of_a_node_sum_to_one() {
        for config in GraphConfig::all_tiny() {
            let network = GraphNet::new(&config, &mut Builder::new(5, &Device::flex()));
            let reader = AttentionReader { network, config };
            let moment = Moment::default().after_uci(["e2e4", "d7d5", "f1b5", "c7c6"]).unwrap();
            let (graph, found) = (Graph::of(&moment), reader.read(&moment));
            assert_eq!(found.attacks.len(), reader.layers());
            for layer in 0..reader.layers() {
                assert_eq!(found.rays[layer].len(), graph.rays.len());
                assert!(found.rays[layer].iter().all(|gate| (0.0..=1.0).contains(gate)));
                for (edges, shares) in [
                    (&graph.attacks, &found.attacks),
                    (&graph.defences, &found.defences),
                    (&graph.control, &found.control),
                ] {
                    assert_eq!(edges.len(), shares[layer].len());
                    let of = |node: u8| -> f32 {
                        let own = edges.iter().zip(&shares[layer]).filter(|(edge, _)| edge.to == node);
                        own.map(|(_, share)| share).sum()
                    };
                    assert!(edges.iter().all(|edge| (of(edge.to) - 1.0).abs() < 1e-4));
                }
            }
        }
    }
}
