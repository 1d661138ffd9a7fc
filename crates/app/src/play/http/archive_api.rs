//! Everything of a player as one file, out and in.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderValue, header::CONTENT_DISPOSITION},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, Body, ErrorBody},
    blocking::off_the_runtime,
    client::Client,
    state::AppState,
};
use crate::play::archive::{Archive, ArchiveError};

type Shared = State<Arc<AppState>>;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CameIn {
    /// Files and entries of lists that were not there.
    added: usize,
}

/// Everything of one's own as one file.
#[utoipa::path(
    get,
    path = "/archive",
    responses((status = 200, description = "Games, reviews, imports, repertoires, positions, memories", body = Archive), ApiError)
)]
pub(crate) async fn export(State(state): Shared, client: Client) -> Result<Response, ApiError> {
    let folder = state.games.journals.folder(&client.0);
    let pack = move || Archive::of(&folder).map_err(|error| ApiError::not_written(&error));
    let archive = off_the_runtime(pack).await?;
    let name = HeaderValue::from_static("attachment; filename=\"tabiya-archive.json\"");
    Ok(([(CONTENT_DISPOSITION, name)], Json(archive)).into_response())
}

/// Take over such a file. What is there already stays.
#[utoipa::path(
    post,
    path = "/archive",
    request_body = Archive,
    responses(
        (status = 200, description = "How much came in", body = CameIn),
        (status = 400, description = "Not an archive", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn import(
    State(state): Shared,
    client: Client,
    Body(archive): Body<Archive>,
) -> Result<Json<CameIn>, ApiError> {
    let folder = state.games.journals.folder(&client.0);
    let unpack = move || {
        archive.unpack(&folder).map_err(|error| match error {
            ArchiveError::File(error) => ApiError::not_written(&error),
            other => ApiError::bad(other.to_string()),
        })
    };
    let added = off_the_runtime(unpack).await?;
    Ok(Json(CameIn { added }))
}
