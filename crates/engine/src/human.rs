//! How a mind that predicts people plays like one of them: whom it plays, how long it waits, what it will not play,
//! when it gives up.

mod guard;
mod level;
mod mood;
mod settings;
mod timing;
mod tolerance;

pub use guard::{BlunderGuard, Check};
pub use level::level_temperature;
pub use mood::{Mood, accepts_draw};
pub use settings::{Guard, HumanSettings};
pub use timing::think_time;
pub use tolerance::{resigns_below, tolerated_loss};
