//! Who plays whom, with which colour, from which opening.

/// Games are numbered so that a longer match begins with the games of a shorter one: rounds outermost, then
/// pairings, then the two games of a pair.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// Players by number; the first of each has White in the first game of a pair.
    pub(crate) pairings: Vec<(usize, usize)>,
    pub(crate) rounds: usize,
}

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixture {
    pub(crate) game: usize,
    /// Also the number of the opening: all pairings of a round play the same one.
    pub(crate) round: usize,
    pub(crate) pairing: usize,
    /// Whether this is the second game of its pair, with colours reversed.
    pub(crate) reversed: bool,
    pub(crate) white: usize,
    pub(crate) black: usize,
}

impl Schedule {
    /// Everybody against everybody.
    pub(crate) fn round_robin(players: usize, rounds: usize) -> Schedule {
        let pairings = (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b))).collect();
        Schedule { pairings, rounds }
    }

    /// The first against all others.
    pub(crate) fn gauntlet(players: usize, rounds: usize) -> Schedule {
        Schedule { pairings: (1..players).map(|other| (0, other)).collect(), rounds }
    }

    pub(crate) fn len(&self) -> usize {
        2 * self.pairings.len() * self.rounds
    }

    pub(crate) fn fixture(&self, game: usize) -> Fixture {
        let (pair, reversed) = (game / 2, game % 2 == 1);
        let (round, pairing) = (pair / self.pairings.len(), pair % self.pairings.len());
        let (first, second) = self.pairings[pairing];
        let (white, black) = if reversed { (second, first) } else { (first, second) };
        Fixture { game, round, pairing, reversed, white, black }
    }
}

impl Fixture {
    /// As the PGN tag `Round` has it.
    pub(crate) fn round_tag(&self) -> String {
        format!("{}.{}", self.round + 1, 1 + usize::from(self.reversed))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_opening_is_played_with_both_colours() {
        for schedule in [Schedule::round_robin(2, 3), Schedule::round_robin(4, 5), Schedule::gauntlet(4, 2)] {
            let mut seen: HashMap<_, usize> = HashMap::new();
            for game in 0..schedule.len() {
                let Fixture { round, white, black, .. } = schedule.fixture(game);
                assert_ne!(white, black);
                *seen.entry((round, white, black)).or_default() += 1;
            }
            assert!(seen.values().all(|&times| times == 1));
            assert!(seen.keys().all(|&(round, white, black)| seen.contains_key(&(round, black, white))));
        }
    }

    #[test]
    fn a_longer_match_begins_with_the_shorter() {
        let (short, long) = (Schedule::round_robin(3, 2), Schedule::round_robin(3, 9));
        assert!((0..short.len()).all(|game| short.fixture(game) == long.fixture(game)));
    }
}
