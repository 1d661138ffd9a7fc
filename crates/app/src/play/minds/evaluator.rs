//! One mind for all games: whatever positions wait are judged in one batch, so that fifty players cost little
//! more than one.

use std::{fmt, panic, sync::Arc};

use chess::{Bins, Brain, Moment, Opinion, shakmaty::Chess};
use tokio::sync::{mpsc, oneshot};

/// Larger batches gain nothing on a processor and make the first in the queue wait.
const LARGEST_BATCH: usize = 32;
const QUEUE: usize = 1024;

#[derive(Clone)]
pub(crate) struct Evaluator {
    requests: mpsc::Sender<Request>,
    bins: Option<Arc<Bins>>,
}

/// What a mind can be asked, each with the one who waits for it.
enum Request {
    Opinion(Box<Moment>, oneshot::Sender<Opinion>),
    Values(Vec<Chess>, oneshot::Sender<Option<Vec<f32>>>),
    MoveScores(Vec<Chess>, oneshot::Sender<Option<Vec<Vec<f32>>>>),
}

impl Evaluator {
    /// Starts the thread on which `brain` thinks. It ends with the last evaluator.
    pub(crate) fn start(brain: Arc<dyn Brain>) -> Evaluator {
        let (requests, inbox) = mpsc::channel(QUEUE);
        let bins = brain.bins().cloned().map(Arc::new);
        std::thread::spawn(move || serve(&*brain, inbox));
        Evaluator { requests, bins }
    }

    /// The mind's opinion; an empty one if the mind broke down.
    pub(crate) async fn ask(&self, moment: Moment) -> Opinion {
        let (answer, opinion) = oneshot::channel();
        if self.requests.send(Request::Opinion(Box::new(moment), answer)).await.is_err() {
            return Opinion::default();
        }
        opinion.await.unwrap_or_default()
    }

    pub(crate) async fn ask_all(&self, moments: Vec<Moment>) -> Vec<Opinion> {
        futures_util::future::join_all(moments.into_iter().map(|moment| self.ask(moment))).await
    }

    /// Asks and waits; nothing if the mind broke down.
    fn wait<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Option<T> {
        let (answer, found) = oneshot::channel();
        self.requests.blocking_send(request(answer)).ok()?;
        found.blocking_recv().ok()
    }
}

/// To a search the shared mind is one like any other. It waits, so this is for threads that may.
impl Brain for Evaluator {
    fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
        let asked: Vec<_> = moments
            .iter()
            .map(|moment| {
                let (answer, opinion) = oneshot::channel();
                let request = Request::Opinion(Box::new(moment.clone()), answer);
                self.requests.blocking_send(request).ok().map(|()| opinion)
            })
            .collect();
        let wait = |opinion: Option<oneshot::Receiver<Opinion>>| opinion?.blocking_recv().ok();
        asked.into_iter().map(|opinion| wait(opinion).unwrap_or_default()).collect()
    }

    fn values(&self, positions: &[Chess]) -> Option<Vec<f32>> {
        self.wait(|answer| Request::Values(positions.to_vec(), answer))?
    }

    fn move_scores(&self, positions: &[Chess]) -> Option<Vec<Vec<f32>>> {
        self.wait(|answer| Request::MoveScores(positions.to_vec(), answer))?
    }

    fn bins(&self) -> Option<&Bins> {
        self.bins.as_deref()
    }
}

fn serve(brain: &dyn Brain, mut inbox: mpsc::Receiver<Request>) {
    let mut waiting = Vec::new();
    while inbox.blocking_recv_many(&mut waiting, LARGEST_BATCH) > 0 {
        let (mut moments, mut values, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        for request in waiting.drain(..) {
            // Whoever asked may have left: a game that ended, a page that was closed.
            match request {
                Request::Opinion(moment, answer) if !answer.is_closed() => {
                    moments.push((vec![*moment], answer));
                }
                Request::Values(positions, answer) if !answer.is_closed() => values.push((positions, answer)),
                Request::MoveScores(positions, answer) if !answer.is_closed() => {
                    scores.push((positions, answer));
                }
                _ => {}
            }
        }
        // Players first: searches ask for much, and have more to ask as soon as they are answered.
        together(moments, |all| Some(brain.judge(all)), |found| found?.pop());
        together(values, |all| brain.values(all), Some);
        together(scores, |all| brain.move_scores(all), Some);
    }
}

/// Asks for all positions of all requests at once, and gives each request its own answers: `told` makes of them what it waits for.
/// Requests that find no answer are dropped, and those who wait see that the mind broke down.
fn together<P, T, A>(
    requests: Vec<(Vec<P>, oneshot::Sender<A>)>,
    ask: impl Fn(&[P]) -> Option<Vec<T>>,
    told: impl Fn(Option<Vec<T>>) -> Option<A>,
) {
    let counts: Vec<usize> = requests.iter().map(|(positions, _)| positions.len()).collect();
    let (positions, answers): (Vec<Vec<P>>, Vec<_>) = requests.into_iter().unzip();
    let positions: Vec<P> = positions.into_iter().flatten().collect();
    if positions.is_empty() {
        return;
    }
    let mut found = Some(Vec::new());
    for batch in in_powers_of_two(&positions) {
        let Ok(more) = panic::catch_unwind(panic::AssertUnwindSafe(|| ask(batch))) else { return };
        found = found.zip(more).map(|(found, more)| found.into_iter().chain(more).collect());
    }
    let mut found = found.map(Vec::into_iter);
    for (count, answer) in counts.into_iter().zip(answers) {
        let own = found.as_mut().map(|found| found.take(count).collect());
        if let Some(told) = told(own) {
            // Someone who left in the meantime misses nothing.
            let _ = answer.send(told);
        }
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

    use chess::shakmaty::Position;
    use futures_util::FutureExt;

    use super::*;

    /// Tells the number of legal moves as a policy of that length, and remembers its batches.
    #[derive(Default)]
    struct Counting {
        batches: AtomicUsize,
        gate: Mutex<()>,
    }

    impl Brain for Counting {
        fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
            let _open = self.gate.lock().unwrap();
            self.batches.fetch_add(1, Ordering::Relaxed);
            let opinion = |moment: &Moment| vec![0.0; moment.legal_moves().len()];
            moments.iter().map(|m| Opinion { policy: Some(opinion(m)), ..Opinion::default() }).collect()
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
    struct Native(Bins);

    impl Brain for Native {
        fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
            vec![Opinion::default(); moments.len()]
        }

        fn values(&self, positions: &[Chess]) -> Option<Vec<f32>> {
            Some(positions.iter().map(|position| position.board().occupied().count() as f32).collect())
        }

        fn move_scores(&self, positions: &[Chess]) -> Option<Vec<Vec<f32>>> {
            Some(positions.iter().map(|position| vec![1.0; position.legal_moves().len()]).collect())
        }

        fn bins(&self) -> Option<&Bins> {
            Some(&self.0)
        }
    }

    #[test]
    fn searches_get_the_values_scores_and_bins_that_the_mind_itself_has() {
        let brain = Native(Bins { shift: 0.5, edges: vec![1.0, 2.0] });
        let line = ["e2e4", "d7d5", "e4d5", "d8d5"];
        let after = |n: usize| Moment::default().after_uci(line[..n].iter().copied()).unwrap().position;
        let positions: Vec<Chess> = (0..=4).map(after).collect();
        let expected = (brain.values(&positions), brain.move_scores(&positions), brain.bins().cloned());
        let evaluator = Evaluator::start(Arc::new(brain));
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    for _ in 0..20 {
                        let answers = (evaluator.values(&positions), evaluator.move_scores(&positions));
                        assert_eq!((answers.0, answers.1, evaluator.bins().cloned()), expected);
                    }
                });
            }
        });
        let mute = Evaluator::start(Arc::new(Counting::default()));
        assert!(mute.values(&positions).is_none() && mute.bins().is_none());
    }

    #[tokio::test]
    async fn a_thread_that_may_wait_gets_the_same_answers() {
        let evaluator = Evaluator::start(Arc::new(Counting::default()));
        let moments = [Moment::default(), Moment::default().after_uci(["e2e4"]).unwrap()];
        let waited = tokio::task::spawn_blocking({
            let (evaluator, moments) = (evaluator.clone(), moments.clone());
            move || evaluator.judge(&moments)
        });
        let (waited, asked) = (waited.await.unwrap(), evaluator.ask_all(moments.to_vec()).await);
        let lengths = |opinions: Vec<Opinion>| {
            opinions.into_iter().map(|o| o.policy.unwrap().len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(waited), lengths(asked));
    }

    struct Panicking;

    impl Brain for Panicking {
        fn judge(&self, _: &[Moment]) -> Vec<Opinion> {
            panic!("as the test wants")
        }
    }

    #[tokio::test]
    async fn a_mind_that_breaks_down_answers_with_nothing() {
        let evaluator = Evaluator::start(Arc::new(Panicking));
        for _ in 0..2 {
            assert!(evaluator.ask(Moment::default()).await.policy.is_none());
        }
    }
}
