//! A player's own list of positions to practise.

use std::{fs, io, path::PathBuf, sync::Arc};

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};

use super::{
    api_error::{ApiError, Body},
    client::Client,
    state::AppState,
};
use crate::play::{
    game::setup::{Start, name},
    ids,
};

const MOST: usize = 300;
const LONGEST_TITLE: usize = 100;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tabiya {
    id: String,
    title: String,
    start: Start,
    /// The position that the start leads to, for its picture.
    fen: String,
    turn: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTabiya {
    title: String,
    start: Start,
}

type Shared = State<Arc<AppState>>;

pub(crate) async fn list(State(state): Shared, client: Client) -> Result<Json<Vec<Tabiya>>, ApiError> {
    Ok(Json(read(&state, &client)?))
}

pub(crate) async fn save(
    State(state): Shared,
    client: Client,
    Body(new): Body<NewTabiya>,
) -> Result<(StatusCode, Json<Tabiya>), ApiError> {
    let moment = new.start.moment()?;
    let title = new.title.trim();
    if title.is_empty() || title.chars().count() > LONGEST_TITLE {
        return Err(ApiError::bad(format!("a title has 1 to {LONGEST_TITLE} characters")));
    }
    let mut tabiyas = read(&state, &client)?;
    if tabiyas.len() >= MOST {
        return Err(ApiError::too_many(format!("the list holds at most {MOST} positions")));
    }
    let tabiya = Tabiya {
        id: ids::game(),
        title: title.to_owned(),
        start: new.start,
        fen: moment.fen(),
        turn: name(moment.turn()).to_owned(),
    };
    tabiyas.push(tabiya.clone());
    write(&state, &client, &tabiyas)?;
    Ok((StatusCode::CREATED, Json(tabiya)))
}

pub(crate) async fn remove(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let mut tabiyas = read(&state, &client)?;
    let before = tabiyas.len();
    tabiyas.retain(|tabiya| tabiya.id != id);
    if tabiyas.len() == before {
        return Err(ApiError::not_found(format!("there is no position `{id}` in your list")));
    }
    write(&state, &client, &tabiyas)?;
    Ok(StatusCode::NO_CONTENT)
}

fn path(state: &AppState, client: &Client) -> PathBuf {
    state.games.journals.folder(&client.0).join("tabiyas.json")
}

fn read(state: &AppState, client: &Client) -> Result<Vec<Tabiya>, ApiError> {
    let path = path(state, client);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        bytes => bytes,
    };
    let tabiyas = bytes
        .map_err(|error| error.to_string())
        .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
    tabiyas.map_err(|error| storage(&path, &error))
}

/// Under another name first, so that a full disk does not cost the list.
fn write(state: &AppState, client: &Client, tabiyas: &[Tabiya]) -> Result<(), ApiError> {
    let path = path(state, client);
    let text = serde_json::to_string_pretty(tabiyas).expect("plain data");
    let fresh = path.with_extension("json.new");
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(&fresh, text))
        .and_then(|()| fs::rename(&fresh, &path))
        .map_err(|error| storage(&path, &error.to_string()))
}

fn storage(path: &std::path::Path, error: &str) -> ApiError {
    eprintln!("tabiya: {}: {error}", path.display());
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "storage", "the list cannot be read or written")
}
