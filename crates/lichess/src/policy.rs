//! Whose challenges are taken.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::events::{BOT, Challenge, TimeControl};

/// Every limit includes its ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Rating of the challenger; those without one are taken.
    pub least_rating: u16,
    pub most_rating: u16,
    /// `standard`, `chess960`, `fromPosition`.
    pub variants: Vec<String>,
    pub least_base_s: u32,
    pub most_base_s: u32,
    pub least_increment_s: u32,
    pub most_increment_s: u32,
    /// Games of days per move, and without a clock.
    pub correspondence: bool,
    pub rated: bool,
    pub casual: bool,
    pub humans: bool,
    pub bots: bool,
    /// Games at once; challenges beyond wait for a while.
    pub games_at_once: usize,
    /// Games with one account within a day; 0 for any number.
    pub games_a_day: u32,
    /// If there are any, nobody else is played.
    pub only: Vec<String>,
    pub never: Vec<String>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            least_rating: 0,
            most_rating: 4000,
            variants: VARIANTS[..2].iter().map(ToString::to_string).collect(),
            least_base_s: 30,
            most_base_s: 1800,
            least_increment_s: 0,
            most_increment_s: 60,
            correspondence: false,
            rated: true,
            casual: true,
            humans: true,
            bots: true,
            games_at_once: 2,
            games_a_day: 50,
            only: Vec::new(),
            never: Vec::new(),
        }
    }
}

/// Variants that this program plays.
pub(crate) const VARIANTS: [&str; 3] = ["standard", "chess960", "fromPosition"];

#[derive(Debug, Error, PartialEq, Eq)]
pub enum PolicyError {
    #[error("`{0}` is no variant that is played here; there are: {known}", known = VARIANTS.join(", "))]
    Variant(String),
    #[error("{0} is larger than {1}, so nobody can be played")]
    Empty(&'static str, &'static str),
    #[error("{0}, so nobody can be played")]
    Nobody(&'static str),
}

/// Why a challenge is not taken, in the words that Lichess has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decline {
    Generic,
    Later,
    TooFast,
    TooSlow,
    TimeControl,
    Rated,
    Casual,
    Variant,
    NoBot,
    OnlyBot,
}

impl Decline {
    /// The key of the reason.
    pub fn key(self) -> &'static str {
        match self {
            Decline::Generic => "generic",
            Decline::Later => "later",
            Decline::TooFast => "tooFast",
            Decline::TooSlow => "tooSlow",
            Decline::TimeControl => "timeControl",
            Decline::Rated => "rated",
            Decline::Casual => "casual",
            Decline::Variant => "variant",
            Decline::NoBot => "noBot",
            Decline::OnlyBot => "onlyBot",
        }
    }
}

/// What else counts when a challenge comes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// Games that are played or were agreed on.
    pub games: usize,
    /// Challenges that wait.
    pub waiting: usize,
    /// Games of today with this account.
    pub today: u32,
    /// Whether the program is about to end.
    pub ending: bool,
}

/// What is done about a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accept,
    Wait,
    Decline(Decline),
}

/// More than that would have given up before their turn comes.
const MOST_WAITING: usize = 8;

impl Policy {
    pub fn check(&self) -> Result<(), PolicyError> {
        if let Some(unknown) = self.variants.iter().find(|name| !VARIANTS.contains(&name.as_str())) {
            return Err(PolicyError::Variant(unknown.clone()));
        }
        for (least, most, names) in [
            (u32::from(self.least_rating), u32::from(self.most_rating), ("least_rating", "most_rating")),
            (self.least_base_s, self.most_base_s, ("least_base_s", "most_base_s")),
            (self.least_increment_s, self.most_increment_s, ("least_increment_s", "most_increment_s")),
        ] {
            if least > most {
                return Err(PolicyError::Empty(names.0, names.1));
            }
        }
        for (nobody, why) in [
            (self.variants.is_empty(), "there are no variants"),
            (!self.rated && !self.casual, "neither rated nor casual games are taken"),
            (!self.humans && !self.bots, "neither humans nor bots are taken"),
            (self.games_at_once == 0, "games_at_once is 0"),
        ] {
            if nobody {
                return Err(PolicyError::Nobody(why));
            }
        }
        Ok(())
    }

    pub fn judge(&self, challenge: &Challenge, standing: Standing) -> Verdict {
        match self.objection(challenge, standing) {
            Some(reason) => Verdict::Decline(reason),
            None if standing.games < self.games_at_once && standing.waiting == 0 => Verdict::Accept,
            None if standing.waiting < MOST_WAITING => Verdict::Wait,
            None => Verdict::Decline(Decline::Later),
        }
    }

    /// What speaks against a challenge, whoever else is playing.
    pub(crate) fn objection(&self, challenge: &Challenge, standing: Standing) -> Option<Decline> {
        let who = &challenge.challenger;
        let named = |names: &[String]| names.iter().any(|name| name.eq_ignore_ascii_case(&who.id));
        let is_bot = who.title.as_deref() == Some(BOT);
        let rating_fits =
            who.rating.is_none_or(|rating| (self.least_rating..=self.most_rating).contains(&rating));
        let checks = [
            (!self.variants.contains(&challenge.variant.key), Decline::Variant),
            (is_bot && !self.bots, Decline::NoBot),
            (!is_bot && !self.humans, Decline::OnlyBot),
            (challenge.rated && !self.rated, Decline::Casual),
            (!challenge.rated && !self.casual, Decline::Rated),
            (named(&self.never) || !self.only.is_empty() && !named(&self.only), Decline::Generic),
            (!rating_fits, Decline::Generic),
            (self.games_a_day > 0 && standing.today >= self.games_a_day, Decline::Later),
            (standing.ending, Decline::Later),
        ];
        let objection = checks.into_iter().find(|(speaks_against, _)| *speaks_against);
        objection.map(|(_, reason)| reason).or_else(|| self.too_fast_or_slow(&challenge.time_control))
    }

    fn too_fast_or_slow(&self, control: &TimeControl) -> Option<Decline> {
        let &TimeControl::Clock { limit, increment } = control else {
            return (!self.correspondence).then_some(Decline::TooSlow);
        };
        if limit < self.least_base_s || increment < self.least_increment_s {
            return Some(Decline::TooFast);
        }
        (limit > self.most_base_s || increment > self.most_increment_s).then_some(Decline::TooSlow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(change: impl Fn(&mut Challenge)) -> Challenge {
        let text = r#"{"id":"c1","challenger":{"id":"mary","name":"Mary","rating":1712},
            "variant":{"key":"standard"},"rated":true,"timeControl":{"type":"clock","limit":300,"increment":3}}"#;
        let mut challenge = serde_json::from_str(text).unwrap();
        change(&mut challenge);
        challenge
    }

    #[test]
    fn challenges_are_declined_for_the_reason_that_applies() {
        let bot = |c: &mut Challenge| c.challenger.title = Some("BOT".to_owned());
        let base =
            |limit| move |c: &mut Challenge| c.time_control = TimeControl::Clock { limit, increment: 0 };
        type Change = Box<dyn Fn(&mut Challenge)>;
        let table: Vec<(Change, Policy, Option<Decline>)> = vec![
            (Box::new(|_| {}), Policy::default(), None),
            (Box::new(|c| c.variant.key = "atomic".to_owned()), Policy::default(), Some(Decline::Variant)),
            (Box::new(bot), Policy { bots: false, ..Policy::default() }, Some(Decline::NoBot)),
            (Box::new(|_| {}), Policy { humans: false, ..Policy::default() }, Some(Decline::OnlyBot)),
            (Box::new(|_| {}), Policy { rated: false, ..Policy::default() }, Some(Decline::Casual)),
            (
                Box::new(|c| c.rated = false),
                Policy { casual: false, ..Policy::default() },
                Some(Decline::Rated),
            ),
            (Box::new(base(15)), Policy::default(), Some(Decline::TooFast)),
            (Box::new(base(30)), Policy::default(), None),
            (Box::new(base(7200)), Policy::default(), Some(Decline::TooSlow)),
            (
                Box::new(|c| c.time_control = TimeControl::Unlimited),
                Policy::default(),
                Some(Decline::TooSlow),
            ),
            (Box::new(|_| {}), Policy { most_rating: 1711, ..Policy::default() }, Some(Decline::Generic)),
            (
                Box::new(|c| c.challenger.rating = None),
                Policy { most_rating: 1000, ..Policy::default() },
                None,
            ),
            (Box::new(|_| {}), Policy { only: vec!["Mary".to_owned()], ..Policy::default() }, None),
            (
                Box::new(|_| {}),
                Policy { only: vec!["john".to_owned()], ..Policy::default() },
                Some(Decline::Generic),
            ),
            (
                Box::new(|_| {}),
                Policy { never: vec!["MARY".to_owned()], ..Policy::default() },
                Some(Decline::Generic),
            ),
        ];
        for (row, (change, policy, reason)) in table.into_iter().enumerate() {
            let verdict = policy.judge(&challenge(change), Standing::default());
            assert_eq!(verdict, reason.map_or(Verdict::Accept, Verdict::Decline), "row {row}");
        }
    }

    #[test]
    fn who_comes_when_all_boards_are_taken_waits_and_nobody_plays_all_day() {
        let policy = Policy { games_at_once: 2, games_a_day: 3, ..Policy::default() };
        let judge = |games, waiting, today, ending| {
            policy.judge(&challenge(|_| {}), Standing { games, waiting, today, ending })
        };
        assert_eq!(judge(1, 0, 2, false), Verdict::Accept);
        assert_eq!(judge(1, 1, 0, false), Verdict::Wait, "others came first");
        assert_eq!(judge(2, 0, 0, false), Verdict::Wait);
        assert_eq!(judge(2, MOST_WAITING, 0, false), Verdict::Decline(Decline::Later));
        assert_eq!(judge(0, 0, 3, false), Verdict::Decline(Decline::Later));
        assert_eq!(judge(0, 0, 0, true), Verdict::Decline(Decline::Later));
    }

    #[test]
    fn a_policy_that_plays_nobody_is_refused() {
        let usual = Policy::default;
        assert_eq!(usual().check(), Ok(()));
        for (policy, words) in [
            (Policy { variants: vec!["atomic".to_owned()], ..usual() }, "`atomic` is no variant"),
            (
                Policy { least_rating: 2000, most_rating: 1000, ..usual() },
                "least_rating is larger than most_rating",
            ),
            (Policy { rated: false, casual: false, ..usual() }, "neither rated nor casual"),
            (Policy { games_at_once: 0, ..usual() }, "games_at_once is 0"),
        ] {
            let error = policy.check().unwrap_err().to_string();
            assert!(error.starts_with(words), "{error}");
        }
    }
}
