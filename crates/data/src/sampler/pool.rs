//! The pool that mixes positions: what comes out next is drawn from tens of thousands.

use std::sync::Arc;

use super::{
    SamplerError, SamplerOptions,
    blocks::{Blocks, Event, Picked},
};
use crate::{Game, Random};

/// Draws that may be given back because the game is that of the neighbour.
const REDRAWS: usize = 8;

/// A position to be replayed, with its place in the epoch.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) game: Arc<Game>,
    pub(super) ply: u16,
    pub(super) epoch: u64,
    pub(super) index: u64,
}

/// References in the order of training.
pub(super) struct Mixed {
    blocks: Blocks,
    waiting: std::vec::IntoIter<Picked>,
    current: Option<(Arc<Game>, std::vec::IntoIter<u16>)>,
    pool: Vec<(Arc<Game>, u16)>,
    capacity: usize,
    random: Random,
    seed: u64,
    epoch: u64,
    index: u64,
    /// The epoch's blocks are used up; the pool runs dry.
    draining: bool,
    last: Option<Arc<Game>>,
    skip: u64,
    nothing: (String, &'static str),
    failed: bool,
}

impl Mixed {
    /// Begins in `epoch` after `taken` references.
    pub(super) fn new(blocks: Blocks, options: &SamplerOptions, epoch: u64, taken: u64) -> Mixed {
        Mixed {
            blocks,
            waiting: Vec::new().into_iter(),
            current: None,
            pool: Vec::new(),
            capacity: options.pool.max(1),
            random: Random::keyed(options.seed ^ 0x9001, epoch),
            seed: options.seed,
            epoch,
            index: 0,
            draining: false,
            last: None,
            skip: taken,
            nothing: (options.policy.name.clone(), options.split.map_or("all", crate::Split::name)),
            failed: false,
        }
    }

    /// Groups of `len`; the very last may be shorter.
    pub(super) fn batches(
        mut self,
        len: usize,
    ) -> impl Iterator<Item = Result<Vec<Reference>, SamplerError>> {
        std::iter::from_fn(move || {
            while self.skip > 0 {
                match self.draw()? {
                    Ok(_) => self.skip -= 1,
                    Err(error) => return Some(Err(error)),
                }
            }
            let mut batch = Vec::with_capacity(len);
            while batch.len() < len.max(1) {
                match self.draw() {
                    Some(Ok(reference)) => batch.push(reference),
                    Some(Err(error)) => return Some(Err(error)),
                    None => break,
                }
            }
            (!batch.is_empty()).then_some(Ok(batch))
        })
    }

    fn draw(&mut self) -> Option<Result<Reference, SamplerError>> {
        if self.failed {
            return None;
        }
        loop {
            while !self.draining && self.pool.len() < self.capacity {
                match self.refill() {
                    Some(Ok(())) => {}
                    Some(Err(error)) => {
                        self.failed = true;
                        return Some(Err(error));
                    }
                    None => return None,
                }
            }
            if !self.pool.is_empty() {
                return Some(Ok(self.take()));
            }
            if self.index == 0 {
                self.failed = true;
                let (policy, split) = self.nothing.clone();
                return Some(Err(SamplerError::Nothing { policy, split }));
            }
            self.epoch += 1;
            self.index = 0;
            self.draining = false;
            self.random = Random::keyed(self.seed ^ 0x9001, self.epoch);
        }
    }

    /// Puts one more reference into the pool, or learns that the epoch has no more.
    fn refill(&mut self) -> Option<Result<(), SamplerError>> {
        loop {
            if let Some((game, plies)) = &mut self.current {
                if let Some(ply) = plies.next() {
                    self.pool.push((Arc::clone(game), ply));
                    return Some(Ok(()));
                }
                self.current = None;
            }
            if let Some((game, plies)) = self.waiting.next() {
                self.current = Some((game, plies.into_iter()));
                continue;
            }
            match self.blocks.next()? {
                Ok(Event::Games(games)) => self.waiting = games.into_iter(),
                Ok(Event::EpochEnds) => {
                    self.draining = true;
                    return Some(Ok(()));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    fn take(&mut self) -> Reference {
        let mut at = self.random.below(self.pool.len());
        for _ in 0..REDRAWS {
            if self.last.as_ref().is_none_or(|last| !Arc::ptr_eq(last, &self.pool[at].0)) {
                break;
            }
            at = self.random.below(self.pool.len());
        }
        let (game, ply) = self.pool.swap_remove(at);
        self.last = Some(Arc::clone(&game));
        self.index += 1;
        Reference { game, ply, epoch: self.epoch, index: self.index - 1 }
    }
}
