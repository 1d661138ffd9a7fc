//! A player's own list of positions to practise.

use std::{
    fs, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use data::durable;
use serde::{Deserialize, Serialize};
use tracing::error;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, Body, ErrorBody},
    blocking::off_the_runtime,
    client::Client,
    state::AppState,
};
use crate::play::{
    game::{journal::Journals, setup::Start, side::Side},
    ids,
};

const MOST: usize = 300;
const LONGEST_TITLE: usize = 100;

/// A position that a player practises.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct Tabiya {
    id: String,
    title: String,
    start: Start,
    /// The position that the start leads to, for its picture.
    fen: String,
    turn: Side,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTabiya {
    #[schema(min_length = 1, max_length = 100, pattern = r"\S")]
    title: String,
    start: Start,
}

/// The lists of all players, one change at a time.
#[derive(Debug)]
pub(crate) struct Tabiyas {
    journals: Journals,
    changing: Mutex<()>,
}

type Shared = State<Arc<AppState>>;

/// One's own positions to practise.
#[utoipa::path(
    get,
    path = "/tabiyas",
    responses(
        (status = 200, description = "The positions", body = Vec<Tabiya>),
        ApiError,
    )
)]
pub(crate) async fn list(State(state): Shared, client: Client) -> Result<Json<Vec<Tabiya>>, ApiError> {
    off_the_runtime(move || state.tabiyas.read(&client).map(Json)).await
}

/// Keep a position.
#[utoipa::path(
    post,
    path = "/tabiyas",
    request_body = NewTabiya,
    responses(
        (status = 201, description = "As it was kept", body = Tabiya),
        (status = 400, description = "No title", body = ErrorBody),
        (status = 422, description = "Not a position", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn save(
    State(state): Shared,
    client: Client,
    Body(new): Body<NewTabiya>,
) -> Result<(StatusCode, Json<Tabiya>), ApiError> {
    let moment = new.start.new_moment()?;
    let title = new.title.trim();
    if title.is_empty() || title.chars().count() > LONGEST_TITLE {
        return Err(ApiError::bad(format!("a title has 1 to {LONGEST_TITLE} characters")));
    }
    let tabiya = Tabiya {
        id: ids::game(),
        title: title.to_owned(),
        fen: moment.fen(),
        turn: moment.turn().into(),
        start: new.start,
    };
    let saved = tabiya.clone();
    let add = move |tabiyas: &mut Vec<Tabiya>| {
        if tabiyas.len() >= MOST {
            return Err(ApiError::too_many(format!("the list holds at most {MOST} positions")));
        }
        tabiyas.push(saved);
        Ok(())
    };
    off_the_runtime(move || state.tabiyas.change(&client, add)).await?;
    Ok((StatusCode::CREATED, Json(tabiya)))
}

/// Forget a position.
#[utoipa::path(
    delete,
    path = "/tabiyas/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 204, description = "Forgotten"),
        (status = 404, description = "Not in your list", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn remove(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let take_off = move |tabiyas: &mut Vec<Tabiya>| {
        let before = tabiyas.len();
        tabiyas.retain(|tabiya| tabiya.id != id);
        match tabiyas.len() < before {
            true => Ok(()),
            false => Err(ApiError::not_found(format!("there is no position `{id}` in your list"))),
        }
    };
    off_the_runtime(move || state.tabiyas.change(&client, take_off)).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Tabiyas {
    pub(crate) fn new(journals: Journals) -> Tabiyas {
        Tabiyas { journals, changing: Mutex::default() }
    }

    fn path(&self, client: &Client) -> PathBuf {
        self.journals.folder(&client.0).join("tabiyas.json")
    }

    fn read(&self, client: &Client) -> Result<Vec<Tabiya>, ApiError> {
        let path = self.path(client);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes,
        };
        let bytes = bytes.map_err(|error| storage(&path, &error))?;
        serde_json::from_slice(&bytes).map_err(|error| storage(&path, &error.into()))
    }

    /// Reads, changes and writes the list as one step: it is on disk when this returns.
    fn change(
        &self,
        client: &Client,
        change: impl FnOnce(&mut Vec<Tabiya>) -> Result<(), ApiError>,
    ) -> Result<(), ApiError> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tabiyas = self.read(client)?;
        change(&mut tabiyas)?;
        let path = self.path(client);
        let text = serde_json::to_vec_pretty(&tabiyas).expect("plain data");
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        folder.and_then(|()| durable::write(&path, &text)).map_err(|error| storage(&path, &error))
    }
}

fn storage(path: &std::path::Path, error: &io::Error) -> ApiError {
    error!("{}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::StorageFull => ApiError::storage(true, "not saved: the disk is full"),
        _ => ApiError::storage(false, "the list cannot be read or written"),
    }
}
