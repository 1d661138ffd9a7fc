//! A moment of a game: everything the side to move knows, and nothing more.

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, Move, MoveList, Position, PositionError, fen::Fen,
    uci::UciMove,
};
use thiserror::Error;

use crate::{Clocks, Past, Ratings};

/// What the side to move knows: nothing more than a player at the board would.
#[derive(Clone, Debug)]
pub struct Moment {
    pub position: Chess,
    pub past: Past,
    pub clocks: Option<Clocks>,
    pub players: Option<Ratings>,
}

#[derive(Debug, Error)]
pub enum MomentError {
    #[error("`{0}` is not a FEN")]
    NotFen(String),
    #[error("`{fen}` is not a chess position: {reason}")]
    NotPosition { fen: String, reason: String },
    #[error("`{0}` is not a move in UCI notation")]
    NotMove(String),
    #[error("{0} cannot be played in {1}")]
    Illegal(String, String),
}

impl Default for Moment {
    fn default() -> Moment {
        Moment::new(Chess::default())
    }
}

impl Moment {
    /// The first moment of a game that starts from `position`.
    pub fn new(position: Chess) -> Moment {
        Moment { past: Past::none(&position), position, clocks: None, players: None }
    }

    /// A game's first moment from a FEN. Counters may be missing, and castling rights or en passant squares
    /// that the board contradicts are dropped, as GUIs send them.
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Moment, MomentError> {
        let setup: Fen = fen.trim().parse().map_err(|_| MomentError::NotFen(fen.to_owned()))?;
        let position = setup
            .into_position(mode)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .map_err(|error| MomentError::NotPosition { fen: fen.to_owned(), reason: reason(&error) })?;
        Ok(Moment::new(position))
    }

    /// The moment after `moves` in UCI notation, as the UCI command `position` gives them.
    pub fn after_uci<'a>(mut self, moves: impl IntoIterator<Item = &'a str>) -> Result<Moment, MomentError> {
        for text in moves {
            let m = self.parse_uci(text)?;
            self.play(m);
        }
        Ok(self)
    }

    /// The legal move that `text` names, in standard or Chess960 castling notation.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MomentError> {
        let uci: UciMove = text.parse().map_err(|_| MomentError::NotMove(text.to_owned()))?;
        uci.to_move(&self.position).map_err(|_| MomentError::Illegal(text.to_owned(), self.fen()))
    }

    /// Plays a legal move. Clocks and ratings stay as they are: the caller knows what the move cost.
    pub fn play(&mut self, m: Move) {
        let before = self.position.clone();
        self.position.play_unchecked(m);
        self.past.record(&before, m, &self.position);
    }

    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    pub fn legal_moves(&self) -> MoveList {
        self.position.legal_moves()
    }

    pub fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.position.halfmoves()
    }

    /// The castling notation that this game uses.
    pub fn castling_mode(&self) -> CastlingMode {
        self.position.castles().mode()
    }

    /// The move in the UCI notation of this game.
    pub fn uci(&self, m: Move) -> String {
        m.to_uci(self.castling_mode()).to_string()
    }
}

/// The error's text without the words that our own sentence already has.
fn reason(error: &PositionError<Chess>) -> String {
    error.to_string().trim_start_matches("illegal position: ").to_owned()
}
