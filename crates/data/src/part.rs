//! One of several equal parts of a piece of work: `3/40` is the third of forty. Machines that each take one need not know of
//! each other.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Part {
    /// From 1 to `of`.
    number: u32,
    of: u32,
}

#[derive(Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no part: 3/40 is the third of forty")]
pub struct PartError(String);

impl Part {
    /// The part with this number, from 1; `None` if there are fewer.
    pub fn new(number: u32, of: u32) -> Option<Part> {
        (1..=of).contains(&number).then_some(Part { number, of })
    }

    pub fn number(self) -> u32 {
        self.number
    }

    pub fn of(self) -> u32 {
        self.of
    }

    /// Whether the item with this number, which all machines count alike, belongs to this part. Neighbours go to different parts.
    pub fn has(self, item: u64) -> bool {
        item % u64::from(self.of) == u64::from(self.number - 1)
    }

    /// The same for keys, which need not be spread evenly.
    pub fn has_key(self, key: u64) -> bool {
        self.has(xxh3_64(&key.to_le_bytes()))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Part, PartError> {
        let numbers =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        numbers.and_then(|(number, of)| Part::new(number, of)).ok_or_else(|| PartError(text.to_owned()))
    }
}

impl From<Part> for String {
    fn from(part: Part) -> String {
        part.to_string()
    }
}

impl TryFrom<String> for Part {
    type Error = PartError;

    fn try_from(text: String) -> Result<Part, PartError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_belongs_to_exactly_one_part() {
        for of in [1, 2, 7, 40] {
            let parts: Vec<Part> = (1..=of).map(|number| Part::new(number, of).unwrap()).collect();
            for item in 0..500_u64 {
                assert_eq!(parts.iter().filter(|part| part.has(item)).count(), 1);
                assert_eq!(parts.iter().filter(|part| part.has_key(item << 40)).count(), 1);
            }
        }
    }

    #[test]
    fn a_part_is_read_as_it_is_written() {
        assert_eq!("3/40".parse::<Part>().unwrap().to_string(), "3/40");
        for text in ["0/4", "5/4", "1/0", "1", "a/b", "-1/2", ""] {
            assert_eq!(text.parse::<Part>(), Err(PartError(text.to_owned())));
        }
    }
}
