//! What happens in one game.

use chess::shakmaty::Color;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum GameEvent {
    GameFull(Box<GameFull>),
    GameState(GameState),
    OpponentGone(OpponentGone),
    /// Chat, and whatever is newer than this program.
    #[serde(other)]
    Other,
}

/// All about a game; comes first on every stream.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GameFull {
    pub(crate) id: String,
    pub(crate) variant: crate::events::Variant,
    #[serde(default)]
    pub(crate) clock: Option<GameClock>,
    #[serde(default)]
    pub(crate) rated: bool,
    pub(crate) white: GamePlayer,
    pub(crate) black: GamePlayer,
    #[serde(default = "usual_start")]
    pub(crate) initial_fen: String,
    pub(crate) state: GameState,
}

/// What stands in place of a FEN for the usual start.
pub(crate) const START: &str = "startpos";

fn usual_start() -> String {
    START.to_owned()
}

/// In milliseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct GameClock {
    pub(crate) initial: u64,
    pub(crate) increment: u64,
}

/// Without an id and a name: Lichess's own computer, or nobody.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct GamePlayer {
    #[serde(default)]
    pub(crate) id: Option<String>,
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) rating: Option<u16>,
    #[serde(default)]
    pub(crate) title: Option<String>,
}

/// Where a game stands. Times are in milliseconds.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct GameState {
    pub(crate) moves: String,
    pub(crate) wtime: u64,
    pub(crate) btime: u64,
    #[serde(default)]
    pub(crate) winc: u64,
    #[serde(default)]
    pub(crate) binc: u64,
    pub(crate) status: String,
    #[serde(default, deserialize_with = "color")]
    pub(crate) winner: Option<Color>,
    #[serde(default)]
    pub(crate) wdraw: bool,
    #[serde(default)]
    pub(crate) bdraw: bool,
    #[serde(default)]
    pub(crate) wtakeback: bool,
    #[serde(default)]
    pub(crate) btakeback: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpponentGone {
    pub(crate) gone: bool,
    #[serde(default)]
    pub(crate) claim_win_in_seconds: Option<u64>,
}

impl GameState {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.status.as_str(), "created" | "started")
    }

    pub(crate) fn offers_draw(&self, side: Color) -> bool {
        side.fold_wb(self.wdraw, self.bdraw)
    }

    pub(crate) fn asks_takeback(&self, side: Color) -> bool {
        side.fold_wb(self.wtakeback, self.btakeback)
    }

    pub(crate) fn left_ms(&self, side: Color) -> u64 {
        side.fold_wb(self.wtime, self.btime)
    }

    pub(crate) fn increment_ms(&self, side: Color) -> u64 {
        side.fold_wb(self.winc, self.binc)
    }
}

fn color<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Color>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    Ok(name.as_deref().and_then(|name| match name {
        "white" => Some(Color::White),
        "black" => Some(Color::Black),
        _ => None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_read_with_what_may_be_missing() {
        let full = r#"{"type":"gameFull","id":"abcdefgh","variant":{"key":"standard","name":"Standard","short":"Std"},
            "speed":"blitz","perf":{"name":"Blitz"},"rated":true,"createdAt":1,
            "white":{"id":"bot","name":"Bot","title":"BOT","rating":2000},"black":{"aiLevel":3},
            "initialFen":"startpos","clock":{"initial":300000,"increment":3000},
            "state":{"type":"gameState","moves":"e2e4","wtime":300000,"btime":300000,"winc":3000,"binc":3000,"status":"started"}}"#;
        let GameEvent::GameFull(game) = serde_json::from_str(full).unwrap() else { panic!("a game") };
        assert!(game.black.id.is_none() && game.state.is_running() && game.clock.unwrap().initial == 300_000);
        let state = r#"{"type":"gameState","moves":"e2e4 e7e5","wtime":1,"btime":2,"winc":0,"binc":0,"status":"mate","winner":"black","bdraw":true}"#;
        let GameEvent::GameState(state) = serde_json::from_str(state).unwrap() else { panic!("a state") };
        assert!(!state.is_running() && state.winner == Some(Color::Black));
        assert!(state.offers_draw(Color::Black) && !state.offers_draw(Color::White));
        let gone: GameEvent =
            serde_json::from_str(r#"{"type":"opponentGone","gone":true,"claimWinInSeconds":8}"#).unwrap();
        assert!(matches!(gone, GameEvent::OpponentGone(gone) if gone.claim_win_in_seconds == Some(8)));
        let chat = r#"{"type":"chatLine","room":"player","username":"x","text":"hi"}"#;
        assert!(matches!(serde_json::from_str(chat).unwrap(), GameEvent::Other));
    }
}
