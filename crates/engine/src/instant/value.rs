//! What moves are worth to the one who makes them, for lines that are shown beside the one that is played.

use chess::{Brain, Moment, Wants, shakmaty::Move};

use crate::{Score, chances::score_of};

pub(super) fn after(brain: &dyn Brain, moment: &Moment, moves: &[Move]) -> Vec<Option<Score>> {
    let next = |&m: &Move| {
        let mut next = moment.clone();
        next.play(m);
        next
    };
    let moments: Vec<Moment> = moves.iter().map(next).collect();
    let open: Vec<Moment> = moments.iter().filter(|moment| moment.ending().is_none()).cloned().collect();
    let mut opinions = brain.judge(&open, Wants::VALUE).into_iter();
    let mut value = |moment: &Moment| match moment.ending() {
        Some(ending) if ending.winner().is_some() => Some(Score::mates(1)),
        Some(_) => Some(Score::Centipawns(0)),
        None => Some(score_of(opinions.next()?.wdl?.flipped())),
    };
    moments.iter().map(&mut value).collect()
}
