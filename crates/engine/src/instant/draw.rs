//! From the chances of moves to the one that is played.

/// Chances that can be drawn from: what is no number or negative counts as nothing, and nothing at all as even chances.
pub(super) fn sound(mut chances: Vec<f32>) -> Vec<f32> {
    chances
        .iter_mut()
        .filter(|chance| !(chance.is_finite() && **chance > 0.0))
        .for_each(|chance| *chance = 0.0);
    if chances.iter().all(|&chance| chance == 0.0) {
        chances.fill(1.0);
    }
    chances
}

/// Weights to draw with. At temperature 0 only the likeliest counts, the first of equals; otherwise chances are raised
/// to the power 1 / temperature, and the unlikeliest that make up less than 1 - `top_p` together are left out.
pub fn temper(chances: &[f32], temperature: f32, top_p: f32) -> Vec<f32> {
    let most = chances.iter().copied().fold(0.0, f32::max);
    if most <= 0.0 {
        return vec![0.0; chances.len()];
    }
    if temperature <= 0.0 {
        let first = chances.iter().position(|&chance| chance == most);
        return (0..chances.len()).map(|index| f32::from(Some(index) == first)).collect();
    }
    let mut weights: Vec<f32> =
        chances.iter().map(|chance| (chance / most).powf(1.0 / temperature)).collect();
    let enough = top_p * weights.iter().sum::<f32>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let mut sum = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        if rank > 0 && sum >= enough {
            weights[index] = 0.0;
        }
        sum += weights[index];
    }
    weights
}

/// An index drawn with a random number in 0..1; `None` if no weight is positive.
pub(super) fn draw(weights: &[f32], random: f32) -> Option<usize> {
    let mut rest = random * weights.iter().sum::<f32>();
    let mut drawn = None;
    for (index, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        drawn = Some(index);
        rest -= weight;
        if rest < 0.0 {
            break;
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn temperature_and_top_p_shape_the_chances() {
        let chances = [0.5, 0.1, 0.3, 0.1];
        for (temperature, top_p, expected) in [
            (1.0, 1.0, [1.0, 0.2, 0.6, 0.2]),
            (0.5, 1.0, [1.0, 0.04, 0.36, 0.04]),
            (1.0, 0.8, [1.0, 0.0, 0.6, 0.0]),
            (1.0, 0.81, [1.0, 0.2, 0.6, 0.0]),
            (1.0, 0.0, [1.0, 0.0, 0.0, 0.0]),
            (0.0, 1.0, [1.0, 0.0, 0.0, 0.0]),
        ] {
            let weights = temper(&chances, temperature, top_p);
            let close = weights.iter().zip(expected).all(|(weight, wanted)| (weight - wanted).abs() < 1e-5);
            assert!(close, "{temperature} {top_p}: {weights:?}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_from_becomes_even() {
        assert_eq!(sound(vec![f32::NAN, 0.5, -1.0, f32::INFINITY]), [0.0, 0.5, 0.0, 0.0]);
        assert_eq!(sound(vec![0.0, f32::NAN]), [1.0, 1.0]);
    }

    proptest! {
        #[test]
        fn only_what_has_weight_is_drawn(
            chances in proptest::collection::vec(prop_oneof![Just(0.0f32), 1e-30f32..1.0], 1..60),
            temperature in 0.0f32..3.0,
            top_p in 0.0f32..1.0,
            random in 0.0f32..1.0,
        ) {
            let weights = temper(&chances, temperature, top_p);
            match draw(&weights, random) {
                Some(index) => prop_assert!(chances[index] > 0.0),
                None => prop_assert!(chances.iter().all(|&chance| chance == 0.0)),
            }
        }

        #[test]
        fn draws_come_as_often_as_their_weight(weights in proptest::collection::vec(0.01f32..1.0, 1..10)) {
            let sum: f32 = weights.iter().sum();
            let mut counts = vec![0.0; weights.len()];
            (0..1000).for_each(|step| counts[draw(&weights, (step as f32 + 0.5) / 1000.0).unwrap()] += 0.001);
            for (count, weight) in counts.iter().zip(&weights) {
                prop_assert!((count - weight / sum).abs() < 0.003, "{counts:?} {weights:?}");
            }
        }
    }
}
