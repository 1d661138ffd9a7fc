//! What a level is: chances of moves are those of people of its rating, but a move drawn from them has had no second look.

/// Rating, and the share of the asked temperature at which the mind loses by its moves what people of that rating lose: by `tabiya eval
/// levels` where that was found, on a line below 2200, and as low as keeps games different from each other above, where even the likeliest
/// moves lose more than people do. docs/human.md tells the rest.
const MEASURED: [(f32, f32); 6] =
    [(1100.0, 1.0), (1300.0, 0.95), (1700.0, 0.72), (1900.0, 0.6), (2100.0, 0.5), (2300.0, 0.3)];

/// What the asked temperature is multiplied by at a level: falls with the rating.
pub fn level_temperature(rating: u16) -> f32 {
    let rating = f32::from(rating).clamp(MEASURED[0].0, MEASURED[MEASURED.len() - 1].0);
    let above = MEASURED.iter().position(|point| point.0 >= rating).unwrap_or(MEASURED.len() - 1).max(1);
    let ((low, warm), (high, cold)) = (MEASURED[above - 1], MEASURED[above]);
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
