//! The task that runs one game: it holds the game, lets the opponent think, watches the flag and writes the journal.
//! Everybody else sends it actions and watches its view of the game.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::{BoxFuture, FutureExt, OptionFuture};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until},
};
use tracing::error;

use super::{
    error::GameError,
    journal::{Journal, JournalError},
    state::{Action, ActionError, Event, Game},
    verdict::{Reason, Verdict},
    view::{View, to_pgn},
};
use crate::play::{
    minds::catalogue::Minds,
    minds::opponent::{Answer, Opponent},
    openings::Openings,
};

/// How long the task stays when nobody watches. The game itself stays on disk.
const IDLE: Duration = Duration::from_secs(15 * 60);
/// The same once the game is over: whoever comes back to it finds it on disk.
const IDLE_AFTER_END: Duration = Duration::from_secs(10);
const INBOX: usize = 16;
/// How much of a turn a server that is killed can give back.
const BETWEEN_MARKS: Duration = Duration::from_millis(500);
/// After the disk refused something that nobody asked for: a move of the opponent's, a fallen flag.
const BEFORE_RETRY: Duration = Duration::from_secs(1);

/// How others reach a running game.
#[derive(Clone, Debug)]
pub(crate) struct GameHandle {
    pub(crate) owner: String,
    inbox: mpsc::Sender<Message>,
    view: watch::Receiver<Arc<View>>,
}

enum Message {
    Act(Action, oneshot::Sender<Result<(), GameError>>),
    View(oneshot::Sender<View>),
    Pgn(oneshot::Sender<String>),
}

struct Session {
    game: Game,
    journal: Arc<Mutex<Journal>>,
    /// Why the last event could not be kept, and when the next may be tried.
    unsaved: Option<(&'static str, Instant)>,
    marked_at: Instant,
    opponent: Opponent,
    view: watch::Sender<Arc<View>>,
    /// The opponent's answer while it is being found, and then until it is time to play it.
    thinking: Option<BoxFuture<'static, Option<Answer>>>,
    planned: Option<Answer>,
    /// What the opponent makes of the player's offer of a draw.
    considering: Option<BoxFuture<'static, bool>>,
}

/// Starts the task of a game.
pub(crate) fn spawn(owner: String, game: Game, journal: Journal, minds: Arc<Minds>) -> GameHandle {
    let (view, watched) = watch::channel(Arc::new(View::of(&game, Openings::shared(), Instant::now())));
    let (inbox, messages) = mpsc::channel(INBOX);
    let opponent = Opponent::new(minds, &owner, &game.setup);
    let session = Session {
        game,
        journal: Arc::new(Mutex::new(journal)),
        unsaved: None,
        marked_at: Instant::now(),
        opponent,
        view,
        thinking: None,
        planned: None,
        considering: None,
    };
    tokio::spawn(session.run(messages));
    GameHandle { owner, inbox, view: watched }
}

impl GameHandle {
    /// Whether the task has ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.inbox.is_closed()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Arc<View>> {
        self.view.clone()
    }

    pub(crate) async fn act(&self, action: Action) -> Result<(), GameError> {
        self.ask(|reply| Message::Act(action, reply)).await?
    }

    /// The game as it stands, with clocks read at this moment.
    pub(crate) async fn view(&self) -> Result<View, GameError> {
        self.ask(Message::View).await
    }

    pub(crate) async fn pgn(&self) -> Result<String, GameError> {
        self.ask(Message::Pgn).await
    }

    async fn ask<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> Message) -> Result<T, GameError> {
        let (reply, answer) = oneshot::channel();
        self.inbox.send(message(reply)).await.map_err(|_| GameError::Gone)?;
        answer.await.map_err(|_| GameError::Gone)
    }
}

impl Session {
    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut idle_since = Instant::now();
        loop {
            self.set_thinking();
            let not_before = self.unsaved.map(|(_, at)| at);
            let later = |at: Instant| not_before.map_or(at, |first| first.max(at));
            let playing_at = self.planned.map(|answer| later(self.game.clock.turn_began() + answer.after));
            // Without an opponent there is nobody to lose to.
            let flag_at =
                self.game.clock.flag_falls(self.game.running()).filter(|_| self.opponent.is_there());
            let flag_at = flag_at.map(later);
            let mark_at = self.game.running().map(|_| self.marked_at + BETWEEN_MARKS);
            let idle = if self.game.is_over() { IDLE_AFTER_END } else { IDLE };
            let wake = |at: Option<Instant>| OptionFuture::from(at.map(sleep_until));
            tokio::select! {
                message = messages.recv() => match message {
                    Some(message) => {
                        idle_since = Instant::now();
                        self.handle(message).await;
                    }
                    None => return,
                },
                Some(answer) = OptionFuture::from(self.thinking.as_mut()) => {
                    self.thinking = None;
                    self.planned = answer;
                    if answer.is_none() {
                        // A mind that fails must not leave the player before a dead board.
                        self.resign().await;
                    }
                }
                Some(taken) = OptionFuture::from(self.considering.as_mut()) => {
                    self.considering = None;
                    self.answer_offer(taken).await;
                }
                Some(()) = wake(playing_at) => self.play_planned().await,
                Some(()) = wake(not_before.filter(|&at| at > Instant::now())) => {}
                Some(()) = wake(flag_at) => {
                    let before = self.game.clone();
                    let events = self.game.flag(Instant::now()).unwrap_or_default();
                    self.keep_or_undo(before, events).await;
                }
                Some(()) = wake(mark_at) => self.mark().await,
                () = sleep_until(idle_since + idle) => {
                    // The list of games and the task itself hold one receiver and one sender; more means that someone watches.
                    if self.view.receiver_count() <= 1 {
                        self.mark().await;
                        return;
                    }
                    idle_since = Instant::now();
                }
            }
        }
    }

    fn set_thinking(&mut self) {
        let allowed = self.unsaved.is_none_or(|(_, at)| at <= Instant::now());
        let idle = self.thinking.is_none() && self.planned.is_none();
        if self.game.opponent_to_move() && idle && allowed && self.opponent.is_there() {
            self.thinking = Some(self.opponent.answer(self.game.now.clone()).boxed());
        }
    }

    async fn handle(&mut self, message: Message) {
        let now = Instant::now();
        // Whoever asked and left does not need the answer.
        match message {
            Message::View(reply) => drop(reply.send(self.view(now))),
            Message::Pgn(reply) => drop(reply.send(to_pgn(&self.game, Openings::shared()).to_string())),
            Message::Act(action, reply) => {
                let result = self.act(&action, now).await;
                drop(reply.send(result));
            }
        }
    }

    async fn act(&mut self, action: &Action, now: Instant) -> Result<(), GameError> {
        if matches!(action, Action::Move { .. } | Action::Draw {}) && !self.opponent.is_there() {
            return Err(ActionError::NoOpponent(self.game.setup.mind.clone()).into());
        }
        let before = self.game.clone();
        let events = self.game.act(action, now)?;
        self.keep(before, events).await?;
        match action {
            Action::Takeback {} | Action::Resign {} | Action::Abort {} => {
                (self.thinking, self.planned) = (None, None);
            }
            Action::Draw {} if !self.game.is_over() => {
                let answer = self.opponent.takes_draw(self.game.now.clone(), self.game.opponent_to_move());
                self.considering = Some(answer.boxed());
            }
            Action::Draw {} | Action::Move { .. } => {}
        }
        Ok(())
    }

    /// Notes how long the turn has lasted, for whoever brings the game back.
    async fn mark(&mut self) {
        self.marked_at = Instant::now();
        if self.game.running().is_none() {
            return;
        }
        let spent = self.marked_at - self.game.clock.turn_began();
        let journal = Arc::clone(&self.journal);
        let mark = move || journal.lock().unwrap_or_else(PoisonError::into_inner).mark(spent);
        // A mark that is lost costs a moment's time and nothing else.
        drop(tokio::task::spawn_blocking(mark).await);
    }

    async fn answer_offer(&mut self, taken: bool) {
        if self.game.is_over() {
            return;
        }
        let before = self.game.clone();
        let mut events = Vec::new();
        if taken {
            events.push(self.game.end(Verdict::new(None, Reason::Agreement), Instant::now()));
        }
        // An agreement that cannot be kept is none.
        if self.keep_or_undo(before, events).await && taken {
            (self.thinking, self.planned) = (None, None);
        } else if let Some(offer) = &mut self.game.offer {
            offer.declined = true;
            self.show();
        }
    }

    async fn resign(&mut self) {
        let before = self.game.clone();
        let end =
            self.game.end(Verdict::new(Some(self.game.setup.color), Reason::Resignation), Instant::now());
        self.keep_or_undo(before, vec![end]).await;
    }

    async fn play_planned(&mut self) {
        let Some(answer) = self.planned else { return };
        if answer.resigns {
            return self.resign().await;
        }
        let before = self.game.clone();
        let events = self.game.play(answer.played, Instant::now());
        self.game.offered_at = answer.offers_draw.then_some(self.game.plies.len());
        if self.keep_or_undo(before, events).await {
            self.planned = None;
        }
    }

    /// For events that nobody asked for; they come again if they cannot be kept. Whether they are.
    async fn keep_or_undo(&mut self, before: Game, events: Vec<Event>) -> bool {
        self.keep(before, events).await.inspect_err(|error| error!("{error}")).is_ok()
    }

    /// First the disk, then the players. What cannot be kept has not happened: the game is again as it was `before`.
    async fn keep(&mut self, before: Game, events: Vec<Event>) -> Result<(), JournalError> {
        let kept = write(Arc::clone(&self.journal), events).await;
        match &kept {
            Ok(()) => self.unsaved = None,
            Err(error) => {
                self.game = before;
                self.unsaved = Some((error.for_player(), Instant::now() + BEFORE_RETRY));
            }
        }
        if self.game.is_over() {
            self.opponent.rest();
        }
        self.show();
        kept
    }

    fn view(&self, now: Instant) -> View {
        let mut view = View::of(&self.game, Openings::shared(), now);
        if let Some((why, _)) = self.unsaved {
            view.remark = Some(why.to_owned());
        } else if !self.game.is_over() && !self.opponent.is_there() {
            view.remark = Some(ActionError::NoOpponent(self.game.setup.mind.clone()).to_string());
        }
        view
    }

    fn show(&self) {
        self.view.send_replace(Arc::new(self.view(Instant::now())));
    }
}

/// Off the threads that serve, as a disk may take its time.
async fn write(journal: Arc<Mutex<Journal>>, events: Vec<Event>) -> Result<(), JournalError> {
    if events.is_empty() {
        return Ok(());
    }
    let append = move || journal.lock().unwrap_or_else(PoisonError::into_inner).append(&events);
    tokio::task::spawn_blocking(append).await.unwrap_or_else(|error| Err(JournalError::broken(&error)))
}
