//! Which games an import keeps. The defaults keep every finished game between humans.

use serde::{Deserialize, Serialize};

use crate::{Game, GameResult, Reason, Speed};

/// Read from TOML; unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Filters {
    /// Lowest rating of either player; 0: any, also unknown ratings.
    pub min_rating: u16,
    /// Highest rating of either player; 65535: any, also unknown ratings.
    pub max_rating: u16,
    /// Largest difference of the two ratings; 65535: any, also unknown ratings.
    pub max_difference: u16,
    /// Classes of speed to keep; empty: all. Names: ultrabullet, bullet, blitz, rapid, classical, other.
    pub speeds: Vec<Speed>,
    /// Shortest and longest game, in plies.
    pub min_plies: u32,
    pub max_plies: u32,
    /// Keep only games with a clock reading on every move.
    pub clocks: bool,
    pub bots: Bots,
    /// Keep games without a result, and abandoned ones.
    pub unfinished: bool,
}

/// What to do with games in which a player bears the title BOT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bots {
    Drop,
    Keep,
    Only,
}

impl Default for Filters {
    fn default() -> Filters {
        Filters {
            min_rating: 0,
            max_rating: u16::MAX,
            max_difference: u16::MAX,
            speeds: Vec::new(),
            min_plies: 1,
            max_plies: 2_000,
            clocks: false,
            bots: Bots::Drop,
            unfinished: false,
        }
    }
}

impl Filters {
    /// What the tags alone decide: most games that fail do so before their moves are read.
    pub fn refuse_tags(&self, game: &Game) -> Option<Reason> {
        let bot = [&game.white_title, &game.black_title].into_iter().flatten().any(|title| title == "BOT");
        match self.bots {
            Bots::Drop if bot => return Some(Reason::Bot),
            Bots::Only if !bot => return Some(Reason::Bot),
            _ => {}
        }
        let abandoned = || game.termination.as_deref() == Some("Abandoned");
        if !self.unfinished && (game.result == GameResult::Unknown || abandoned()) {
            return Some(Reason::Unfinished);
        }
        if !self.speeds.is_empty() && !self.speeds.contains(&Speed::of(game.control)) {
            return Some(Reason::Speed);
        }
        self.refuse_ratings(game.white_elo, game.black_elo)
    }

    fn refuse_ratings(&self, white: Option<u16>, black: Option<u16>) -> Option<Reason> {
        let any_range = self.min_rating == 0 && self.max_rating == u16::MAX;
        if any_range && self.max_difference == u16::MAX {
            return None;
        }
        let (Some(white), Some(black)) = (white, black) else { return Some(Reason::NoRating) };
        let range = self.min_rating..=self.max_rating;
        if !range.contains(&white) || !range.contains(&black) {
            return Some(Reason::Rating);
        }
        (white.abs_diff(black) > self.max_difference).then_some(Reason::RatingDifference)
    }

    /// What the moves decide.
    pub fn refuse_moves(&self, game: &Game) -> Option<Reason> {
        match game.moves.len() as u32 {
            plies if plies < self.min_plies => return Some(Reason::TooShort),
            plies if plies > self.max_plies => return Some(Reason::TooLong),
            _ => {}
        }
        let all_clocks = || game.clocks_cs.as_ref().is_some_and(|clocks| clocks.iter().all(Option::is_some));
        (self.clocks && !all_clocks()).then_some(Reason::NoClocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TimeControl, testing::game};

    fn changed(change: impl Fn(&mut Game)) -> Game {
        let mut game = game("abcdefgh", 40);
        change(&mut game);
        game
    }

    #[test]
    fn each_filter_has_its_reason() {
        let plain = changed(|_| {});
        let table: Vec<(Filters, Game, Option<Reason>)> = vec![
            (Filters::default(), plain.clone(), None),
            (Filters { min_rating: 1550, ..Filters::default() }, plain.clone(), Some(Reason::Rating)),
            (Filters { max_rating: 1550, ..Filters::default() }, plain.clone(), Some(Reason::Rating)),
            (
                Filters { max_difference: 50, ..Filters::default() },
                plain.clone(),
                Some(Reason::RatingDifference),
            ),
            (Filters { max_difference: 100, ..Filters::default() }, plain.clone(), None),
            (
                Filters { min_rating: 1, ..Filters::default() },
                changed(|game| game.white_elo = None),
                Some(Reason::NoRating),
            ),
            (
                Filters { speeds: vec![Speed::Rapid], ..Filters::default() },
                plain.clone(),
                Some(Reason::Speed),
            ),
            (
                Filters { speeds: vec![Speed::Rapid], ..Filters::default() },
                changed(|game| game.control = Some(TimeControl { base_s: 600, increment_s: 0 })),
                None,
            ),
            (Filters { min_plies: 41, ..Filters::default() }, plain.clone(), Some(Reason::TooShort)),
            (Filters { max_plies: 39, ..Filters::default() }, plain.clone(), Some(Reason::TooLong)),
            (Filters { clocks: true, ..Filters::default() }, plain.clone(), Some(Reason::NoClocks)),
            (
                Filters::default(),
                changed(|game| game.black_title = Some("BOT".to_owned())),
                Some(Reason::Bot),
            ),
            (Filters { bots: Bots::Only, ..Filters::default() }, plain, Some(Reason::Bot)),
            (Filters::default(), changed(|game| game.result = GameResult::Unknown), Some(Reason::Unfinished)),
            (
                Filters::default(),
                changed(|game| game.termination = Some("Abandoned".to_owned())),
                Some(Reason::Unfinished),
            ),
        ];
        for (filters, game, reason) in table {
            assert_eq!(
                filters.refuse_tags(&game).or_else(|| filters.refuse_moves(&game)),
                reason,
                "{filters:?}"
            );
        }
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        let error = toml::from_str::<Filters>("min-ratin = 1500").unwrap_err().to_string();
        assert!(error.contains("min-ratin"), "{error}");
        let filters: Filters = toml::from_str("min-rating = 1500\nspeeds = [\"blitz\"]").unwrap();
        assert_eq!((filters.min_rating, filters.speeds), (1500, vec![Speed::Blitz]));
    }
}
