//! What a level is: chances of moves are those of people of its rating, but a move drawn from them has had no second look.
//! How warm they are drawn and how much the guard lets pass makes up for that, and sets the levels apart.

use super::Guard;

/// Rating, and the share of the asked temperature there. With [`TOLERATED`] chosen by matches between the levels, not by a fit:
/// docs/human.md has the tables. Strong levels stay warm enough that games differ.
const WARMTH: [(f32, f32); 2] = [(1100.0, 1.25), (2500.0, 0.36)];

/// Rating, and the loss in expected score beyond which the guard vetoes a move. At 1100 about what one move in 200 of such
/// players loses; then it falls by a third with every 200 points, faster than people's own losses do: a mind without a look
/// ahead is weaker than they are in all else, and makes up for it by blundering less.
const TOLERATED: [(f32, f32); 8] = [
    (1100.0, 0.75),
    (1300.0, 0.48),
    (1500.0, 0.31),
    (1700.0, 0.2),
    (1900.0, 0.13),
    (2100.0, 0.084),
    (2300.0, 0.054),
    (2500.0, 0.035),
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
