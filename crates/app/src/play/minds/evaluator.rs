//! One mind for all games: whatever positions wait are judged in one batch, so that fifty players cost little
//! more than one.

use std::{fmt, panic, sync::Arc};

use chess::{Brain, Comparer, Evaluated, Moment, Opinion, Traits, Wants, shakmaty::Chess};
use tokio::sync::{mpsc, oneshot};

/// Larger batches gain nothing on a processor and make the first in the queue wait.
const LARGEST_BATCH: usize = 32;
const QUEUE: usize = 1024;

#[derive(Clone)]
pub(crate) struct Evaluator {
    requests: mpsc::Sender<Request>,
    traits: Arc<Traits>,
    /// Comparing takes too little to be gathered in batches.
    brain: Arc<dyn Brain>,
}

/// What a mind can be asked, each with the one who waits for it.
enum Request {
    Opinion(Box<Moment>, Wants, oneshot::Sender<Opinion>),
    Evaluation(Vec<Chess>, Wants, oneshot::Sender<Evaluated>),
}

/// Value and move scores of one position, as far as they were wanted.
type Parts = (Option<f32>, Option<Vec<f32>>);

impl Evaluator {
    /// Starts the thread on which `brain` thinks. It ends with the last evaluator.
    pub(crate) fn start(brain: Arc<dyn Brain>) -> Evaluator {
        let (requests, inbox) = mpsc::channel(QUEUE);
        let traits = Arc::new(brain.traits().clone());
        let serving = Arc::clone(&brain);
        std::thread::spawn(move || serve(&*serving, inbox));
        Evaluator { requests, traits, brain }
    }

    /// The mind's whole opinion; an empty one if the mind broke down.
    pub(crate) async fn ask(&self, moment: Moment) -> Opinion {
        let (answer, opinion) = oneshot::channel();
        if self.requests.send(Request::Opinion(Box::new(moment), Wants::ALL, answer)).await.is_err() {
            return Opinion::default();
        }
        opinion.await.unwrap_or_default()
    }

    pub(crate) async fn ask_all(&self, moments: Vec<Moment>) -> Vec<Opinion> {
        futures_util::future::join_all(moments.into_iter().map(|moment| self.ask(moment))).await
    }
}

/// To a search the shared mind is one like any other. It waits, so this is for threads that may. Where the mind broke down the answers are
/// empty.
impl Brain for Evaluator {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        let asked: Vec<_> = moments
            .iter()
            .map(|moment| {
                let (answer, opinion) = oneshot::channel();
                let request = Request::Opinion(Box::new(moment.clone()), wants, answer);
                self.requests.blocking_send(request).ok().map(|()| opinion)
            })
            .collect();
        let wait = |opinion: Option<oneshot::Receiver<Opinion>>| opinion?.blocking_recv().ok();
        asked.into_iter().map(|opinion| wait(opinion).unwrap_or_default()).collect()
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        let (answer, found) = oneshot::channel();
        let request = Request::Evaluation(positions.to_vec(), wants, answer);
        let sent = self.requests.blocking_send(request);
        sent.ok().and_then(|()| found.blocking_recv().ok()).unwrap_or_default()
    }

    fn comparer(&self) -> Option<Box<dyn Comparer>> {
        self.brain.comparer()
    }
}

fn serve(brain: &dyn Brain, mut inbox: mpsc::Receiver<Request>) {
    let mut waiting = Vec::new();
    while inbox.blocking_recv_many(&mut waiting, LARGEST_BATCH) > 0 {
        let mut moments: Vec<(Wants, Vec<_>)> = Vec::new();
        let mut positions: Vec<(Wants, Vec<_>)> = Vec::new();
        for request in waiting.drain(..) {
            // Whoever asked may have left: a game that ended, a page that was closed.
            match request {
                Request::Opinion(moment, wants, answer) if !answer.is_closed() => {
                    of_wants(&mut moments, wants).push((vec![*moment], answer));
                }
                Request::Evaluation(some, wants, answer) if !answer.is_closed() => {
                    of_wants(&mut positions, wants).push((some, answer));
                }
                _ => {}
            }
        }
        // Players first: searches ask for much, and have more to ask as soon as they are answered.
        for (wants, requests) in moments {
            together(requests, |all| brain.judge(all, wants), |mut own| own.pop().unwrap_or_default());
        }
        for (wants, requests) in positions {
            together(requests, |all| parts(all.len(), brain.evaluate(all, wants)), joined);
        }
    }
}

/// The requests that want the same.
fn of_wants<T>(lists: &mut Vec<(Wants, Vec<T>)>, wants: Wants) -> &mut Vec<T> {
    let known = lists.iter().position(|(other, _)| *other == wants);
    let place = known.unwrap_or_else(|| {
        lists.push((wants, Vec::new()));
        lists.len() - 1
    });
    &mut lists[place].1
}

fn parts(count: usize, found: Evaluated) -> Vec<Parts> {
    let (mut values, mut scores) = (found.values.into_iter(), found.scores.into_iter());
    (0..count).map(|_| (values.next(), scores.next())).collect()
}

fn joined(parts: Vec<Parts>) -> Evaluated {
    let (values, scores): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Evaluated {
        values: values.into_iter().flatten().collect(),
        scores: scores.into_iter().flatten().collect(),
    }
}

/// Asks about the positions of all requests at once, and gives each request its own answers: `told` makes of them what it waits for.
/// If the mind breaks down the requests are dropped, and those who wait see it.
fn together<P, T, A>(
    requests: Vec<(Vec<P>, oneshot::Sender<A>)>,
    ask: impl Fn(&[P]) -> Vec<T>,
    told: impl Fn(Vec<T>) -> A,
) {
    let counts: Vec<usize> = requests.iter().map(|(positions, _)| positions.len()).collect();
    let (positions, answers): (Vec<Vec<P>>, Vec<_>) = requests.into_iter().unzip();
    let positions: Vec<P> = positions.into_iter().flatten().collect();
    let mut found = Vec::with_capacity(positions.len());
    for batch in in_powers_of_two(&positions) {
        let Ok(more) = panic::catch_unwind(panic::AssertUnwindSafe(|| ask(batch))) else { return };
        found.extend(more);
    }
    let mut found = found.into_iter();
    for (count, answer) in counts.into_iter().zip(answers) {
        // Someone who left in the meantime misses nothing.
        let _ = answer.send(told(found.by_ref().take(count).collect()));
    }
}

/// Batches of a few sizes only. The kernels keep their rooms by size, so a batch of every size there is would keep rooms
/// for each of them.
fn in_powers_of_two<P>(positions: &[P]) -> impl Iterator<Item = &[P]> {
    let mut rest = positions;
    std::iter::from_fn(move || {
        let size = 1 << rest.len().min(LARGEST_BATCH).checked_ilog2()?;
        let (batch, after) = rest.split_at(size);
        rest = after;
        Some(batch)
    })
}

impl fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Evaluator")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    use chess::{Bins, MoveScores, shakmaty::Position};
    use futures_util::FutureExt;

    use super::{super::test_brain::traits, *};

    /// Tells the number of legal moves as a policy of that length, and remembers its batches.
    struct Counting {
        traits: Traits,
        batches: AtomicUsize,
        gate: Mutex<()>,
    }

    impl Default for Counting {
        fn default() -> Counting {
            let traits = traits(Some(MoveScores::Chances), false);
            Counting { traits, batches: AtomicUsize::new(0), gate: Mutex::new(()) }
        }
    }

    impl Brain for Counting {
        fn traits(&self) -> &Traits {
            &self.traits
        }

        fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
            let _open = self.gate.lock().unwrap();
            self.batches.fetch_add(1, Ordering::Relaxed);
            let opinion = |moment: &Moment| vec![0.0; moment.legal_moves().len()];
            moments.iter().map(|m| Opinion { policy: Some(opinion(m)), ..Opinion::default() }).collect()
        }

        fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
            Evaluated::by_judging(self, positions, wants)
        }

        fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
            None
        }
    }

    #[tokio::test]
    async fn those_who_wait_are_answered_together_and_each_with_its_own() {
        let brain = Arc::new(Counting::default());
        let evaluator = Evaluator::start(brain.clone());
        let closed = brain.gate.lock().unwrap();
        let moments = [&[][..], &["e2e4"], &["e2e4", "e7e5"]];
        let moments: Vec<Moment> =
            (0..30).map(|n| Moment::default().after_uci(moments[n % 3].iter().copied()).unwrap()).collect();
        let mut asked = Box::pin(evaluator.ask_all(moments.clone()));
        // Polled once, all thirty are in the queue, and the mind can have taken only some of them.
        assert!((&mut asked).now_or_never().is_none());
        drop(closed);
        let opinions = asked.await;
        for (moment, opinion) in moments.iter().zip(opinions) {
            assert_eq!(opinion.policy.unwrap().len(), moment.legal_moves().len());
        }
        // One that came first, and 29 as 16, 8, 4 and 1, at the most.
        let batches = brain.batches.load(Ordering::Relaxed);
        assert!(batches <= 5, "{batches} batches for 30 positions");
    }

    #[test]
    fn batches_are_of_few_sizes_and_leave_nothing_out() {
        for count in 0..200 {
            let all: Vec<usize> = (0..count).collect();
            let batches: Vec<&[usize]> = in_powers_of_two(&all).collect();
            assert_eq!(batches.concat(), all);
            assert!(batches.iter().all(|b| b.len().is_power_of_two() && b.len() <= LARGEST_BATCH));
        }
    }

    /// Counts the pieces for a value and the moves for scores, which is not what its opinions say.
    struct Native(Traits);

    impl Brain for Native {
        fn traits(&self) -> &Traits {
            &self.0
        }

        fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
            vec![Opinion::default(); moments.len()]
        }

        fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
            let value = |position: &Chess| position.board().occupied().count() as f32;
            let scores = |position: &Chess| vec![1.0; position.legal_moves().len()];
            let wanted = |wanted: bool| if wanted { positions } else { &[] };
            Evaluated {
                values: wanted(wants.value).iter().map(value).collect(),
                scores: wanted(wants.policy).iter().map(scores).collect(),
            }
        }

        fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
            None
        }
    }

    #[test]
    fn searches_get_the_traits_values_and_scores_that_the_mind_itself_has() {
        let bins = Some(Bins { shift: 0.5, edges: vec![1.0, 2.0] });
        let brain = Native(Traits { bins, ..traits(Some(MoveScores::Values), true) });
        let line = ["e2e4", "d7d5", "e4d5", "d8d5"];
        let after = |n: usize| Moment::default().after_uci(line[..n].iter().copied()).unwrap().position;
        let positions: Vec<Chess> = (0..=4).map(after).collect();
        let all_wants = [Wants::VALUE, Wants::POLICY, Wants::POLICY_AND_VALUE, Wants::NOTHING];
        let expected = all_wants.map(|wants| brain.evaluate(&positions, wants));
        let traits = brain.0.clone();
        let evaluator = Evaluator::start(Arc::new(brain));
        assert_eq!(*evaluator.traits(), traits);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    for _ in 0..20 {
                        assert_eq!(all_wants.map(|wants| evaluator.evaluate(&positions, wants)), expected);
                    }
                });
            }
        });
    }

    #[tokio::test]
    async fn a_thread_that_may_wait_gets_the_same_answers() {
        let evaluator = Evaluator::start(Arc::new(Counting::default()));
        let moments = [Moment::default(), Moment::default().after_uci(["e2e4"]).unwrap()];
        let waited = tokio::task::spawn_blocking({
            let (evaluator, moments) = (evaluator.clone(), moments.clone());
            move || evaluator.judge(&moments, Wants::ALL)
        });
        let (waited, asked) = (waited.await.unwrap(), evaluator.ask_all(moments.to_vec()).await);
        let lengths = |opinions: Vec<Opinion>| {
            opinions.into_iter().map(|o| o.policy.unwrap().len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(waited), lengths(asked));
    }

    struct Panicking(Traits);

    impl Brain for Panicking {
        fn traits(&self) -> &Traits {
            &self.0
        }

        fn judge(&self, _: &[Moment], _: Wants) -> Vec<Opinion> {
            panic!("as the test wants")
        }

        fn evaluate(&self, _: &[Chess], _: Wants) -> Evaluated {
            panic!("as the test wants")
        }

        fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
            None
        }
    }

    #[tokio::test]
    async fn a_mind_that_breaks_down_answers_with_nothing() {
        let evaluator = Evaluator::start(Arc::new(Panicking(traits(None, true))));
        for _ in 0..2 {
            assert!(evaluator.ask(Moment::default()).await.policy.is_none());
        }
    }
}
