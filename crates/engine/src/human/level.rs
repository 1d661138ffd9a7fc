//! What a level is: chances of moves are those of people of its rating, but a move drawn from them has had no second look.

/// Rating, and the share of the asked temperature there. Chosen, not fitted: a falling line near the temperatures at which `tabiya eval levels`
/// found the mind to lose as much as people (100 % at 1300, 72 % at 1700, 61 % at 1900, 64 % at 2100, with wide intervals), and as low as
/// keeps games different from each other above, where even the likeliest moves lose more than people do. docs/human.md tells the rest.
const CHOSEN: [(f32, f32); 6] =
    [(1100.0, 1.0), (1300.0, 0.95), (1700.0, 0.72), (1900.0, 0.6), (2100.0, 0.5), (2300.0, 0.3)];

/// What the asked temperature is multiplied by at a level: falls with the rating.
pub fn level_temperature(rating: u16) -> f32 {
    let rating = f32::from(rating).clamp(CHOSEN[0].0, CHOSEN[CHOSEN.len() - 1].0);
    let above = CHOSEN.iter().position(|point| point.0 >= rating).unwrap_or(CHOSEN.len() - 1).max(1);
    let ((low, warm), (high, cold)) = (CHOSEN[above - 1], CHOSEN[above]);
    warm + (cold - warm) * (rating - low) / (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_are_colder_and_weak_ones_as_people_are() {
        for rating in (600..=2600).step_by(50) {
            assert!(level_temperature(rating + 50) <= level_temperature(rating), "{rating}");
        }
        assert_eq!(level_temperature(800), 1.0);
        assert_eq!(level_temperature(2600), 0.3);
        assert!((level_temperature(1500) - 0.835).abs() < 1e-4, "between two points");
    }
}
