//! What players of each rating do in a position.

use chess::{
    Moment, Opinion, Ratings,
    shakmaty::{Move, san::SanPlus},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::play::minds::evaluator::Evaluator;

/// Ratings at which people are asked: the points of the curves.
pub(crate) const ASKED: [u16; 11] = [600, 800, 1000, 1100, 1300, 1500, 1700, 1900, 2100, 2300, 2600];
/// Moves that are told; the rest are rare.
const MOST_MOVES: usize = 6;

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct People {
    ratings: Vec<u16>,
    /// The moves that are likeliest at any of the ratings, and the one that was played.
    moves: Vec<MoveCurve>,
    /// Seconds that each of them would take.
    think_s: Vec<Option<f32>>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
struct MoveCurve {
    uci: String,
    san: String,
    /// The chance at each of the ratings.
    chances: Vec<f32>,
}

/// Asks people of the usual ratings and of `own`. Both sides are thought to be of the same strength.
pub(crate) async fn ask(
    people: &Evaluator,
    moment: &Moment,
    own: Option<u16>,
    played: Option<Move>,
) -> People {
    let mut ratings = ASKED.to_vec();
    ratings.extend(own);
    ratings.sort_unstable();
    ratings.dedup();
    let seat = |&rating: &u16| Moment {
        players: Some(Ratings::lichess(Some(rating), Some(rating))),
        ..moment.clone()
    };
    let opinions = people.ask_all(ratings.iter().map(seat).collect()).await;
    People {
        moves: curves(moment, &opinions, played),
        think_s: opinions
            .iter()
            .map(|opinion| opinion.think.as_ref().map(|think| think.mean().as_secs_f32()))
            .collect(),
        ratings,
    }
}

fn curves(moment: &Moment, opinions: &[Opinion], played: Option<Move>) -> Vec<MoveCurve> {
    let policy = |opinion: &Opinion, index: usize| {
        opinion.policy.as_ref().and_then(|policy| policy.get(index)).copied().unwrap_or(0.0)
    };
    let mut curves: Vec<(bool, MoveCurve)> = moment
        .legal_moves()
        .into_iter()
        .enumerate()
        .map(|(index, m)| {
            let chances = opinions.iter().map(|opinion| policy(opinion, index)).collect();
            let san = SanPlus::from_move(moment.position.clone(), m).to_string();
            (Some(m) == played, MoveCurve { uci: moment.uci(m), san, chances })
        })
        .collect();
    let peak = |curve: &MoveCurve| curve.chances.iter().copied().fold(0.0, f32::max);
    curves.sort_by(|(_, a), (_, b)| peak(b).total_cmp(&peak(a)));
    let mut rank = 0;
    curves.retain(|(is_played, _)| {
        rank += 1;
        rank <= MOST_MOVES || *is_played
    });
    curves.into_iter().map(|(_, curve)| curve).collect()
}
