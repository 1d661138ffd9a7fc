//! The account: what comes to it, whom it plays, and how it ends.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use hyper::StatusCode;
use thiserror::Error;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep},
};

use crate::{
    back_off::BackOff,
    challenges::Remembered,
    client::Client,
    daily::{Daily, today},
    events::{Challenge, Event, Profile},
    failure::Failure,
    lines::Lines,
    manners::{Chat, Manners, OnInterrupt},
    policy::{Decline, Policy, Standing, Verdict},
    report::{Report, Teller},
    seat::Seat,
    table::{Room, Table},
};

/// A challenge that was accepted and whose game has not come after so long never will.
const GAME_COMES: Duration = Duration::from_secs(30);

/// A Lichess account that plays by itself.
#[expect(missing_debug_implementations, reason = "holds functions")]
pub struct Bot {
    pub client: Arc<Client>,
    pub policy: Policy,
    pub manners: Manners,
    pub chat: Chat,
    pub seat: Seat,
    pub tell: Teller,
}

#[derive(Debug, Error)]
pub enum BotError {
    #[error("Lichess does not know this token, or it lacks the scope bot:play ({0})")]
    Token(Failure),
    #[error("{0} is not a bot account; docs/lichess.md says how to make it one, which cannot be undone")]
    NotBot(String),
}

/// What a task of the account has done.
enum Done {
    Game(String),
    /// Whether the challenge was accepted.
    Accepted(String, bool),
    Word,
}

/// All that is going on.
struct Hall {
    room: Arc<Room>,
    policy: Policy,
    on_interrupt: OnInterrupt,
    tasks: JoinSet<Done>,
    games: HashSet<String>,
    /// Challenges that were accepted and whose games have not begun.
    agreed: HashMap<String, Instant>,
    waiting: VecDeque<Challenge>,
    /// Challenges that were answered, and games that have ended.
    answered: Remembered,
    over: Remembered,
    daily: Daily,
    ending: bool,
}

impl Bot {
    /// Asks whose account it is, as often as it takes.
    pub async fn profile(&self) -> Result<Profile, BotError> {
        let patience = self.client.patience;
        let mut back_off = BackOff::new(patience.first_retry, patience.longest_retry);
        loop {
            match self.client.profile().await {
                Ok(profile) if profile.is_bot() => return Ok(profile),
                Ok(profile) => return Err(BotError::NotBot(profile.username)),
                Err(failure) if failure.is(StatusCode::UNAUTHORIZED) || failure.is(StatusCode::FORBIDDEN) => {
                    return Err(BotError::Token(failure));
                }
                Err(failure) => {
                    let again_in = back_off.next();
                    let what = "the account".to_owned();
                    (self.tell)(&Report::Lost { what, why: failure.to_string(), again_in });
                    sleep(again_in).await;
                }
            }
        }
    }

    /// Plays until `stop` turns true and, if so wished, all games have ended.
    pub async fn run(self, mut stop: watch::Receiver<bool>) -> Result<(), BotError> {
        let account = tokio::select! {
            account = self.profile() => account?,
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        };
        (self.tell)(&Report::Listening { account: account.username });
        let on_interrupt = self.manners.on_interrupt;
        let room = Arc::new(Room {
            client: self.client,
            account: account.id,
            seat: self.seat,
            manners: self.manners,
            chat: self.chat,
            tell: self.tell,
        });
        let mut hall = Hall {
            room,
            policy: self.policy,
            on_interrupt,
            tasks: JoinSet::new(),
            games: HashSet::new(),
            agreed: HashMap::new(),
            waiting: VecDeque::new(),
            answered: Remembered::default(),
            over: Remembered::default(),
            daily: Daily::default(),
            ending: false,
        };
        hall.run(&mut stop).await;
        Ok(())
    }
}

impl Hall {
    async fn run(&mut self, stop: &mut watch::Receiver<bool>) {
        let patience = self.room.client.patience;
        let mut back_off = BackOff::new(patience.first_retry, patience.longest_retry);
        let mut lines: Option<Lines> = None;
        let mut open_at = Instant::now();
        while !self.is_over() {
            let room = Arc::clone(&self.room);
            let event = async {
                match &mut lines {
                    Some(lines) => Ok(Heard::Line(lines.next().await?)),
                    None => {
                        tokio::time::sleep_until(open_at).await;
                        room.client.stream("/api/stream/event").await.map(Heard::Open)
                    }
                }
            };
            let heard = tokio::select! {
                heard = event => heard,
                Some(done) = self.tasks.join_next() => {
                    if let Ok(done) = done {
                        self.done(done);
                    }
                    continue;
                }
                _ = stop.wait_for(|stop| *stop), if !self.ending => {
                    self.end();
                    continue;
                }
                () = sleep(GAME_COMES) => {
                    self.forget_the_late();
                    self.invite();
                    continue;
                }
            };
            let why = match heard {
                Ok(Heard::Open(stream)) => {
                    lines = Some(stream);
                    continue;
                }
                Ok(Heard::Line(Some(line))) => {
                    back_off.reset();
                    self.hear(&line);
                    continue;
                }
                Ok(Heard::Line(None)) => "the stream of events ended".to_owned(),
                Err(failure) => failure.to_string(),
            };
            lines = None;
            let again_in = back_off.next();
            open_at = Instant::now() + again_in;
            self.tell(&Report::Lost { what: "events".to_owned(), why, again_in });
        }
    }

    fn is_over(&self) -> bool {
        let leaving = self.on_interrupt == OnInterrupt::Leave;
        self.ending && (leaving || self.games.is_empty() && self.agreed.is_empty() && self.tasks.is_empty())
    }

    fn end(&mut self) {
        self.ending = true;
        self.tell(&Report::Ending { games: self.games.len() + self.agreed.len() });
        for challenge in std::mem::take(&mut self.waiting) {
            self.decline(&challenge, Decline::Later);
        }
    }

    fn hear(&mut self, line: &str) {
        match serde_json::from_str::<Event>(line) {
            Ok(Event::Challenge { challenge }) => self.challenged(challenge),
            Ok(Event::ChallengeCanceled { challenge } | Event::ChallengeDeclined { challenge }) => {
                let before = self.waiting.len();
                self.waiting.retain(|waiting| waiting.id != challenge.id);
                if self.agreed.remove(&challenge.id).is_some() || self.waiting.len() < before {
                    self.tell(&Report::Canceled { challenge: challenge.id });
                    self.invite();
                }
            }
            Ok(Event::GameStart { game }) => self.start(game.id),
            // That a game has ended its own task learns from its own stream.
            Ok(Event::Other) => {}
            Err(error) => {
                let what = "an event that cannot be read".to_owned();
                self.tell(&Report::Failed { game: "events".to_owned(), what, why: error.to_string() });
            }
        }
    }

    /// Events come again whenever the stream is opened; each challenge is answered once.
    fn challenged(&mut self, challenge: Challenge) {
        let ours = challenge.challenger.id == self.room.account;
        if ours || !self.answered.is_new(&challenge.id) {
            return;
        }
        let name = challenge.challenger.name.clone();
        let standing = self.standing(&challenge);
        match self.policy.judge(&challenge, standing) {
            Verdict::Accept => self.accept(&challenge),
            Verdict::Wait => {
                self.tell(&Report::Waiting { challenge: challenge.id.clone(), name });
                self.waiting.push_back(challenge);
            }
            Verdict::Decline(reason) => self.decline(&challenge, reason),
        }
    }

    /// Accepted challenges without a game must not keep a board for ever.
    fn forget_the_late(&mut self) {
        self.agreed.retain(|_, since| since.elapsed() < GAME_COMES);
    }

    fn standing(&mut self, challenge: &Challenge) -> Standing {
        self.forget_the_late();
        Standing {
            games: self.games.len() + self.agreed.len(),
            waiting: self.waiting.len(),
            today: self.daily.count(&challenge.challenger.id, today()),
            ending: self.ending,
        }
    }

    fn accept(&mut self, challenge: &Challenge) {
        let (id, name) = (challenge.id.clone(), challenge.challenger.name.clone());
        self.agreed.insert(id.clone(), Instant::now());
        self.daily.add(&challenge.challenger.id, today());
        self.tell(&Report::Accepted { challenge: id.clone(), name });
        let room = Arc::clone(&self.room);
        self.tasks.spawn(async move {
            let accepted = answer(&room, &id, "accept", "").await;
            Done::Accepted(id, accepted)
        });
    }

    fn decline(&mut self, challenge: &Challenge, reason: Decline) {
        let (id, name) = (challenge.id.clone(), challenge.challenger.name.clone());
        self.tell(&Report::Declined { challenge: id.clone(), name, reason });
        let room = Arc::clone(&self.room);
        self.tasks.spawn(async move {
            answer(&room, &id, "decline", &format!("reason={}", reason.key())).await;
            Done::Word
        });
    }

    /// A game that has begun is played, whoever began it.
    fn start(&mut self, id: String) {
        self.agreed.remove(&id);
        if !self.over.knows(&id) && self.games.insert(id.clone()) {
            let table = Table::new(Arc::clone(&self.room), id.clone());
            self.tasks.spawn(async move {
                table.play().await;
                Done::Game(id)
            });
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Game(id) => {
                self.games.remove(&id);
                self.over.is_new(&id);
                self.invite();
            }
            Done::Accepted(id, false) => {
                self.agreed.remove(&id);
                self.invite();
            }
            Done::Accepted(_, true) | Done::Word => {}
        }
    }

    /// Free boards go to those who wait.
    fn invite(&mut self) {
        while self.games.len() + self.agreed.len() < self.policy.games_at_once {
            let Some(challenge) = self.waiting.pop_front() else { return };
            let standing = self.standing(&challenge);
            match self.policy.objection(&challenge, standing) {
                Some(reason) => self.decline(&challenge, reason),
                None => self.accept(&challenge),
            }
        }
    }

    fn tell(&self, report: &Report) {
        (self.room.tell)(report);
    }
}

enum Heard {
    Open(Lines),
    Line(Option<String>),
}

/// Accepts or declines, again where nobody knows whether it was heard. Tells whether it was done.
async fn answer(room: &Room, id: &str, what: &str, form: &str) -> bool {
    const TRIES: u32 = 5;
    let patience = room.client.patience;
    let mut back_off = BackOff::new(patience.first_retry, patience.longest_retry);
    for _ in 0..TRIES {
        match room.client.post(&format!("/api/challenge/{id}/{what}"), form).await {
            Ok(()) => return true,
            // Withdrawn, or done already by a try of which nothing was heard: then its game comes all the same.
            Err(Failure::Refused { status, text }) => {
                let (what, why) = (format!("to {what} the challenge"), format!("{status} {text}"));
                (room.tell)(&Report::Failed { game: id.to_owned(), what, why });
                return false;
            }
            Err(Failure::TooMany | Failure::Lost(_)) => sleep(back_off.next()).await,
        }
    }
    false
}
