//! The line between a game and its player's page: actions in, the game after every change out.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{
        Path, State, WebSocketUpgrade,
        ws::{Message, WebSocket, rejection::WebSocketUpgradeRejection},
    },
    response::Response,
};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    api_error::{ApiError, ErrorBody},
    client::Client,
    rate_limit::Rate,
    state::AppState,
};
use crate::play::{game::session::GameHandle, game::state::Action, game::view::View};

/// No action needs more.
const LONGEST_MESSAGE: usize = 4096;
const MESSAGES_PER_SECOND: f64 = 10.0;
const BURST: f64 = 40.0;
/// Refusals after which a page that does not listen is hung up on.
const PATIENCE: u32 = 100;
/// A page says something, if only `ping`, at least this often.
const SILENCE: Duration = Duration::from_secs(90);
/// A page that takes nothing in for so long is gone.
const SLOWEST_READER: Duration = Duration::from_secs(20);

/// A WebSocket to the game.
///
/// In: Action, or `{"type": "ping"}`. Out: `{"type": "state", "game": Game}` at once and after every change, `{"type": "pong"}`, or an
/// error. At most 4096 bytes a message and 10 messages a second; something must be said every 90 seconds.
#[utoipa::path(
    get,
    path = "/games/{id}/socket",
    params(("id" = String, Path)),
    responses(
        (status = 101, description = "The connection is open"),
        (status = 404, description = "No such game of yours", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn open(
    State(state): State<Arc<AppState>>,
    client: Client,
    Path(id): Path<String>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let handle = state.games.find(&client.0, &id)?;
    let share = state.sockets.begin(&client.0)?;
    let upgrade = upgrade.map_err(|rejection| ApiError::bad(rejection.body_text()))?;
    let upgrade = upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE);
    Ok(upgrade.on_upgrade(|socket| async move {
        let _share = share;
        serve(socket, handle).await.unwrap_or_default();
    }))
}

/// Until either side leaves. Nothing that the page says can end the game, only the line.
async fn serve(mut socket: WebSocket, handle: GameHandle) -> Result<(), axum::Error> {
    let mut view = handle.watch();
    let mut rate = Rate::new(MESSAGES_PER_SECOND, BURST, std::time::Instant::now());
    let mut refusals = 0;
    let mut heard = Instant::now();
    if let Ok(state) = handle.view().await {
        send(&mut socket, &state_message(&state)).await?;
    }
    view.mark_unchanged();
    loop {
        tokio::select! {
            changed = view.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                let state = Arc::clone(&view.borrow_and_update());
                send(&mut socket, &state_message(&state)).await?;
            }
            message = timeout_at(heard + SILENCE, socket.recv()) => {
                let Ok(Some(message)) = message else { return Ok(()) };
                heard = Instant::now();
                let reply = match message? {
                    Message::Close(_) => return Ok(()),
                    Message::Ping(_) | Message::Pong(_) => continue,
                    _ if !rate.allows(std::time::Instant::now()) => Some(slower()),
                    Message::Text(text) => handle_message(&handle, text.as_str()).await,
                    Message::Binary(_) => Some(ApiError::bad("only text is understood here").json()),
                };
                if let Some(reply) = reply {
                    refusals += u32::from(reply.get("error").is_some());
                    send(&mut socket, &reply).await?;
                }
                if refusals > PATIENCE {
                    return Ok(());
                }
            }
        }
    }
}

fn slower() -> Value {
    ApiError::too_many(format!("at most {MESSAGES_PER_SECOND} messages a second")).json()
}

/// What there is to say to a message, besides the change of the game that it may bring.
async fn handle_message(handle: &GameHandle, text: &str) -> Option<Value> {
    let message: Value = match serde_json::from_str(text) {
        Ok(message) => message,
        Err(error) => return Some(ApiError::bad(format!("not JSON: {error}")).json()),
    };
    if message["type"] == "ping" {
        return Some(json!({ "type": "pong" }));
    }
    let action: Action = match serde_json::from_value(message) {
        Ok(action) => action,
        Err(error) => return Some(ApiError::bad(error.to_string()).json()),
    };
    handle.act(action).await.err().map(|error| ApiError::from(error).json())
}

fn state_message(view: &View) -> Value {
    json!({ "type": "state", "game": view })
}

async fn send(socket: &mut WebSocket, value: &Value) -> Result<(), axum::Error> {
    let sending = socket.send(Message::Text(value.to_string().into()));
    timeout(SLOWEST_READER, sending).await.map_err(axum::Error::new)?
}
