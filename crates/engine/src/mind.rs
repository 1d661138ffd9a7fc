//! What thinks inside a search.

use std::{fmt, sync::Arc};

use chess::Brain;

use crate::heuristic::{self, Heuristic};

/// A mind and its name, on its way into a search.
#[derive(Clone)]
pub struct Mind {
    pub name: String,
    pub brain: Arc<dyn Brain>,
}

impl Mind {
    pub fn new(name: impl Into<String>, brain: Arc<dyn Brain>) -> Mind {
        Mind { name: name.into(), brain }
    }

    /// The hand-made evaluation.
    pub fn heuristic() -> Mind {
        Mind::new(heuristic::NAME, Arc::new(Heuristic))
    }

    /// The search for those who name none.
    pub fn usual_search(&self) -> &'static str {
        self.brain.traits().search
    }
}

impl fmt::Debug for Mind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mind({})", self.name)
    }
}
