//! When a person gives up, and when she takes half a point.

use chess::{Moment, Wdl};

use super::{HumanSettings, level::on_line};

/// Rating, and the expected score at which half of those who resign do so, by `tabiya data mistakes` on blitz and slower games
/// (docs/human.md). Below 1400 too few games were resigned to tell, so the first point is kept.
const RESIGNED_AT: [(f32, f32); 5] =
    [(1500.0, 0.028), (1900.0, 0.029), (2100.0, 0.056), (2300.0, 0.083), (2500.0, 0.080)];
/// Own moves in a row that must look lost before a game is given up.
const LOST_FOR: u32 = 3;
/// Own moves in a row that must look level before a draw is offered.
const LEVEL_FOR: u32 = 8;
/// Nobody offers a draw before this move.
const FIRST_OFFER: u32 = 30;
/// Distance from an even score that still counts as level.
const LEVEL_WITHIN: f32 = 0.06;
/// Chance of a draw from which a position counts as one that is going nowhere.
const DRAWISH: f32 = 0.3;

/// Remembers for how many own moves a game has looked lost or level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mood {
    lost: u32,
    level: u32,
}

impl Mood {
    /// Takes in what the side to move thinks of its chances, once for each of its moves.
    pub fn feel(&mut self, wdl: Wdl, rating: u16) {
        self.lost = if wdl.expectation() < resigns_below(rating) { self.lost + 1 } else { 0 };
        self.level = if is_level(wdl) { self.level + 1 } else { 0 };
    }

    pub fn resigns(&self, settings: &HumanSettings) -> bool {
        settings.resigns && self.lost >= LOST_FOR
    }

    /// Offers once; the next offer needs as many level moves again.
    pub fn offers_draw(&mut self, moment: &Moment, settings: &HumanSettings) -> bool {
        use chess::shakmaty::Position;
        let offers = settings.offers_draws
            && self.level >= LEVEL_FOR
            && moment.position.fullmoves().get() >= FIRST_OFFER;
        if offers {
            self.level = 0;
        }
        offers
    }
}

/// Whether to take a draw that the opponent offers. The stronger the opponent is thought to be, the more a half point
/// is worth.
pub fn accepts_draw(wdl: Wdl, settings: &HumanSettings) -> bool {
    let respect = f32::from(settings.opponent.unwrap_or(settings.rating)) - f32::from(settings.rating);
    let hoped_for = 0.5 + (respect / 4000.0).clamp(-0.1, 0.1);
    wdl.expectation() <= hoped_for
}

/// Expected score below which a game looks lost enough to be given up.
fn resigns_below(rating: u16) -> f32 {
    on_line(&RESIGNED_AT, rating)
}

fn is_level(wdl: Wdl) -> bool {
    (wdl.expectation() - 0.5).abs() < LEVEL_WITHIN && wdl.draw() > DRAWISH
}

#[cfg(test)]
mod tests {
    use chess::shakmaty::CastlingMode;

    use super::*;

    fn chances(expectation: f32) -> Wdl {
        Wdl::from_weights(expectation, 0.0, 1.0 - expectation)
    }

    #[test]
    fn only_a_game_that_stays_lost_is_given_up() {
        let settings = HumanSettings { resigns: true, ..HumanSettings::default() };
        let lost = resigns_below(settings.rating) / 2.0;
        let felt = |chances_felt: &[f32]| {
            let mut mood = Mood::default();
            chances_felt.iter().for_each(|&expectation| mood.feel(chances(expectation), settings.rating));
            mood.resigns(&settings)
        };
        assert!(felt(&[lost; LOST_FOR as usize]));
        assert!(!felt(&[lost; LOST_FOR as usize - 1]));
        assert!(!felt(&[lost, lost, 0.3, lost]), "hope begins the count anew");
        let mut mood = Mood::default();
        (0..20).for_each(|_| mood.feel(chances(0.0), 1500));
        assert!(!mood.resigns(&HumanSettings::default()), "off by default");
    }

    #[test]
    fn draws_are_offered_late_in_level_games_and_not_on_every_move() {
        let settings = HumanSettings { offers_draws: true, ..HumanSettings::default() };
        let at_move = |number| {
            Moment::from_fen(&format!("8/5k2/8/4p3/4P3/8/5K2/8 w - - 0 {number}"), CastlingMode::Standard)
                .unwrap()
        };
        let mut mood = Mood::default();
        let mut offers = Vec::new();
        for number in 1..60 {
            mood.feel(Wdl::from_weights(0.2, 0.6, 0.2), settings.rating);
            if mood.offers_draw(&at_move(number), &settings) {
                offers.push(number);
            }
        }
        assert_eq!(offers, [30, 38, 46, 54]);
        mood.feel(chances(0.5), settings.rating);
        assert_eq!(mood, Mood::default(), "a sharp game is not level");
    }

    #[test]
    fn a_draw_is_taken_by_who_does_not_stand_better() {
        let level = HumanSettings::default();
        let underdog = HumanSettings { opponent: Some(1900), ..HumanSettings::default() };
        for (expectation, settings, accepts) in [
            (0.5, &level, true),
            (0.2, &level, true),
            (0.58, &level, false),
            (0.58, &underdog, true),
            (0.7, &underdog, false),
        ] {
            assert_eq!(accepts_draw(chances(expectation), settings), accepts, "{expectation}");
        }
    }
}
