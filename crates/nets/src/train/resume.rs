//! Checkpoints of a run: when they are saved, and whether a run may go on from one.

use super::{Event, TrainError, run::Run};
use crate::{
    checkpoint::{self, CHECKPOINT},
    family::Family,
    train_config::TrainConfig,
};

impl<F: Family> Run<'_, F> {
    pub(super) fn save(&mut self, tell: &mut dyn FnMut(&Event)) -> Result<(), TrainError> {
        checkpoint::save(&self.folder.join(CHECKPOINT), &self.optimiser, &self.state)?;
        let event = Event::Saved { step: self.state.step, seconds: 0.0 };
        self.note(&event, tell)
    }

    /// Before the end that `error` means, one of the processes that are left saves the last step that all have taken.
    pub(super) fn last_will<T>(&self, error: TrainError) -> Result<T, TrainError> {
        if matches!(error, TrainError::Lost { .. }) {
            let path = self.folder.join(".checkpoint.lock");
            let io = |error| TrainError::Io { path: path.clone(), error };
            let lock = std::fs::File::create(&path).map_err(io)?;
            if lock.try_lock().is_ok() {
                let path = self.folder.join(CHECKPOINT);
                let mut state = self.state.clone();
                // Validations are known to the process that leads, and to what it saved.
                if !self.team.leads()
                    && let Ok((_, earlier)) = checkpoint::load(&path)
                {
                    (state.best, state.curve) = (earlier.best, earlier.curve);
                }
                checkpoint::save(&path, &self.optimiser, &state)?;
            }
        }
        Err(error)
    }
}

/// Whether a run that was begun with the configuration `begun` may go on with this: only the schedule and how often it is looked at
/// may have changed.
pub(crate) fn continues<F: Family>(net: &F::Config, train: &TrainConfig, begun: &str) -> bool {
    let same = || -> Option<bool> {
        let mut table: toml::Table = begun.parse().ok()?;
        let family = table.remove("family")?;
        let begun_net: F::Config = table.remove("network")?.try_into().ok()?;
        let begun_train: TrainConfig = table.remove("train")?.try_into().ok()?;
        let same = begun_net == *net && begun_train.with_schedule_of(train) == *train;
        Some(family.as_str() == Some(F::NAME) && same)
    };
    same().unwrap_or(false)
}
