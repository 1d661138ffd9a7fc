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
    api_error::{ApiError, Body},
    client::Client,
    game::Action,
    hall::Hall,
    setup::Setup,
    view::{Summary, View},
};

type Shared = State<Arc<Hall>>;

pub(crate) async fn begin(
    State(hall): Shared,
    client: Client,
    Body(setup): Body<Setup>,
) -> Result<(StatusCode, Json<View>), ApiError> {
    let view = hall.begin(&client, setup)?.look().await?;
    Ok((StatusCode::CREATED, Json(view)))
}

pub(crate) async fn list(State(hall): Shared, client: Client) -> Result<Json<Vec<Summary>>, ApiError> {
    // Up to hundreds of small files.
    let games = tokio::task::spawn_blocking(move || hall.list(&client)).await;
    Ok(Json(games.map_err(|_| ApiError::gone())?))
}

pub(crate) async fn look(
    State(hall): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<Json<View>, ApiError> {
    Ok(Json(hall.find(&client, &id)?.look().await?))
}

pub(crate) async fn act(
    State(hall): Shared,
    client: Client,
    Path(id): Path<String>,
    Body(action): Body<Action>,
) -> Result<Json<View>, ApiError> {
    let handle = hall.find(&client, &id)?;
    handle.act(action).await?;
    Ok(Json(handle.look().await?))
}

pub(crate) async fn pgn(
    State(hall): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let text = hall.find(&client, &id)?.pgn().await?;
    let file = format!("attachment; filename=\"tabiya-{id}.pgn\"");
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/x-chess-pgn; charset=utf-8")),
        (CONTENT_DISPOSITION, HeaderValue::from_str(&file).map_err(|_| ApiError::gone())?),
    ];
    Ok((headers, text).into_response())
}
