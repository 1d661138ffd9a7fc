//! What a mind answers when shown a moment.

use shakmaty::{Chess, Move};

use crate::{Bins, Moment, ThinkTime};

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

/// A mind. Judging is batched: one answer per moment, in order.
///
/// Searches ask less of more positions, without a past: a value where a line ends, scores of moves where it goes on.
/// Minds that can answer these more cheaply than with a whole opinion do so.
pub trait Brain: Send + Sync {
    fn judge(&self, moments: &[Moment]) -> Vec<Opinion>;

    /// What each position is worth to the side to move, in centipawns and as fine as the mind has it; a draw is 0.
    /// `None` from a mind without a value. No position is over.
    fn values(&self, positions: &[Chess]) -> Option<Vec<f32>> {
        let opinions = self.judge(&bare(positions));
        opinions.iter().map(|opinion| Some(opinion.wdl?.centipawns())).collect()
    }

    /// How good each legal move looks, aligned with the position's `legal_moves()`, on a scale of the mind's own.
    /// `None` from a mind without an opinion on moves. No position is over.
    fn move_scores(&self, positions: &[Chess]) -> Option<Vec<Vec<f32>>> {
        self.judge(&bare(positions)).into_iter().map(|opinion| opinion.policy).collect()
    }

    /// Both together, for a search that will want the scores of most positions that it values: a mind that has them from
    /// one look says so at the price of one. `None` from a mind that lacks either.
    fn values_and_scores(&self, positions: &[Chess]) -> Option<(Vec<f32>, Vec<Vec<f32>>)> {
        let both = |opinion: Opinion| Some((opinion.wdl?.centipawns(), opinion.policy?));
        let both: Option<Vec<_>> = self.judge(&bare(positions)).into_iter().map(both).collect();
        Some(both?.into_iter().unzip())
    }

    /// Whether scores of moves are on the scale of values: what the position after the move is worth to the one who made it.
    fn scores_are_values(&self) -> bool {
        false
    }

    /// How the scores of moves are spread, if the mind was told.
    fn bins(&self) -> Option<&Bins> {
        None
    }
}

fn bare(positions: &[Chess]) -> Vec<Moment> {
    positions.iter().cloned().map(Moment::new).collect()
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

    /// Holds the side to move for winning as far as it has moves.
    struct Hopeful;

    impl Brain for Hopeful {
        fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
            let opinion = |moment: &Moment| {
                let moves = moment.legal_moves().len();
                let wdl = Wdl::from_weights(moves as f32, 0.0, 20.0);
                Opinion { policy: Some(vec![1.0; moves]), wdl: Some(wdl), ..Opinion::default() }
            };
            moments.iter().map(opinion).collect()
        }
    }

    #[test]
    fn values_and_move_scores_come_from_opinions_where_a_mind_has_nothing_better() {
        let mut after_e4 = Moment::default();
        after_e4.play(after_e4.parse_uci("e2e4").unwrap());
        after_e4.play(after_e4.parse_uci("e7e5").unwrap());
        let positions = [Chess::default(), after_e4.position];
        let values = Hopeful.values(&positions).unwrap();
        assert!(values[0].abs() < 1e-3 && values[1] > 50.0, "{values:?}");
        let counts: Vec<usize> = Hopeful.move_scores(&positions).unwrap().iter().map(Vec::len).collect();
        assert_eq!(counts, [20, 29]);
        let (same, scores) = Hopeful.values_and_scores(&positions).unwrap();
        assert_eq!((same, scores.len()), (values, 2));
        assert!(Hopeful.bins().is_none());
    }
}
