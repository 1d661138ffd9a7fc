//! What the value of a position is: how deep lines go, and where they end.

/// Captures in a row that the quiescence follows.
const MOST_FORCING: i16 = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Values are taken after captures and evasions have ended, not in the middle of an exchange.
    pub(super) quiescence: bool,
    /// A move that gives check costs no depth.
    pub(super) extensions: bool,
    /// Moves that look bad are searched less deeply, and positions that are clearly won or lost not at all.
    pub(super) selective: bool,
    /// The table speaks only where it cannot differ from a search: same depth, no repetition within reach.
    pub(super) strict_table: bool,
    /// Bounds of the root this near to each other are near enough, in centipawns.
    pub(super) tolerance: f32,
}

impl Rules {
    pub(super) const PLAY: Rules =
        Rules { quiescence: true, extensions: true, selective: true, strict_table: false, tolerance: 8.0 };

    /// Whether a line may not go on below a node at `depth`.
    pub(super) fn ends(&self, depth: i16) -> bool {
        depth <= if self.quiescence { -MOST_FORCING } else { 0 }
    }

    /// Depth that is left after a move from a node with `depth`.
    pub(super) fn after_move(&self, depth: i16, gives_check: bool) -> i16 {
        depth - 1 + i16::from(self.extensions && gives_check && depth > 0)
    }
}
