//! What thinks inside a search.

use std::{fmt, sync::Arc};

use chess::Brain;

/// A mind on its way into a search.
#[derive(Clone)]
pub enum Mind {
    /// The hand-made evaluation.
    Heuristic,
    /// A network, made elsewhere; to searches it is what it answers.
    Net { name: String, brain: Arc<dyn Brain> },
}

impl Mind {
    pub fn net(name: impl Into<String>, brain: Arc<dyn Brain>) -> Mind {
        Mind::Net { name: name.into(), brain }
    }

    pub fn name(&self) -> &str {
        match self {
            Mind::Heuristic => "heuristic",
            Mind::Net { name, .. } => name,
        }
    }

    /// The search for those who name none.
    pub fn usual_search(&self) -> &'static str {
        match self {
            Mind::Heuristic => "alpha-beta",
            Mind::Net { .. } => "instant",
        }
    }
}

impl fmt::Debug for Mind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mind({})", self.name())
    }
}
