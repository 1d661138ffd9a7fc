//! The tree that grows: forks (positions) with twigs (their moves) in one array of limited size. It stays from move to move
//! of a game.

use std::collections::HashMap;

use chess::{
    PackedMove,
    shakmaty::{Move, Position},
};

use super::{
    scout::Scout,
    worth::{DRAWN, MATED},
};
use crate::{
    alpha_beta::Node as Board,
    batch_first::{
        node::{NONE, ROOT},
        repetition::is_repetition,
    },
};

/// Forks that fit into the smallest tree.
const LEAST_FORKS: usize = 4096;

/// What the map of known positions needs for each: twice the size of an entry, since it is never full.
const KNOWN_BYTES: usize = 2 * size_of::<(u64, u32)>();

/// A legal move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twig {
    pub(super) m: PackedMove,
    pub(super) child: u32,
    /// How likely it looked to be the best move before any was tried.
    pub(super) prior: f32,
    /// What it is worth to the one who makes it: as far as it has grown, else as the mind scores it.
    pub(super) worth: f32,
    /// Looks that were spent on it, those under way included.
    pub(super) effort: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nobody has asked the mind yet.
    New,
    Asked,
    Judged,
    /// The game ends here.
    Over,
}

/// A position.
#[derive(Debug)]
pub(super) struct Fork {
    pub(super) board: Board,
    pub(super) parent: u32,
    /// Which of the parent's twigs leads here.
    pub(super) place: u16,
    pub(super) ply: u16,
    pub(super) state: State,
    /// The mind's word on the bare position.
    pub(super) own: f32,
    /// What is known with all that grows here, for the side to move.
    pub(super) worth: f32,
    pub(super) effort: u32,
    pub(super) twigs: Vec<Twig>,
    /// How often the scout was sent out from here.
    pub(super) scouted: u8,
}

#[derive(Debug, Default)]
pub(in crate::batch_first) struct Plant {
    pub(super) forks: Vec<Fork>,
    /// Judged forks by the keys of their positions.
    known: HashMap<u64, u32>,
    /// Keys of the game since the last capture or pawn move, the root's last.
    past: Vec<u64>,
    twigs: usize,
    most_bytes: usize,
    /// Forks made in this search.
    pub(super) made: u64,
    pub(super) deepest: u16,
    /// Once he was sent out.
    scout: Option<Box<Scout>>,
}

impl Plant {
    /// Goes on from what has grown below this position, if it is there.
    pub(in crate::batch_first) fn root_in(&mut self, board: Board, past: &[u64], megabytes: usize) {
        self.most_bytes = (megabytes << 20).max(LEAST_FORKS * size_of::<Fork>());
        self.past = past.to_vec();
        (self.made, self.deepest) = (0, 0);
        let root = self.forks.iter().position(|fork| {
            let same = fork.board.key == board.key && fork.board.chess.halfmoves() == board.chess.halfmoves();
            same && fork.ply <= 2 && fork.state == State::Judged
        });
        let Some(root) = root else {
            self.forks.clear();
            self.known.clear();
            self.twigs = 0;
            self.forks.push(fork(board, NONE, 0, 0));
            return;
        };
        let root = root as u32;
        let mut kept = vec![false; self.forks.len()];
        for id in 0..self.forks.len() {
            let fork = &self.forks[id];
            kept[id] = id as u32 == root || (fork.parent != NONE && kept[fork.parent as usize]);
        }
        self.forks[root as usize].parent = NONE;
        self.keep(&kept);
        for id in 0..self.forks.len() {
            let parent = self.forks[id].parent;
            self.forks[id].ply = if parent == NONE { 0 } else { self.forks[parent as usize].ply + 1 };
        }
    }

    pub(in crate::batch_first) fn clear(&mut self) {
        *self = Plant::default();
    }

    pub(super) fn root(&self) -> &Fork {
        &self.forks[ROOT as usize]
    }

    pub(super) fn fork(&self, id: u32) -> &Fork {
        &self.forks[id as usize]
    }

    pub(super) fn fork_mut(&mut self, id: u32) -> &mut Fork {
        &mut self.forks[id as usize]
    }

    /// What the scout points at from a fork.
    pub(super) fn point(&mut self, id: u32, positions: u64) -> Option<PackedMove> {
        let position = &self.forks[id as usize].board.chess;
        self.scout.get_or_insert_default().point(position, positions)
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes() + 512 * size_of::<Fork>() > self.most_bytes
    }

    fn bytes(&self) -> usize {
        self.forks.len() * (size_of::<Fork>() + KNOWN_BYTES) + self.twigs * size_of::<Twig>()
    }

    /// Thousandths of the room in use.
    pub(super) fn fullness(&self) -> u32 {
        (1000 * self.bytes() / self.most_bytes.max(1)) as u32
    }

    /// Gives a fork what the mind says of it: the worth of the bare position, and its moves.
    pub(super) fn sprout(&mut self, id: u32, own: f32, twigs: Vec<Twig>) {
        self.twigs += twigs.len();
        let fork = self.fork_mut(id);
        fork.state = State::Judged;
        (fork.own, fork.worth) = (own, own);
        fork.twigs = twigs;
        let key = fork.board.key;
        self.known.entry(key).or_insert(id);
    }

    /// Another fork with the same position, of which more is known. Near a draw by the 50-move rule positions are not the same.
    pub(super) fn twin(&self, id: u32) -> Option<&Fork> {
        let chess = &self.fork(id).board.chess;
        let twin = self.fork(*self.known.get(&self.fork(id).board.key)?);
        let far_from_draw = chess.halfmoves().max(twin.board.chess.halfmoves()) < 80;
        (far_from_draw && id != ROOT).then_some(twin)
    }

    /// The fork at the end of a twig, made if nobody has been there.
    pub(super) fn child(&mut self, id: u32, place: usize) -> u32 {
        let parent = self.fork(id);
        let Twig { m, child, .. } = parent.twigs[place];
        if child != NONE {
            return child;
        }
        let m: Move = m.fit(&parent.board.chess).expect("a twig's move fits its fork");
        let mut fork = fork(parent.board.play(m), id, place as u16, parent.ply + 1);
        if let Some(worth) = self.final_worth(&fork) {
            (fork.state, fork.worth) = (State::Over, worth);
        }
        self.made += 1;
        self.deepest = self.deepest.max(fork.ply);
        self.forks.push(fork);
        let child = (self.forks.len() - 1) as u32;
        self.fork_mut(id).twigs[place].child = child;
        child
    }

    /// What a position is worth in which the game ends.
    fn final_worth(&self, fork: &Fork) -> Option<f32> {
        let chess = &fork.board.chess;
        if chess.legal_moves().is_empty() {
            return Some(if fork.board.in_check() { MATED } else { DRAWN });
        }
        let line = std::iter::successors(Some(fork.parent), |&id| Some(self.fork(id).parent));
        let keys = line.take(usize::from(fork.ply)).map(|id| self.fork(id).board.key);
        let drawn = chess.halfmoves() >= 100
            || chess.is_insufficient_material()
            || is_repetition(&fork.board, usize::from(fork.ply), keys, &self.past);
        drawn.then_some(DRAWN)
    }

    /// Cuts back what has grown least, until half of the room is free. What was found there stays as the worth of the twig.
    pub(super) fn cut_back(&mut self) {
        let mut least = 2;
        let kept = loop {
            let kept: Vec<bool> =
                self.forks.iter().map(|fork| fork.effort >= least || fork.parent == NONE).collect();
            if 2 * kept.iter().filter(|&&kept| kept).count() <= self.forks.len() {
                break kept;
            }
            least *= 2;
        };
        self.keep(&kept);
    }

    /// Children are never kept without their parents, and unjudged forks not at all. Nobody may hold a fork's number over this.
    fn keep(&mut self, kept: &[bool]) {
        let mut new_ids = vec![NONE; kept.len()];
        let mut count = 0;
        for (id, fork) in self.forks.iter().enumerate() {
            let settled = matches!(fork.state, State::Judged | State::Over) || fork.parent == NONE;
            let rooted = fork.parent == NONE || new_ids[fork.parent as usize] != NONE;
            if kept[id] && settled && rooted {
                new_ids[id] = count;
                count += 1;
            }
        }
        let mut id = 0;
        self.forks.retain(|_| {
            id += 1;
            new_ids[id - 1] != NONE
        });
        self.twigs = 0;
        self.known.clear();
        for (id, fork) in self.forks.iter_mut().enumerate() {
            if fork.state == State::Judged {
                self.known.entry(fork.board.key).or_insert(id as u32);
            }
            if fork.parent != NONE {
                fork.parent = new_ids[fork.parent as usize];
            }
            for twig in fork.twigs.iter_mut().filter(|twig| twig.child != NONE) {
                twig.child = new_ids[twig.child as usize];
            }
            self.twigs += fork.twigs.len();
        }
    }
}

fn fork(board: Board, parent: u32, place: u16, ply: u16) -> Fork {
    let (own, worth, twigs) = (0.0, 0.0, Vec::new());
    Fork { board, parent, place, ply, state: State::New, own, worth, effort: 0, twigs, scouted: 0 }
}
