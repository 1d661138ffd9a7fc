//! Between centipawns and chances, on the scale that Lichess measured on its games.

use chess::{LOG_ODDS_PER_CENTIPAWN, Wdl};

use crate::Score;

/// Expected score, 0 to 1, of the side that a score belongs to.
pub fn expected_score(score: Score) -> f32 {
    match score {
        Score::Mates(_) => 1.0,
        Score::Mated(_) => 0.0,
        Score::Centipawns(value) => 1.0 / (1.0 + (-LOG_ODDS_PER_CENTIPAWN * value as f32).exp()),
    }
}

/// The expected score of a position that cannot be drawn.
pub(crate) fn even_money(score: Score) -> Wdl {
    let expectation = expected_score(score);
    Wdl::from_weights(expectation, 0.0, 1.0 - expectation)
}

/// The score in centipawns that goes with chances.
pub fn score_of(wdl: Wdl) -> Score {
    Score::Centipawns(wdl.centipawns().round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_and_centipawns_lead_back_to_each_other() {
        for centipawns in [-900, -120, 0, 35, 700] {
            let expectation = expected_score(Score::Centipawns(centipawns));
            assert_eq!(
                score_of(Wdl::from_weights(expectation, 0.0, 1.0 - expectation)),
                Score::Centipawns(centipawns)
            );
        }
        assert_eq!(score_of(Wdl::from_weights(1.0, 0.0, 0.0)), Score::Centipawns(1500));
        assert_eq!((expected_score(Score::mates(3)), expected_score(Score::mated(0))), (1.0, 0.0));
    }
}
