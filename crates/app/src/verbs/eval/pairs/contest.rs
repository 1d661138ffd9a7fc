//! Pairs of a won and a lost position, and how a model orders them.

use ::data::{Random, Sample};
use chess::{Comparer, shakmaty::Color};

use super::super::value::model::Model;

/// Who sees a position, and whether he won its game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) player: Color,
    pub(super) won: bool,
}

/// Places of a won and of a lost position.
pub(super) type Pair = (usize, usize);

/// `each` pairs for every won position, none within a game.
pub(super) fn draw(sides: &[Side], games: &[usize], each: usize, seed: u64) -> Vec<Pair> {
    let of = |won: bool| (0..sides.len()).filter(|&at| sides[at].won == won).collect::<Vec<_>>();
    let (won, lost) = (of(true), of(false));
    if lost.is_empty() {
        return Vec::new();
    }
    let mut random = Random::keyed(seed, 0x9a12);
    let pairs = won.iter().flat_map(|&won| (0..each).map(move |_| won));
    let pairs = pairs.map(|won| (won, lost[random.below(lost.len())]));
    pairs.filter(|&(won, lost)| games[won] != games[lost]).collect()
}

/// For each pair 1 if the model prefers the won position, 0 if the lost one, and a half if neither.
pub(super) fn hold(
    model: &Model,
    samples: &[Sample],
    sides: &[Side],
    pairs: &[Pair],
    engines: usize,
) -> anyhow::Result<Vec<f64>> {
    let mark = |lead: f32| match lead.partial_cmp(&0.0) {
        Some(std::cmp::Ordering::Greater) => 1.0,
        Some(std::cmp::Ordering::Less) => 0.0,
        _ => 0.5,
    };
    if let Some(mut comparer) = model.comparer() {
        return Ok(leads(&mut *comparer, samples, sides, pairs).into_iter().map(mark).collect());
    }
    let values = model.values(samples, engines)?;
    let seen = |at: usize| {
        // Values of engines are expected scores, those of minds centipawns; both are compared with the opponent's.
        let turn = samples[at].moment.turn();
        if turn == sides[at].player { values[at] } else { model.flipped(values[at]) }
    };
    Ok(pairs.iter().map(|&(won, lost)| mark(seen(won) - seen(lost))).collect())
}

/// How much better the won position is by either player's view of both: his own, and his opponent's, turned round.
fn leads(comparer: &mut dyn Comparer, samples: &[Sample], sides: &[Side], pairs: &[Pair]) -> Vec<f32> {
    let positions = samples.iter().map(|sample| &sample.moment.position).zip(sides);
    let embeddings: Vec<_> = positions
        .map(|(position, side)| [side.player, !side.player].map(|player| comparer.embed(position, player)))
        .collect();
    let lead = |&(won, lost): &Pair| {
        let ([ours, theirs], [our_other, their_other]) = (&embeddings[won], &embeddings[lost]);
        comparer.compare(ours, our_other) + comparer.compare(their_other, theirs)
    };
    pairs.iter().map(lead).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_of_a_won_and_a_lost_position_of_two_games() {
        let sides: Vec<Side> = (0..40).map(|at| Side { player: Color::White, won: at % 3 == 0 }).collect();
        let games: Vec<usize> = (0..40).map(|at| at / 4).collect();
        let pairs = draw(&sides, &games, 5, 1);
        assert!(pairs.len() > 50);
        assert!(
            pairs.iter().all(|&(won, lost)| sides[won].won && !sides[lost].won && games[won] != games[lost])
        );
        assert_eq!(pairs, draw(&sides, &games, 5, 1));
        assert!(draw(&sides[..1], &games, 5, 1).is_empty());
    }
}
