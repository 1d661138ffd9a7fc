//! What an imagined future is as a line of play, and how far it keeps to the rules.

use chess::shakmaty::{Chess, Move, Position};

use super::future::Layout;

/// An imagined future played out on the board.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    /// Its legal moves, up to the first that is not.
    pub(super) moves: Vec<Move>,
    /// Whether the position before each later action is exactly what the actions lead to.
    pub(super) exact: Vec<bool>,
}

impl Line {
    pub(super) fn of(layout: Layout, start: &Chess, first: Move, values: &[i32]) -> Line {
        let us = start.turn();
        let mut position = start.clone();
        position.play_unchecked(first);
        let mut line = Line { moves: vec![first], exact: Vec::new() };
        for ply in 1..layout.horizon {
            if layout.states {
                line.exact.push(values[layout.squares(ply)] == layout.state_of(start, &position));
            }
            let Some(m) = layout.legal(us, values[layout.action(ply)], &position) else { break };
            line.moves.push(m);
            position.play_unchecked(m);
        }
        line
    }

    /// Whether the action after so many plies is legal after those before it.
    pub(super) fn is_legal(&self, ply: usize) -> bool {
        ply < self.moves.len()
    }

    /// Whether the position after so many plies is exactly right.
    pub(super) fn is_exact(&self, ply: usize) -> bool {
        self.exact.get(ply - 1).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use chess::Moment;

    use super::{
        super::future::{Form, values},
        *,
    };

    #[test]
    fn lines_are_played_as_far_as_they_are_legal_and_positions_compared() {
        let layout = Layout { horizon: 4, states: true, form: Form::Changes };
        let moves = ["e2e4", "d7d5", "e4d5", "d8d5"];
        let mut moment = Moment::default();
        let mut all = Vec::new();
        for text in moves {
            let m = moment.parse_uci(text).unwrap();
            all.push(m);
            moment.play(m);
        }
        let start = Chess::default();
        let (mut values, _) = values(layout, &start, all.iter().map(|&m| m.into()));
        let line = |values: &[i32]| Line::of(layout, &start, all[0], values);
        assert_eq!(line(&values), Line { moves: all.clone(), exact: vec![true; 3] });
        values[layout.squares(2).start + 20] = 3;
        assert_eq!(line(&values).exact, [true, false, true]);
        values[layout.action(2)] = layout.action_of(start.turn(), all[0]);
        let short = line(&values);
        assert!(short.is_legal(1) && !short.is_legal(2) && !short.is_exact(3));
        assert_eq!(short.moves, all[..2]);
    }
}
