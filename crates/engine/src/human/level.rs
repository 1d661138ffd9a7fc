//! What a level is: chances of moves are those of people of its rating, but a move drawn from them has had no second look.
//! How warm they are drawn and how much the guard lets pass makes up for that, and sets the levels apart.

use super::Guard;

/// Rating, and the share of the asked temperature there. With [`TOLERATED`] it is a smooth line through what `tabiya eval levels`
/// fits, so that a level loses as much by its moves as people of its rating: docs/human.md has the tables.
const WARMTH: [(f32, f32); 5] = [(1000.0, 0.95), (1400.0, 0.9), (1600.0, 0.6), (1800.0, 0.46), (2400.0, 0.4)];

/// Rating, and the loss in expected score beyond which the guard vetoes a move.
const TOLERATED: [(f32, f32); 8] = [
    (1000.0, 0.9),
    (1200.0, 0.85),
    (1400.0, 0.8),
    (1600.0, 0.62),
    (1800.0, 0.46),
    (2000.0, 0.45),
    (2200.0, 0.42),
    (2400.0, 0.32),
];

/// What the asked temperature is multiplied by at a level: falls with the rating.
pub fn level_temperature(rating: u16) -> f32 {
    on_line(&WARMTH, rating)
}

/// Loss in expected score beyond which the guard vetoes a move; `None` where it vetoes nothing.
pub fn tolerated_loss(guard: Guard, rating: u16) -> Option<f32> {
    match guard {
        Guard::Off => None,
        Guard::Human => Some(on_line(&TOLERATED, rating)),
        Guard::Strict => Some(on_line(&TOLERATED, rating) / 2.0),
    }
}

/// The value at `rating` of the line through points in order of rating; level beyond the first and the last.
pub(super) fn on_line(points: &[(f32, f32)], rating: u16) -> f32 {
    let rating = f32::from(rating).clamp(points[0].0, points[points.len() - 1].0);
    let above = points.iter().position(|point| point.0 >= rating).unwrap_or(points.len() - 1).max(1);
    let ((low, from), (high, to)) = (points[above - 1], points[above]);
    from + (to - from) * (rating - low) / (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_are_colder_and_are_allowed_less() {
        for rating in (600..=2600).step_by(50) {
            assert!(level_temperature(rating + 50) <= level_temperature(rating), "{rating}");
            let human = tolerated_loss(Guard::Human, rating).unwrap();
            let strict = tolerated_loss(Guard::Strict, rating).unwrap();
            assert!(strict < human && human < 1.0, "{rating}: {strict} {human}");
            assert!(tolerated_loss(Guard::Human, rating + 50).unwrap() <= human, "{rating}");
        }
        assert_eq!(tolerated_loss(Guard::Off, 1500), None);
    }

    #[test]
    fn between_points_a_line_is_straight_and_beyond_them_level() {
        let points = [(1000.0, 1.0), (1200.0, 0.5), (1300.0, 0.4)];
        for (rating, expected) in
            [(600, 1.0), (1000, 1.0), (1100, 0.75), (1200, 0.5), (1250, 0.45), (2600, 0.4)]
        {
            assert!((on_line(&points, rating) - expected).abs() < 1e-6, "{rating}");
        }
    }
}
