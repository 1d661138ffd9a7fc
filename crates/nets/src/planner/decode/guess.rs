//! What the network takes a variable for.

use data::Random;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Guess {
    pub(super) value: i32,
    /// The network's chance of it.
    pub(super) sure: f32,
}

/// How values are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    Best,
    /// By chance, at a temperature.
    Drawn(f32),
}

impl Guess {
    pub(super) fn of(scores: &[f32], mode: Mode, random: &mut Random) -> Guess {
        let best = place_of_most(scores);
        let value = match mode {
            Mode::Best | Mode::Drawn(0.0) => best,
            Mode::Drawn(temperature) => draw(scores, scores[best], temperature, random),
        };
        let sum: f32 = scores.iter().map(|score| (score - scores[best]).exp()).sum();
        Guess { value: value as i32, sure: (scores[value] - scores[best]).exp() / sum }
    }
}

/// The first of equals.
fn place_of_most(scores: &[f32]) -> usize {
    (0..scores.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best })
}

fn draw(scores: &[f32], top: f32, temperature: f32, random: &mut Random) -> usize {
    let weight = |score: &f32| ((score - top) / temperature).exp();
    let sum: f32 = scores.iter().map(weight).sum();
    let mut left = random.part() * sum;
    let hit = scores.iter().position(|score| {
        left -= weight(score);
        left < 0.0
    });
    hit.unwrap_or_else(|| place_of_most(scores))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_are_best_or_drawn_by_their_chances() {
        let mut random = Random::new(4);
        let scores = [0.0, 2.0f32.ln(), 1.0f32.ln()];
        let best = Guess::of(&scores, Mode::Best, &mut random);
        assert!(best.value == 1 && (best.sure - 0.5).abs() < 1e-6, "{best:?}");
        assert_eq!(Guess::of(&scores, Mode::Drawn(0.0), &mut random), best);
        let drawn = (0..8000).map(|_| Guess::of(&scores, Mode::Drawn(1.0), &mut random));
        let share = drawn.filter(|guess| guess.value == 1).count() as f32 / 8000.0;
        assert!((share - 0.5).abs() < 0.03, "{share}");
        let sharp = (0..8000).map(|_| Guess::of(&scores, Mode::Drawn(0.5), &mut random));
        let share = sharp.filter(|guess| guess.value == 1).count() as f32 / 8000.0;
        assert!((share - 4.0 / 6.0).abs() < 0.03, "{share}");
    }
}
