//! What players of a rating do to themselves: how much they lose by a move, and how lost they are when they resign.

use super::Guard;

/// What was measured of the players around one rating.
struct Row {
    rating: f32,
    /// Loss in expected score that one move in 20, and one in 200, exceeds.
    one_in_20: f32,
    one_in_200: f32,
    /// Expected score at which half of those who resign do so.
    resigned_at: f32,
}

/// By `tabiya data mistakes` on blitz and slower games, at the middle of bands of 200; docs/human.md tells the rest.
/// Below 1400 too few games were resigned to tell, so the row above is kept.
const MEASURED: [Row; 9] = [
    Row { rating: 900.0, one_in_20: 0.287, one_in_200: 0.752, resigned_at: 0.028 },
    Row { rating: 1100.0, one_in_20: 0.232, one_in_200: 0.725, resigned_at: 0.028 },
    Row { rating: 1300.0, one_in_20: 0.189, one_in_200: 0.650, resigned_at: 0.028 },
    Row { rating: 1500.0, one_in_20: 0.188, one_in_200: 0.575, resigned_at: 0.028 },
    Row { rating: 1700.0, one_in_20: 0.161, one_in_200: 0.500, resigned_at: 0.029 },
    Row { rating: 1900.0, one_in_20: 0.157, one_in_200: 0.459, resigned_at: 0.029 },
    Row { rating: 2100.0, one_in_20: 0.134, one_in_200: 0.398, resigned_at: 0.056 },
    Row { rating: 2300.0, one_in_20: 0.100, one_in_200: 0.349, resigned_at: 0.083 },
    Row { rating: 2500.0, one_in_20: 0.105, one_in_200: 0.349, resigned_at: 0.080 },
];

/// Loss in expected score beyond which the guard vetoes a move; `None` where it vetoes nothing.
pub fn tolerated_loss(guard: Guard, rating: u16) -> Option<f32> {
    match guard {
        Guard::Off => None,
        Guard::Strict => Some(between(rating, |row| row.one_in_20)),
        Guard::Human => Some(between(rating, |row| row.one_in_200)),
    }
}

/// Expected score below which a game looks lost enough to be given up.
pub fn resigns_below(rating: u16) -> f32 {
    between(rating, |row| row.resigned_at)
}

/// The table's column at `rating`, on straight lines between the rows and level beyond them.
fn between(rating: u16, column: impl Fn(&Row) -> f32) -> f32 {
    let rating = f32::from(rating).clamp(MEASURED[0].rating, MEASURED[MEASURED.len() - 1].rating);
    let above = MEASURED.iter().position(|row| row.rating >= rating).unwrap_or(MEASURED.len() - 1).max(1);
    let (low, high) = (&MEASURED[above - 1], &MEASURED[above]);
    let share = (rating - low.rating) / (high.rating - low.rating);
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
        assert_eq!(tolerated_loss(Guard::Human, 3000), tolerated_loss(Guard::Human, 2500));
        assert_eq!(tolerated_loss(Guard::Human, 1200), Some((0.725 + 0.650) / 2.0));
    }
}
