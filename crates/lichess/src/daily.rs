//! Games of today with each account.

use std::{
    collections::HashMap,
    time::{SystemTime, UNIX_EPOCH},
};

/// Days since 1970 by Greenwich.
pub(crate) type Day = u64;

#[derive(Debug, Default)]
pub(crate) struct Daily {
    day: Day,
    games: HashMap<String, u32>,
}

impl Daily {
    pub(crate) fn count(&mut self, account: &str, today: Day) -> u32 {
        self.turn_to(today);
        self.games.get(account).copied().unwrap_or(0)
    }

    pub(crate) fn add(&mut self, account: &str, today: Day) {
        self.turn_to(today);
        *self.games.entry(account.to_owned()).or_default() += 1;
    }

    fn turn_to(&mut self, today: Day) {
        if self.day != today {
            *self = Daily { day: today, games: HashMap::new() };
        }
    }
}

pub(crate) fn today() -> Day {
    const DAY_S: u64 = 24 * 3600;
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / DAY_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_count_for_their_day_and_account() {
        let mut daily = Daily::default();
        daily.add("mary", 7);
        daily.add("mary", 7);
        assert_eq!((daily.count("mary", 7), daily.count("john", 7)), (2, 0));
        assert_eq!((daily.count("mary", 8), daily.count("mary", 8)), (0, 0));
    }
}
