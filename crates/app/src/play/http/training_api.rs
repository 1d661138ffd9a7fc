//! Training: games brought along, the mistakes in them, what is remembered of those, repertoires, and the profile that all of it makes.

use std::{collections::HashMap, fs, io, path::PathBuf, sync::Arc};

use axum::{
    Json,
    body::Bytes,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
};
use data::durable;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::{
    api_error::{ApiError, Body, ErrorBody},
    blocking::off_the_runtime,
    client::Client,
    state::AppState,
};
use crate::play::{
    game::{
        games::OWN_NAME,
        setup::{RATINGS, SetupError},
        side::Side,
    },
    ids,
    training::{
        card::Card,
        imports::{About, ImportError, Status},
        memory::Memory,
        profile::Told,
    },
};

/// Puzzles that the page gets at a time.
const MOST_CARDS: usize = 500;
const LONGEST_TITLE: usize = 100;
const MOST_REPERTOIRES: usize = 100;
const LONGEST_PGN: usize = 200_000;

type Shared = State<Arc<AppState>>;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Import {
    /// Whose games they are; without it whoever is in most of them.
    #[serde(default)]
    player: Option<String>,
    #[serde(default)]
    title: String,
    #[param(minimum = 600, maximum = 2600)]
    rating: u16,
}

/// Bring games along; they are looked over in the background.
///
/// The body is the file itself.
#[utoipa::path(
    post,
    path = "/imports",
    params(Import),
    request_body(content = String, content_type = "application/x-chess-pgn"),
    responses(
        (status = 201, description = "Kept", body = About),
        (status = 400, description = "No games of that player", body = ErrorBody),
        (status = 422, description = "Not a rating", body = ErrorBody),
        (status = 429, description = "Too many imports of yours", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn import(
    State(state): Shared,
    client: Client,
    import: Result<Query<Import>, QueryRejection>,
    pgn: Bytes,
) -> Result<(StatusCode, Json<About>), ApiError> {
    let import = checked(import)?;
    let pgn = String::from_utf8_lossy(&pgn).into_owned();
    keep(state, client, pgn, import).await
}

/// Look over the finished games that were played here.
#[utoipa::path(
    post,
    path = "/imports/own",
    params(Import),
    responses(
        (status = 201, description = "Kept", body = About),
        (status = 400, description = "No finished games", body = ErrorBody),
        (status = 422, description = "Not a rating", body = ErrorBody),
        (status = 429, description = "Too many imports of yours", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn import_own(
    State(state): Shared,
    client: Client,
    import: Result<Query<Import>, QueryRejection>,
) -> Result<(StatusCode, Json<About>), ApiError> {
    let import = checked(import)?;
    let (games, owner) = (Arc::clone(&state), client.clone());
    let pgn = off_the_runtime(move || Ok(games.games.finished_pgn(&owner.0))).await?;
    let player = Some(OWN_NAME.to_owned());
    keep(state, client, pgn, Import { player, ..import }).await
}

fn checked(import: Result<Query<Import>, QueryRejection>) -> Result<Import, ApiError> {
    let Query(import) = import.map_err(|rejection| ApiError::bad(rejection.body_text()))?;
    match RATINGS.contains(&import.rating) {
        true => Ok(import),
        false => Err(SetupError::Rating(import.rating).into()),
    }
}

async fn keep(
    state: Arc<AppState>,
    client: Client,
    pgn: String,
    import: Import,
) -> Result<(StatusCode, Json<About>), ApiError> {
    let imports = Arc::clone(&state.imports);
    let title: String = import.title.chars().take(LONGEST_TITLE).collect();
    let owner = client.clone();
    let about = off_the_runtime(move || {
        imports.keep(&owner.0, &pgn, &title, import.player.as_deref(), import.rating).map_err(ApiError::from)
    });
    let about = about.await?;
    state.imports.start(&client.0, about.clone());
    Ok((StatusCode::CREATED, Json(about)))
}

/// Games that were brought along, and how far they have been looked over.
#[utoipa::path(
    get,
    path = "/imports",
    responses(
        (status = 200, description = "The imports", body = Vec<Status>),
        ApiError,
    )
)]
pub(crate) async fn imports(State(state): Shared, client: Client) -> Json<Vec<Status>> {
    Json(state.imports.statuses(&client.0))
}

/// Remove an import with its puzzles.
#[utoipa::path(
    delete,
    path = "/imports/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "No such import of yours", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn remove_import(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    match state.imports.remove(&client.0, &id) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::not_found(format!("there is no import `{id}` of yours"))),
    }
}

/// One's own mistakes as puzzles, those worth most first.
#[utoipa::path(
    get,
    path = "/mistakes",
    responses(
        (status = 200, description = "Each with what is remembered of it", body = Vec<Mistake>),
        ApiError,
    )
)]
pub(crate) async fn mistakes(State(state): Shared, client: Client) -> Result<Json<Vec<Mistake>>, ApiError> {
    off_the_runtime(move || {
        let mut memories = state.memories.all(&client.0).map_err(|error| ApiError::not_written(&error))?;
        let cards = state.imports.cards(&client.0).into_iter().take(MOST_CARDS);
        let told = cards.map(|card| Mistake { memory: memories.remove(&format!("m/{}", card.id)), card });
        Ok(Json(told.collect()))
    })
    .await
}

/// What is remembered of puzzles and positions, by key.
#[utoipa::path(
    get,
    path = "/memories",
    responses(
        (status = 200, description = "States of the scheduler", body = Object),
        ApiError,
    )
)]
pub(crate) async fn memories(
    State(state): Shared,
    client: Client,
) -> Result<Json<HashMap<String, Value>>, ApiError> {
    off_the_runtime(move || {
        state.memories.all(&client.0).map(Json).map_err(|error| ApiError::not_written(&error))
    })
    .await
}

/// Remember an answer.
#[utoipa::path(
    post,
    path = "/memories",
    request_body = Memory,
    responses(
        (status = 204, description = "It is on disk"),
        (status = 400, description = "Too large", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn remember(
    State(state): Shared,
    client: Client,
    Body(memory): Body<Memory>,
) -> Result<StatusCode, ApiError> {
    if !memory.is_sane() {
        return Err(ApiError::bad("a memory is a short key and a small object"));
    }
    off_the_runtime(move || {
        state.memories.keep(&client.0, &memory).map_err(|error| ApiError::not_written(&error))?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// What all imported games say of their player.
#[utoipa::path(
    get,
    path = "/profile",
    responses(
        (status = 200, description = "By part", body = Vec<Told>),
        ApiError,
    )
)]
pub(crate) async fn profile(State(state): Shared, client: Client) -> Result<Json<Vec<Told>>, ApiError> {
    off_the_runtime(move || Ok(Json(state.imports.profile(&client.0).told()))).await
}

/// A puzzle with what is remembered of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Mistake {
    card: Card,
    #[schema(value_type = Option<Object>)]
    memory: Option<Value>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct Repertoire {
    id: String,
    #[serde(flatten)]
    content: NewRepertoire,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct NewRepertoire {
    #[schema(min_length = 1, max_length = 100, pattern = r"\S")]
    title: String,
    color: Side,
    /// With all variations.
    #[schema(max_length = 200000)]
    pgn: String,
}

fn repertoires_path(state: &AppState, client: &Client) -> PathBuf {
    state.games.journals.folder(&client.0).join("repertoires.json")
}

fn read_repertoires(state: &AppState, client: &Client) -> Result<Vec<Repertoire>, ApiError> {
    match fs::read(repertoires_path(state, client)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(ApiError::not_written(&error)),
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| ApiError::not_written(&error.into())),
    }
}

/// Reads, changes and writes the list as one step: it is on disk when this returns.
async fn change<T: Send + 'static>(
    state: Arc<AppState>,
    client: Client,
    change: impl FnOnce(&mut Vec<Repertoire>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    off_the_runtime(move || {
        let _changing = state.changing_repertoires.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut all = read_repertoires(&state, &client)?;
        let result = change(&mut all)?;
        let path = repertoires_path(&state, &client);
        let text = serde_json::to_vec(&all).expect("plain data");
        let written =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| durable::write(&path, &text));
        written.map_err(|error| ApiError::not_written(&error))?;
        Ok(result)
    })
    .await
}

fn check(content: &NewRepertoire) -> Result<(), ApiError> {
    let length = content.title.trim().chars().count();
    if !(1..=LONGEST_TITLE).contains(&length) {
        return Err(ApiError::bad(format!("a title has 1 to {LONGEST_TITLE} characters")));
    }
    if content.pgn.len() > LONGEST_PGN {
        return Err(ApiError::bad(format!("a repertoire has at most {LONGEST_PGN} characters")));
    }
    Ok(())
}

/// One's repertoires.
#[utoipa::path(
    get,
    path = "/repertoires",
    responses(
        (status = 200, description = "The repertoires", body = Vec<Repertoire>),
        ApiError,
    )
)]
pub(crate) async fn repertoires(
    State(state): Shared,
    client: Client,
) -> Result<Json<Vec<Repertoire>>, ApiError> {
    off_the_runtime(move || read_repertoires(&state, &client).map(Json)).await
}

/// Keep a repertoire.
#[utoipa::path(
    post,
    path = "/repertoires",
    request_body = NewRepertoire,
    responses(
        (status = 201, description = "As it was kept", body = Repertoire),
        (status = 400, description = "No title", body = ErrorBody),
        (status = 429, description = "Too many repertoires", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn add_repertoire(
    State(state): Shared,
    client: Client,
    Body(content): Body<NewRepertoire>,
) -> Result<(StatusCode, Json<Repertoire>), ApiError> {
    check(&content)?;
    let made = Repertoire { id: ids::game(), content };
    let kept = made.clone();
    change(state, client, move |all| {
        if all.len() >= MOST_REPERTOIRES {
            return Err(ApiError::too_many(format!("nobody keeps more than {MOST_REPERTOIRES} repertoires")));
        }
        all.push(kept);
        Ok(())
    })
    .await?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// Put another repertoire in the place of one.
#[utoipa::path(
    put,
    path = "/repertoires/{id}",
    params(("id" = String, Path)),
    request_body = NewRepertoire,
    responses(
        (status = 204, description = "It is on disk"),
        (status = 400, description = "No title", body = ErrorBody),
        (status = 404, description = "No such repertoire of yours", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn change_repertoire(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
    Body(content): Body<NewRepertoire>,
) -> Result<StatusCode, ApiError> {
    check(&content)?;
    change(state, client, move |all| {
        let known = all.iter_mut().find(|known| known.id == id);
        known.ok_or_else(|| unknown(&id))?.content = content;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// Remove a repertoire.
#[utoipa::path(
    delete,
    path = "/repertoires/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "No such repertoire of yours", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn remove_repertoire(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    change(state, client, move |all| {
        let before = all.len();
        all.retain(|known| known.id != id);
        if all.len() == before { Err(unknown(&id)) } else { Ok(StatusCode::NO_CONTENT) }
    })
    .await
}

fn unknown(id: &str) -> ApiError {
    ApiError::not_found(format!("there is no repertoire `{id}` of yours"))
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> ApiError {
        match error {
            ImportError::File(error) => ApiError::not_written(&error),
            ImportError::TooMany => ApiError::too_many(error.to_string()),
            ImportError::Empty | ImportError::NotThere(..) => ApiError::bad(error.to_string()),
        }
    }
}
