//! Bounds on what a configuration may ask for, checked before anything is built.

use std::{fmt::Display, ops::RangeInclusive};

/// The most that a size of a network may be, where a family has no reason for another bound.
pub(crate) const MOST: usize = 1 << 14;
/// The most layers or blocks.
pub(crate) const DEEPEST: usize = 256;
/// The most parameters that a network may have: eight gigabytes with what an optimiser keeps of them.
pub(crate) const MOST_PARAMETERS: usize = 1 << 29;

/// Whether a setting lies within its bounds.
pub(crate) fn within<T: PartialOrd + Display>(
    name: &str,
    value: T,
    bounds: RangeInclusive<T>,
) -> Result<(), String> {
    match bounds.contains(&value) {
        true => Ok(()),
        false => Err(format!("{name} is {value}, not {} to {}", bounds.start(), bounds.end())),
    }
}

/// Whether weights of objectives can be summed and leave something to learn.
pub(crate) fn objectives(weights: &[(&str, f32)]) -> Result<(), String> {
    if let Some((name, weight)) = weights.iter().find(|(_, weight)| !(weight.is_finite() && *weight >= 0.0)) {
        return Err(format!("the weight of the objective `{name}` is {weight}, not a number from 0 on"));
    }
    match weights.iter().any(|(_, weight)| *weight > 0.0) {
        true => Ok(()),
        false => Err("the weights of all objectives are 0: there is nothing to learn".to_owned()),
    }
}
