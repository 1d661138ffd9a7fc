//! The processes that train one network together. Every batch of a step belongs to one of them, in turn; the gradients of all are summed,
//! and each takes the same step. One process that takes all batches of a step itself comes to the same weights, but for rounding.

#[cfg(feature = "mpi")]
mod member;

use std::sync::atomic::AtomicBool;

use thiserror::Error;

/// What programs that start processes together tell each of them: its number and how many there are.
const STARTED: [(&str, &str); 2] =
    [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];

#[derive(Debug, Default)]
pub enum Team {
    #[default]
    Alone,
    #[cfg(feature = "mpi")]
    Many(member::Member),
}

#[derive(Debug, Error)]
pub enum TeamError {
    #[error(
        "{0} processes were started together, but this build trains with one; `--features mpi` makes one that can"
    )]
    NotBuilt(usize),
    #[error("MPI cannot be started")]
    Mpi,
}

/// A process of the team has gone, or all were asked to end and do not wait for each other.
#[derive(Debug)]
pub(crate) struct Lost;

impl Team {
    /// The processes that were started together with this one, as `mpirun` does; this one alone where there are none.
    pub fn join() -> Result<Team, TeamError> {
        let started = |name: &str| std::env::var(name).ok()?.parse().ok();
        let size = STARTED.iter().find_map(|(_, size)| started(size)).unwrap_or(1);
        match size {
            1 => Ok(Team::Alone),
            #[cfg(feature = "mpi")]
            _ => member::Member::start().map(Team::Many),
            #[cfg(not(feature = "mpi"))]
            _ => Err(TeamError::NotBuilt(size)),
        }
    }

    pub fn size(&self) -> usize {
        match self {
            Team::Alone => 1,
            #[cfg(feature = "mpi")]
            Team::Many(member) => member.size,
        }
    }

    /// This process's number, from 0.
    pub fn rank(&self) -> usize {
        match self {
            Team::Alone => 0,
            #[cfg(feature = "mpi")]
            Team::Many(member) => member.rank,
        }
    }

    /// Whether this is the process that writes: the log, the weights, what is shown.
    pub fn leads(&self) -> bool {
        self.rank() == 0
    }

    /// The end of a run in good order, for which all wait. A process that fails ends without it, and so brings the others to an end.
    pub fn leave(self) {
        match self {
            Team::Alone => {}
            #[cfg(feature = "mpi")]
            Team::Many(member) => member.leave(),
        }
    }

    /// Sums of what all processes give, number by number. Once `stop` is raised the others are not waited for long.
    #[cfg_attr(not(feature = "mpi"), expect(unused_variables, reason = "nobody else to wait for"))]
    pub(crate) fn sum(&self, numbers: Vec<f32>, stop: &AtomicBool) -> Result<Vec<f32>, Lost> {
        match self {
            Team::Alone => Ok(numbers),
            #[cfg(feature = "mpi")]
            Team::Many(member) => member.sum(numbers, stop),
        }
    }
}
