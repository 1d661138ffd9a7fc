//! Noised futures as a denoiser reads them: rows to look up for each token, and the squares that its action leads from and to.

use std::sync::Arc;

use super::{
    future::{CHANGES, Form, Layout, MASKED, MOST_HORIZON, Variable},
    stream::sequence::{CHARACTERS, STATE, WORDS},
};
use crate::fused::{Lookups, Meetings};

// Rows of the table of tokens, by what they tell.
const FROM: usize = 0;
const TO: usize = FROM + 64;
const HIDDEN: usize = TO + 64;
const UNCHANGED: usize = HIDDEN + 1;
/// Of squares that changed, by what stands there then.
const CHANGED: usize = UNCHANGED + 64;
const PLACE: usize = CHANGED + 64 * (CHANGES - 1);
const NOISE: usize = PLACE + 2 * MOST_HORIZON;
/// Classes of how much is noise, told only where it cannot be seen.
const NOISE_CLASSES: usize = 21;
pub(super) const TOKEN_ROWS: usize = NOISE + NOISE_CLASSES;

// Rows of the table of the sequence of `stream`: characters, words, what is hidden, the separator, noise; then places.
const WORD: usize = CHARACTERS;
const HIDDEN_TEXT: usize = WORD + WORDS;
const SEPARATOR: usize = HIDDEN_TEXT + 1;
const NOISE_TEXT: usize = SEPARATOR + 1;
const PLACE_TEXT: usize = NOISE_TEXT + NOISE_CLASSES;
/// Tokens before the first action: the known position and the separator.
const BEFORE: usize = STATE + 1;

/// Rows of the table of `stream`.
pub(super) fn text_rows(layout: Layout) -> usize {
    PLACE_TEXT + tokens(layout)
}

/// Tokens of a future, those of the known position included where they are part of the sequence.
pub(super) fn tokens(layout: Layout) -> usize {
    match layout.form {
        Form::Changes => layout.tokens(),
        Form::Text => BEFORE + layout.len(),
    }
}

/// The noised futures of a batch of positions, as many of each.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) layout: Layout,
    /// Positions.
    pub(super) len: usize,
    /// Futures of each.
    pub(super) futures: usize,
    /// A bag per token.
    pub(super) tokens: Arc<Lookups>,
    /// Of the actions that are not hidden; for `split`.
    pub(super) shown: Shown,
}

/// Actions that are not hidden, and their squares among those of all positions.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) tokens: Vec<i32>,
    pub(super) origins: Vec<i32>,
    pub(super) targets: Vec<i32>,
}

impl Prompt {
    /// `states` are the values of the futures, those of a position side by side; `known` the positions as text, where they are part of the
    /// sequence; `noise` is how much of each future is noise, if that is told.
    pub(super) fn new(
        layout: Layout,
        futures: usize,
        known: &[[u8; STATE]],
        states: &[&[i32]],
        noise: Option<&[f32]>,
    ) -> Prompt {
        assert!(states.len().is_multiple_of(futures));
        let len = states.len() / futures;
        let mut prompt = Prompt { layout, len, futures, tokens: Arc::default(), shown: Shown::default() };
        let mut lookups = Lookups::default();
        for (at, values) in states.iter().enumerate() {
            let class = noise.map(|noise| (noise[at] * (NOISE_CLASSES - 1) as f32).round() as usize);
            match layout.form {
                Form::Changes => prompt.push_changes(at, values, class, &mut lookups),
                Form::Text => push_text(layout, &known[at / futures], values, class, &mut lookups),
            }
        }
        prompt.tokens = lookups.into();
        prompt
    }

    fn push_changes(&mut self, future: usize, values: &[i32], noise: Option<usize>, tokens: &mut Lookups) {
        let layout = self.layout;
        let first = (64 * (future / self.futures)) as i32;
        let end = |tokens: &mut Lookups| {
            tokens.rows.extend(noise.map(|class| (NOISE + class) as i32));
            tokens.end();
        };
        for ply in 0..layout.horizon {
            if ply > 0 && layout.states {
                tokens.rows.push((PLACE + layout.state_token(ply)) as i32);
                let squares = values[layout.squares(ply)].iter().enumerate();
                tokens.rows.extend(squares.filter_map(|(square, &value)| square_row(square, value)));
                end(tokens);
            }
            tokens.rows.push((PLACE + layout.action_token(ply)) as i32);
            match usize::try_from(values[layout.action(ply)]) {
                Err(_) => tokens.rows.push(HIDDEN as i32),
                Ok(action) => {
                    let (from, to) = (action % 64, action / 64);
                    tokens.rows.extend([(FROM + from) as i32, (TO + to) as i32]);
                    self.shown.tokens.push(self.token(future, Variable::Action(ply)));
                    self.shown.origins.push(first + from as i32);
                    self.shown.targets.push(first + to as i32);
                }
            }
            end(tokens);
        }
    }

    /// The number of a token of a future, those of a position side by side.
    fn token(&self, future: usize, variable: Variable) -> i32 {
        let layout = self.layout;
        let token = match (layout.form, variable) {
            (Form::Changes, Variable::Action(ply)) => layout.action_token(ply),
            (Form::Changes, Variable::Square(ply, _)) => layout.state_token(ply),
            (Form::Text, Variable::Action(ply)) => BEFORE + layout.action(ply),
            (Form::Text, Variable::Square(ply, square)) => BEFORE + layout.squares(ply).start + square,
        };
        (future * tokens(layout) + token) as i32
    }

    /// The token of the first action of a future.
    pub(super) fn first_token(&self) -> usize {
        self.token(0, Variable::Action(0)) as usize
    }
}

fn push_text(layout: Layout, known: &[u8], values: &[i32], noise: Option<usize>, tokens: &mut Lookups) {
    let before = known.iter().map(|&letter| usize::from(letter)).chain([SEPARATOR]);
    let after = values.iter().enumerate().map(|(at, &value)| match (value, layout.variable(at)) {
        (MASKED, _) => HIDDEN_TEXT,
        (word, Variable::Action(_)) => WORD + word as usize,
        (letter, Variable::Square(..)) => letter as usize,
    });
    for (place, row) in before.chain(after).enumerate() {
        tokens.rows.extend([(PLACE_TEXT + place) as i32, row as i32]);
        tokens.rows.extend(noise.map(|class| (NOISE_TEXT + class) as i32));
        tokens.end();
    }
}

fn square_row(square: usize, value: i32) -> Option<i32> {
    let row = match value {
        MASKED => return None,
        0 => UNCHANGED + square,
        changed => CHANGED + 64 * (changed as usize - 1) + square,
    };
    Some(row as i32)
}

/// Variables of futures that are to be found, but for first actions: those are asked for by the move list.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Tokens of actions.
    pub(super) actions: Vec<i32>,
    /// The positions they belong to.
    pub(super) boards: Vec<i32>,
    /// Tokens of positions, one for each square that is asked for.
    pub(super) states: Vec<i32>,
    /// The squares, those of all known positions one after another.
    pub(super) squares: Vec<i32>,
}

impl Asked {
    /// The squares that are asked for, by board.
    pub(super) fn meetings(&self, boards: usize) -> Meetings {
        let end = |board: usize| self.squares.partition_point(|&square| (square as usize) < 64 * (board + 1));
        Meetings {
            ends: (0..boards).map(end).collect(),
            squares: self.squares.clone(),
            tokens: self.states.clone(),
        }
    }

    pub(super) fn push(&mut self, prompt: &Prompt, future: usize, variable: Variable) {
        let board = future / prompt.futures;
        match variable {
            Variable::Action(_) => {
                self.actions.push(prompt.token(future, variable));
                self.boards.push(board as i32);
            }
            Variable::Square(_, square) => {
                self.states.push(prompt.token(future, variable));
                self.squares.push((64 * board + square % 64) as i32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_tell_futures_apart_and_stay_within_the_table() {
        for (form, horizon) in [(Form::Changes, 8), (Form::Text, 3)] {
            let layout = Layout { horizon, states: true, form };
            let rows = match form {
                Form::Changes => TOKEN_ROWS,
                Form::Text => text_rows(layout),
            };
            let hidden = vec![MASKED; layout.len()];
            let mut bags = Vec::new();
            for at in 0..layout.len() {
                for value in 0..CHANGES as i32 {
                    let mut values = hidden.clone();
                    values[at] = value;
                    let prompt = Prompt::new(layout, 1, &[[3; STATE]], &[&values], Some(&[1.0]));
                    assert_eq!(prompt.tokens.len(), tokens(layout));
                    assert!(prompt.tokens.rows.iter().all(|&row| (0..rows as i32).contains(&row)));
                    let Shown { tokens, origins, targets } = &prompt.shown;
                    assert!(tokens.len() == origins.len() && tokens.len() == targets.len());
                    assert!(origins.iter().chain(targets).all(|&square| (0..64).contains(&square)));
                    bags.push(prompt.tokens.rows.clone());
                }
            }
            bags.sort_unstable();
            bags.dedup();
            assert_eq!(bags.len(), layout.len() * CHANGES);
        }
    }
}
