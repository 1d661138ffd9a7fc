//! The hand-made evaluation as a mind among others.

use std::cell::RefCell;

use chess::{
    Brain, Evaluated, Moment, Opinion, Traits, Wants, Wdl, search_name,
    shakmaty::{Chess, Position},
};

use super::{PawnTable, evaluate, evaluate_with, pieces_value};

/// The mind without weights: it has an opinion on who stands better, and none on what to play.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heuristic;

static TRAITS: Traits = Traits {
    policy: None,
    value: true,
    think: false,
    line: false,
    context: false,
    bins: None,
    hand_made: true,
    most_effort: 0,
    search: search_name::ALPHA_BETA,
};

impl Brain for Heuristic {
    fn traits(&self) -> &Traits {
        &TRAITS
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        let wdl = |moment: &Moment| win_chances(evaluate(&moment.position), moment.halfmoves());
        let opinion = |moment| Opinion { wdl: wants.value.then(|| wdl(moment)), ..Opinion::default() };
        moments.iter().map(opinion).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        if !wants.value {
            return Evaluated::default();
        }
        thread_local!(static PAWNS: RefCell<PawnTable> = RefCell::default());
        PAWNS.with_borrow_mut(|pawns| {
            let value = |position: &Chess| evaluate_with(position, pieces_value(position.board()), pawns);
            let values = positions.iter().map(value).map(|value| value as f32).collect();
            Evaluated { values, scores: Vec::new() }
        })
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

/// Centipawns at which a win is as likely as not.
const EVEN_CHANCE_OF_WIN: f32 = 170.0;
/// Centipawns over which chances spread.
const SPREAD: f32 = 80.0;

/// Chances that belong to a value in centipawns; they fade as the 50-move rule comes near.
pub fn win_chances(centipawns: i32, halfmoves: u32) -> Wdl {
    let fade = 1.0 - (halfmoves.min(100) as f32 / 100.0).powi(4);
    let value = centipawns as f32 * fade;
    let chance = |value: f32| 1.0 / (1.0 + ((EVEN_CHANCE_OF_WIN - value) / SPREAD).exp());
    let (win, loss) = (chance(value), chance(-value));
    Wdl::from_weights(win, (1.0 - win - loss).max(0.0), loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_follow_the_value() {
        let expectation = |centipawns| win_chances(centipawns, 0).expectation();
        assert!((expectation(0) - 0.5).abs() < 1e-6);
        assert!(expectation(100) > 0.55 && expectation(900) > 0.99);
        assert!((expectation(250) + expectation(-250) - 1.0).abs() < 1e-5);
    }
}
