//! HC3's eighty channels per square, seen by the side to move: pieces, rights, material, history, clocks, ratings.
//!
//! Squares are counted a1..h8 from the mover's side (ranks mirrored for Black, files kept). Most channels are zero or the
//! same on all 64 squares, so the sparse form is the primary one.

use shakmaty::{CastlingSide, Color, EnPassantMode, Move, Position, Role, Square, zobrist::Zobrist64};

use crate::Moment;

pub const CHANNELS: usize = 80;
/// Length of the dense form, `[square][channel]`.
pub const LEN: usize = 64 * CHANNELS;

const EN_PASSANT: u8 = 12;
const CASTLING: u8 = 13;
const OCCUPIED: u8 = 17;
const MATERIAL_DIFFERENCE: u8 = 19;
const CHECKERS: u8 = 24;
const MATERIAL: u8 = 25;
const FIFTY_MOVES: u8 = 30;
/// Four moves, oldest first, origin and target each.
const HISTORY: u8 = 31;
const REPETITION: u8 = 39;
const BASE_TIME: u8 = 40;
const INCREMENT: u8 = 46;
const OUR_CLOCK: u8 = 50;
const THEIR_CLOCK: u8 = 58;
const OUR_RATING: u8 = 66;
const THEIR_RATING: u8 = 73;

/// Edges of the bins, in seconds and rating points; a value on an edge belongs to the bin above it.
pub const BASE_TIME_EDGES: [f32; 5] = [65.0, 125.0, 185.0, 305.0, 605.0];
pub const INCREMENT_EDGES: [f32; 3] = [0.5, 1.5, 3.5];
pub const CLOCK_EDGES: [f32; 7] = [5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 240.0];
pub const RATING_EDGES: [f32; 6] = [1200.0, 1400.0, 1600.0, 1800.0, 2000.0, 2200.0];

/// The planes without their zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    /// Places that hold a 1, as `CHANNELS * square + channel`.
    pub ones: Vec<u16>,
    /// Channels with one value on all squares.
    pub everywhere: Vec<(u8, f32)>,
}

impl Sparse {
    fn one(&mut self, square: Square, channel: u8) {
        self.ones.push((CHANNELS * usize::from(square) + usize::from(channel)) as u16);
    }

    fn all(&mut self, channel: u8, value: f32) {
        self.everywhere.push((channel, value));
    }

    fn bin(&mut self, first: u8, edges: &[f32], value: f32) {
        let bin = edges.iter().filter(|&&edge| value >= edge).count() as u8;
        self.all(first + bin, 1.0);
    }

    /// Writes the dense form, `[square][channel]`.
    pub fn spread(&self, out: &mut [f32]) {
        out.fill(0.0);
        for &place in &self.ones {
            out[usize::from(place)] = 1.0;
        }
        for &(channel, value) in &self.everywhere {
            for square in out.chunks_exact_mut(CHANNELS) {
                square[usize::from(channel)] = value;
            }
        }
    }
}

/// Fills `out` with what the side to move sees. Unknown clocks and ratings leave their channels empty.
pub fn encode(moment: &Moment, out: &mut Sparse) {
    encode_board_and_clocks(moment, out);
    ratings(moment, |channel, rating| out.bin(channel, &RATING_EDGES, rating));
}

/// The same with exact ratings in place of their classes: shares of the two nearest middles of classes.
pub fn encode_smooth(moment: &Moment, out: &mut Sparse) {
    encode_board_and_clocks(moment, out);
    ratings(moment, |channel, rating| {
        let classes = RATING_EDGES.len() as f32;
        let place = ((rating - RATING_EDGES[0] + 100.0) / 200.0).clamp(0.0, classes);
        let low = place.floor().min(classes - 1.0);
        out.all(channel + low as u8, 1.0 - (place - low));
        out.all(channel + low as u8 + 1, place - low);
    });
}

fn encode_board_and_clocks(moment: &Moment, out: &mut Sparse) {
    out.ones.clear();
    out.everywhere.clear();
    let us = moment.turn();
    board(moment, us, out);
    rights(moment, us, out);
    history(moment, us, out);
    if may_repeat(moment) {
        out.all(REPETITION, 1.0);
    }
    out.all(FIFTY_MOVES, moment.halfmoves() as f32 / 50.0);
    if let Some(clocks) = moment.clocks {
        let seconds = |centiseconds: u32| centiseconds as f32 / 100.0;
        if let Some(base) = clocks.base_cs {
            out.bin(BASE_TIME, &BASE_TIME_EDGES, seconds(base));
        }
        out.bin(INCREMENT, &INCREMENT_EDGES, seconds(*clocks.increment_cs.get(us)));
        out.bin(OUR_CLOCK, &CLOCK_EDGES, seconds(*clocks.left_cs.get(us)));
        out.bin(THEIR_CLOCK, &CLOCK_EDGES, seconds(*clocks.left_cs.get(!us)));
    }
}

/// Calls `write` with the first channel and the value of each known rating.
fn ratings(moment: &Moment, mut write: impl FnMut(u8, f32)) {
    let (Some(players), us) = (moment.players, moment.turn()) else { return };
    for (first, rating) in [(OUR_RATING, players.of(us)), (THEIR_RATING, players.of(!us))] {
        if let Some(rating) = rating {
            write(first, f32::from(rating));
        }
    }
}

fn seen_by(us: Color, square: Square) -> Square {
    us.fold_wb(square, square.flip_vertical())
}

fn board(moment: &Moment, us: Color, out: &mut Sparse) {
    let board = moment.position.board();
    for (square, piece) in board {
        let square = seen_by(us, square);
        let theirs = u8::from(piece.color != us);
        out.one(square, 6 * theirs + 6 - piece.role as u8);
        out.one(square, OCCUPIED + theirs);
    }
    for checker in moment.position.checkers() {
        out.one(seen_by(us, checker), CHECKERS);
    }
    for (at, role) in
        [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn].into_iter().enumerate()
    {
        let count = |color: Color| (board.by_role(role) & board.by_color(color)).count() as f32;
        out.all(MATERIAL_DIFFERENCE + at as u8, count(us) - count(!us));
        out.all(MATERIAL + at as u8, count(us));
    }
}

fn rights(moment: &Moment, us: Color, out: &mut Sparse) {
    if let Some(square) = moment.position.ep_square(EnPassantMode::Legal) {
        out.one(seen_by(us, square), EN_PASSANT);
    }
    let sides = [CastlingSide::KingSide, CastlingSide::QueenSide];
    let rights = [us, !us].into_iter().flat_map(|color| sides.map(|side| (color, side)));
    for (at, (color, side)) in rights.enumerate() {
        if moment.position.castles().has(color, side) {
            out.all(CASTLING + at as u8, 1.0);
        }
    }
}

fn history(moment: &Moment, us: Color, out: &mut Sparse) {
    for (age, m) in moment.past.moves().take(4).enumerate() {
        let channel = HISTORY + 6 - 2 * age as u8;
        let (from, to) = squares(m);
        out.one(seen_by(us, from), channel);
        out.one(seen_by(us, to), channel + 1);
    }
}

/// Origin and target; castling ends where the king does.
fn squares(m: Move) -> (Square, Square) {
    match m {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(rook > king);
            (king, Square::from_coords(side.king_to_file(), king.rank()))
        }
        _ => (m.from().unwrap_or(m.to()), m.to()),
    }
}

/// Whether some legal move would bring a position to the board for the third time.
pub fn may_repeat(moment: &Moment) -> bool {
    let keys = moment.past.keys();
    // Positions after our next move have the parity of the one before the present.
    let reachable: Vec<u64> = keys.iter().rev().skip(1).step_by(2).copied().collect();
    let twice = |key: u64| reachable.iter().filter(|&&other| other == key).count() >= 2;
    if reachable.len() < 3 || !reachable.iter().any(|&key| twice(key)) {
        return false;
    }
    moment.legal_moves().into_iter().filter(|m| !m.is_zeroing()).any(|m| {
        let mut after = moment.position.clone();
        after.play_unchecked(m);
        twice(after.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{ByColor, CastlingMode};

    use super::*;
    use crate::{
        Clocks, Ratings,
        testing::{mirrored, random_game},
    };

    fn encoded(moment: &Moment) -> Sparse {
        let mut out = Sparse::default();
        encode(moment, &mut out);
        out.ones.sort_unstable();
        out
    }

    fn value(moment: &Moment, channel: u8) -> f32 {
        let found = encoded(moment).everywhere.iter().find(|pair| pair.0 == channel).map(|pair| pair.1);
        found.unwrap_or(0.0)
    }

    proptest! {
        #[test]
        fn both_colours_see_the_same(game in random_game(80), white in 500u16..3000, black in 500u16..3000, left: [u16; 2]) {
            let clocks = Clocks {
                left_cs: ByColor { white: u32::from(left[0]), black: u32::from(left[1]) },
                ..Clocks::start(180, 2)
            };
            let players = Ratings::lichess(Some(white), Some(black));
            let mut moment = game.last().unwrap().clone();
            let mut mirror = mirrored(&game);
            (moment.clocks, moment.players) = (Some(clocks), Some(players));
            (mirror.clocks, mirror.players) = (Some(clocks.swapped()), Some(players.swapped()));
            prop_assert_eq!(encoded(&moment), encoded(&mirror));
        }

        #[test]
        fn every_square_holds_one_piece_at_most(game in random_game(80)) {
            let mut dense = vec![0.0; LEN];
            encoded(game.last().unwrap()).spread(&mut dense);
            for square in dense.chunks_exact(CHANNELS) {
                prop_assert!(square[..12].iter().sum::<f32>() <= 1.0);
                prop_assert_eq!(square[..12].iter().sum::<f32>(), square[17] + square[18]);
            }
        }
    }

    #[test]
    fn a_third_occurrence_in_reach_is_seen_and_a_second_is_not() {
        let moment =
            Moment::default().after_uci(["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]).unwrap();
        assert_eq!(value(&moment, REPETITION), 1.0, "Ng8 brings the start a third time");
        let earlier = Moment::default().after_uci(["g1f3", "g8f6", "f3g1"]).unwrap();
        assert_eq!(value(&earlier, REPETITION), 0.0, "Ng8 brings it a second time only");
    }

    #[test]
    fn the_fifty_move_counter_stands_without_check() {
        let moment = Moment::from_fen("8/8/4k3/8/8/3K1R2/8/8 w - - 25 90", CastlingMode::Standard).unwrap();
        assert_eq!(value(&moment, FIFTY_MOVES), 0.5);
    }

    #[test]
    fn bins_begin_on_their_edges() {
        let table = [(499, 0), (500, 1), (5_999, 4), (6_000, 5), (24_000, 7)];
        for (left, bin) in table {
            let clocks = Clocks { left_cs: ByColor { white: left, black: 0 }, ..Clocks::start(300, 0) };
            let moment = Moment { clocks: Some(clocks), ..Moment::default() };
            assert_eq!(value(&moment, OUR_CLOCK + bin), 1.0, "{left}");
        }
    }

    #[test]
    fn smooth_ratings_lie_between_the_middles_of_classes() {
        let channels = |rating: u16| {
            let players = Some(Ratings::lichess(Some(rating), None));
            let mut out = Sparse::default();
            encode_smooth(&Moment { players, ..Moment::default() }, &mut out);
            out.everywhere
                .retain(|&(channel, value)| (OUR_RATING..THEIR_RATING).contains(&channel) && value != 0.0);
            out.everywhere.iter().map(|&(channel, value)| (channel - OUR_RATING, value)).collect::<Vec<_>>()
        };
        let table = [
            (600, vec![(0, 1.0)]),
            (1100, vec![(0, 1.0)]),
            (1250, vec![(0, 0.25), (1, 0.75)]),
            (1500, vec![(2, 1.0)]),
            (2300, vec![(6, 1.0)]),
            (3000, vec![(6, 1.0)]),
        ];
        for (rating, expected) in table {
            assert_eq!(channels(rating), expected, "{rating}");
        }
    }

    #[test]
    fn history_is_oldest_first_and_castling_ends_where_the_king_does() {
        let moment =
            Moment::default().after_uci(["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1g1"]).unwrap();
        let has = |square: Square, channel: u8| {
            encoded(&moment)
                .ones
                .contains(&((CHANNELS * usize::from(square.flip_vertical()) + usize::from(channel)) as u16))
        };
        assert!(has(Square::E1, HISTORY + 6) && has(Square::G1, HISTORY + 7), "newest last");
        assert!(has(Square::G8, HISTORY) && has(Square::F6, HISTORY + 1), "oldest first");
    }
}
