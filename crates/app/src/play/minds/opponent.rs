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

use super::{
    catalogue::Minds,
    search_pool::{StopWhenDropped, shared},
    trees::TreeId,
    turns::{Asker, Urgency},
};
use crate::play::game::setup::{Pace, Setup};

/// What a search may cost, whatever the clock says: other games wait for the processor as well.
const LONGEST_SEARCH: Duration = Duration::from_millis(1500);
const MOST_NODES: u64 = 1_500_000;
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

/// The smallest trees and tables: other games have theirs as well.
const HASH_MB: usize = 2;
const TREE_MB: usize = 16;

/// A search without a tree remembers its game in a few bytes. It is made when it is first needed, on a thread that may wait.
type Own = Arc<Mutex<Option<Box<dyn Search>>>>;

pub(crate) struct Opponent {
    minds: Arc<Minds>,
    asker: Asker,
    name: String,
    pace: Pace,
    settings: Settings,
    search: Own,
    tree: TreeId,
}

impl Opponent {
    /// The opponent of a game that `player` plays.
    pub(crate) fn new(minds: Arc<Minds>, player: &str, setup: &Setup) -> Opponent {
        let human = HumanSettings {
            rating: setup.rating,
            opponent: Some(setup.own_rating),
            timing: setup.pace == Pace::Human,
            resigns: true,
            offers_draws: true,
            ..HumanSettings::default()
        };
        let settings = Settings { hash_mb: HASH_MB, tree_mb: TREE_MB, human, ..Settings::default() };
        Opponent {
            tree: minds.trees.new_id(),
            minds,
            asker: Asker::new(player, Urgency::Game),
            name: setup.mind.clone(),
            pace: setup.pace,
            settings,
            search: Own::default(),
        }
    }

    /// Whether its mind is still among those that this program has.
    pub(crate) fn is_there(&self) -> bool {
        self.minds.knows(&self.name)
    }

    /// A move for the side to move; `None` if the mind broke down.
    pub(crate) fn answer(&self, moment: Moment) -> impl Future<Output = Option<Answer>> + Send + use<> {
        let (minds, name, pace) = (Arc::clone(&self.minds), self.name.clone(), self.pace);
        let (own, settings) = (Arc::clone(&self.search), self.settings.clone());
        let (asker, tree) = (self.asker.clone(), self.tree);
        async move {
            let choice = match minds.network(&name).map(|network| network.mind) {
                Some(mind) => {
                    let search = name.split_once(':').map_or(engine::AUTO, |(_, search)| search);
                    let search = engine::find_search(&mind, search).ok()?;
                    match search.at_once {
                        true => answer(minds, &asker, mind, search.name, own, settings, moment).await?,
                        false => {
                            search_tree(minds, &asker, mind, search.name, tree, settings, moment).await?
                        }
                    }
                }
                None => {
                    let limits = Limits { nodes: Some(MOST_NODES), ..limits(LONGEST_SEARCH) };
                    let thought = minds.searches.think(&asker, &name, moment, limits, 1).await?;
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
        self.minds.trees.forget(self.tree);
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

/// Lets a network answer without a tree, off the threads that serve. A game that goes on without the answer stops it.
async fn answer(
    minds: Arc<Minds>,
    asker: &Asker,
    mind: Mind,
    search: &'static str,
    own: Own,
    settings: Settings,
    moment: Moment,
) -> Option<Choice> {
    let turn = minds.answering.take(asker).await;
    let signals = Arc::new(Signals::new());
    let _stop = StopWhenDropped(Arc::clone(&signals));
    let choosing = tokio::task::spawn_blocking(move || {
        // Kept until the thread is done, even if nobody waits for it any more.
        let _turn = turn;
        let mut own = own.lock().ok()?;
        if own.is_none() {
            *own = engine::build(&mind, search).ok();
        }
        let search = own.as_mut()?;
        search.configure(&settings);
        let limits = if moment.clocks.is_some() { Limits::clock() } else { limits(LONGEST_WITHOUT_CLOCK) };
        Some(search.choose(&moment, Task { limits, signals: &signals, report: &mut |_| {} }))
    });
    choosing.await.ok()?
}

/// The same for a network under a search, whose tree stays as long as there are not too many.
async fn search_tree(
    minds: Arc<Minds>,
    asker: &Asker,
    mind: Mind,
    search: &'static str,
    tree: TreeId,
    settings: Settings,
    moment: Moment,
) -> Option<Choice> {
    let turn = minds.searching.take(asker).await;
    let limits = shared(limits(LONGEST_SEARCH), minds.searching.crowd());
    let signals = Arc::new(Signals::new());
    let _stop = StopWhenDropped(Arc::clone(&signals));
    let choosing = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let kept = minds.trees.take(tree);
        let new = || engine::build_with(&mind, search, settings.clone());
        let mut search = kept.map_or_else(new, Ok).ok()?;
        search.configure(&settings);
        let choice = search.choose(&moment, Task { limits, signals: &signals, report: &mut |_| {} });
        minds.trees.keep(tree, search);
        Some(choice)
    });
    choosing.await.ok()?
}

impl Drop for Opponent {
    fn drop(&mut self) {
        self.minds.trees.forget(self.tree);
    }
}

impl std::fmt::Debug for Opponent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Opponent {}", self.name)
    }
}
