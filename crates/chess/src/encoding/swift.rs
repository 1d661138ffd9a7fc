//! What the swift network looks up: a few rows per square, per piece and per legal move, and numbers for the whole moment.
//!
//! Everything is seen by the side to move: ranks mirrored for Black, files kept. Tactics that a player sees at a glance
//! (attackers, pins, hanging pieces, exchanges, checks) are given, not learned: they are worth more than a deeper network.

mod bearings;
mod consequences;

use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Move, Piece, Position, Role, Square, attacks};

pub use self::{bearings::BEARINGS, consequences::CONSEQUENCES};
use self::{bearings::Landmarks, consequences::Before};
use super::{
    hc3::may_repeat,
    tension::{self, Attacks, STATES},
};
use crate::{Moment, exchange::wins_exchange};

/// Nothing, six own pieces, six of the opponent.
const PIECES: usize = 13;
/// Rows of the table of pieces on squares.
pub const PLACES: usize = PIECES * 64;
/// Rows of the table of pieces under attack.
pub const TENSIONS: usize = PIECES * STATES * STATES;
/// Flags of a square: origins and targets of the last four moves, newest first, then en passant, checker, our and
/// their pinned pieces, our and their hanging pieces, then origins and targets of four moves more.
pub const MARKS: usize = OLDER + 2 * OLDER_MOVES;
/// Rows of the table that the accumulator sums: piece, square, defended or not, attacked or not.
pub const PARTS: usize = 12 * 64 * 4;
/// Rows of the table of kinds of move: mover or promotion, captured, exchange, check, recapture.
pub const KINDS: usize = 10 * 6 * EXCHANGES * 3 * 2;
/// Rows of the table of mover, origin and target.
pub const PATHS: usize = 6 * 64 * 64;
/// Rows of the table of what a move aims at: mover and enemy piece, whether that is defended, whether it was aimed at before;
/// then mover and own piece that hangs and is now defended.
pub const THREATS: usize = 6 * 6 * 4 + 6 * 6;
/// Numbers for the whole moment.
pub const WHOLE: usize = REST + 7 + SCALES;

const RECENT_MOVES: usize = 4;
const OLDER: usize = 14;
const OLDER_MOVES: usize = 4;
const EXCHANGES: usize = 5;
const RATING_HATS: usize = 12;
const CLOCK_HATS: usize = 12;
const INCREMENT_HATS: usize = 6;
const MOVE_NUMBER_HATS: usize = 8;
const SCALES: usize = 3;
const CLOCKS: usize = 2 * RATING_HATS;
const BASE: usize = CLOCKS + 2 * CLOCK_HATS;
const INCREMENT: usize = BASE + CLOCK_HATS;
const MOVE_NUMBER: usize = INCREMENT + INCREMENT_HATS;
const MATERIAL: usize = MOVE_NUMBER + MOVE_NUMBER_HATS;
const REST: usize = MATERIAL + 10;

/// A legal move by its rows. Castling goes to the square of the rook, which no other king's move does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveRows {
    pub from: u8,
    pub to: u8,
    /// Below [`KINDS`].
    pub kind: u16,
    /// Below [`PATHS`].
    pub path: u16,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Swift {
    /// Below [`PLACES`], per square.
    pub places: [u16; 64],
    /// Below [`TENSIONS`], per square.
    pub tensions: [u16; 64],
    /// Flags that are set, as `MARKS * square + mark`.
    pub marks: Vec<u16>,
    /// Below [`PARTS`], per piece.
    pub parts: Vec<u16>,
    pub whole: [f32; WHOLE],
    /// Aligned with the legal moves.
    pub moves: Vec<MoveRows>,
    /// Places of moves and rows below [`THREATS`], in the order of the moves.
    pub threats: Vec<[u16; 2]>,
    /// Places of moves and rows below [`CONSEQUENCES`], in the order of the moves.
    pub consequences: Vec<[u16; 2]>,
    /// Places of moves and rows below [`BEARINGS`], in the order of the moves.
    pub bearings: Vec<[u16; 2]>,
}

impl Default for Swift {
    fn default() -> Swift {
        Swift {
            places: [0; 64],
            tensions: [0; 64],
            marks: Vec::new(),
            parts: Vec::new(),
            whole: [0.0; WHOLE],
            moves: Vec::new(),
            threats: Vec::new(),
            consequences: Vec::new(),
            bearings: Vec::new(),
        }
    }
}

/// Fills `out` with what the side to move sees. Unknown clocks and ratings leave their numbers at zero.
pub fn encode(moment: &Moment, out: &mut Swift) {
    let us = moment.turn();
    let board = moment.position.board();
    let (own, others) = (Attacks::of(board, us), Attacks::of(board, !us));
    squares(moment, us, &own, &others, out);
    marks(moment, us, &own, &others, out);
    whole(moment, us, &mut out.whole);
    let last = moment.past.moves().next().map(Move::to);
    out.moves.clear();
    out.threats.clear();
    out.consequences.clear();
    out.bearings.clear();
    let hanging = tension::hanging(board, us, &own, &others);
    let before = Before::of(moment);
    let landmarks = Landmarks::of(moment);
    for (at, m) in moment.legal_moves().into_iter().enumerate() {
        let mut after = moment.position.clone();
        after.play_unchecked(m);
        out.moves.push(rows(&moment.position, &after, us, m, last));
        threats(&moment.position, us, m, &others, hanging, |row| out.threats.push([at as u16, row as u16]));
        before.consequences(m, &after, |row| out.consequences.push([at as u16, row as u16]));
        landmarks.bearings(m, after.board(), |row| out.bearings.push([at as u16, row as u16]));
    }
}

fn seen_by(us: Color, square: Square) -> Square {
    us.fold_wb(square, square.flip_vertical())
}

fn squares(moment: &Moment, us: Color, own: &Attacks, others: &Attacks, out: &mut Swift) {
    let board = moment.position.board();
    out.parts.clear();
    for square in Square::ALL {
        let seen = usize::from(seen_by(us, square));
        let piece = board.piece_at(square);
        let code = piece.map_or(0, |piece| {
            let theirs = 6 * usize::from(piece.color != us);
            theirs + piece.role as usize
        });
        out.places[seen] = (64 * code + seen) as u16;
        out.tensions[seen] = ((code * STATES + own.state(square)) * STATES + others.state(square)) as u16;
        if let Some(piece) = piece {
            let (friends, enemies) = if piece.color == us { (own, others) } else { (others, own) };
            let state = 2 * usize::from(friends.any(square)) + usize::from(enemies.any(square));
            out.parts.push((((code - 1) * 64 + seen) * 4 + state) as u16);
        }
    }
}

fn marks(moment: &Moment, us: Color, own: &Attacks, others: &Attacks, out: &mut Swift) {
    out.marks.clear();
    let mut mark = |square: Square, mark: usize| {
        out.marks.push((MARKS * usize::from(seen_by(us, square)) + mark) as u16);
    };
    for (age, m) in moment.past.moves().take(RECENT_MOVES + OLDER_MOVES).enumerate() {
        let first = if age < RECENT_MOVES { 2 * age } else { OLDER + 2 * (age - RECENT_MOVES) };
        mark(m.from().unwrap_or(m.to()), first);
        mark(m.to(), first + 1);
    }
    let position = &moment.position;
    let board = position.board();
    if let Some(square) = position.ep_square(EnPassantMode::Legal) {
        mark(square, 8);
    }
    let sets: [Bitboard; 5] = [
        position.checkers(),
        tension::pinned(board, us),
        tension::pinned(board, !us),
        tension::hanging(board, us, own, others),
        tension::hanging(board, !us, others, own),
    ];
    for (at, set) in sets.into_iter().enumerate() {
        set.into_iter().for_each(|square| mark(square, 9 + at));
    }
}

/// Writes `value` as shares of the two nearest of evenly spaced points: smooth, and exact in between.
fn hats(out: &mut [f32], value: f32) {
    let value = value.clamp(0.0, (out.len() - 1) as f32);
    let low = (value as usize).min(out.len() - 2);
    out[low] = 1.0 - (value - low as f32);
    out[low + 1] = value - low as f32;
}

fn whole(moment: &Moment, us: Color, out: &mut [f32; WHOLE]) {
    out.fill(0.0);
    if let Some(players) = moment.players {
        for (at, rating) in [players.of(us), players.of(!us)].into_iter().enumerate() {
            if let Some(rating) = rating {
                hats(&mut out[at * RATING_HATS..][..RATING_HATS], (f32::from(rating) - 600.0) / 200.0);
            }
        }
    }
    if let Some(clocks) = moment.clocks {
        let doublings = |centiseconds: u32| (centiseconds as f32 / 100.0 + 1.0).log2();
        for (at, color) in [us, !us].into_iter().enumerate() {
            hats(&mut out[CLOCKS + at * CLOCK_HATS..][..CLOCK_HATS], doublings(*clocks.left_cs.get(color)));
        }
        if let Some(base) = clocks.base_cs {
            hats(&mut out[BASE..][..CLOCK_HATS], doublings(base));
        }
        hats(&mut out[INCREMENT..][..INCREMENT_HATS], doublings(*clocks.increment_cs.get(us)));
    }
    let position = &moment.position;
    hats(&mut out[MOVE_NUMBER..][..MOVE_NUMBER_HATS], (u32::from(position.fullmoves()) as f32).log2());
    let board = position.board();
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    for (at, role) in roles.into_iter().enumerate() {
        let count = |color: Color| (board.by_role(role) & board.by_color(color)).count() as f32;
        out[MATERIAL + at] = count(us) / 4.0;
        out[MATERIAL + 5 + at] = (count(us) - count(!us)) / 2.0;
    }
    let rest = &mut out[REST..];
    let castles = position.castles();
    for (at, color) in [us, !us].into_iter().enumerate() {
        for (side, right) in shakmaty::CastlingSide::ALL.into_iter().enumerate() {
            rest[2 * at + side] = f32::from(castles.has(color, right));
        }
    }
    rest[4] = moment.halfmoves() as f32 / 50.0;
    rest[5] = f32::from(may_repeat(moment));
    rest[6] = f32::from(position.is_check());
    let scale = moment.players.unwrap_or_default().scale;
    rest[7 + scale as usize] = 1.0;
}

fn rows(position: &Chess, after: &Chess, us: Color, m: Move, last: Option<Square>) -> MoveRows {
    let from = seen_by(us, m.from().expect("no drops in chess"));
    let to = seen_by(us, m.to());
    let mover = m.promotion().map_or(m.role() as usize - 1, |role| 4 + role as usize);
    let captured = m.capture().map_or(0, |role| role as usize);
    let recaptures = m.is_capture() && last == Some(m.to());
    let kind = (mover * 6 + captured) * EXCHANGES + exchange(position, m);
    let kind = (kind * 3 + check(after)) * 2 + usize::from(recaptures);
    let path = (m.role() as usize - 1) * 4096 + usize::from(from) * 64 + usize::from(to);
    MoveRows { from: from.into(), to: to.into(), kind: kind as u16, path: path as u16 }
}

/// What the moved piece aims at from its new square.
fn threats(
    position: &Chess,
    us: Color,
    m: Move,
    others: &Attacks,
    hanging: Bitboard,
    mut tell: impl FnMut(usize),
) {
    let (Some(from), false) = (m.from(), m.is_castle()) else { return };
    let board = position.board();
    let occupied = board.occupied().without(from).with(m.to());
    let role = m.promotion().unwrap_or(m.role());
    let mover = role as usize - 1;
    let aims = attacks::attacks(m.to(), Piece { color: us, role }, occupied);
    let before = board.attacks_from(from);
    let target = |square: Square| board.role_at(square).map(|role| role as usize - 1);
    for square in aims & board.by_color(!us) {
        let Some(target) = target(square) else { continue };
        let flags = 2 * usize::from(others.any(square)) + usize::from(before.contains(square));
        tell((6 * mover + target) * 4 + flags);
    }
    for square in (aims & hanging).without(from) {
        let Some(target) = target(square) else { continue };
        tell(6 * 6 * 4 + 6 * mover + target);
    }
}

/// What the exchange on the target square brings: a piece lost, some lost, even, some won, a piece won.
fn exchange(position: &Chess, m: Move) -> usize {
    let at_least = |centipawns: i32| wins_exchange(position, m, centipawns);
    match (at_least(0), at_least(50), at_least(250)) {
        (true, _, true) => 4,
        (true, true, _) => 3,
        (true, ..) => 2,
        (false, ..) => usize::from(at_least(-250)),
    }
}

/// 0: no check, 1: check, 2: mate.
fn check(after: &Chess) -> usize {
    usize::from(after.is_check()) + usize::from(after.is_checkmate())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use shakmaty::{ByColor, CastlingMode};

    use super::*;
    use crate::{
        Clocks, Ratings,
        testing::{mirrored, random_chess960_game, random_game},
    };

    fn encoded(moment: &Moment) -> Swift {
        let mut out = Swift::default();
        encode(moment, &mut out);
        out.marks.sort_unstable();
        out.parts.sort_unstable();
        let mut order: Vec<usize> = (0..out.moves.len()).collect();
        order.sort_unstable_by_key(|&at| (out.moves[at].path, out.moves[at].kind));
        for [at, _] in out.threats.iter_mut().chain(&mut out.consequences).chain(&mut out.bearings) {
            *at = order.iter().position(|&old| old == usize::from(*at)).unwrap() as u16;
        }
        out.threats.sort_unstable();
        out.consequences.sort_unstable();
        out.bearings.sort_unstable();
        out.moves = order.into_iter().map(|at| out.moves[at]).collect();
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

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
            let (mut one, mut other) = (encoded(&moment), encoded(&mirror));
            // A game that Black begins counts its moves differently.
            one.whole[MOVE_NUMBER..MATERIAL].fill(0.0);
            other.whole[MOVE_NUMBER..MATERIAL].fill(0.0);
            prop_assert_eq!(one, other);
        }

        #[test]
        fn rows_lie_within_their_tables(game in random_chess960_game(60)) {
            for moment in game {
                let out = encoded(&moment);
                prop_assert!(out.places.iter().all(|&row| usize::from(row) < PLACES));
                prop_assert!(out.tensions.iter().all(|&row| usize::from(row) < TENSIONS));
                prop_assert!(out.marks.iter().all(|&mark| usize::from(mark) < 64 * MARKS));
                prop_assert!(out.parts.iter().all(|&row| usize::from(row) < PARTS));
                prop_assert_eq!(out.parts.len(), moment.position.board().occupied().count());
                prop_assert!(out.moves.iter().all(|m| usize::from(m.kind) < KINDS && usize::from(m.path) < PATHS));
                let moves = out.moves.len();
                prop_assert!(out.threats.iter().all(|[at, row]| usize::from(*at) < moves && usize::from(*row) < THREATS));
                prop_assert!(out.consequences.iter().all(|[at, row]| usize::from(*at) < moves && usize::from(*row) < CONSEQUENCES));
                prop_assert!(out.bearings.iter().all(|[at, row]| usize::from(*at) < moves && usize::from(*row) < BEARINGS));
                let distinct: HashSet<_> = out.moves.iter().map(|m| (m.path, m.kind)).collect();
                prop_assert_eq!(distinct.len(), moment.legal_moves().len(), "moves can be told apart");
            }
        }
    }

    #[test]
    fn exchanges_checks_and_recaptures_show_in_the_kind_of_a_move() {
        let table = [
            ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", 2, 2),
            ("6k1/5pp1/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", 2, 1),
            ("6k1/5pp1/8/8/1n6/8/8/R5K1 w - - 0 1", "a1a2", 0, 0),
            ("6k1/5pp1/8/8/n7/8/8/R5K1 w - - 0 1", "a1a4", 4, 0),
            ("6k1/5pp1/8/1p6/n7/8/8/R5K1 w - - 0 1", "a1a4", 1, 0),
            ("6k1/5pp1/8/8/p7/8/8/R5K1 w - - 0 1", "a1a4", 3, 0),
        ];
        for (fen, text, expected, checks) in table {
            let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
            let m = moment.parse_uci(text).unwrap();
            assert_eq!(exchange(&moment.position, m), expected, "{fen} {text}");
            let mut after = moment.position.clone();
            after.play_unchecked(m);
            assert_eq!(check(&after), checks, "{fen} {text}");
        }
        let moment = Moment::default().after_uci(["e2e4", "d7d5", "e4d5"]).unwrap();
        let kind = |text: &str| {
            let m = moment.parse_uci(text).unwrap();
            let mut after = moment.position.clone();
            after.play_unchecked(m);
            rows(&moment.position, &after, Color::Black, m, Some(Square::D5)).kind
        };
        assert_eq!((kind("d8d5") % 2, kind("d8d6") % 2), (1, 0));
    }

    #[test]
    fn threats_name_what_the_moved_piece_aims_at() {
        let row = |mover: Role, target: Role, flags: usize| {
            (6 * (mover as usize - 1) + target as usize - 1) * 4 + flags
        };
        let help = |mover: Role, target: Role| 144 + 6 * (mover as usize - 1) + target as usize - 1;
        let (defended, again) = (2, 1);
        let table = [
            ("3rk3/8/8/2N5/8/8/8/4K3 w - - 0 1", "c5b7", vec![row(Role::Knight, Role::Rook, defended)]),
            ("3rk3/8/8/2N5/8/8/8/4K3 w - - 0 1", "c5e4", vec![]),
            ("q3k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a4", vec![row(Role::Rook, Role::Queen, again)]),
            ("4k3/8/8/8/r3P3/8/8/4K1N1 w - - 0 1", "g1e2", vec![]),
            ("4k3/8/8/8/r3P3/8/8/4K1NR w - - 0 1", "h1h4", vec![help(Role::Rook, Role::Pawn)]),
            ("6k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7e8q", vec![row(Role::Queen, Role::King, 0)]),
        ];
        for (fen, text, expected) in table {
            let moment = Moment::from_fen(fen, CastlingMode::Standard).unwrap();
            let mut out = Swift::default();
            encode(&moment, &mut out);
            let m = moment.parse_uci(text).unwrap();
            let place = moment.legal_moves().into_iter().position(|other| other == m).unwrap();
            let named = out.threats.iter().filter(|threat| usize::from(threat[0]) == place);
            assert_eq!(
                named.map(|threat| usize::from(threat[1])).collect::<Vec<_>>(),
                expected,
                "{fen} {text}"
            );
        }
    }

    #[test]
    fn hats_share_a_value_between_two_points() {
        let mut out = [0.0; 4];
        hats(&mut out, 1.25);
        assert_eq!(out, [0.0, 0.75, 0.25, 0.0]);
        out.fill(0.0);
        hats(&mut out, 99.0);
        assert_eq!(out, [0.0, 0.0, 0.0, 1.0]);
    }
}
