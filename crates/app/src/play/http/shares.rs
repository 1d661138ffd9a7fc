//! What only so many may do at a time, with a share for each player.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::api_error::ApiError;

#[derive(Clone, Debug)]
pub(crate) struct Shares {
    most: usize,
    most_of_one: usize,
    /// What it is, in the plural.
    what: &'static str,
    taken: Arc<Mutex<HashMap<Arc<str>, usize>>>,
}

/// One of them; it is over when this is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Shares,
    player: Arc<str>,
}

impl Shares {
    pub(crate) fn new(what: &'static str, most: usize, most_of_one: usize) -> Shares {
        Shares { most, most_of_one, what, taken: Arc::default() }
    }

    pub(crate) fn begin(&self, player: &Arc<str>) -> Result<Share, ApiError> {
        let mut taken = self.lock();
        let Shares { most, most_of_one, what, .. } = *self;
        if taken.get(player).is_some_and(|&own| own >= most_of_one) {
            return Err(ApiError::too_many(format!("nobody has more than {most_of_one} {what} at once")));
        }
        if taken.values().sum::<usize>() >= most {
            return Err(ApiError::busy(format!(
                "there are {most} {what} already; try again in a few seconds"
            )));
        }
        *taken.entry(Arc::clone(player)).or_default() += 1;
        Ok(Share { shares: self.clone(), player: Arc::clone(player) })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.shares.lock();
        if let Some(own) = taken.get_mut(&self.player) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.player);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[test]
    fn each_player_has_a_share_and_when_all_is_taken_everybody_is_refused() {
        let shares = Shares::new("questions", 16, 4);
        let begin = |player: usize| shares.begin(&player.to_string().into()).map_err(|error| error.status);
        let first: Vec<Share> = (0..4).map(|_| begin(0).unwrap()).collect();
        assert_eq!(begin(0).unwrap_err(), StatusCode::TOO_MANY_REQUESTS);
        let rest: Vec<Share> = (4..16).map(|player| begin(player).unwrap()).collect();
        assert_eq!(begin(99).unwrap_err(), StatusCode::SERVICE_UNAVAILABLE);
        drop(first);
        drop(begin(99).unwrap());
        drop(rest);
        assert!(shares.lock().is_empty());
    }
}
