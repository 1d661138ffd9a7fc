//! Values of positions as people read them: seen by White, as chances.

use chess::shakmaty::Color;
use engine::Score;
use serde::Serialize;
use utoipa::ToSchema;

use crate::play::game::side::Side;

/// How chances follow centipawns in games between people; Lichess published this fit of its own games.
const CHANCE_PER_CENTIPAWN: f32 = 0.003_682_08;

/// A score seen by White: `{"cp": 31}` or `{"mate": -4}`. Mate in nothing has no sign of its own, so the loser is told: `{"mated": "white"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Score)]
pub(crate) enum WhiteScore {
    Cp(i32),
    Mate(i32),
    Mated(Side),
}

impl WhiteScore {
    pub(crate) fn new(score: Score, turn: Color) -> WhiteScore {
        let white = if turn == Color::White { score } else { score.flipped() };
        match (white, white.mate_in()) {
            (Score::Centipawns(value), _) => WhiteScore::Cp(value),
            (_, moves) => WhiteScore::Mate(moves.unwrap_or(0)),
        }
    }
}

/// The score that people of equal strength would make from here, for the side to move.
pub(crate) fn expectation(score: Score) -> f32 {
    match (score, score.mate_in()) {
        (Score::Centipawns(value), _) => 1.0 / (1.0 + (-CHANCE_PER_CENTIPAWN * value as f32).exp()),
        (Score::Mates(_), _) => 1.0,
        (Score::Mated(_), _) => 0.0,
    }
}

/// What a move was, by what it gave away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Judgement {
    Best,
    Good,
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Judgement {
    /// From the expected score before and after a move, both for the mover. The steps are those that players know
    /// from Lichess.
    pub(crate) fn of(before: f32, after: f32, is_best: bool) -> Judgement {
        match before - after {
            _ if is_best => Judgement::Best,
            loss if loss >= 0.15 => Judgement::Blunder,
            loss if loss >= 0.10 => Judgement::Mistake,
            loss if loss >= 0.05 => Judgement::Inaccuracy,
            _ => Judgement::Good,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_told_from_whites_side() {
        let cp = |value| Score::Centipawns(value);
        assert_eq!(WhiteScore::new(cp(30), Color::Black), WhiteScore::Cp(-30));
        assert_eq!(WhiteScore::new(Score::mates(2), Color::Black), WhiteScore::Mate(-2));
        assert_eq!(WhiteScore::new(Score::mated(1), Color::Black), WhiteScore::Mate(1));
        assert!((expectation(cp(0)) - 0.5).abs() < 1e-6 && expectation(cp(300)) > 0.7);
        assert_eq!((expectation(Score::mates(3)), expectation(Score::mated(3))), (1.0, 0.0));
    }

    #[test]
    fn moves_are_judged_by_what_they_give_away() {
        let table = [
            (0.5, 0.5, false, Judgement::Good),
            (0.5, 0.44, false, Judgement::Inaccuracy),
            (0.5, 0.39, false, Judgement::Mistake),
            (0.5, 0.2, false, Judgement::Blunder),
            (0.5, 0.2, true, Judgement::Best),
            (0.5, 0.9, false, Judgement::Good),
        ];
        for (before, after, is_best, expected) in table {
            assert_eq!(Judgement::of(before, after, is_best), expected, "{before} to {after}");
        }
    }
}
