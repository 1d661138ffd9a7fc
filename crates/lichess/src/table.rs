//! One game from its first event to its last: a task that listens, thinks, waits and moves.
//!
//! What is to be done in a position is decided once and kept until Lichess shows that it happened. Where nobody knows whether a move
//! arrived, the stream is opened anew, for its first line says how the game stands: so no move is lost and none is made twice.

use std::{sync::Arc, time::Duration};

use chess::Wdl;
use engine::{Choice, Lateness, Limits, Score, Signals, Task, expected_score, human};
use hyper::StatusCode;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep, sleep_until},
};

use crate::{
    back_off::BackOff,
    client::{Client, encoded},
    failure::Failure,
    game::Game,
    game_events::{GameEvent, GameState, OpponentGone},
    lines::Lines,
    manners::{Chat, Manners},
    report::{Report, Teller},
    seat::{Player, Seat},
};

/// What all games of an account share.
pub(crate) struct Room {
    pub(crate) client: Arc<Client>,
    pub(crate) account: String,
    pub(crate) seat: Seat,
    pub(crate) manners: Manners,
    pub(crate) chat: Chat,
    pub(crate) tell: Teller,
}

/// A first move must come within seconds, whatever a person would do on a clock that does not run yet.
const LONGEST_FIRST: Duration = Duration::from_secs(6);
/// Refusals of one and the same action after which a game is left alone.
const MOST_REFUSALS: u32 = 4;

/// What is to be done in a position.
#[derive(Clone, Debug)]
enum Action {
    Move { uci: String, offers_draw: bool },
    Resign,
}

#[derive(Debug)]
struct Decided {
    action: Action,
    /// Not before, so that it takes as long as it should.
    at: Instant,
    sent: Option<Instant>,
    refusals: u32,
}

struct Thinking {
    signals: Arc<Signals>,
    task: JoinHandle<(Player, Choice)>,
}

/// Whoever thinks for a game that is given up must not think on.
impl Drop for Thinking {
    fn drop(&mut self) {
        self.signals.stop();
    }
}

/// What time brings.
#[derive(Clone, Copy, Debug)]
enum Due {
    Act,
    Doubt,
    Abort,
    Claim,
}

#[derive(Debug, PartialEq, Eq)]
enum Flow {
    On,
    /// Ask Lichess how the game stands.
    Again,
    Over,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Done,
    Refused,
    /// Nobody knows, so it is worth another try.
    Unheard,
}

impl Asked {
    fn again_at(self) -> Option<Instant> {
        (self == Asked::Unheard).then(|| Instant::now() + Duration::from_secs(1))
    }
}

pub(crate) struct Table {
    room: Arc<Room>,
    id: String,
    game: Option<Game>,
    player: Option<Player>,
    thinking: Option<Thinking>,
    decided: Option<Decided>,
    /// Whether this stream has said how the game stands. Before that nothing is sent: it may have happened already.
    is_current: bool,
    lateness: Lateness,
    /// The clock of our last turn, its ply, and how long the move was to take.
    last_turn: Option<(u64, usize, Duration)>,
    mood: human::Mood,
    score: Option<Score>,
    level: Option<u16>,
    takebacks: u32,
    /// The ply at which a draw offer or a request to take back was answered.
    answered_draw: Option<usize>,
    answered_takeback: Option<usize>,
    claim_at: Option<Instant>,
    abort_at: Option<Instant>,
}

impl Table {
    pub(crate) fn new(room: Arc<Room>, id: String) -> Table {
        Table {
            room,
            id,
            game: None,
            player: None,
            thinking: None,
            decided: None,
            is_current: false,
            lateness: Lateness::default(),
            last_turn: None,
            mood: human::Mood::default(),
            score: None,
            level: None,
            takebacks: 0,
            answered_draw: None,
            answered_takeback: None,
            claim_at: None,
            abort_at: None,
        }
    }

    /// Plays the game to its end.
    pub(crate) async fn play(mut self) {
        let patience = self.room.client.patience;
        let mut back_off = BackOff::new(patience.first_retry, patience.longest_retry);
        loop {
            self.is_current = false;
            let path = format!("/api/bot/game/stream/{}", self.id);
            let why = match self.room.client.stream(&path).await {
                Ok(mut lines) => match self.listen(&mut lines, &mut back_off).await {
                    Ok(Flow::Over) => return,
                    Ok(_) => None,
                    Err(failure) => Some(failure),
                },
                Err(failure) if failure.is(StatusCode::NOT_FOUND) => return self.ended("gone", None),
                Err(failure) => Some(failure),
            };
            let again_in = back_off.next();
            if let Some(why) = why {
                let what = format!("game {}", self.id);
                self.tell(&Report::Lost { what, why: why.to_string(), again_in });
            }
            self.think_meanwhile(again_in).await;
        }
    }

    /// Waits without a stream; a search that ends meanwhile is not lost.
    async fn think_meanwhile(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while let Some(thinking) = &mut self.thinking {
            tokio::select! {
                done = &mut thinking.task => self.decide(done.ok()),
                () = sleep_until(until) => return,
            }
        }
        sleep_until(until).await;
    }

    async fn listen(&mut self, lines: &mut Lines, back_off: &mut BackOff) -> Result<Flow, Failure> {
        loop {
            let due = self.due();
            let at = due.map_or_else(|| Instant::now() + Duration::from_secs(3600), |(at, _)| at);
            let done = async {
                match &mut self.thinking {
                    Some(thinking) => (&mut thinking.task).await.ok(),
                    None => std::future::pending().await,
                }
            };
            let flow = tokio::select! {
                line = lines.next() => match line? {
                    None => return Ok(Flow::Again),
                    Some(line) => {
                        back_off.reset();
                        self.hear(&line).await
                    }
                },
                done = done => {
                    self.decide(done);
                    Flow::On
                }
                () = sleep_until(at), if due.is_some() => match due {
                    Some((_, due)) => self.act(due).await,
                    None => Flow::On,
                },
            };
            if flow != Flow::On {
                return Ok(flow);
            }
        }
    }

    /// What has to be done next, and when.
    fn due(&self) -> Option<(Instant, Due)> {
        let decided = self.decided.as_ref().filter(|_| self.is_current);
        let decided = decided.map(|decided| match decided.sent {
            None => (decided.at, Due::Act),
            Some(sent) => (sent + self.room.client.patience.answer, Due::Doubt),
        });
        let abort = self.abort_at.map(|at| (at, Due::Abort));
        let claim = self.claim_at.map(|at| (at, Due::Claim));
        [decided, abort, claim].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    async fn act(&mut self, due: Due) -> Flow {
        match due {
            Due::Act => return self.carry_out().await,
            // The move was taken, and yet nothing has been heard of it.
            Due::Doubt => return Flow::Again,
            Due::Abort => self.abort_at = self.request("abort", "").await.again_at(),
            Due::Claim => self.claim_at = self.request("claim-victory", "").await.again_at(),
        }
        Flow::On
    }

    async fn hear(&mut self, line: &str) -> Flow {
        let heard = Instant::now();
        match serde_json::from_str::<GameEvent>(line) {
            Ok(GameEvent::GameFull(full)) => {
                self.is_current = true;
                // The truth, so what was sent and is not in it has to be sent again.
                if let Some(decided) = &mut self.decided {
                    decided.sent = None;
                }
                let state = full.state.clone();
                if self.game.is_none() {
                    match self.sit_down(*full, heard) {
                        Ok(()) => {}
                        Err(why) => return self.leave(&why).await,
                    }
                }
                self.stand(state, heard).await
            }
            Ok(GameEvent::GameState(state)) => self.stand(state, heard).await,
            Ok(GameEvent::OpponentGone(OpponentGone { gone, claim_win_in_seconds })) => {
                let wait = claim_win_in_seconds.filter(|_| gone && self.room.manners.claim);
                self.claim_at = wait.map(|seconds| heard + Duration::from_secs(seconds));
                Flow::On
            }
            Ok(GameEvent::Other) => Flow::On,
            Err(error) => {
                self.failed("an event that cannot be read", &error.to_string());
                Flow::On
            }
        }
    }

    fn sit_down(&mut self, full: crate::game_events::GameFull, heard: Instant) -> Result<(), String> {
        let game = Game::new(full, &self.room.account, heard)?;
        if game.state.is_running() {
            let player = (self.room.seat)(&game.pairing)?;
            self.level = player.level;
            self.player = Some(player);
            let opponent = game.opponent_name.clone();
            self.tell(&Report::Started { game: self.id.clone(), opponent, us: game.us() });
            if game.has_hardly_begun() {
                self.say(&self.room.chat.hello, &game);
            }
        }
        self.game = Some(game);
        Ok(())
    }

    /// The game cannot be played.
    async fn leave(&mut self, why: &str) -> Flow {
        self.failed("it cannot be played", why);
        if self.request("abort", "").await != Asked::Done {
            self.request("resign", "").await;
        }
        Flow::Over
    }

    /// Takes in where the game stands, and does what that asks for.
    async fn stand(&mut self, state: GameState, heard: Instant) -> Flow {
        let Some(game) = &mut self.game else { return Flow::Again };
        let before = std::mem::take(&mut game.moves);
        if let Err(why) = game.update(state, heard) {
            return self.leave(&why).await;
        }
        let (same, running) = (before == game.moves, game.state.is_running());
        if !running {
            let (status, winner) = (game.state.status.clone(), game.state.winner);
            self.stop_thinking().await;
            self.ended(&status, winner);
            return Flow::Over;
        }
        if !same {
            self.decided = None;
            self.stop_thinking().await;
        }
        self.watch_first_move(heard);
        self.answer_requests().await;
        let our_turn = self.game.as_ref().is_some_and(Game::is_our_turn);
        if our_turn && self.decided.is_none() && self.thinking.is_none() {
            self.think();
        }
        Flow::On
    }

    fn watch_first_move(&mut self, heard: Instant) {
        let Some(game) = &self.game else { return };
        let waits = game.has_hardly_begun() && !game.is_our_turn() && game.pairing.clock_s.is_some();
        let wait = Duration::from_secs(self.room.manners.abort_after_s);
        self.abort_at = match (waits, self.abort_at) {
            (false, _) => None,
            (true, Some(at)) => Some(at),
            (true, None) => Some(heard + wait),
        };
    }

    async fn answer_requests(&mut self) {
        let Some(game) = &self.game else { return };
        let (them, ply) = (!game.us(), game.moves.len());
        if game.state.asks_takeback(them) && self.answered_takeback != Some(ply) {
            self.answered_takeback = Some(ply);
            let granted = self.takebacks < self.room.manners.takebacks;
            self.takebacks += u32::from(granted);
            self.tell(&Report::Offered { game: self.id.clone(), what: "takeback", granted });
            self.request(if granted { "takeback/yes" } else { "takeback/no" }, "").await;
        }
        let Some(game) = &self.game else { return };
        if game.state.offers_draw(them) && self.answered_draw != Some(ply) {
            self.answered_draw = Some(ply);
            let level = human::HumanSettings::default();
            let even = |score| human::accepts_draw(chances(score), &level);
            let granted = self.room.manners.draws && self.score.is_some_and(even);
            self.tell(&Report::Offered { game: self.id.clone(), what: "draw", granted });
            self.request(if granted { "draw/yes" } else { "draw/no" }, "").await;
        }
    }

    fn think(&mut self) {
        let Some(game) = &self.game else { return };
        let Some(mut player) = self.player.take().or_else(|| (self.room.seat)(&game.pairing).ok()) else {
            return;
        };
        let left_ms = game.state.left_ms(game.us());
        if let Some((last_ms, ply, planned)) = self.last_turn.take()
            && ply + 2 == game.moves.len()
            && let Some(cost_ms) = (last_ms + game.state.increment_ms(game.us())).checked_sub(left_ms)
        {
            self.lateness.add(Duration::from_millis(cost_ms).saturating_sub(planned));
        }
        let lateness = self.lateness.expected();
        let limits = match game.moment.clocks {
            Some(_) => Limits { lateness, ..Limits::clock() },
            None => Limits::move_time(Duration::from_millis(self.room.manners.correspondence_ms)),
        };
        let signals = Arc::new(Signals::new());
        let (moment, theirs) = (game.moment.clone(), Arc::clone(&signals));
        let task = tokio::task::spawn_blocking(move || {
            let task = Task { limits, signals: &theirs, report: &mut |_| {} };
            let choice = player.search.choose(&moment, task);
            (player, choice)
        });
        self.thinking = Some(Thinking { signals, task });
    }

    /// A search has ended, or failed where there is nothing.
    fn decide(&mut self, done: Option<(Player, Choice)>) {
        self.thinking = None;
        let Some(game) = &self.game else { return };
        let choice = match done {
            Some((player, choice)) => {
                self.player = Some(player);
                choice
            }
            None => {
                // A game must not be lost to a search that fails.
                let what = format!("the search failed in {}", game.moment.fen());
                self.failed(&what, "any legal move is played");
                Choice::default()
            }
        };
        let Some(game) = &self.game else { return };
        let Some(best) = choice.best.or_else(|| game.moment.legal_moves().first().copied()) else { return };
        self.score = choice.score;
        if let Some(score) = choice.score {
            self.mood.feel(chances(score), self.level.unwrap_or(human::HumanSettings::default().rating));
        }
        let resigning = human::HumanSettings { resigns: true, ..Default::default() };
        let resigns = self.room.manners.resign && (choice.resigns || self.mood.resigns(&resigning));
        let action = match resigns && !game.has_hardly_begun() {
            true => Action::Resign,
            false => Action::Move { uci: game.moment.uci(best), offers_draw: choice.offers_draw },
        };
        // A part of the time goes by on the way.
        let mut wait = choice.think.unwrap_or_default().saturating_sub(self.lateness.expected());
        if game.has_hardly_begun() {
            wait = wait.min(LONGEST_FIRST);
        }
        let at = (game.heard + wait).max(Instant::now());
        let left_ms = game.state.left_ms(game.us());
        self.last_turn = Some((left_ms, game.moves.len(), at - game.heard));
        self.decided = Some(Decided { action, at, sent: None, refusals: 0 });
    }

    /// Sends what was decided.
    async fn carry_out(&mut self) -> Flow {
        let Some((decided, game)) = self.decided.as_mut().zip(self.game.as_ref()) else { return Flow::On };
        let (what, path) = match &decided.action {
            Action::Move { uci, offers_draw } => {
                (uci.clone(), format!("/api/bot/game/{}/move/{uci}?offeringDraw={offers_draw}", self.id))
            }
            Action::Resign => ("resigning".to_owned(), format!("/api/bot/game/{}/resign", self.id)),
        };
        let ply = game.moves.len();
        match self.room.client.post(&path, "").await {
            Ok(()) => {
                decided.sent = Some(Instant::now());
                if let Action::Move { uci, .. } = &decided.action {
                    let report = Report::Moved { game: self.id.clone(), ply, uci: uci.clone() };
                    self.tell(&report);
                }
                Flow::On
            }
            Err(failure) => {
                decided.refusals += u32::from(matches!(failure, Failure::Refused { .. }));
                let hopeless = decided.refusals >= MOST_REFUSALS;
                self.failed(&what, &failure.to_string());
                if hopeless { Flow::Over } else { Flow::Again }
            }
        }
    }

    async fn stop_thinking(&mut self) {
        if let Some(mut thinking) = self.thinking.take() {
            thinking.signals.stop();
            if let Ok((player, _)) = (&mut thinking.task).await {
                self.player = Some(player);
            }
        }
    }

    /// Asks for something beside the moves.
    async fn request(&mut self, what: &str, form: &str) -> Asked {
        match self.room.client.post(&format!("/api/bot/game/{}/{what}", self.id), form).await {
            Ok(()) => Asked::Done,
            Err(failure) => {
                self.failed(what, &failure.to_string());
                if matches!(failure, Failure::Refused { .. }) { Asked::Refused } else { Asked::Unheard }
            }
        }
    }

    /// Words must not keep a move waiting.
    fn say(&self, text: &str, game: &Game) {
        if text.is_empty() {
            return;
        }
        let text = Chat::fill(text, &game.opponent_name, self.level);
        let (room, path) = (Arc::clone(&self.room), format!("/api/bot/game/{}/chat", self.id));
        tokio::spawn(async move {
            let form = format!("room=player&text={}", encoded(&text));
            // Unimportant enough to be forgotten; but not before the moves have gone.
            sleep(Duration::from_millis(100)).await;
            let _ = room.client.post(&path, &form).await;
        });
    }

    fn ended(&self, status: &str, winner: Option<chess::shakmaty::Color>) {
        let us = self.game.as_ref().map_or(chess::shakmaty::Color::White, Game::us);
        if let Some(game) =
            self.game.as_ref().filter(|game| self.player.is_some() && !game.has_hardly_begun())
        {
            self.say(&self.room.chat.goodbye, game);
        }
        self.tell(&Report::Ended { game: self.id.clone(), status: status.to_owned(), winner, us });
    }

    fn failed(&self, what: &str, why: &str) {
        self.tell(&Report::Failed { game: self.id.clone(), what: what.to_owned(), why: why.to_owned() });
    }

    fn tell(&self, report: &Report) {
        (self.room.tell)(report);
    }
}

/// The chances of a side that a score belongs to, where draws are not told apart.
fn chances(score: Score) -> Wdl {
    let expectation = expected_score(score);
    Wdl::from_weights(expectation, 0.0, 1.0 - expectation)
}
