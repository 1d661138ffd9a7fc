//! Games over plain HTTP: begin, look, act, list, take home.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};

use super::{
    api_error::{ApiError, Body, ErrorBody},
    blocking::off_the_runtime,
    client::Client,
    state::AppState,
};
use crate::play::{
    game::setup::Setup,
    game::state::Action,
    game::view::{Summary, View},
};

type Shared = State<Arc<AppState>>;

/// Begin a game.
#[utoipa::path(
    post,
    path = "/games",
    request_body = Setup,
    responses(
        (status = 201, description = "The new game", body = View),
        (status = 422, description = "The setup cannot be played", body = ErrorBody),
        (status = 429, description = "Too many games of yours at once", body = ErrorBody),
        (status = 503, description = "Too many games of everybody's", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn start(
    State(state): Shared,
    client: Client,
    Body(setup): Body<Setup>,
) -> Result<(StatusCode, Json<View>), ApiError> {
    // Returns when the game is on disk.
    let handle = off_the_runtime(move || Ok(state.games.start(&client.0, setup)?)).await?;
    let view = handle.view().await?;
    Ok((StatusCode::CREATED, Json(view)))
}

/// One's own games, newest first.
#[utoipa::path(
    get,
    path = "/games",
    responses(
        (status = 200, description = "The games", body = Vec<Summary>),
        ApiError,
    )
)]
pub(crate) async fn list(State(state): Shared, client: Client) -> Result<Json<Vec<Summary>>, ApiError> {
    // Up to hundreds of small files.
    off_the_runtime(move || Ok(Json(state.games.list(&client.0)))).await
}

/// A game as it stands.
#[utoipa::path(
    get,
    path = "/games/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 200, description = "The game", body = View),
        (status = 404, description = "No such game of yours", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn view(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<Json<View>, ApiError> {
    Ok(Json(state.games.find(&client.0, &id)?.view().await?))
}

/// Move, resign, offer a draw, take back.
#[utoipa::path(
    post,
    path = "/games/{id}/actions",
    params(("id" = String, Path)),
    request_body = Action,
    responses(
        (status = 200, description = "The game after it", body = View),
        (status = 404, description = "No such game of yours", body = ErrorBody),
        (status = 409, description = "Not possible now", body = ErrorBody),
        (status = 507, description = "Not saved, and so not played: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn act(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
    Body(action): Body<Action>,
) -> Result<Json<View>, ApiError> {
    let handle = state.games.find(&client.0, &id)?;
    handle.act(action).await?;
    Ok(Json(handle.view().await?))
}

/// A game in PGN, with clocks.
#[utoipa::path(
    get,
    path = "/games/{id}/pgn",
    params(("id" = String, Path)),
    responses(
        (status = 200, description = "PGN", body = String, content_type = "application/x-chess-pgn"),
        (status = 404, description = "No such game of yours", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn pgn(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let text = state.games.find(&client.0, &id)?.pgn().await?;
    let file = format!("attachment; filename=\"tabiya-{id}.pgn\"");
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/x-chess-pgn; charset=utf-8")),
        (
            CONTENT_DISPOSITION,
            HeaderValue::from_str(&file).map_err(|_| ApiError::bad("the name of the game fits no header"))?,
        ),
    ];
    Ok((headers, text).into_response())
}
