//! How a mind that predicts people plays like one of them: whom it plays, how long it waits, what it will not play,
//! when it gives up.

mod effort;
mod level;
mod mood;
mod settings;
mod timing;

pub(crate) use effort::Effort;
pub use level::{level_temperature, tolerated_loss};
pub use mood::{Mood, accepts_draw};
pub use settings::{Guard, HumanSettings};
pub use timing::think_time;
