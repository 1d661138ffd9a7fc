//! What a mind answers when shown a moment.

use shakmaty::Move;

use crate::ThinkTime;

/// Log odds of a point that go with a centipawn, as Lichess fitted them on games of players of about 2300.
pub const LOG_ODDS_PER_CENTIPAWN: f32 = 0.003_682_08;
/// As far as chances are told in centipawns; beyond it they say nothing more exact.
const MOST_CENTIPAWNS: f32 = 1500.0;

/// Chance of winning, drawing, losing, for the side to move; sums to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wdl([f32; 3]);

impl Wdl {
    /// Chances in proportion to three weights of which at least one is positive.
    pub fn from_weights(win: f32, draw: f32, loss: f32) -> Wdl {
        let sum = win + draw + loss;
        debug_assert!(sum > 0.0, "weights {win} {draw} {loss}");
        Wdl([win / sum, draw / sum, loss / sum])
    }

    pub fn win(self) -> f32 {
        self.0[0]
    }

    pub fn draw(self) -> f32 {
        self.0[1]
    }

    pub fn loss(self) -> f32 {
        self.0[2]
    }

    /// Expected score: 1 for a sure win, 0 for a sure loss.
    pub fn expectation(self) -> f32 {
        self.win() + 0.5 * self.draw()
    }

    /// The lead in centipawns that goes with the expected score.
    pub fn centipawns(self) -> f32 {
        let expectation = self.expectation().clamp(1e-6, 1.0 - 1e-6);
        let value = (expectation / (1.0 - expectation)).ln() / LOG_ODDS_PER_CENTIPAWN;
        value.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS)
    }

    /// The same chances seen by the opponent.
    #[must_use]
    pub fn flipped(self) -> Wdl {
        Wdl([self.0[2], self.0[1], self.0[0]])
    }

    /// In thousandths that add up to 1000 exactly, as UCI reports them.
    pub fn per_mille(self) -> [u16; 3] {
        let win = (1000.0 * self.win()).round() as u16;
        let loss = ((1000.0 * self.loss()).round() as u16).min(1000 - win);
        [win, 1000 - win - loss, loss]
    }
}

/// What a mind thinks of one moment. `policy` is aligned with `moment.legal_moves()`.
#[derive(Clone, Debug, Default)]
pub struct Opinion {
    pub policy: Option<Vec<f32>>,
    pub wdl: Option<Wdl>,
    pub think: Option<ThinkTime>,
    /// The continuation that the mind expects, best move first.
    pub line: Vec<Move>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn per_mille_always_sums_to_a_thousand() {
        for (win, draw, loss) in
            [(1.0, 1.0, 1.0), (0.0005, 0.0, 0.9995), (1.0, 0.0, 0.0), (0.3335, 0.333, 0.3335)]
        {
            let parts = Wdl::from_weights(win, draw, loss).per_mille();
            assert_eq!(parts.iter().sum::<u16>(), 1000, "{parts:?}");
        }
    }

    #[test]
    fn flipping_swaps_win_and_loss() {
        let wdl = Wdl::from_weights(0.5, 0.3, 0.2);
        assert_eq!(wdl.flipped().win(), wdl.loss());
        assert!((wdl.expectation() + wdl.flipped().expectation() - 1.0).abs() < 1e-6);
    }
}
