//! Who sits down to a game.

use std::sync::Arc;

use chess::shakmaty::Color;
use engine::Search;

/// What is known of a game when it begins.
#[derive(Clone, Debug)]
pub struct Pairing {
    pub id: String,
    pub us: Color,
    pub opponent: String,
    pub opponent_rating: Option<u16>,
    pub opponent_is_bot: bool,
    pub rated: bool,
    /// Base and increment in seconds; `None` in correspondence.
    pub clock_s: Option<(u32, u32)>,
}

/// The one who thinks, and the level that is told in greetings.
#[expect(missing_debug_implementations, reason = "a search has none")]
pub struct Player {
    pub search: Box<dyn Search>,
    pub level: Option<u16>,
}

/// Finds the one who plays a game, or says why there is nobody.
pub type Seat = Arc<dyn Fn(&Pairing) -> Result<Player, String> + Send + Sync>;
