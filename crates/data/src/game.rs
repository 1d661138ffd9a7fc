//! One game as a row: who, when, how fast, and every move with its clock and evaluation.

use chess::{
    Clocks, PackedMove, RatingScale, Ratings,
    shakmaty::{CastlingMode, Chess, Color, Position, fen::Fen},
};
use xxhash_rust::xxh3::xxh3_128;

use crate::{TimeControl, result::GameResult};

/// A game of standard chess. The lists are aligned with `moves` or absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Lichess's eight letters, `chess.com/<number>`, or a hash of players, date and moves.
    pub id: String,
    /// Days since 1970-01-01.
    pub date: Option<i32>,
    pub white: String,
    pub black: String,
    pub white_title: Option<String>,
    pub black_title: Option<String>,
    pub white_elo: Option<u16>,
    pub black_elo: Option<u16>,
    pub control: Option<TimeControl>,
    pub result: GameResult,
    pub termination: Option<String>,
    pub eco: Option<String>,
    /// `None` for the normal start.
    pub start_fen: Option<String>,
    pub moves: Vec<PackedMove>,
    /// Centiseconds on the mover's clock after each move, increment included.
    pub clocks_cs: Option<Vec<Option<u32>>>,
    /// What the position after each move is worth to White, in the form of [`chess::Evaluation`].
    pub evals: Option<Vec<Option<i16>>>,
}

impl Game {
    /// The position before the first move. Rows are checked when they are read, so a bad FEN here is the normal start.
    pub fn start(&self) -> Chess {
        self.start_fen.as_deref().and_then(parse_start).unwrap_or_default()
    }

    pub fn ratings(&self) -> Option<Ratings> {
        let ratings = Ratings { white: self.white_elo, black: self.black_elo, scale: self.rating_scale() };
        (ratings.white.is_some() || ratings.black.is_some()).then_some(ratings)
    }

    /// By what is known of the game: chess.com's have its name in their id, those without a clock were played over the board.
    fn rating_scale(&self) -> RatingScale {
        match (self.id.starts_with("chess.com/"), self.is_over_the_board()) {
            (true, _) => RatingScale::ChessCom,
            (false, true) => RatingScale::Fide,
            (false, false) => RatingScale::Lichess,
        }
    }

    /// Games without a time control are those of tournaments, whose players have names.
    pub(crate) fn is_over_the_board(&self) -> bool {
        self.control.is_none() && (is_named(&self.white) || is_named(&self.black))
    }

    /// Whether every move can be played from the start, and the lists fit the moves.
    pub fn is_sound(&self) -> bool {
        let aligned = self.clocks_cs.as_ref().is_none_or(|list| list.len() == self.moves.len())
            && self.evals.as_ref().is_none_or(|list| list.len() == self.moves.len());
        let Some(mut position) = self.start_fen.as_deref().map_or(Some(Chess::default()), parse_start) else {
            return false;
        };
        aligned
            && self.moves.iter().all(|packed| match packed.unpack(&position) {
                Some(m) => {
                    position.play_unchecked(m);
                    true
                }
                None => false,
            })
    }

    /// Clock of the side that moved at `ply` (from 0), after its move.
    fn clock_after(&self, ply: usize) -> Option<u32> {
        *self.clocks_cs.as_ref()?.get(ply)?
    }

    /// Clock of the side that moves at `ply`, before its move. Nobody's clock runs during his first move, so there the
    /// reading after it is also the one before: this gets the halved clocks of berserking players right.
    fn clock_before(&self, ply: usize) -> Option<u32> {
        if ply >= 2 { self.clock_after(ply - 2) } else { self.clock_after(ply) }
    }

    /// A player who berserks gives up half his time and the whole increment.
    fn increment_cs(&self, first_ply: usize) -> u32 {
        let Some(control) = self.control else { return 0 };
        let berserk = self
            .clock_after(first_ply)
            .is_some_and(|clock| u64::from(clock) == 50 * u64::from(control.base_s));
        if berserk { 0 } else { control.increment_s.saturating_mul(100) }
    }

    /// What both clocks showed when the move at `ply` was to be made.
    pub fn clocks_at(&self, ply: usize, turn: Color) -> Option<Clocks> {
        let ours = self.clock_before(ply)?;
        let theirs = match ply {
            0 => self.clock_before(1).or(self.control.map(|control| control.base_s.saturating_mul(100))),
            _ => self.clock_after(ply - 1),
        }?;
        let (our_increment, their_increment) = (self.increment_cs(ply % 2), self.increment_cs((ply + 1) % 2));
        let both = |ours: u32, theirs: u32| chess::shakmaty::ByColor {
            white: turn.fold_wb(ours, theirs),
            black: turn.fold_wb(theirs, ours),
        };
        Some(Clocks {
            left_cs: both(ours, theirs),
            increment_cs: both(our_increment, their_increment),
            base_cs: self.control.map(|control| control.base_s.saturating_mul(100)),
        })
    }

    /// Centiseconds spent on the move at `ply`, as far as the clock tells.
    pub fn spent_cs(&self, ply: usize) -> Option<u32> {
        let after = self.clock_after(ply)?;
        if ply < 2 {
            return Some(0);
        }
        let before = self.clock_before(ply)?;
        Some(before.saturating_add(self.increment_cs(ply % 2)).saturating_sub(after))
    }

    /// What the position before the move at `ply` is worth to White, by the game's own annotations.
    pub fn eval_at(&self, ply: usize) -> Option<chess::Evaluation> {
        let after = ply.checked_sub(1)?;
        self.evals.as_ref()?.get(after).copied().flatten().map(chess::Evaluation)
    }

    /// A hash of the whole row. A dataset's fingerprint is the sum over its rows, whatever their order.
    pub fn fingerprint(&self, scratch: &mut Vec<u8>) -> u128 {
        scratch.clear();
        let control = self.control.map(|control| (control.base_s, control.increment_s));
        let texts = [&self.id, &self.white, &self.black].map(Some);
        let options = [&self.white_title, &self.black_title, &self.termination, &self.eco, &self.start_fen];
        for text in texts.into_iter().chain(options.map(Option::as_ref)) {
            scratch.extend_from_slice(text.map_or("\u{1}", String::as_str).as_bytes());
            scratch.push(0);
        }
        scratch.push(self.result as u8);
        for number in [
            self.date.map(i64::from),
            self.white_elo.map(i64::from),
            self.black_elo.map(i64::from),
            control.map(|pair| i64::from(pair.0)),
            control.map(|pair| i64::from(pair.1)),
            self.clocks_cs.as_ref().map(|list| list.len() as i64),
            self.evals.as_ref().map(|list| list.len() as i64),
        ] {
            scratch.extend_from_slice(&number.unwrap_or(i64::MIN).to_le_bytes());
        }
        for m in &self.moves {
            scratch.extend_from_slice(&m.0.to_le_bytes());
        }
        for clock in self.clocks_cs.iter().flatten() {
            scratch.extend_from_slice(&clock.unwrap_or(u32::MAX).to_le_bytes());
        }
        for eval in self.evals.iter().flatten() {
            scratch.extend_from_slice(&eval.unwrap_or(i16::MIN).to_le_bytes());
        }
        xxh3_128(scratch)
    }
}

/// A position of standard chess from a FEN, strictly.
pub(crate) fn parse_start(fen: &str) -> Option<Chess> {
    fen.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()
}

/// Whether a name is one: PGN writes `?` for a player who is not known.
pub(crate) fn is_named(name: &str) -> bool {
    !matches!(name, "" | "?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::game;

    #[test]
    fn clocks_and_time_spent_by_ply() {
        let mut game = game("abcd1234", 4);
        game.control = Some(TimeControl { base_s: 60, increment_s: 1 });
        game.clocks_cs = Some(vec![Some(6_000), Some(6_000), Some(5_800), Some(5_500)]);
        assert_eq!((0..4).map(|ply| game.spent_cs(ply)).collect::<Vec<_>>(), [0, 0, 300, 600].map(Some));
        let clocks = game.clocks_at(3, Color::Black).unwrap();
        assert_eq!((clocks.left_cs.white, clocks.left_cs.black), (5_800, 6_000));
        assert_eq!(clocks.base_cs, Some(6_000));
    }

    #[test]
    fn a_base_time_of_a_century_is_no_reason_to_panic() {
        let mut game = game("abcd1234", 4);
        game.control = Some(TimeControl { base_s: u32::MAX, increment_s: u32::MAX });
        game.clocks_cs = Some(vec![Some(u32::MAX); 4]);
        assert_eq!(game.spent_cs(3), Some(0));
        assert_eq!(game.clocks_at(3, Color::Black).unwrap().base_cs, Some(u32::MAX));
    }

    #[test]
    fn a_berserker_has_half_the_time_and_no_increment() {
        let mut game = game("abcd1234", 4);
        game.control = Some(TimeControl { base_s: 60, increment_s: 1 });
        game.clocks_cs = Some(vec![Some(3_000), Some(6_000), Some(2_800), Some(5_500)]);
        let clocks = game.clocks_at(2, Color::White).unwrap();
        assert_eq!(
            (clocks.left_cs.white, clocks.increment_cs.white, clocks.increment_cs.black),
            (3_000, 0, 100)
        );
        assert_eq!(game.spent_cs(2), Some(200));
    }
}
