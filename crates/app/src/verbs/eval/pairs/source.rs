//! Where a game comes from, by what is known of it.

use ::data::Game;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Source {
    Engines,
    OverTheBoard,
    Online,
}

/// No person has ever been rated as high in games without a clock's record.
const LEAST_OF_ENGINES: u16 = 3300;

impl Source {
    pub(super) const ALL: [Source; 3] = [Source::Engines, Source::OverTheBoard, Source::Online];

    pub(super) fn of(game: &Game) -> Source {
        let engine = |rating: Option<u16>| rating.is_some_and(|rating| rating >= LEAST_OF_ENGINES);
        let both = engine(game.white_elo) && engine(game.black_elo);
        // People reach such ratings online, where every game has its record of clocks.
        match (both && game.clocks_cs.is_none(), game.control.is_some()) {
            (true, _) => Source::Engines,
            (false, false) => Source::OverTheBoard,
            (false, true) => Source::Online,
        }
    }

    pub(super) fn name(self) -> &'static str {
        ["engines", "over the board", "online"][self as usize]
    }
}
