//! The server as a whole, asked as a browser, a script or an attacker would ask it.

mod games;
mod robustness;
mod security;
mod sockets;
mod training;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, Response, StatusCode, header},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;

use super::{guard::Guard, router::router, state::AppState};
use crate::play::{
    game::journal::Journals,
    ids,
    minds::catalogue::{ENGINE, tests::minds},
};

/// A server without a socket, and the player who talks to it.
struct Visit {
    router: Router,
    client: String,
    folder: Arc<TempDir>,
    disk_full: Arc<AtomicBool>,
}

impl Visit {
    fn new() -> Visit {
        Visit::to(Arc::new(tempfile::tempdir().unwrap()))
    }

    fn to(folder: Arc<TempDir>) -> Visit {
        let journals = Journals::new(folder.path().to_owned());
        let disk_full = Arc::clone(&journals.disk_full);
        let state = Arc::new(AppState::new(journals, Arc::new(minds())));
        let guard = Guard { loopback_only: true, names: vec![] };
        Visit { router: router(state, guard), client: ids::client(), folder, disk_full }
    }

    /// Someone else on the same server.
    fn stranger(&self) -> Visit {
        Visit {
            router: self.router.clone(),
            client: ids::client(),
            folder: Arc::clone(&self.folder),
            disk_full: Arc::clone(&self.disk_full),
        }
    }

    /// The same player after a restart of the server.
    fn restarted(&self) -> Visit {
        Visit { client: self.client.clone(), ..Visit::to(Arc::clone(&self.folder)) }
    }

    fn request(&self, method: &str, path: &str) -> axum::http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "127.0.0.1:7878")
            .header(header::COOKIE, format!("tabiya={}", self.client))
    }

    async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        body(self.send(self.request("GET", path).body(Body::empty()).unwrap()).await).await
    }

    async fn post(&self, path: &str, value: &Value) -> (StatusCode, Value) {
        let request = self.request("POST", path).header(header::CONTENT_TYPE, "application/json");
        body(self.send(request.body(Body::from(value.to_string())).unwrap()).await).await
    }

    /// A new game, and its name.
    async fn begin(&self, changes: Value) -> String {
        let (status, game) = self.post("/api/games", &setup(changes)).await;
        assert_eq!(status, StatusCode::CREATED, "{game}");
        game["id"].as_str().unwrap().to_owned()
    }

    async fn act(&self, id: &str, action: Value) -> (StatusCode, Value) {
        self.post(&format!("/api/games/{id}/actions"), &action).await
    }

    /// The game once `plies` have been played.
    async fn wait_for(&self, id: &str, plies: usize) -> Value {
        loop {
            let (_, game) = self.get(&format!("/api/games/{id}")).await;
            if game["moves"].as_array().unwrap().len() >= plies || !game["verdict"].is_null() {
                return game;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
}

/// An answer as JSON; text that is none comes as a string.
async fn body(response: Response<Body>) -> (StatusCode, Value) {
    let status = response.status();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// A quick game as White, with some things changed.
fn setup(changes: Value) -> Value {
    let mut setup = json!({
        "mind": ENGINE, "rating": 1500, "own_rating": 1500, "color": "white",
        "time": { "base_s": 300, "increment_s": 3 }, "pace": "at_once",
    });
    for (key, value) in changes.as_object().unwrap() {
        setup[key] = value.clone();
    }
    setup
}

fn step(uci: &str) -> Value {
    json!({ "type": "move", "uci": uci })
}
