//! The paths of the API.

use axum::{
    Json, Router,
    body::Body,
    extract::{Path, Request, State},
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{ACCOUNT, Server, TOKEN, game::Game, streams};

pub(crate) fn router(server: Server) -> Router {
    Router::new()
        .route("/api/account", get(account))
        .route("/api/stream/event", get(events))
        .route("/api/bot/game/stream/{id}", get(game))
        .route("/api/bot/game/{id}/move/{uci}", post(play))
        .route("/api/bot/game/{id}/chat", post(chat))
        .route("/api/bot/game/{id}/{what}", post(ask))
        .route("/api/bot/game/{id}/{what}/{answer}", post(reply))
        .route("/api/challenge/{id}/accept", post(accept))
        .route("/api/challenge/{id}/decline", post(decline))
        .layer(middleware::from_fn_with_state(server.clone(), faulty))
        .with_state(server)
}

/// Checks the token, and goes wrong now and then.
async fn faulty(State(server): State<Server>, request: Request, next: Next) -> Response {
    let bearer = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if bearer != Some(&format!("Bearer {TOKEN}")) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let (too_many, before, after, delay) = {
        let mut world = server.world();
        let faults = &mut world.faults;
        let (too_many, before, after) = (faults.too_many, faults.fails_before, faults.fails_after);
        (faults.strikes(too_many), faults.strikes(before), faults.strikes(after), faults.delay())
    };
    if let Some(delay) = delay {
        tokio::time::sleep(delay).await;
    }
    if too_many {
        return StatusCode::TOO_MANY_REQUESTS.into_response();
    }
    if before {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let is_post = request.method() == axum::http::Method::POST;
    let response = next.run(request).await;
    if after && is_post { StatusCode::BAD_GATEWAY.into_response() } else { response }
}

async fn account(State(server): State<Server>) -> Json<Value> {
    let title = server.world().title;
    Json(json!({"id": ACCOUNT, "username": "TabiyaBot", "title": title}))
}

async fn events(State(server): State<Server>) -> Body {
    let (first, later) = {
        let world = server.world();
        let games = world.games.values().filter(|game| game.is_running()).map(Game::start_event);
        let open = games.chain(world.challenges.values().cloned());
        (open.map(|event| event.to_string()).collect(), world.events.subscribe())
    };
    streams::body(server, first, later)
}

async fn game(State(server): State<Server>, Path(id): Path<String>) -> Response {
    let (first, later) = {
        let world = server.world();
        let Some(game) = world.games.get(&id) else { return StatusCode::NOT_FOUND.into_response() };
        let first = [game.full()].into_iter().chain(game.gone_event());
        (first.map(|event| event.to_string()).collect(), game.subscribe())
    };
    streams::body(server, first, later).into_response()
}

async fn play(State(server): State<Server>, Path((id, uci)): Path<(String, String)>) -> Response {
    answer(server.world().games.get_mut(&id).map(|game| game.account_moves(&uci)))
}

async fn ask(State(server): State<Server>, Path((id, what)): Path<(String, String)>) -> Response {
    answer(server.world().games.get_mut(&id).map(|game| game.account_asks(&what)))
}

async fn reply(
    State(server): State<Server>,
    Path((id, what, yes)): Path<(String, String, String)>,
) -> Response {
    answer(server.world().games.get_mut(&id).map(|game| game.account_asks(&format!("{what}/{yes}"))))
}

async fn chat(State(server): State<Server>, Path(id): Path<String>, text: String) -> Response {
    answer(server.world().games.get_mut(&id).map(|game| {
        game.chat.push(text);
        Ok(())
    }))
}

async fn accept(State(server): State<Server>, Path(id): Path<String>) -> Response {
    let begun = {
        let mut world = server.world();
        let plan = world.challenges.remove(&id).and_then(|_| world.plans.get(&id).cloned());
        plan.map(|plan| {
            let game = Game::new(&id, plan, ACCOUNT);
            world.tell(&game.start_event());
            world.games.insert(id.clone(), game);
        })
    };
    if begun.is_some() {
        server.run_opponent(&id);
    }
    answer(begun.map(Ok))
}

async fn decline(State(server): State<Server>, Path(id): Path<String>, form: String) -> Response {
    let mut world = server.world();
    let open = world.challenges.remove(&id);
    world.declined.insert(id, form.trim_start_matches("reason=").to_owned());
    answer(open.map(|_| Ok(())))
}

fn answer(done: Option<Result<(), &'static str>>) -> Response {
    match done {
        None => (StatusCode::NOT_FOUND, Json(json!({"error": "not found"}))).into_response(),
        Some(Err(why)) => (StatusCode::BAD_REQUEST, Json(json!({"error": why}))).into_response(),
        Some(Ok(())) => Json(json!({"ok": true})).into_response(),
    }
}
