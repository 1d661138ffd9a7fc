//! Which leaf is opened next, and what its judgement changes on the way back to the root.

use chess::PackedMove;

use super::{
    plant::{Fork, Plant, State, Twig},
    worth::{is_decided, is_lost, is_won, of_centipawns, to_mover, untried},
};
use crate::{
    batch_first::{
        evaluator::Judgement,
        node::{NONE, ROOT},
    },
    heuristic::known_ending,
};

/// How much the hope in a move that was looked at little counts against what is known of the others.
const CURIOSITY: f32 = 2.0;
/// Centipawns below the best score that make a move e times less likely: about what the ranker's scores mean by themselves.
const SPREAD: f32 = 110.0;
/// Looks after which the scout is sent out from a fork, and how many positions he may see: he costs as much as
/// many looks, so he goes further where more have been.
const SCOUTS: [(u32, u64); 3] = [(16, 100), (300, 3_000), (2_000, 30_000)];
/// How likely a move is that the scout points at. Below a half it is often given up before the line that justifies it is found.
const POINTED_AT: f32 = 0.6;

/// What a descent ended at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// The mind must be asked about this fork.
    New(u32),
    /// The game ends there, or the position is known from elsewhere in the tree; it is counted already.
    Known,
    /// The mind is being asked, or there is nothing left to find out.
    Taken(u32),
}

impl Plant {
    /// Goes from the root to a leaf along the moves that deserve a look most.
    pub(super) fn descend(&mut self) -> Leaf {
        let mut id = ROOT;
        loop {
            match self.fork(id).state {
                State::New => {
                    self.count(id, 1);
                    if self.learn_from_twin(id) {
                        return Leaf::Known;
                    }
                    self.fork_mut(id).state = State::Asked;
                    return Leaf::New(id);
                }
                State::Over => {
                    self.count(id, 1);
                    self.tell(id);
                    return Leaf::Known;
                }
                State::Asked => return Leaf::Taken(id),
                State::Judged if is_decided(self.fork(id).worth) => return Leaf::Taken(id),
                State::Judged => {}
            }
            self.look_round(id);
            let Some(place) = self.fork(id).most_urgent() else { return Leaf::Taken(id) };
            id = self.child(id, place);
        }
    }

    /// Counts looks at a fork on the whole way to the root.
    pub(super) fn count(&mut self, mut id: u32, looks: i32) {
        loop {
            let fork = self.fork_mut(id);
            fork.effort = fork.effort.saturating_add_signed(looks);
            let (parent, place) = (fork.parent, usize::from(fork.place));
            if parent == NONE {
                return;
            }
            let twig = &mut self.fork_mut(parent).twigs[place];
            twig.effort = twig.effort.saturating_add_signed(looks);
            id = parent;
        }
    }

    /// Takes in the mind's word on a fork. Minds know that a rook is won against a bare king, but not which pawn is.
    pub(super) fn take_in(&mut self, id: u32, judgement: &Judgement) {
        let known = known_ending(&self.fork(id).board.chess).map(|value| value as f32);
        let own = of_centipawns(known.unwrap_or(judgement.value));
        self.sprout(id, own, twigs(own, &judgement.moves));
        self.tell(id);
    }

    /// Takes over what the tree knows of the same position elsewhere, if it does.
    fn learn_from_twin(&mut self, id: u32) -> bool {
        let Some(twin) = self.twin(id).filter(|twin| !is_decided(twin.worth)) else { return false };
        let own = twin.worth;
        let fresh = |twig: &Twig| Twig { child: NONE, worth: untried(own), effort: 0, ..*twig };
        let twigs = twin.twigs.iter().map(fresh).collect();
        self.sprout(id, own, twigs);
        self.tell(id);
        true
    }

    /// Tells everybody up to the root what a fork is worth now.
    fn tell(&mut self, mut id: u32) {
        loop {
            let fork = self.fork(id);
            let (parent, place, worth) = (fork.parent, usize::from(fork.place), fork.worth);
            if parent == NONE {
                return;
            }
            let fork = self.fork_mut(parent);
            fork.twigs[place].worth = to_mover(worth);
            fork.worth = fork.summed_up();
            id = parent;
        }
    }

    /// Sends the scout out when a fork has become important enough.
    fn look_round(&mut self, id: u32) {
        let fork = self.fork_mut(id);
        let Some(&(looks, positions)) = SCOUTS.get(usize::from(fork.scouted)) else { return };
        if fork.effort < looks {
            return;
        }
        fork.scouted += 1;
        let Some(m) = self.point(id, positions) else { return };
        if let Some(twig) = self.fork_mut(id).twigs.iter_mut().find(|twig| twig.m == m) {
            twig.prior = twig.prior.max(POINTED_AT);
        }
    }
}

/// The moves of a position that is worth `own`.
fn twigs(own: f32, moves: &[(PackedMove, f32)]) -> Vec<Twig> {
    let best = moves.first().map_or(0.0, |&(_, score)| score);
    let weight = |score: f32| ((score - best) / SPREAD).exp();
    let sum: f32 = moves.iter().map(|&(_, score)| weight(score)).sum();
    let twig = |&(m, score): &(PackedMove, f32)| Twig {
        m,
        child: NONE,
        prior: weight(score) / sum,
        worth: untried(own),
        effort: 0,
    };
    moves.iter().map(twig).collect()
}

impl Fork {
    /// The twig that deserves the next look: by what is known of it, and by the hope in it, which falls with every look.
    fn most_urgent(&self) -> Option<usize> {
        let curiosity = CURIOSITY * (self.effort as f32).sqrt();
        let urgency = |twig: &Twig| twig.worth + curiosity * twig.prior / (1 + twig.effort) as f32;
        let open = self.twigs.iter().enumerate().filter(|(_, twig)| !is_lost(twig.worth));
        let urgent = open.map(|(place, twig)| (place, urgency(twig)));
        urgent.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place)
    }

    /// The mean of all looks, so that no single error of the mind goes through to the root; proven mates go before it.
    fn summed_up(&self) -> f32 {
        let tried = self.twigs.iter().filter(|twig| twig.effort > 0);
        let best = tried.clone().map(|twig| twig.worth).fold(f32::NEG_INFINITY, f32::max);
        if is_won(best) || self.twigs.iter().all(|twig| is_lost(twig.worth)) {
            return best;
        }
        let (mut sum, mut looks) = (self.own, 1.0);
        for twig in tried.filter(|twig| !is_lost(twig.worth)) {
            sum += twig.effort as f32 * twig.worth;
            looks += twig.effort as f32;
        }
        sum / looks
    }
}
