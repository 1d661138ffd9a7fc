//! What an engine's label says of the moves of a position, and a model's choice held against it.

use ::data::Sample;
use chess::{
    Evaluation, LOG_ODDS_PER_CENTIPAWN,
    shakmaty::{Move, Position},
};

use crate::eval::mark::Moves;

/// Centipawns by which a good move may be worse than the best.
const GOOD: i32 = 30;

/// An engine's word on the moves of a position.
#[derive(Debug)]
pub(in crate::verbs::eval) struct Truth {
    legal: Vec<Move>,
    /// Best first, with scores for the side to move; without a score where there is one move only.
    best: Vec<(Move, Option<Evaluation>)>,
}

/// How good a model's choice was; nothing where the label or the model does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Verdict {
    pub(super) first: Option<f64>,
    pub(super) among_three: Option<f64>,
    pub(super) good: Option<f64>,
    /// Expected score that the move gives away.
    pub(super) loss: Option<f64>,
}

impl Truth {
    pub(super) fn of(sample: &Sample) -> Option<Truth> {
        let position = &sample.moment.position;
        let label = sample.label.as_ref()?;
        let us = position.turn();
        let seen = |white: Evaluation| us.fold_wb(white, white.flipped());
        let mut best: Vec<(Move, Option<Evaluation>)> = label
            .best
            .iter()
            .filter_map(|(m, score)| Some((m.unpack(position)?, Some(seen(*score)))))
            .collect();
        if best.is_empty() {
            best.push((label.line.first()?.unpack(position)?, None));
        }
        Some(Truth { legal: sample.moment.legal_moves().into_iter().collect(), best })
    }

    pub(super) fn of_played(&self, sample: &Sample) -> Verdict {
        self.verdict(&Moves::Best(Some(sample.played)))
    }

    /// Equals share the places; nonsense is the worst of moves.
    pub(super) fn verdict(&self, moves: &Moves) -> Verdict {
        match moves {
            Moves::Best(chosen) => Verdict { among_three: None, ..self.of_choice(*chosen) },
            Moves::Chances(chances) => {
                let place = self.legal.iter().position(|&m| m == self.best[0].0);
                let own = place.and_then(|place| chances.get(place)).copied().unwrap_or(f32::MIN);
                let better = chances.iter().filter(|&&chance| chance > own).count();
                let equal = chances.iter().filter(|&&chance| chance == own).count().max(1);
                let share = |places: usize| ((places as f64 - better as f64) / equal as f64).clamp(0.0, 1.0);
                let likeliest = (0..chances.len()).rev().max_by(|&a, &b| chances[a].total_cmp(&chances[b]));
                let chosen = likeliest.and_then(|at| self.legal.get(at)).copied();
                Verdict { first: Some(share(1)), among_three: Some(share(3)), ..self.of_choice(chosen) }
            }
        }
    }

    fn of_choice(&self, chosen: Option<Move>) -> Verdict {
        let (best, top) = self.best[0];
        let mut verdict =
            Verdict { first: Some(f64::from(u8::from(chosen == Some(best)))), ..Verdict::default() };
        // The score of one move says nothing of the others.
        if let (Some(top), Some(&(_, Some(last)))) = (top, self.best[1..].last()) {
            let listed = self.best.iter().find(|(m, _)| Some(*m) == chosen).and_then(|(_, score)| *score);
            let score = listed.unwrap_or(last);
            let near = i32::from(top.0) - i32::from(score.0) <= GOOD;
            verdict.good = Some(f64::from(u8::from(listed.is_some() && near)));
            verdict.loss = Some((expectation(top) - expectation(score)).max(0.0));
        }
        verdict
    }
}

/// The score that a lead of so many centipawns stands for.
fn expectation(own: Evaluation) -> f64 {
    match own.as_centipawns() {
        Some(centipawns) => 1.0 / (1.0 + f64::from(-LOG_ODDS_PER_CENTIPAWN * f32::from(centipawns)).exp()),
        None => f64::from(u8::from(own.0 > 0)),
    }
}

/// Where a game comes from.
pub(super) fn source(sample: &Sample) -> &'static str {
    match (sample.game.id.starts_with("chess.com/"), sample.game.control) {
        (true, _) => "chess.com",
        (false, Some(_)) => "Lichess",
        (false, None) => "no clock known",
    }
}

/// The phase of a game, by its officers.
pub(super) fn phase(sample: &Sample) -> &'static str {
    let board = sample.moment.position.board();
    let officers = (board.occupied() & !board.pawns() & !board.kings()).count();
    match (officers, sample.ply) {
        (11.., 0..20) => "opening",
        (7.., _) => "middlegame",
        _ => "endgame",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Moment;

    fn truth(scores: &[(&str, i64)]) -> Truth {
        let moment = Moment::default();
        let of = |(text, score): &(&str, i64)| {
            (moment.parse_uci(text).unwrap(), Some(Evaluation::centipawns(*score)))
        };
        Truth { legal: moment.legal_moves().into_iter().collect(), best: scores.iter().map(of).collect() }
    }

    fn choice(truth: &Truth, text: &str) -> Verdict {
        truth.verdict(&Moves::Best(Some(Moment::default().parse_uci(text).unwrap())))
    }

    #[test]
    fn a_choice_is_held_against_the_listed_moves() {
        let truth = truth(&[("e2e4", 40), ("d2d4", 15), ("g2g4", -120)]);
        let best = choice(&truth, "e2e4");
        assert_eq!(
            (best.first, best.among_three, best.good, best.loss),
            (Some(1.0), None, Some(1.0), Some(0.0))
        );
        let near = choice(&truth, "d2d4");
        assert_eq!((near.first, near.good), (Some(0.0), Some(1.0)));
        let bad = choice(&truth, "g2g4");
        assert_eq!(bad.good, Some(0.0));
        assert!(bad.loss > near.loss && near.loss > Some(0.0));
        // What is not listed is no better than the last that is.
        let beyond = choice(&truth, "f2f3");
        assert_eq!((beyond.loss, beyond.good), (bad.loss, Some(0.0)));
    }

    #[test]
    fn a_single_move_tells_nothing_of_losses() {
        let found = choice(&truth(&[("e2e4", 40)]), "d2d4");
        assert_eq!((found.first, found.good, found.loss), (Some(0.0), None, None));
    }

    #[test]
    fn chances_name_the_first_and_the_first_three() {
        let truth = truth(&[("e2e4", 40), ("d2d4", 15)]);
        let mut chances = vec![0.01; 20];
        let place = |text: &str| {
            let m = Moment::default().parse_uci(text).unwrap();
            truth.legal.iter().position(|&other| other == m).unwrap()
        };
        (chances[place("d2d4")], chances[place("e2e4")]) = (0.5, 0.3);
        let found = truth.verdict(&Moves::Chances(chances));
        assert_eq!((found.first, found.among_three, found.good), (Some(0.0), Some(1.0), Some(1.0)));
        let guess = truth.verdict(&Moves::Chances(vec![0.05; 20]));
        assert!((guess.first.unwrap() - 0.05).abs() < 1e-9, "a guess is right once in twenty");
    }
}
