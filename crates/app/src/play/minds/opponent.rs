//! What the opponent of a game does when it is asked: a move and when to play it, an offer, or giving up.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use chess::{Brain, Moment, Wants, shakmaty::Move};
use engine::{
    Choice, HumanSettings, Limits, Mind, Search, Settings, Signals, Task, heuristic::Heuristic,
    human::accepts_draw,
};

use super::catalogue::Minds;
use crate::play::game::setup::{Pace, Setup};

/// What a search may cost, whatever the clock says: other games wait for the processor as well.
const LONGEST_SEARCH: Duration = Duration::from_millis(1500);
const MOST_NODES: u64 = 1_500_000;
/// Each game keeps its tree from move to move, and a hundred games go on at once.
const TREE_MB: usize = 16;
/// Without clocks nobody wants to wait for minutes.
const LONGEST_WITHOUT_CLOCK: Duration = Duration::from_secs(8);
const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) played: Move,
    /// Counted from the beginning of the turn.
    pub(crate) after: Duration,
    pub(crate) resigns: bool,
    pub(crate) offers_draw: bool,
}

/// Searches that remember their game are made when they are first needed, on a thread that may wait.
type Own = Arc<Mutex<Option<Box<dyn Search>>>>;

pub(crate) struct Opponent {
    minds: Arc<Minds>,
    name: String,
    pace: Pace,
    settings: Settings,
    search: Own,
}

impl Opponent {
    pub(crate) fn new(minds: Arc<Minds>, setup: &Setup) -> Opponent {
        let human = HumanSettings {
            rating: setup.rating,
            opponent: Some(setup.own_rating),
            timing: setup.pace == Pace::Human,
            resigns: true,
            offers_draws: true,
            ..HumanSettings::default()
        };
        let settings = Settings { hash_mb: 2, tree_mb: TREE_MB, human, ..Settings::default() };
        Opponent { minds, name: setup.mind.clone(), pace: setup.pace, settings, search: Own::default() }
    }

    /// A move for the side to move; `None` if the mind broke down.
    pub(crate) fn answer(&self, moment: Moment) -> impl Future<Output = Option<Answer>> + Send + use<> {
        let (minds, name, pace) = (Arc::clone(&self.minds), self.name.clone(), self.pace);
        let (own, settings) = (Arc::clone(&self.search), self.settings.clone());
        async move {
            let choice = match minds.network(&name).map(|network| network.mind.clone()) {
                Some(mind) => choose(&minds, mind, name, own, settings, moment).await?,
                None => {
                    let limits = Limits { nodes: Some(MOST_NODES), ..limits(LONGEST_SEARCH) };
                    let thought = minds.searches.think(&name, moment, limits, 1).await?;
                    Choice { best: thought.best, think: Some(SECOND / 3), ..Choice::default() }
                }
            };
            let after = match pace {
                Pace::AtOnce => Duration::ZERO,
                Pace::Second => SECOND,
                Pace::Human => choice.think.unwrap_or(SECOND),
            };
            let Choice { best, resigns, offers_draw, .. } = choice;
            Some(Answer { played: best?, after, resigns, offers_draw })
        }
    }

    /// Lets go of what it remembers: the task of a game that is over may stay for a while.
    pub(crate) fn rest(&self) {
        if let Ok(mut own) = self.search.try_lock() {
            *own = None;
        }
    }

    /// Whether half a point is enough for the opponent.
    pub(crate) fn takes_draw(
        &self,
        moment: Moment,
        opponent_to_move: bool,
    ) -> impl Future<Output = bool> + Send + use<> {
        let (minds, name) = (Arc::clone(&self.minds), self.name.clone());
        let human = self.settings.human.clone();
        async move {
            let opinion = match minds.network(&name) {
                Some(network) => network.evaluator.ask(moment).await,
                None => Heuristic.judge(&[moment], Wants::VALUE).pop().unwrap_or_default(),
            };
            let wdl = opinion.wdl.map(|wdl| if opponent_to_move { wdl } else { wdl.flipped() });
            wdl.is_some_and(|wdl| accepts_draw(wdl, &human))
        }
    }
}

fn limits(most: Duration) -> Limits {
    Limits { on_clock: true, move_time: Some(most), ..Limits::default() }
}

/// Lets a network's search choose, off the threads that serve. A game that goes on without the answer stops it.
async fn choose(
    minds: &Minds,
    mind: Mind,
    name: String,
    own: Own,
    settings: Settings,
    moment: Moment,
) -> Option<Choice> {
    let search = name.split_once(':').map_or(engine::AUTO, |(_, search)| search).to_owned();
    let answers_at_once = engine::find_search(&mind, &search).is_ok_and(|entry| entry.at_once);
    let places = if answers_at_once { &minds.answering } else { &minds.searching };
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    let signals = Arc::new(Signals::new());
    let _stop = StopWhenDropped(Arc::clone(&signals));
    let choosing = tokio::task::spawn_blocking(move || {
        // Kept until the thread is done, even if nobody waits for it any more.
        let _place = place;
        let mut own = own.lock().ok()?;
        if own.is_none() {
            *own = engine::build(&mind, &search).ok();
        }
        let search = own.as_mut()?;
        search.configure(&settings);
        let limits = match (answers_at_once, moment.clocks.is_some()) {
            (false, _) => limits(LONGEST_SEARCH),
            (true, true) => Limits::clock(),
            (true, false) => limits(LONGEST_WITHOUT_CLOCK),
        };
        Some(search.choose(&moment, Task { limits, signals: &signals, report: &mut |_| {} }))
    });
    choosing.await.ok()?
}

struct StopWhenDropped(Arc<Signals>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl std::fmt::Debug for Opponent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Opponent {}", self.name)
    }
}
