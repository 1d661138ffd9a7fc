//! A small Lichess for tests: the Bot API as it is described in public, with faults that can be switched on.

mod faults;
mod game;
mod routes;
mod search;
mod streams;

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::sync::broadcast;

pub(crate) use faults::Faults;
pub(crate) use game::{Ending, Plan};
pub(crate) use search::{Whim, whim};

use game::Game;

pub(crate) const TOKEN: &str = "lip_TheSecretOfTheTests";
pub(crate) const ACCOUNT: &str = "tabiyabot";

/// All that the server knows.
pub(crate) struct World {
    pub(crate) games: HashMap<String, Game>,
    /// Open challenges, as events tell them.
    pub(crate) challenges: HashMap<String, Value>,
    pub(crate) declined: HashMap<String, String>,
    pub(crate) plans: HashMap<String, Plan>,
    pub(crate) faults: Faults,
    /// Whether the account is a bot.
    pub(crate) title: &'static str,
    events: broadcast::Sender<String>,
}

#[derive(Clone)]
pub(crate) struct Server(Arc<Mutex<World>>);

impl Server {
    /// Listens on a port of this machine.
    pub(crate) async fn start(faults: Faults) -> (Server, SocketAddr) {
        let world = World {
            games: HashMap::new(),
            challenges: HashMap::new(),
            declined: HashMap::new(),
            plans: HashMap::new(),
            faults,
            title: "BOT",
            events: broadcast::channel(10_000).0,
        };
        let server = Server(Arc::new(Mutex::new(world)));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = routes::router(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (server, address)
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody challenges the account. The game's number is that of the challenge.
    pub(crate) fn challenge(&self, id: &str, plan: Plan) {
        let clock =
            json!({"type": "clock", "limit": plan.base_ms / 1000, "increment": plan.increment_ms / 1000});
        let challenge = json!({
            "id": id, "url": "x", "status": "created", "rated": plan.rated, "speed": "blitz", "color": "random",
            "challenger": {"id": plan.opponent, "name": plan.opponent, "rating": 1600, "title": plan.title},
            "destUser": {"id": ACCOUNT, "name": ACCOUNT}, "perf": {"name": "Blitz"},
            "variant": {"key": plan.variant, "name": plan.variant}, "timeControl": clock,
        });
        let mut world = self.world();
        world.plans.insert(id.to_owned(), plan);
        let event = json!({"type": "challenge", "challenge": challenge});
        world.challenges.insert(id.to_owned(), event.clone());
        world.tell(&event);
    }

    /// A game that is under way, without a challenge.
    pub(crate) fn begin(&self, id: &str, plan: Plan, moves: &str) {
        let mut game = Game::new(id, plan, ACCOUNT);
        moves.split_whitespace().for_each(|uci| game.play(uci));
        let mut world = self.world();
        world.tell(&game.start_event());
        world.games.insert(id.to_owned(), game);
        drop(world);
        self.run_opponent(id);
    }

    /// The challenger takes it back.
    pub(crate) fn withdraw(&self, id: &str) {
        let mut world = self.world();
        if let Some(mut event) = world.challenges.remove(id) {
            event["type"] = json!("challengeCanceled");
            world.tell(&event);
        }
    }

    /// The opponent of a game, and its clock.
    fn run_opponent(&self, id: &str) {
        let (server, id) = (self.clone(), id.to_owned());
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_millis(3)).await;
                let mut world = server.world();
                let Some(game) = world.games.get_mut(&id) else { return };
                game.step();
                if !game.is_running() {
                    let event = json!({"type": "gameFinish", "game": {"gameId": id, "id": id}});
                    world.tell(&event);
                    return;
                }
            }
        });
    }

    pub(crate) fn all_over(&self) -> bool {
        let world = self.world();
        world.challenges.is_empty() && world.games.values().all(|game| !game.is_running())
    }
}

impl World {
    fn tell(&self, event: &Value) {
        let _ = self.events.send(event.to_string());
    }
}
