//! What the evals share: the positions they draw, the models they ask, and figures with their intervals.

pub(crate) mod estimate;
pub(crate) mod expectations;
pub(crate) mod mark;
pub(crate) mod metrics;
pub(crate) mod model;
pub(crate) mod paired;
mod rival;
pub(crate) mod selection;
pub(crate) mod variables;
