//! A process of an MPI run. One thread speaks MPI and may wait for ever for a process that has gone; training waits for that thread only as
//! long as there is hope, so that it can still save what it has.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use mpi::{
    Threading,
    collective::{CommunicatorCollectives, SystemOperation},
    topology::Communicator,
};

use super::{Lost, TeamError};

/// How long the others are waited for once the run is to end. Whoever started the processes kills them soon after.
const GRACE: Duration = Duration::from_millis(300);
/// How often a waiting process looks whether the run is to end.
const GLANCE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Member {
    pub(super) rank: usize,
    pub(super) size: usize,
    ends: Mutex<Option<Ends>>,
}

#[derive(Debug)]
struct Ends {
    numbers: Sender<Vec<f32>>,
    sums: Receiver<Vec<f32>>,
    thread: JoinHandle<()>,
}

impl Member {
    pub(super) fn start() -> Result<Member, TeamError> {
        let (tell, told) = channel();
        let (numbers, given) = channel::<Vec<f32>>();
        let (answers, sums) = channel();
        let thread = thread::spawn(move || {
            let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
            let world = universe.world();
            if tell.send((world.rank(), world.size())).is_err() {
                return;
            }
            for numbers in given {
                let mut sum = vec![0.0_f32; numbers.len()];
                world.all_reduce_into(&numbers[..], &mut sum[..], SystemOperation::sum());
                if answers.send(sum).is_err() {
                    return;
                }
            }
        });
        let (rank, size) = told.recv().map_err(|_| TeamError::Mpi)?;
        let whole = |number: i32| usize::try_from(number).map_err(|_| TeamError::Mpi);
        let ends = Mutex::new(Some(Ends { numbers, sums, thread }));
        Ok(Member { rank: whole(rank)?, size: whole(size)?, ends })
    }

    pub(super) fn sum(&self, numbers: Vec<f32>, stop: &AtomicBool) -> Result<Vec<f32>, Lost> {
        let mut held = self.ends.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let ends = held.as_ref().ok_or(Lost)?;
        let summed = ends.numbers.send(numbers).map_err(|_| Lost).and_then(|()| wait(&ends.sums, stop));
        if summed.is_err() {
            // The thread still waits, and with it MPI: both end with the process.
            *held = None;
        }
        summed
    }

    /// Leaves MPI together with the others.
    pub(super) fn leave(self) {
        let ends = self.ends.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(Ends { numbers, sums, thread }) = ends {
            drop((numbers, sums));
            let _ = thread.join();
        }
    }
}

fn wait(sums: &Receiver<Vec<f32>>, stop: &AtomicBool) -> Result<Vec<f32>, Lost> {
    let mut asked: Option<Instant> = None;
    loop {
        match sums.recv_timeout(GLANCE) {
            Ok(sum) => return Ok(sum),
            Err(RecvTimeoutError::Disconnected) => return Err(Lost),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stop.load(Ordering::Relaxed) && asked.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            return Err(Lost);
        }
    }
}
