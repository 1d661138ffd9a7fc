//! A moment of a game: everything the side to move knows, and nothing more.

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, Move, MoveList, Position, PositionError,
    fen::Fen, uci::UciMove,
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
    #[error("`{fen}` cannot come from a game: {side} has {pieces}")]
    Unreachable { fen: String, side: &'static str, pieces: String },
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

    /// Refuses positions that no game leads to: more than sixteen pieces of a side, or more of a kind than its pawns could have been
    /// promoted to. Searches cope with them, but what they would tell means nothing.
    pub fn check_pieces(&self) -> Result<(), MomentError> {
        Color::ALL.into_iter().try_for_each(|color| match too_many(self.position.board(), color) {
            None => Ok(()),
            Some(pieces) => {
                let side = color.fold_wb("White", "Black");
                Err(MomentError::Unreachable { fen: self.fen(), side, pieces })
            }
        })
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

/// What a side has more of than a game allows, in words.
fn too_many(board: &Board, color: Color) -> Option<String> {
    let ours = board.by_color(color);
    if ours.count() > 16 {
        return Some(format!("{} pieces", ours.count()));
    }
    let kinds = [
        (board.queens(), 1, "queens"),
        (board.rooks(), 2, "rooks"),
        (board.bishops() & Bitboard::LIGHT_SQUARES, 1, "bishops on light squares"),
        (board.bishops() & Bitboard::DARK_SQUARES, 1, "bishops on dark squares"),
        (board.knights(), 2, "knights"),
    ];
    let counts = kinds.map(|(pieces, first, name)| ((pieces & ours).count(), first, name));
    let promoted: usize = counts.iter().map(|(count, first, _)| count.saturating_sub(*first)).sum();
    let pawns = (board.pawns() & ours).count();
    let of = |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    if promoted + pawns <= 8 {
        return None;
    }
    let most = counts.into_iter().max_by_key(|(count, first, _)| count.saturating_sub(*first));
    let (count, _, name) = most.filter(|(count, first, _)| count > first).unwrap_or((pawns, 8, "pawns"));
    Some(match name {
        "pawns" => of(pawns, "pawn", "pawns"),
        _ => format!("{count} {name} and {}", of(pawns, "pawn", "pawns")),
    })
}

/// The error's text without the words that our own sentence already has.
fn reason(error: &PositionError<Chess>) -> String {
    error.to_string().trim_start_matches("illegal position: ").to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Square;

    use super::*;
    use crate::testing::{random_chess960_game, random_game};

    fn standard(fen: &str) -> Moment {
        Moment::from_fen(fen, CastlingMode::Standard).unwrap()
    }

    #[test]
    fn castling_is_understood_in_both_notations_and_written_in_that_of_the_game() {
        let table = [
            (
                CastlingMode::Standard,
                "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
                vec!["e1g1", "e1h1"],
                Square::H1,
                "e1g1",
            ),
            (
                CastlingMode::Standard,
                "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
                vec!["e8c8", "e8a8"],
                Square::A8,
                "e8c8",
            ),
            (
                CastlingMode::Chess960,
                "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
                vec!["e1c1", "e1a1"],
                Square::A1,
                "e1a1",
            ),
            (CastlingMode::Chess960, "4k3/8/8/8/8/8/8/5K1R w H - 0 1", vec!["f1h1"], Square::H1, "f1h1"),
            (CastlingMode::Chess960, "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", vec!["e1g1"], Square::G1, "e1g1"),
        ];
        for (mode, fen, texts, rook, written) in table {
            let moment = Moment::from_fen(fen, mode).unwrap();
            for text in texts {
                let m = moment.parse_uci(text).unwrap();
                assert!(
                    matches!(m, Move::Castle { rook: found, .. } if found == rook),
                    "{text} in {fen}: {m:?}"
                );
                assert_eq!(moment.uci(m), written, "{fen}");
            }
        }
    }

    #[test]
    fn a_king_step_is_not_castling() {
        let moment = Moment::from_fen("4k3/8/8/8/8/8/8/5K1R w H - 0 1", CastlingMode::Chess960).unwrap();
        assert!(!moment.parse_uci("f1g1").unwrap().is_castle());
    }

    #[test]
    fn en_passant_counts_where_it_is_legal() {
        let table = [
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", true),
            ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 2", true),
            // Both pawns would leave the rank and open it to the rook.
            ("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 2", false),
            // The capturing pawn is pinned on its file.
            ("4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 2", false),
            // The pawn that just moved gives check, and en passant is the way out.
            ("7k/8/8/3pP3/4K3/8/8/8 w - d6 0 2", true),
        ];
        for (fen, legal) in table {
            let moment = standard(fen);
            let captures: Vec<Move> =
                moment.legal_moves().into_iter().filter(|m| m.is_en_passant()).collect();
            assert_eq!(captures.len(), usize::from(legal), "{fen}");
            assert_eq!(moment.fen().contains(" - - "), !legal, "{fen} is told as {}", moment.fen());
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let table = [
            ("", "`` is not a FEN"),
            (
                "8/8/8/8/8/8/8/8 w - - 0 1",
                "`8/8/8/8/8/8/8/8 w - - 0 1` is not a chess position: empty board, missing king",
            ),
        ];
        for (fen, text) in table {
            assert_eq!(Moment::from_fen(fen, CastlingMode::Standard).unwrap_err().to_string(), text);
        }
        let start = Moment::default();
        assert_eq!(start.parse_uci("e9").unwrap_err().to_string(), "`e9` is not a move in UCI notation");
        let illegal = start.parse_uci("e2e5").unwrap_err().to_string();
        assert_eq!(illegal, format!("e2e5 cannot be played in {}", start.fen()));
        for never in ["0000", "P@e4", "e1g1", "e7e5"] {
            assert!(start.parse_uci(never).is_err(), "{never}");
        }
    }

    #[test]
    fn positions_that_no_game_leads_to_are_told_apart() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "qqqqk3/qqqqq3/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
            "4k3/8/8/8/8/8/8/QQQQKQQQ w - - 0 1",
        ] {
            standard(fen).check_pieces().unwrap();
        }
        for (fen, words) in [
            ("qqqqkqqq/qqqqqqqq/qqqqqqqq/8/8/8/8/4K3 w - - 0 1", "Black has 24 pieces"),
            ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", "White has 2 queens and 8 pawns"),
            ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has 9 pawns"),
            ("4k3/8/8/8/8/8/PPPPPPP1/B1B1B1K1 w - - 0 1", "White has 3 bishops on dark squares and 7 pawns"),
            ("5k2/8/8/8/8/8/QQQQQ3/QQQQQK2 w - - 0 1", "White has 10 queens and 0 pawns"),
        ] {
            let error = standard(fen).check_pieces().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{fen}` cannot come from a game: {words}")), "{error}");
        }
    }

    #[test]
    fn rights_that_the_board_contradicts_are_dropped() {
        let moment = standard("4k3/8/8/8/8/8/8/4K2R w KQkq e6 0 1");
        assert_eq!(moment.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert_eq!(standard("4k3/8/8/8/8/8/8/4K3 w").fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    }

    fn survives(text: &str, mode: CastlingMode) -> Result<(), TestCaseError> {
        if let Ok(moment) = Moment::from_fen(text, mode) {
            moment.legal_moves();
            let again = Moment::from_fen(&moment.fen(), mode).unwrap();
            prop_assert_eq!(again.position, moment.position);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_text_panics_as_a_position(text in ".{0,90}") {
            survives(&text, CastlingMode::Standard)?;
            survives(&text, CastlingMode::Chess960)?;
        }

        #[test]
        fn no_near_position_panics(
            board in "([kKqrbnpPRBNQ1-8]{1,8}/){7}[kKqrbnpPRBNQ1-8]{1,8}",
            rest in " [wb] ([KQkqA-Ha-h]{1,4}|-) ([a-h][36]|-)( [0-9]{1,6}){0,2}",
        ) {
            survives(&format!("{board}{rest}"), CastlingMode::Standard)?;
            survives(&format!("{board}{rest}"), CastlingMode::Chess960)?;
        }

        #[test]
        fn no_scattered_pieces_panic(
            pieces in proptest::sample::subsequence((0..64usize).collect::<Vec<_>>(), 2..32).prop_shuffle(),
            letters in "[qrbnpPRBNQ]{32}",
            rest in " [wb] (KQkq|KQ|kq|-) ([a-h][36]|-) [0-9]{1,3} [0-9]{1,3}",
        ) {
            let mut squares = ["1"; 64];
            for (place, &square) in pieces.iter().enumerate() {
                squares[square] = match place { 0 => "K", 1 => "k", _ => &letters[place..=place] };
            }
            let ranks: Vec<String> = squares.chunks(8).map(|rank| rank.concat()).collect();
            survives(&format!("{}{rest}", ranks.join("/")), CastlingMode::Standard)?;
            survives(&format!("{}{rest}", ranks.join("/")), CastlingMode::Chess960)?;
        }

        #[test]
        fn no_text_panics_as_a_move(text in ".{0,6}|[a-h][1-8][a-h][1-8][qrbnk]?") {
            if let Ok(m) = Moment::default().parse_uci(&text) {
                prop_assert!(Moment::default().legal_moves().contains(&m));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn fen_and_uci_lead_back(game in prop_oneof![random_game(80), random_chess960_game(80)]) {
            for moment in game {
                let again = Moment::from_fen(&moment.fen(), moment.castling_mode()).unwrap();
                prop_assert_eq!(&again.position, &moment.position);
                prop_assert_eq!(again.fen(), moment.fen());
                for m in moment.legal_moves() {
                    prop_assert_eq!(moment.parse_uci(&moment.uci(m)).unwrap(), m);
                }
            }
        }
    }
}
