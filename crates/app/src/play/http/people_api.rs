//! People to prepare against.

use std::sync::Arc;

use axum::{
    Json,
    body::Bytes,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    api_error::{ApiError, ErrorBody},
    blocking::off_the_runtime,
    client::Client,
    state::AppState,
};
use crate::play::people::{
    book::Book,
    shelf::{About, PersonError, Status},
};

type Shared = State<Arc<AppState>>;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Whose {
    /// Whose games they are; without it whoever is in most of them.
    #[serde(default)]
    player: Option<String>,
}

/// Bring somebody's games along. She can be played at once; a network learns her in the background.
///
/// The body is the file itself.
#[utoipa::path(
    post,
    path = "/people",
    params(Whose),
    request_body(content = String, content_type = "application/x-chess-pgn"),
    responses(
        (status = 201, description = "Kept", body = About),
        (status = 400, description = "No games of that player", body = ErrorBody),
        (status = 429, description = "Too many people of yours", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn keep(
    State(state): Shared,
    client: Client,
    whose: Result<Query<Whose>, QueryRejection>,
    pgn: Bytes,
) -> Result<(StatusCode, Json<About>), ApiError> {
    let Query(Whose { player }) = whose.map_err(|rejection| ApiError::bad(rejection.body_text()))?;
    let pgn = String::from_utf8_lossy(&pgn).into_owned();
    let (people, owner) = (Arc::clone(&state.people), client.clone());
    let player = player.filter(|player| !player.is_empty());
    let about =
        off_the_runtime(move || people.keep(&owner.0, &pgn, player.as_deref()).map_err(ApiError::from))
            .await?;
    state.people.start(&client.0, about.clone());
    Ok((StatusCode::CREATED, Json(about)))
}

/// The people that one prepares against.
#[utoipa::path(
    get,
    path = "/people",
    responses(
        (status = 200, description = "The people, the newest first", body = Vec<Status>),
        ApiError,
    )
)]
pub(crate) async fn list(State(state): Shared, client: Client) -> Json<Vec<Status>> {
    Json(state.people.statuses(&client.0))
}

/// What a person and her opponents played where her games are known.
#[utoipa::path(
    get,
    path = "/people/{id}/book",
    params(("id" = String, Path)),
    responses(
        (status = 200, description = "Moves by position", body = Book),
        (status = 404, description = "No such person of yours", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn book(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<Json<Book>, ApiError> {
    off_the_runtime(move || state.people.book(&client.0, &id).map(Json).ok_or_else(|| unknown(&id))).await
}

/// Remove a person with her games.
#[utoipa::path(
    delete,
    path = "/people/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 204, description = "Gone"),
        (status = 404, description = "No such person of yours", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn remove(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    match state.people.remove(&client.0, &id) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(unknown(&id)),
    }
}

fn unknown(id: &str) -> ApiError {
    ApiError::not_found(format!("there is no person `{id}` of yours"))
}

impl From<PersonError> for ApiError {
    fn from(error: PersonError) -> ApiError {
        match error {
            PersonError::File(error) => ApiError::not_written(&error),
            PersonError::TooMany => ApiError::too_many(error.to_string()),
            PersonError::Empty | PersonError::NotThere(..) => ApiError::bad(error.to_string()),
        }
    }
}
