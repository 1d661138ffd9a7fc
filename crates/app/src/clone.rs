//! One person's games made into a mind that plays like her: her choices in known positions, and a network that learned from the rest. What
//! it is worth is measured on games that were kept apart.

mod foresight;
mod games;
mod made;

pub(crate) use foresight::{Foresight, Interval};
pub(crate) use games::{Own, OwnGame, most_frequent, names};
pub(crate) use made::{CloneError, FEWEST_GAMES, Made, Report, Settings, habits_only, make, set_person};
