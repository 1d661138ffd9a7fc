//! The task that runs one game: it holds the game, lets the opponent think, watches the flag and writes the journal.
//! Everybody else sends it actions and watches its view of the game.

use std::{sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt, OptionFuture};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until},
};

use super::{
    error::GameError,
    journal::Journal,
    state::{Action, Event, Game},
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
    journal: Journal,
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
    let opponent = Opponent::new(minds, &game.setup);
    let session = Session { game, journal, opponent, view, thinking: None, planned: None, considering: None };
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
            let playing_at = self.planned.map(|answer| self.game.clock.turn_began() + answer.after);
            let flag_at = self.game.clock.flag_falls(self.game.running());
            let idle = if self.game.is_over() { IDLE_AFTER_END } else { IDLE };
            let wake = |at: Option<Instant>| OptionFuture::from(at.map(sleep_until));
            tokio::select! {
                message = messages.recv() => match message {
                    Some(message) => {
                        idle_since = Instant::now();
                        self.handle(message);
                    }
                    None => return,
                },
                Some(answer) = OptionFuture::from(self.thinking.as_mut()) => {
                    self.thinking = None;
                    self.planned = answer;
                    if answer.is_none() {
                        // A mind that fails must not leave the player before a dead board.
                        self.resign();
                    }
                }
                Some(taken) = OptionFuture::from(self.considering.as_mut()) => {
                    self.considering = None;
                    self.answer_offer(taken);
                }
                Some(()) = wake(playing_at) => self.play_planned(),
                Some(()) = wake(flag_at) => {
                    let events = self.game.flag(Instant::now());
                    self.publish(events.unwrap_or_default());
                }
                () = sleep_until(idle_since + idle) => {
                    // The list of games and the task itself hold one receiver and one sender; more means that someone watches.
                    if self.view.receiver_count() <= 1 {
                        return;
                    }
                    idle_since = Instant::now();
                }
            }
        }
    }

    fn set_thinking(&mut self) {
        if self.game.opponent_to_move() && self.thinking.is_none() && self.planned.is_none() {
            self.thinking = Some(self.opponent.answer(self.game.now.clone()).boxed());
        }
    }

    fn handle(&mut self, message: Message) {
        let now = Instant::now();
        // Whoever asked and left does not need the answer.
        match message {
            Message::View(reply) => drop(reply.send(View::of(&self.game, Openings::shared(), now))),
            Message::Pgn(reply) => drop(reply.send(to_pgn(&self.game, Openings::shared()).to_string())),
            Message::Act(action, reply) => {
                let result = self.act(&action, now);
                drop(reply.send(result));
            }
        }
    }

    fn act(&mut self, action: &Action, now: Instant) -> Result<(), GameError> {
        let events = self.game.act(action, now)?;
        match action {
            Action::Takeback {} | Action::Resign {} => (self.thinking, self.planned) = (None, None),
            Action::Draw {} if !self.game.is_over() => {
                let answer = self.opponent.takes_draw(self.game.now.clone(), self.game.opponent_to_move());
                self.considering = Some(answer.boxed());
            }
            Action::Draw {} | Action::Move { .. } => {}
        }
        self.publish(events);
        Ok(())
    }

    fn answer_offer(&mut self, taken: bool) {
        if self.game.is_over() {
            return;
        }
        let mut events = Vec::new();
        if taken {
            (self.thinking, self.planned) = (None, None);
            events.push(self.game.end(Verdict::new(None, Reason::Agreement), Instant::now()));
        } else if let Some(offer) = &mut self.game.offer {
            offer.declined = true;
        }
        self.publish(events);
    }

    fn resign(&mut self) {
        let end =
            self.game.end(Verdict::new(Some(self.game.setup.color), Reason::Resignation), Instant::now());
        self.publish(vec![end]);
    }

    fn play_planned(&mut self) {
        if let Some(answer) = self.planned.take() {
            if answer.resigns {
                return self.resign();
            }
            let events = self.game.play(answer.played, Instant::now());
            self.game.offered_at = answer.offers_draw.then_some(self.game.plies.len());
            self.publish(events);
        }
    }

    /// First the disk, then the players.
    fn publish(&mut self, events: Vec<Event>) {
        if let Err(error) = self.journal.append(&events) {
            eprintln!("tabiya: {error}");
        }
        if self.game.is_over() {
            self.opponent.rest();
        }
        self.view.send_replace(Arc::new(View::of(&self.game, Openings::shared(), Instant::now())));
    }
}
