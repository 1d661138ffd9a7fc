//! The future of a position as a row of variables: the first action, then for each ply the position before it and its action. All of it is seen
//! by the player who is to move now.

use std::ops::Range;

use chess::{
    PackedMove,
    shakmaty::{Chess, Color, Move, Position, Role, Square},
};
use data::Sample;

use super::stream::sequence::{self, CHARACTERS, STATE, WORDS};

pub(super) const MOST_HORIZON: usize = 8;
/// What stands on a square: nothing, six own pieces, six of the opponent.
pub(super) const PIECES: usize = 13;
/// Values of a square's variable: as it is now, or changed to one of these.
pub(super) const CHANGES: usize = 1 + PIECES;
/// Values of an action's variable: origin + 64 x target. Castling goes to the rook's square. A pawn that promotes becomes a queen.
pub(super) const PAIRS: usize = 64 * 64;
/// The value of a variable that is hidden or not known.
pub(super) const MASKED: i32 = -1;

/// Which variables a future has, and which tokens stand for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) horizon: usize,
    /// Whether positions between the actions are part of it.
    pub(super) states: bool,
    pub(super) form: Form,
}

/// What variables stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Squares as changes, actions as pairs of squares: for `split`.
    Changes,
    /// Characters and words: for `stream`.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    /// By its ply from now.
    Action(usize),
    /// A square, or a character, of the position after so many plies.
    Square(usize, usize),
}

impl Layout {
    fn squares_each(self) -> usize {
        match (self.states, self.form) {
            (false, _) => 0,
            (true, Form::Changes) => 64,
            (true, Form::Text) => STATE,
        }
    }

    /// Values of an action.
    pub(super) fn actions(self) -> usize {
        match self.form {
            Form::Changes => PAIRS,
            Form::Text => WORDS,
        }
    }

    /// Values of a square.
    pub(super) fn contents(self) -> usize {
        match self.form {
            Form::Changes => CHANGES,
            Form::Text => CHARACTERS,
        }
    }

    /// The value of a move of a future of `us`.
    pub(super) fn action_of(self, us: Color, m: Move) -> i32 {
        match self.form {
            Form::Changes => pair(us, m),
            Form::Text => sequence::word(us, m) as i32,
        }
    }

    /// The values of a position of the future that begins at `start`.
    pub(super) fn state_of(self, start: &Chess, position: &Chess) -> Vec<i32> {
        let us = start.turn();
        match self.form {
            Form::Changes => changes(&pieces(start, us), &pieces(position, us)).into(),
            Form::Text => sequence::state(position, us).into_iter().map(i32::from).collect(),
        }
    }

    /// The legal move of `position` that an action of a future of `us` is.
    pub(super) fn legal(self, us: Color, action: i32, position: &Chess) -> Option<Move> {
        match self.form {
            Form::Changes => legal_pair(us, action, position),
            Form::Text => {
                position.legal_moves().into_iter().find(|&m| sequence::word(us, m) as i32 == action)
            }
        }
    }

    /// Number of variables.
    pub(super) fn len(self) -> usize {
        1 + (self.horizon - 1) * (1 + self.squares_each())
    }

    pub(super) fn action(self, ply: usize) -> usize {
        ply * (1 + self.squares_each())
    }

    /// The squares of the position after `ply` plies, of which there is at least one.
    pub(super) fn squares(self, ply: usize) -> Range<usize> {
        let end = self.action(ply);
        end - self.squares_each()..end
    }

    pub(super) fn variable(self, at: usize) -> Variable {
        let each = 1 + self.squares_each();
        match at % each {
            0 => Variable::Action(at / each),
            square => Variable::Square(at / each + 1, square - 1),
        }
    }

    /// Tokens: one for each action, one for each position.
    pub(super) fn tokens(self) -> usize {
        self.horizon + if self.states { self.horizon - 1 } else { 0 }
    }

    pub(super) fn action_token(self, ply: usize) -> usize {
        if self.states { 2 * ply } else { ply }
    }

    pub(super) fn state_token(self, ply: usize) -> usize {
        2 * ply - 1
    }
}

/// What is to be imagined of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Future {
    /// [`MASKED`] beyond what is known.
    pub(super) values: Vec<i32>,
    /// The place of the first action among the legal moves.
    pub(super) first: i32,
    /// Whether an engine has named it.
    pub(super) judged: bool,
}

impl Future {
    /// The engine's line, or else what was played.
    pub(super) fn of(layout: Layout, sample: &Sample) -> Future {
        let start = &sample.moment.position;
        let line = sample.label.as_ref().map_or(&[][..], |label| &label.line);
        // A line whose first move is not legal here is a line of something else.
        let judged = line.first().is_some_and(|m| m.unpack(start).is_some());
        let line = if judged { line } else { &sample.game.moves[usize::from(sample.ply)..] };
        let moves = line.iter().copied();
        let (values, first) = values(layout, start, moves);
        let first = first.and_then(|first| start.legal_moves().iter().position(|&m| m == first));
        Future { values, first: first.map_or(MASKED, |place| place as i32), judged }
    }
}

/// The variables of a line of play from `start`, as far as it goes, and its first move.
pub(super) fn values(
    layout: Layout,
    start: &Chess,
    line: impl Iterator<Item = PackedMove>,
) -> (Vec<i32>, Option<Move>) {
    let us = start.turn();
    let mut values = vec![MASKED; layout.len()];
    let (mut position, mut first) = (start.clone(), None);
    for (ply, packed) in line.take(layout.horizon).enumerate() {
        let Some(m) = packed.unpack(&position) else { break };
        if ply > 0 && layout.states {
            values[layout.squares(ply)].copy_from_slice(&layout.state_of(start, &position));
        }
        values[layout.action(ply)] = layout.action_of(us, m);
        first.get_or_insert(m);
        position.play_unchecked(m);
    }
    (values, first)
}

/// What stands on each square, seen by `us`.
pub(super) fn pieces(position: &Chess, us: Color) -> [u8; 64] {
    let mut pieces = [0; 64];
    for (square, piece) in position.board() {
        let theirs = 6 * u8::from(piece.color != us);
        pieces[seen(us, square)] = theirs + piece.role as u8;
    }
    pieces
}

fn seen(us: Color, square: Square) -> usize {
    usize::from(us.fold_wb(square, square.flip_vertical()))
}

fn changes(now: &[u8; 64], then: &[u8; 64]) -> [i32; 64] {
    std::array::from_fn(|at| if now[at] == then[at] { 0 } else { 1 + i32::from(then[at]) })
}

fn pair(us: Color, m: Move) -> i32 {
    let from = m.from().expect("no drops in chess");
    (seen(us, from) + 64 * seen(us, m.to())) as i32
}

fn legal_pair(us: Color, action: i32, position: &Chess) -> Option<Move> {
    let action = usize::try_from(action).ok()?;
    let square = |at: usize| {
        let square = Square::new(at as u32);
        us.fold_wb(square, square.flip_vertical())
    };
    let (from, to) = (square(action % 64), square(action / 64 % 64));
    let packed = PackedMove(u16::from(from) | u16::from(to) << 6);
    packed.unpack(position).or_else(|| PackedMove(packed.0 | (Role::Queen as u16) << 12).unpack(position))
}

#[cfg(test)]
mod tests {
    use chess::Moment;

    use super::*;

    const GAMES: [&str; 3] = [
        "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1h1 f6e4",
        "e2e4 a7a6 e4e5 d7d5 e5d6 e8d7 d6c7 a6a5 c7d8q d7d8",
        "d2d4 d7d5 c2c4 d5c4 e2e3 b7b5 a2a4 c7c6 a4b5 c6b5 d1f3",
    ];

    fn line(start: &Moment, moves: &str) -> Vec<PackedMove> {
        let mut moment = start.clone();
        let play = |text: &str| {
            let m = moment.parse_uci(text).unwrap();
            moment.play(m);
            PackedMove::from(m)
        };
        moves.split_whitespace().map(play).collect()
    }

    #[test]
    fn every_variable_has_its_own_place() {
        for (horizon, states) in [(1, false), (4, false), (4, true), (8, true)] {
            let layout = Layout { horizon, states, form: Form::Changes };
            for at in 0..layout.len() {
                match layout.variable(at) {
                    Variable::Action(ply) => assert_eq!(layout.action(ply), at),
                    Variable::Square(ply, square) => assert_eq!(layout.squares(ply).start + square, at),
                }
            }
            assert!(layout.action_token(horizon - 1) + 1 == layout.tokens());
        }
    }

    #[test]
    fn a_line_is_read_back_from_its_variables() {
        for (game, form) in GAMES.into_iter().flat_map(|game| [(game, Form::Changes), (game, Form::Text)]) {
            let layout = Layout { horizon: 4, states: true, form };
            let all = line(&Moment::default(), game);
            for start in 0..all.len() {
                let mut position = Chess::default();
                for m in &all[..start] {
                    position.play_unchecked(m.unpack(&position).unwrap());
                }
                let us = position.turn();
                let (values, first) = values(layout, &position, all[start..].iter().copied());
                assert_eq!(first, all[start].unpack(&position));
                let begin = position.clone();
                for ply in 0..layout.horizon.min(all.len() - start) {
                    if ply > 0 {
                        assert_eq!(values[layout.squares(ply)], layout.state_of(&begin, &position));
                    }
                    let m = layout.legal(us, values[layout.action(ply)], &position);
                    assert_eq!(m, all[start + ply].unpack(&position));
                    position.play_unchecked(m.unwrap());
                }
            }
        }
    }

    #[test]
    fn squares_say_what_will_stand_there() {
        let layout = Layout { horizon: 2, states: true, form: Form::Changes };
        let (values, _) =
            values(layout, &Chess::default(), line(&Moment::default(), "e2e4 e7e5").into_iter());
        let changed: Vec<(usize, i32)> =
            values[layout.squares(1)].iter().copied().enumerate().filter(|&(_, value)| value != 0).collect();
        let (e2, e4) = (usize::from(Square::E2), usize::from(Square::E4));
        assert_eq!(changed, [(e2, 1), (e4, 2)]);
    }

    #[test]
    fn what_lies_beyond_the_line_is_not_known() {
        let layout = Layout { horizon: 4, states: true, form: Form::Changes };
        let two = line(&Moment::default(), "e2e4 e7e5");
        let (values, _) = values(layout, &Chess::default(), two.into_iter());
        assert!(values[..=layout.action(1)].iter().all(|&value| value != MASKED));
        assert!(values[layout.action(1) + 1..].iter().all(|&value| value == MASKED));
    }
}
