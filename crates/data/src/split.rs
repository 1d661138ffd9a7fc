//! Which games train, which validate and which are kept for the last test: a hash of the id decides, so that
//! no game stands on two sides and a game never changes side when more are added.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    Train,
    Valid,
    Test,
}

/// How a dataset is split. Fixed by its first import.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shares {
    pub seed: u64,
    /// Games in ten thousand that go to `valid` and to `test`; the rest is `train`.
    pub valid: u32,
    pub test: u32,
}

impl Default for Shares {
    fn default() -> Shares {
        Shares { seed: 0, valid: 500, test: 500 }
    }
}

impl Shares {
    pub fn split(&self, game_id: &str) -> Split {
        let draw = xxh3_64_with_seed(game_id.as_bytes(), self.seed) % 10_000;
        match draw as u32 {
            draw if draw < self.valid => Split::Valid,
            draw if draw < self.valid + self.test => Split::Test,
            _ => Split::Train,
        }
    }
}

impl Split {
    pub const ALL: [Split; 3] = [Split::Train, Split::Valid, Split::Test];

    pub fn name(self) -> &'static str {
        ["train", "valid", "test"][self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_come_out_as_asked() {
        let shares = Shares::default();
        let valid = (0..100_000).filter(|n| shares.split(&format!("game{n}")) == Split::Valid).count();
        assert!((4_700..5_300).contains(&valid), "{valid}");
    }

    #[test]
    fn another_seed_splits_otherwise() {
        let other = Shares { seed: 1, ..Shares::default() };
        assert!((0..1000).map(|n| n.to_string()).any(|id| other.split(&id) != Shares::default().split(&id)));
    }
}
