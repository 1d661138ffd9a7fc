//! Short questions for the tests of single terms.

use chess::{
    Moment,
    shakmaty::{CastlingMode, Color},
};

use super::{Trace, trace};

pub(crate) fn counts(fen: &str) -> Trace {
    trace(&Moment::from_fen(fen, CastlingMode::Standard).unwrap().position)
}

pub(crate) fn feature_count(trace: &Trace, side: Color, feature: usize) -> i32 {
    trace.features.iter().filter(|entry| (entry.0, entry.1) == (side, feature)).map(|entry| entry.2).sum()
}

pub(crate) fn danger_count(trace: &Trace, side: Color, kind: usize) -> i32 {
    trace.danger.iter().filter(|entry| (entry.0, entry.1) == (side, kind)).map(|entry| entry.2).sum()
}
