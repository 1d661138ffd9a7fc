//! How networks that no longer learn are computed: the level of the CPU, and int8 beside it or not.

use std::fmt;

use crate::{Int8, Level, level};

/// Products of activations with weights are in int8 if `int8` is there, all else is as the level says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    level: Level,
    int8: Option<Int8>,
}

impl Arithmetic {
    /// What is fastest on this CPU, or what `TABIYA_CPU` asks for.
    pub fn best() -> Arithmetic {
        Arithmetic { level: Level::best(), int8: level::int8().then(Int8::best).flatten() }
    }

    /// A level throughout, without int8.
    pub fn of(level: Level) -> Arithmetic {
        Arithmetic { level, int8: None }
    }

    /// Every level of this CPU throughout, slowest first, then int8 on the highest if the CPU has it.
    pub fn all() -> impl Iterator<Item = Arithmetic> {
        let best = Int8::best().map(|int8| Arithmetic { level: Level::highest(), int8: Some(int8) });
        Level::all().map(Arithmetic::of).chain(best)
    }

    pub fn with_int8(self, int8: Int8) -> Arithmetic {
        Arithmetic { int8: Some(int8), ..self }
    }

    pub fn level(self) -> Level {
        self.level
    }

    pub fn int8(self) -> Option<Int8> {
        self.int8
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.int8 {
            Some(_) => f.pad("int8"),
            None => self.level.fmt(f),
        }
    }
}
