//! One game as it stands: what Lichess told last, in the words of the board.

use chess::{
    Clocks, Moment,
    shakmaty::{ByColor, CastlingMode, Color},
};
use tokio::time::Instant;

use crate::{
    events::BOT,
    game_events::{GameFull, GamePlayer, GameState, START},
    policy::VARIANTS,
    seat::Pairing,
};

#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) pairing: Pairing,
    pub(crate) opponent_name: String,
    start: Moment,
    /// In centiseconds; `None` in correspondence.
    base_cs: Option<u32>,
    pub(crate) moment: Moment,
    pub(crate) moves: Vec<String>,
    pub(crate) state: GameState,
    /// When this was heard: the clocks are those of then.
    pub(crate) heard: Instant,
}

impl Game {
    /// A sentence says what keeps a game from being played here.
    pub(crate) fn new(full: GameFull, account: &str, heard: Instant) -> Result<Game, String> {
        let variant = full.variant.key.as_str();
        if !VARIANTS.contains(&variant) {
            return Err(format!("the variant {variant} is not played here"));
        }
        let is_us = |player: &GamePlayer| player.id.as_deref() == Some(account);
        let us = match (is_us(&full.white), is_us(&full.black)) {
            (true, _) => Color::White,
            (_, true) => Color::Black,
            _ => return Err(format!("{account} does not play in it")),
        };
        let opponent = us.fold_wb(&full.black, &full.white);
        let name = opponent.name.clone().unwrap_or_else(|| "the computer".to_owned());
        let clock_s =
            full.clock.map(|clock| ((clock.initial / 1000) as u32, (clock.increment / 1000) as u32));
        let pairing = Pairing {
            id: full.id.clone(),
            us,
            opponent: opponent.id.clone().unwrap_or_default(),
            opponent_rating: opponent.rating,
            opponent_is_bot: opponent.title.as_deref() == Some(BOT),
            rated: full.rated,
            clock_s,
        };
        let start = match full.initial_fen.as_str() {
            START => Moment::default(),
            // Positions that people set up may hold castling from anywhere.
            fen => Moment::from_fen(fen, CastlingMode::Chess960).map_err(|error| error.to_string())?,
        };
        let base_cs = full.clock.map(|clock| centiseconds(clock.initial));
        let mut game = Game {
            pairing,
            opponent_name: name,
            moment: start.clone(),
            start,
            base_cs,
            moves: Vec::new(),
            state: full.state.clone(),
            heard,
        };
        game.update(full.state, heard)?;
        Ok(game)
    }

    /// Takes in where the game stands now. Moves may have been taken back.
    pub(crate) fn update(&mut self, state: GameState, heard: Instant) -> Result<(), String> {
        let moves: Vec<String> = state.moves.split_ascii_whitespace().map(str::to_owned).collect();
        let moment = self.start.clone().after_uci(moves.iter().map(String::as_str));
        let mut moment = moment.map_err(|error| error.to_string())?;
        let both = |of: fn(&GameState, Color) -> u64| ByColor {
            white: centiseconds(of(&state, Color::White)),
            black: centiseconds(of(&state, Color::Black)),
        };
        moment.clocks = self.base_cs.map(|base_cs| Clocks {
            left_cs: both(GameState::left_ms).map(|left| left.max(1)),
            increment_cs: both(GameState::increment_ms),
            base_cs: Some(base_cs),
        });
        (self.moment, self.moves, self.state, self.heard) = (moment, moves, state, heard);
        Ok(())
    }

    pub(crate) fn us(&self) -> Color {
        self.pairing.us
    }

    pub(crate) fn is_our_turn(&self) -> bool {
        self.state.is_running() && self.moment.turn() == self.us()
    }

    /// Nobody has lost time yet, and the game may be aborted.
    pub(crate) fn has_hardly_begun(&self) -> bool {
        self.moves.len() < 2
    }
}

fn centiseconds(ms: u64) -> u32 {
    u32::try_from(ms / 10).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(variant: &str, fen: &str, moves: &str) -> GameFull {
        let text = format!(
            r#"{{"id":"g1","variant":{{"key":"{variant}"}},"rated":true,"clock":{{"initial":60000,"increment":1000}},
            "white":{{"id":"mary","name":"Mary","rating":1700}},"black":{{"id":"bot","name":"Bot","title":"BOT"}},
            "initialFen":"{fen}","state":{{"moves":"{moves}","wtime":59000,"btime":0,"winc":1000,"binc":1000,"status":"started"}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_game_knows_its_sides_its_clocks_and_whose_turn_it_is() {
        let game = Game::new(full("standard", "startpos", "e2e4"), "bot", Instant::now()).unwrap();
        assert_eq!(
            (game.us(), game.is_our_turn(), game.pairing.opponent_rating),
            (Color::Black, true, Some(1700))
        );
        let clocks = game.moment.clocks.unwrap();
        assert_eq!((clocks.left_cs.white, clocks.left_cs.black, clocks.base_cs), (5900, 1, Some(6000)));
        assert_eq!(game.pairing.clock_s, Some((60, 1)));
    }

    #[test]
    fn castling_goes_as_each_variant_writes_it() {
        let standard = full("standard", "startpos", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1");
        assert!(Game::new(standard, "bot", Instant::now()).is_ok());
        let fen = "bqnbr1kr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhe - 2 9";
        let chess960 = Game::new(full("chess960", fen, "e1f3 g8h8"), "bot", Instant::now()).unwrap();
        assert_eq!(chess960.moment.uci(chess960.moment.legal_moves()[0]).len(), 4);
    }

    #[test]
    fn what_cannot_be_played_is_refused_in_a_sentence() {
        for (game, words) in [
            (full("atomic", "startpos", ""), "the variant atomic"),
            (full("standard", "startpos", "e2e5"), "e2e5 cannot be played"),
            (full("fromPosition", "nonsense", ""), "`nonsense` is not a FEN"),
        ] {
            let error = Game::new(game, "bot", Instant::now()).unwrap_err();
            assert!(error.starts_with(words), "{error}");
        }
        assert!(Game::new(full("standard", "startpos", ""), "john", Instant::now()).is_err());
    }
}
