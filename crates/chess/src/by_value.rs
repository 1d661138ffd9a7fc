//! Comparisons by a mind that puts values on positions.

use std::sync::Arc;

use shakmaty::{Chess, Color, Position};

use crate::{Brain, Comparer, Embedding, LOG_ODDS_PER_CENTIPAWN, Wants};

/// Compares the values that a mind puts on positions.
#[expect(missing_debug_implementations, reason = "minds have none")]
pub struct ByValue(pub Arc<dyn Brain>);

impl Comparer for ByValue {
    fn embed(&mut self, position: &Chess, player: Color) -> Embedding {
        let found = self.0.evaluate(std::slice::from_ref(position), Wants::VALUE);
        let value = found.values.first().copied().unwrap_or(0.0);
        Arc::new([if position.turn() == player { value } else { -value }])
    }

    fn compare(&mut self, one: &Embedding, other: &Embedding) -> f32 {
        LOG_ODDS_PER_CENTIPAWN * (one[0] - other[0])
    }

    fn draw(&mut self) -> Embedding {
        Arc::new([0.0])
    }
}
