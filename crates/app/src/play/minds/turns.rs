//! Whose turn it is to use a processor: short questions before games, games before reviews, and among equals one player after
//! another, however much each of them asks for.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// The most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Someone looks at the page and waits.
    Question,
    /// A move of a game, or as much work.
    Game,
    /// A position of many.
    Review,
}

/// Who asks, and how soon she wants to know.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub(crate) player: Arc<str>,
    pub(crate) urgency: Urgency,
}

impl Asker {
    pub(crate) fn new(player: &str, urgency: Urgency) -> Asker {
        Asker { player: player.into(), urgency }
    }
}

/// So many places, and a line before them. Its length is bounded by those who stand in it: a game waits for one move, and
/// the number of games, questions and reviews is limited where they begin.
#[derive(Clone, Debug)]
pub(crate) struct Turns(Arc<Mutex<Line>>);

/// A place. It goes to the next in line when it is dropped.
pub(crate) struct Turn(Arc<Mutex<Line>>);

#[derive(Debug)]
struct Line {
    places: usize,
    free: usize,
    waiting: [Players; 3],
}

/// Those who wait with the same urgency.
#[derive(Debug, Default)]
struct Players {
    order: VecDeque<Arc<str>>,
    of: HashMap<Arc<str>, VecDeque<oneshot::Sender<Turn>>>,
}

impl Turns {
    pub(crate) fn new(places: usize) -> Turns {
        let places = places.max(1);
        Turns(Arc::new(Mutex::new(Line { places, free: places, waiting: Default::default() })))
    }

    /// Waits for a place. Whoever stops waiting leaves the line.
    pub(crate) async fn take(&self, asker: &Asker) -> Turn {
        loop {
            let waited = {
                let mut line = lock(&self.0);
                if line.free > 0 {
                    line.free -= 1;
                    return Turn(Arc::clone(&self.0));
                }
                line.waiting[asker.urgency as usize].join(&asker.player)
            };
            // A place is dropped only by the one who got it, so an answer always comes.
            if let Ok(turn) = waited.await {
                return turn;
            }
        }
    }

    /// How many times more is asked for than there are places: 1 is nobody waiting.
    pub(crate) fn crowd(&self) -> u32 {
        let line = lock(&self.0);
        let waiting: usize =
            line.waiting.iter().flat_map(|players| players.of.values()).map(VecDeque::len).sum();
        u32::try_from(1 + waiting / line.places).unwrap_or(u32::MAX)
    }
}

fn lock(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Line {
    /// Who gets the place that has become free; it stays free if nobody waits.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let next = self.waiting.iter_mut().find_map(Players::next);
        self.free += usize::from(next.is_none());
        next
    }
}

impl Players {
    fn join(&mut self, player: &Arc<str>) -> oneshot::Receiver<Turn> {
        let (sender, receiver) = oneshot::channel();
        let own = self.of.entry(Arc::clone(player)).or_default();
        if own.is_empty() {
            self.order.push_back(Arc::clone(player));
        }
        own.push_back(sender);
        receiver
    }

    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        while let Some(player) = self.order.pop_front() {
            let Some(own) = self.of.get_mut(&player) else { continue };
            let next = std::iter::from_fn(|| own.pop_front()).find(|sender| !sender.is_closed());
            match own.is_empty() {
                true => drop(self.of.remove(&player)),
                false => self.order.push_back(player),
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let next = lock(&self.0).next();
        if let Some(next) = next {
            // Someone who has left in this very moment drops the turn, and it goes on to the next.
            drop(next.send(Turn(Arc::clone(&self.0))));
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Turn")
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{
        FutureExt,
        stream::{FuturesUnordered, StreamExt},
    };

    use super::*;

    #[tokio::test]
    async fn questions_go_first_and_players_take_turns() {
        let turns = Turns::new(1);
        let first = turns.take(&Asker::new("a", Urgency::Game)).await;
        let wait = async |player: &'static str, urgency: Urgency| {
            drop(turns.take(&Asker::new(player, urgency)).await);
            (player, urgency)
        };
        let mut line = FuturesUnordered::new();
        for (player, urgency) in [
            ("review", Urgency::Review),
            ("a", Urgency::Game),
            ("a", Urgency::Game),
            ("a", Urgency::Game),
            ("b", Urgency::Game),
            ("c", Urgency::Question),
        ] {
            line.push(wait(player, urgency));
        }
        assert!(line.next().now_or_never().is_none());
        assert_eq!(turns.crowd(), 7);
        drop(first);
        let order: Vec<&str> = line.map(|(player, _)| player).collect().await;
        assert_eq!(order, ["c", "a", "b", "a", "a", "review"]);
        assert_eq!(turns.crowd(), 1);
    }

    #[tokio::test]
    async fn those_who_leave_the_line_cost_no_place() {
        let turns = Turns::new(1);
        let asker = Asker::new("a", Urgency::Game);
        for _ in 0..3 {
            let first = turns.take(&asker).await;
            let mut gone = Box::pin(turns.take(&asker));
            assert!((&mut gone).now_or_never().is_none());
            // It leaves before it is its turn, or while it has it without knowing.
            let mut late = Box::pin(turns.take(&asker));
            assert!((&mut late).now_or_never().is_none());
            drop(gone);
            drop(first);
            drop(late);
            drop(turns.take(&asker).now_or_never().expect("the place is free again"));
        }
    }
}
