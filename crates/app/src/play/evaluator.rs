//! One mind for all games: whatever positions wait are judged in one batch, so that fifty players cost little
//! more than one.

use std::{fmt, sync::Arc};

use chess::{Brain, Moment, Opinion};
use tokio::sync::{mpsc, oneshot};

/// Larger batches gain nothing on a processor and make the first in the queue wait.
const LARGEST_BATCH: usize = 64;
const QUEUE: usize = 1024;

#[derive(Clone)]
pub(crate) struct Evaluator {
    requests: mpsc::Sender<Request>,
}

struct Request {
    moment: Box<Moment>,
    answer: oneshot::Sender<Opinion>,
}

impl Evaluator {
    /// Starts the thread on which `brain` thinks. It ends with the last evaluator.
    pub(crate) fn start(brain: Arc<dyn Brain>) -> Evaluator {
        let (requests, inbox) = mpsc::channel(QUEUE);
        std::thread::spawn(move || serve(&*brain, inbox));
        Evaluator { requests }
    }

    /// The mind's opinion; an empty one if the mind broke down.
    pub(crate) async fn ask(&self, moment: Moment) -> Opinion {
        let (answer, opinion) = oneshot::channel();
        if self.requests.send(Request { moment: Box::new(moment), answer }).await.is_err() {
            return Opinion::default();
        }
        opinion.await.unwrap_or_default()
    }

    pub(crate) async fn ask_all(&self, moments: Vec<Moment>) -> Vec<Opinion> {
        futures_util::future::join_all(moments.into_iter().map(|moment| self.ask(moment))).await
    }
}

/// To a search the shared mind is one like any other. It waits, so this is for threads that may.
impl Brain for Evaluator {
    fn judge(&self, moments: &[Moment]) -> Vec<Opinion> {
        let asked: Vec<_> = moments
            .iter()
            .map(|moment| {
                let (answer, opinion) = oneshot::channel();
                let request = Request { moment: Box::new(moment.clone()), answer };
                self.requests.blocking_send(request).ok().map(|()| opinion)
            })
            .collect();
        let wait = |opinion: Option<oneshot::Receiver<Opinion>>| opinion?.blocking_recv().ok();
        asked.into_iter().map(|opinion| wait(opinion).unwrap_or_default()).collect()
    }
}

fn serve(brain: &dyn Brain, mut inbox: mpsc::Receiver<Request>) {
    let mut waiting = Vec::new();
    while inbox.blocking_recv_many(&mut waiting, LARGEST_BATCH) > 0 {
        // Whoever asked may have left: a game that ended, a page that was closed.
        waiting.retain(|request| !request.answer.is_closed());
        let (moments, answers): (Vec<Moment>, Vec<_>) =
            waiting.drain(..).map(|request| (*request.moment, request.answer)).unzip();
        if moments.is_empty() {
            continue;
        }
        let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| brain.judge(&moments)));
        let opinions = judged.unwrap_or_default();
        // Answers that find no opinion are dropped, and their askers get the empty one.
        for (answer, opinion) in answers.into_iter().zip(opinions) {
            // Someone who left in the meantime misses nothing.
            let _ = answer.send(opinion);
        }
    }
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
        let batches = brain.batches.load(Ordering::Relaxed);
        assert!(batches <= 2, "{batches} batches for 30 positions");
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
