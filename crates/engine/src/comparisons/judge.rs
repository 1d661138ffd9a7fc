//! What lines lead to, and which of two is better.

use std::sync::Arc;

use chess::{
    Comparer, Embedding, LOG_ODDS_PER_CENTIPAWN,
    shakmaty::{Chess, Color},
};

use crate::{Score, alpha_beta::Node};

/// What a line leads to, for the player at the root.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Mated so many plies from the root.
    Lost(usize),
    Drawn,
    Position(Embedding),
    /// Mates so many plies from the root.
    Won(usize),
}

impl Value {
    /// What a mate of the side to move is worth to `player`.
    pub(super) fn mated(turn: Color, player: Color, ply: usize) -> Value {
        if turn == player { Value::Lost(ply) } else { Value::Won(ply) }
    }

    /// Whether both are one and the same.
    pub(super) fn is(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Lost(one), Value::Lost(other)) | (Value::Won(one), Value::Won(other)) => one == other,
            (Value::Drawn, Value::Drawn) => true,
            (Value::Position(one), Value::Position(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    pub(super) fn is_mate(&self) -> bool {
        matches!(self, Value::Lost(_) | Value::Won(_))
    }
}

/// Log odds of what is decided on the board.
const DECIDED: f32 = 100.0;

/// Embeddings of positions that were met, and the comparer.
pub(super) struct Judge {
    comparer: Box<dyn Comparer>,
    /// The player for whom positions are compared: the one to move at the root.
    pub(super) player: Color,
    draw: Embedding,
    /// By the low bits of the key.
    met: Vec<Option<(u64, Embedding)>>,
}

/// Embeddings that are kept.
const MET: usize = 1 << 13;

impl Judge {
    pub(super) fn new(mut comparer: Box<dyn Comparer>) -> Judge {
        let draw = comparer.draw();
        Judge { comparer, player: Color::White, draw, met: vec![None; MET] }
    }

    /// Embeddings are those of one player.
    pub(super) fn begin(&mut self, player: Color) {
        if self.player != player {
            self.player = player;
            self.met.fill(None);
        }
    }

    pub(super) fn position(&mut self, node: &Node) -> Value {
        let slot = node.key as usize % MET;
        if let Some((key, embedding)) = &self.met[slot]
            && *key == node.key
        {
            return Value::Position(Arc::clone(embedding));
        }
        let embedding = self.embed(&node.chess);
        self.met[slot] = Some((node.key, Arc::clone(&embedding)));
        Value::Position(embedding)
    }

    fn embed(&mut self, position: &Chess) -> Embedding {
        self.comparer.embed(position, self.player)
    }

    /// Log odds that the first is better.
    pub(super) fn lead(&mut self, one: &Value, other: &Value) -> f32 {
        if one.is(other) {
            return 0.0;
        }
        match (one, other) {
            // The earlier mate is the better one for whoever mates.
            (Value::Won(one), Value::Won(other)) => {
                if one < other {
                    DECIDED
                } else {
                    -DECIDED
                }
            }
            (Value::Lost(one), Value::Lost(other)) => {
                if one > other {
                    DECIDED
                } else {
                    -DECIDED
                }
            }
            (Value::Won(_), _) | (_, Value::Lost(_)) => DECIDED,
            (Value::Lost(_), _) | (_, Value::Won(_)) => -DECIDED,
            _ => {
                let of = |value: &Value, draw: &Embedding| match value {
                    Value::Position(embedding) => Arc::clone(embedding),
                    _ => Arc::clone(draw),
                };
                let (one, other) = (of(one, &self.draw), of(other, &self.draw));
                self.comparer.compare(&one, &other)
            }
        }
    }

    pub(super) fn better(&mut self, one: &Value, other: &Value) -> bool {
        self.lead(one, other) > 0.0
    }

    /// In the words of others: mates in moves, positions by how they compare with a draw.
    pub(super) fn score(&mut self, value: &Value) -> Score {
        match value {
            Value::Won(ply) => Score::mates(ply.div_ceil(2) as u32),
            Value::Lost(ply) => Score::mated(ply.div_ceil(2) as u32),
            Value::Drawn => Score::Centipawns(0),
            Value::Position(_) => {
                let lead = self.lead(value, &Value::Drawn);
                Score::Centipawns((lead / LOG_ODDS_PER_CENTIPAWN).round() as i32)
            }
        }
    }
}

/// One question about a node: does it lead to more than `bound`, or at least to as much?
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub(super) bound: &'a Value,
    pub(super) or_equal: bool,
}

impl<'a> Question<'a> {
    pub(super) fn more_than(bound: &'a Value) -> Question<'a> {
        Question { bound, or_equal: false }
    }

    pub(super) fn at_least(bound: &'a Value) -> Question<'a> {
        Question { bound, or_equal: true }
    }

    pub(super) fn answer(self, judge: &mut Judge, value: &Value) -> bool {
        match self.or_equal {
            false => judge.better(value, self.bound),
            true => !judge.better(self.bound, value),
        }
    }
}
