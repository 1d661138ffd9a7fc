//! Between centipawns and chances, on the scale that Lichess measured on its games.

use chess::Wdl;

use crate::Score;

/// Share of the point that a player of about 2300 makes with a lead of this many centipawns, as Lichess fitted it.
const STEEPNESS: f32 = 0.003_682_08;
/// As far as chances are told in centipawns; beyond it a WDL says nothing more exact.
const MOST_CENTIPAWNS: f32 = 1500.0;

/// Expected score, 0 to 1, of the side that a score belongs to.
pub fn expected_score(score: Score) -> f32 {
    match score {
        Score::Mates(_) => 1.0,
        Score::Mated(_) => 0.0,
        Score::Centipawns(value) => 1.0 / (1.0 + (-STEEPNESS * value as f32).exp()),
    }
}

/// The expected score of a position that cannot be drawn.
pub(crate) fn even_money(score: Score) -> Wdl {
    let expectation = expected_score(score);
    Wdl::from_weights(expectation, 0.0, 1.0 - expectation)
}

/// The score in centipawns that goes with chances.
pub fn score_of(wdl: Wdl) -> Score {
    let expectation = wdl.expectation().clamp(1e-6, 1.0 - 1e-6);
    let value = (expectation / (1.0 - expectation)).ln() / STEEPNESS;
    Score::Centipawns(value.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS).round() as i32)
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
