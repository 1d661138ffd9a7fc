//! Why games are left out, and how many were.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Why a game did not become a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    Duplicate,
    Variant,
    Bot,
    Unfinished,
    NoRating,
    Rating,
    RatingDifference,
    Speed,
    TooShort,
    TooLong,
    NoClocks,
    IllegalMove,
    NotAMove,
    BadTag,
    BadStart,
    ResultConflict,
    CutOff,
    NoGame,
    Oversized,
    DamagedArchive,
}

impl Reason {
    pub const ALL: [Reason; 20] = [
        Reason::Duplicate,
        Reason::Variant,
        Reason::Bot,
        Reason::Unfinished,
        Reason::NoRating,
        Reason::Rating,
        Reason::RatingDifference,
        Reason::Speed,
        Reason::TooShort,
        Reason::TooLong,
        Reason::NoClocks,
        Reason::IllegalMove,
        Reason::NotAMove,
        Reason::BadTag,
        Reason::BadStart,
        Reason::ResultConflict,
        Reason::CutOff,
        Reason::NoGame,
        Reason::Oversized,
        Reason::DamagedArchive,
    ];

    /// Whether the data is at fault, and not merely unwanted.
    pub fn is_bad(self) -> bool {
        self >= Reason::IllegalMove
    }

    pub fn sentence(self) -> &'static str {
        match self {
            Reason::Duplicate => "a game with the same id was there already",
            Reason::Variant => "not standard chess",
            Reason::Bot => "a player is a bot",
            Reason::Unfinished => "aborted or without a result",
            Reason::NoRating => "a rating is missing",
            Reason::Rating => "a rating is out of range",
            Reason::RatingDifference => "ratings too far apart",
            Reason::Speed => "another time control",
            Reason::TooShort => "too few plies",
            Reason::TooLong => "too many plies",
            Reason::NoClocks => "a clock is missing",
            Reason::IllegalMove => "a move is illegal or ambiguous",
            Reason::NotAMove => "something in the moves is no move",
            Reason::BadTag => "a tag cannot be read",
            Reason::BadStart => "the start position is impossible",
            Reason::ResultConflict => "tag and moves give different results",
            Reason::CutOff => "the moves end without a result",
            Reason::NoGame => "neither tags nor moves",
            Reason::Oversized => "no game ends within 16 MiB",
            Reason::DamagedArchive => "the archive is cut off or damaged here",
        }
    }
}

/// Games read, kept and dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub read: u64,
    pub kept: u64,
    dropped: [u64; Reason::ALL.len()],
}

impl Tally {
    pub(crate) fn drop(&mut self, reason: Reason) {
        self.read += 1;
        self.dropped[reason as usize] += 1;
    }

    pub(crate) fn keep(&mut self) {
        self.read += 1;
        self.kept += 1;
    }

    pub fn add(&mut self, other: &Tally) {
        self.read += other.read;
        self.kept += other.kept;
        for (sum, count) in self.dropped.iter_mut().zip(other.dropped) {
            *sum += count;
        }
    }

    pub(crate) fn add_counts(&mut self, read: u64, kept: u64, dropped: &BTreeMap<Reason, u64>) {
        self.read += read;
        self.kept += kept;
        dropped.iter().for_each(|(&reason, count)| self.dropped[reason as usize] += count);
    }

    /// Reasons that occurred, with their counts.
    pub fn dropped(&self) -> impl Iterator<Item = (Reason, u64)> {
        Reason::ALL.into_iter().zip(self.dropped).filter(|&(_, count)| count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_numbers() {
        for (at, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, at);
        }
    }
}
