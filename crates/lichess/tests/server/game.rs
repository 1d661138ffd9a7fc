//! A game as the server keeps it: the board, the clocks, the opponent and her moods.

use std::time::{Duration, Instant};

use chess::{
    Moment,
    shakmaty::{ByColor, CastlingMode, Color},
};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::whim;

/// What a game is to be like.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) us: Color,
    pub(crate) opponent: String,
    pub(crate) title: Option<&'static str>,
    pub(crate) variant: &'static str,
    pub(crate) fen: Option<&'static str>,
    pub(crate) rated: bool,
    pub(crate) base_ms: u64,
    pub(crate) increment_ms: u64,
    /// How the opponent ends it, at which ply.
    pub(crate) ending: Ending,
    pub(crate) at_ply: usize,
    /// How long she waits for an answer to what she asks for.
    pub(crate) patience: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Resigns,
    /// Goes away, so that the win can be claimed.
    Leaves,
    /// Offers a draw, and resigns much later if it is declined.
    OffersDraw,
    /// Asks for a takeback at the ply, and resigns later.
    AsksTakeback,
    /// Never makes a move.
    NeverBegins,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            us: Color::White,
            opponent: "mary".to_owned(),
            title: None,
            variant: "standard",
            fen: None,
            rated: true,
            base_ms: 60_000,
            increment_ms: 0,
            ending: Ending::Resigns,
            at_ply: 20,
            patience: Duration::from_secs(30),
        }
    }
}

pub(crate) struct Game {
    id: String,
    account: String,
    pub(crate) plan: Plan,
    start: Moment,
    moment: Moment,
    pub(crate) moves: Vec<String>,
    left_ms: ByColor<f64>,
    since: Instant,
    pub(crate) status: &'static str,
    pub(crate) winner: Option<Color>,
    draw_offered: bool,
    takeback_asked: bool,
    asked_at: Instant,
    gone: bool,
    pub(crate) chat: Vec<String>,
    /// Moves that were sent when it was not the account's turn.
    pub(crate) out_of_turn: usize,
    /// Moves that were meant for another position.
    pub(crate) strange: usize,
    pub(crate) takebacks_granted: usize,
    lines: broadcast::Sender<String>,
}

impl Game {
    pub(crate) fn new(id: &str, plan: Plan, account: &str) -> Game {
        let start = plan.fen.map_or_else(Moment::default, |fen| {
            Moment::from_fen(fen, CastlingMode::Chess960).expect("a position")
        });
        let base = plan.base_ms as f64;
        Game {
            id: id.to_owned(),
            account: account.to_owned(),
            moment: start.clone(),
            start,
            moves: Vec::new(),
            left_ms: ByColor { white: base, black: base },
            since: Instant::now(),
            status: "started",
            winner: None,
            draw_offered: false,
            takeback_asked: false,
            asked_at: Instant::now(),
            gone: false,
            chat: Vec::new(),
            out_of_turn: 0,
            strange: 0,
            takebacks_granted: 0,
            lines: broadcast::channel(10_000).0,
            plan,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.status == "started"
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<String> {
        self.lines.subscribe()
    }

    pub(crate) fn start_event(&self) -> Value {
        let color = self.plan.us.fold_wb("white", "black");
        json!({"type": "gameStart", "game": {"gameId": self.id, "id": self.id, "fullId": "x", "color": color}})
    }

    pub(crate) fn full(&self) -> Value {
        let us = json!({"id": self.account, "name": self.account, "title": "BOT", "rating": 2000});
        let them = json!({"id": self.plan.opponent, "name": self.plan.opponent, "rating": 1600, "title": self.plan.title});
        let (white, black) = self.plan.us.fold_wb((&us, &them), (&them, &us));
        json!({
            "type": "gameFull", "id": self.id, "variant": {"key": self.plan.variant}, "speed": "blitz",
            "perf": {"name": "Blitz"}, "rated": self.plan.rated, "createdAt": 1, "white": white, "black": black,
            "initialFen": self.plan.fen.unwrap_or("startpos"),
            "clock": {"initial": self.plan.base_ms, "increment": self.plan.increment_ms}, "state": self.state(),
        })
    }

    fn state(&self) -> Value {
        let left = |side: Color| self.now_left(side).max(0.0) as u64;
        let mut state = json!({
            "type": "gameState", "moves": self.moves.join(" "), "status": self.status,
            "wtime": left(Color::White), "btime": left(Color::Black),
            "winc": self.plan.increment_ms, "binc": self.plan.increment_ms,
        });
        let them = self.plan.us.fold_wb("b", "w");
        if let Some(winner) = self.winner {
            state["winner"] = json!(winner.fold_wb("white", "black"));
        }
        if self.draw_offered {
            state[format!("{them}draw")] = json!(true);
        }
        if self.takeback_asked {
            state[format!("{them}takeback")] = json!(true);
        }
        state
    }

    /// Clocks run from the third ply on.
    fn now_left(&self, side: Color) -> f64 {
        let runs = self.is_running() && self.moves.len() >= 2 && self.moment.turn() == side;
        let gone = if runs { 1000.0 * self.since.elapsed().as_secs_f64() } else { 0.0 };
        *self.left_ms.get(side) - gone
    }

    fn tell(&self, event: &Value) {
        let _ = self.lines.send(event.to_string());
    }

    fn end(&mut self, status: &'static str, winner: Option<Color>) {
        // The clocks stop.
        for side in Color::ALL {
            *self.left_ms.get_mut(side) = self.now_left(side);
        }
        (self.status, self.winner) = (status, winner);
        self.tell(&self.state());
    }

    /// Plays a legal move and whatever follows from it by the rules.
    pub(crate) fn play(&mut self, uci: &str) {
        let side = self.moment.turn();
        let left =
            self.now_left(side) + if self.moves.len() >= 2 { self.plan.increment_ms as f64 } else { 0.0 };
        *self.left_ms.get_mut(side) = left;
        self.since = Instant::now();
        let m = self.moment.parse_uci(uci).expect("a legal move");
        self.moment.play(m);
        self.moves.push(uci.to_owned());
        if side != self.plan.us {
            (self.draw_offered, self.takeback_asked) = (false, false);
        }
        match self.moment.ending() {
            Some(ending) if ending.winner().is_some() => self.end("mate", ending.winner()),
            Some(_) => self.end("stalemate", None),
            None if self.moment.claim().is_some() => self.end("draw", None),
            None => self.tell(&self.state()),
        }
    }

    /// The account sends a move; an error is the text of a refusal.
    pub(crate) fn account_moves(&mut self, uci: &str) -> Result<(), &'static str> {
        if !self.is_running() || self.moment.turn() != self.plan.us {
            // A move may cross the end of the game on its way.
            self.out_of_turn += usize::from(self.is_running());
            return Err("Not your turn, or game already over");
        }
        let Ok(m) = self.moment.parse_uci(uci) else { return Err("illegal move") };
        self.strange += usize::from(whim(&self.moment) != Some(m));
        self.play(uci);
        Ok(())
    }

    /// What the account asks for beyond moves.
    pub(crate) fn account_asks(&mut self, what: &str) -> Result<(), &'static str> {
        let (us, running) = (self.plan.us, self.is_running());
        match what {
            _ if !running => return Err("the game is over"),
            "abort" if self.moves.len() < 2 => self.end("aborted", None),
            "resign" if self.moves.len() >= 2 => self.end("resign", Some(!us)),
            "claim-victory" if self.gone => self.end("timeout", Some(us)),
            "draw/yes" if self.draw_offered => self.end("draw", None),
            "draw/no" => self.draw_offered = false,
            "takeback/yes" if self.takeback_asked => self.take_back(),
            "takeback/no" => self.takeback_asked = false,
            _ => return Err("not now"),
        }
        Ok(())
    }

    /// The opponent's last move goes, and ours if it came after.
    fn take_back(&mut self) {
        self.takebacks_granted += 1;
        self.takeback_asked = false;
        let plies = if self.moment.turn() == self.plan.us { 1 } else { 2 };
        self.moves.truncate(self.moves.len() - plies);
        self.moment =
            self.start.clone().after_uci(self.moves.iter().map(String::as_str)).expect("its own moves");
        self.since = Instant::now();
        // Once is enough.
        self.plan.ending = Ending::Resigns;
        self.plan.at_ply += 10;
        self.tell(&self.state());
    }

    /// A step of time: flags fall, and the opponent moves or does what is planned.
    pub(crate) fn step(&mut self) {
        let us = self.plan.us;
        if let Some(late) = Color::ALL.into_iter().find(|&side| self.now_left(side) < 0.0) {
            return self.end("outoftime", Some(!late));
        }
        let reached = self.moves.len() >= self.plan.at_ply;
        match self.plan.ending {
            Ending::Resigns if reached => return self.end("resign", Some(us)),
            Ending::OffersDraw if self.moves.len() >= self.plan.at_ply + 30 => {
                return self.end("resign", Some(us));
            }
            Ending::AsksTakeback if self.moves.len() >= self.plan.at_ply + 10 => {
                return self.end("resign", Some(us));
            }
            Ending::Leaves if reached && !self.gone && self.moment.turn() != us => {
                self.gone = true;
                self.tell(&json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": 1}));
            }
            _ => {}
        }
        let awaits_answer = self.draw_offered || self.takeback_asked;
        if awaits_answer && self.asked_at.elapsed() < self.plan.patience {
            return;
        }
        if self.moment.turn() == us || self.gone || self.plan.ending == Ending::NeverBegins {
            return;
        }
        if let Some(m) = whim(&self.moment) {
            let uci = self.moment.uci(m);
            self.play(&uci);
        }
        let now = self.is_running()
            && self.moves.len() >= self.plan.at_ply
            && self.moves.len() < self.plan.at_ply + 2;
        match self.plan.ending {
            Ending::OffersDraw if now => self.draw_offered = true,
            Ending::AsksTakeback if now => self.takeback_asked = true,
            _ => return,
        }
        self.asked_at = Instant::now();
        self.tell(&self.state());
    }

    /// A word of the opponent's departure, for a stream that is opened after it.
    pub(crate) fn gone_event(&self) -> Option<Value> {
        let event = || json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": 1});
        (self.gone && self.is_running()).then(event)
    }
}
