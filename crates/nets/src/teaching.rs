//! What samples teach: what happened in the game, mixed with what a teacher says where one was asked.

use burn::tensor::{Device, Tensor, TensorData};
use chess::{PackedMove, Wdl, shakmaty::MoveList};
use data::{GameResult, Sample};

use crate::choice;

/// Whether what was played and spent in the game is to be learned at all.
pub(crate) fn game_counts(sample: &Sample) -> bool {
    sample.teacher.as_ref().is_none_or(|teacher| teacher.share < 1.0)
}

/// Whether a teacher was asked about any of them.
pub(crate) fn any_taught(samples: &[Sample]) -> bool {
    samples.iter().any(|sample| sample.teacher.is_some())
}

/// Adds the chances of the legal moves that a sample teaches; they sum to 1.
pub(crate) fn push_moves(sample: &Sample, legal: &MoveList, to: &mut Vec<f32>) {
    let start = to.len();
    to.resize(start + legal.len(), 0.0);
    let mut add = |m: PackedMove, chance: f32| {
        if let Some(place) = legal.iter().position(|&known| PackedMove::from(known) == m) {
            to[start + place] += chance;
        }
    };
    let share = sample.teacher.as_ref().map_or(0.0, |teacher| teacher.share);
    add(sample.played.into(), 1.0 - share);
    let moves = sample.teacher.iter().flat_map(|teacher| &teacher.moves);
    moves.for_each(|&(m, chance)| add(m, share * chance));
}

/// Win, draw, loss for the side to move that a sample teaches; zeros where nothing is known.
pub(crate) fn outcome(sample: &Sample) -> [f32; 3] {
    let us = sample.moment.turn();
    let happened = match sample.game.result {
        GameResult::Unknown => None,
        GameResult::Draw => Some([0.0, 1.0, 0.0]),
        GameResult::White => Some(us.fold_wb([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])),
        GameResult::Black => Some(us.fold_wb([0.0, 0.0, 1.0], [1.0, 0.0, 0.0])),
    };
    let said = sample.teacher.as_ref().and_then(|teacher| {
        let said = |wdl: Wdl| ([wdl.win(), wdl.draw(), wdl.loss()], teacher.share);
        teacher.wdl.map(said)
    });
    match (happened.filter(|_| game_counts(sample)), said) {
        (Some(happened), Some((said, share))) => {
            std::array::from_fn(|at| (1.0 - share) * happened[at] + share * said[at])
        }
        (Some(one), None) | (None, Some((one, _))) => one,
        (None, None) => [0.0; 3],
    }
}

/// Mean loss of outcomes, [batch, 3], against [`outcome`], over the rows that teach something.
pub(crate) fn outcome_loss(logits: Tensor<2>, chances: &[[f32; 3]]) -> Tensor<1> {
    let device: Device = logits.device();
    let flat = TensorData::new(chances.as_flattened().to_vec(), [chances.len(), 3]);
    choice::soft_cross_entropy(logits, Tensor::from_data(flat, &device))
}

#[cfg(test)]
mod tests {
    use data::SoftTargets;
    use tempfile::tempdir;

    use super::*;
    use crate::testing::{dataset, samples};

    fn taught(mut sample: Sample, share: f32) -> Sample {
        let legal = sample.moment.legal_moves();
        let moves = [(legal[0], 0.75), (legal[1], 0.25)].map(|(m, chance)| (PackedMove::from(m), chance));
        let wdl = Some(Wdl::from_weights(0.2, 0.3, 0.5));
        sample.teacher = Some(SoftTargets { moves: moves.into(), wdl, share });
        sample
    }

    #[test]
    fn targets_are_chances_and_mix_the_game_with_the_teacher() {
        let folder = tempdir().unwrap();
        for sample in samples(&dataset(folder.path(), 8), 64) {
            let legal = sample.moment.legal_moves();
            if legal.len() < 2 {
                continue;
            }
            let played = legal.iter().position(|&m| m == sample.played).unwrap();
            let won = sample.moment.turn().fold_wb([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
            for share in [0.0, 0.6, 1.0] {
                let sample = taught(sample.clone(), share);
                let mut moves = vec![9.0];
                push_moves(&sample, &legal, &mut moves);
                assert_eq!((moves[0], moves.len()), (9.0, legal.len() + 1), "what was there stays");
                for (at, &chance) in moves[1..].iter().enumerate() {
                    let said = [0.75, 0.25].get(at).copied().unwrap_or(0.0);
                    let happened = f32::from(u8::from(at == played));
                    assert!((chance - share * said - (1.0 - share) * happened).abs() < 1e-6);
                }
                let outcome = outcome(&sample);
                for ((&found, said), happened) in outcome.iter().zip([0.2, 0.3, 0.5]).zip(won) {
                    assert!((found - share * said - (1.0 - share) * happened).abs() < 1e-6, "{outcome:?}");
                }
                assert_eq!(game_counts(&sample), share < 1.0);
            }
        }
    }

    #[test]
    fn without_a_teacher_the_game_is_all_and_without_a_result_nothing_is_known_of_it() {
        let folder = tempdir().unwrap();
        let mut sample = samples(&dataset(folder.path(), 2), 1).remove(0);
        assert_eq!(outcome(&sample).iter().sum::<f32>(), 1.0);
        let game = data::Game { result: GameResult::Unknown, ..(*sample.game).clone() };
        sample.game = game.into();
        assert_eq!(outcome(&sample), [0.0; 3]);
        assert!((outcome(&taught(sample, 0.4))[2] - 0.5).abs() < 1e-6, "the teacher alone knows");
    }
}
