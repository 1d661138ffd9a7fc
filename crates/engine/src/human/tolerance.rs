//! What players of a rating do to themselves: how much they lose by a move, and how lost they are when they resign.

use super::{Guard, HumanSettings};

/// Rating, then the loss in expected score that one move in 20 and one in 500 exceeds, then the expected score at
/// which half of those who resign do so later. From `tabiya data mistakes`; see docs/human.md.
const MEASURED: [(f32, f32, f32, f32); 11] = [
    (600.0, 0.30, 0.80, 0.03),
    (800.0, 0.30, 0.80, 0.03),
    (1000.0, 0.30, 0.80, 0.03),
    (1200.0, 0.28, 0.75, 0.03),
    (1400.0, 0.26, 0.70, 0.03),
    (1600.0, 0.24, 0.65, 0.03),
    (1800.0, 0.22, 0.60, 0.03),
    (2000.0, 0.20, 0.55, 0.03),
    (2200.0, 0.18, 0.50, 0.03),
    (2400.0, 0.16, 0.45, 0.03),
    (2600.0, 0.14, 0.40, 0.03),
];

/// Loss in expected score beyond which the guard vetoes a move; `None` where it vetoes nothing.
pub fn tolerated_loss(guard: Guard, rating: u16) -> Option<f32> {
    match guard {
        Guard::Off => None,
        Guard::Strict => Some(between(rating, |row| row.1)),
        Guard::Human => Some(between(rating, |row| row.2)),
    }
}

/// Expected score below which a game looks lost enough to be given up.
pub fn resigns_below(rating: u16) -> f32 {
    between(rating, |row| row.3)
}

/// The table's column at `rating`, on straight lines between the rows.
fn between(rating: u16, column: impl Fn(&(f32, f32, f32, f32)) -> f32) -> f32 {
    let rating = f32::from(rating.clamp(HumanSettings::LEAST_RATING, HumanSettings::MOST_RATING));
    let above = MEASURED.iter().position(|row| row.0 >= rating).unwrap_or(MEASURED.len() - 1).max(1);
    let (low, high) = (&MEASURED[above - 1], &MEASURED[above]);
    let share = (rating - low.0) / (high.0 - low.0);
    column(low) + share * (column(high) - column(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stronger_players_are_allowed_less_and_a_strict_guard_allows_least() {
        for rating in (600..=2600).step_by(50) {
            let human = tolerated_loss(Guard::Human, rating).unwrap();
            let strict = tolerated_loss(Guard::Strict, rating).unwrap();
            assert!(strict < human && human < 1.0, "{rating}: {strict} {human}");
            assert!(human <= tolerated_loss(Guard::Human, rating.saturating_sub(50)).unwrap(), "{rating}");
        }
        assert_eq!(tolerated_loss(Guard::Off, 1500), None);
        assert_eq!(tolerated_loss(Guard::Human, 3000), tolerated_loss(Guard::Human, 2600));
    }
}
