//! Games looked over. A review has an address of its own and stays; asked for, it comes as one line of JSON after another, as they are
//! found or as they were kept.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use tracing::warn;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, Body, ErrorBody},
    blocking::off_the_runtime,
    client::Client,
    line_stream,
    state::AppState,
};
use crate::play::{
    game::setup::{RATINGS, SetupError},
    ids,
    minds::turns::{Asker, Urgency},
    review::{
        analysis::{self, Reviewed},
        line::ReviewLine,
        shelf::{self, Kept},
    },
};

/// Either a game in PGN or one of one's own.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReviewRequest)]
pub(crate) struct Request {
    #[serde(default)]
    pgn: Option<String>,
    /// The id of a game of one's own.
    #[serde(default)]
    game: Option<String>,
    /// The player's own rating.
    #[serde(default)]
    #[schema(minimum = 600, maximum = 2600)]
    rating: Option<u16>,
}

/// Where a review is to be found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeptId {
    id: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeptReview {
    id: String,
    created_s: u64,
    tags: Vec<(String, String)>,
}

type Shared = State<Arc<AppState>>;

/// Look a game over.
///
/// The answer is one JSON object a line, as they are found: the game, then every position and every move, then `{"type": "done"}`.
#[utoipa::path(
    post,
    path = "/review",
    request_body = Request,
    responses(
        (status = 200, description = "Lines of JSON", body = ReviewLine, content_type = "application/x-ndjson"),
        (status = 400, description = "Not a game", body = ErrorBody),
        (status = 429, description = "Other games are being reviewed", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn review(
    State(state): Shared,
    client: Client,
    Body(request): Body<Request>,
) -> Result<Response, ApiError> {
    let kept = asked(&state, &client, request).await?;
    made(state, &client, kept, false)
}

/// Keep a game for review.
#[utoipa::path(
    post,
    path = "/reviews",
    request_body = Request,
    responses(
        (status = 201, description = "Where the review is to be found", body = KeptId),
        (status = 400, description = "Not a game", body = ErrorBody),
        (status = 429, description = "Too many reviews of yours", body = ErrorBody),
        (status = 507, description = "Not saved: the disk is full", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn keep(
    State(state): Shared,
    client: Client,
    Body(request): Body<Request>,
) -> Result<(StatusCode, Json<KeptId>), ApiError> {
    let kept = asked(&state, &client, request).await?;
    let id = kept.id.clone();
    off_the_runtime(move || {
        if state.shelf.count(&client.0) >= shelf::MOST {
            return Err(ApiError::too_many(format!("nobody keeps more than {} reviews", shelf::MOST)));
        }
        state.shelf.put(&client.0, &kept, "").map_err(|error| ApiError::not_written(&error))
    })
    .await?;
    Ok((StatusCode::CREATED, Json(KeptId { id })))
}

/// A review that was kept, or that of a game of one's own.
///
/// The lines of `/api/review`: as they are found the first time, as they were kept afterwards.
#[utoipa::path(
    get,
    path = "/reviews/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 200, description = "Lines of JSON", body = ReviewLine, content_type = "application/x-ndjson"),
        (status = 404, description = "No such review of yours", body = ErrorBody),
        (status = 429, description = "Other games are being reviewed", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn kept(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    match state.shelf.get(&client.0, &id) {
        Some((kept, lines)) if lines.is_empty() => made(state, &client, kept, true),
        Some((_, lines)) => Ok(line_stream::ready(lines)),
        None => {
            let handle = state.games.find(&client.0, &id)?;
            let pgn = handle.pgn().await?;
            let over = handle.view().await?.is_over();
            let tags = Reviewed::read(&pgn)?.tags();
            // A game that goes on will have another review tomorrow.
            made(state, &client, Kept::new(id, pgn, tags, None), over)
        }
    }
}

/// One's own reviews, newest first.
#[utoipa::path(
    get,
    path = "/reviews",
    responses((status = 200, description = "The reviews", body = Vec<KeptReview>), ApiError)
)]
pub(crate) async fn list(State(state): Shared, client: Client) -> Result<Json<Vec<KeptReview>>, ApiError> {
    off_the_runtime(move || {
        let about = |kept: Kept| KeptReview { id: kept.id, created_s: kept.created_s, tags: kept.tags };
        Ok(Json(state.shelf.list(&client.0).into_iter().map(about).collect()))
    })
    .await
}

/// Remove a review.
#[utoipa::path(
    delete,
    path = "/reviews/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "No such review of yours", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn remove(
    State(state): Shared,
    client: Client,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    match state.shelf.remove(&client.0, &id) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::not_found(format!("there is no review `{id}` of yours"))),
    }
}

async fn asked(state: &AppState, client: &Client, request: Request) -> Result<Kept, ApiError> {
    if let Some(rating) = request.rating.filter(|rating| !RATINGS.contains(rating)) {
        return Err(SetupError::Rating(rating).into());
    }
    let (id, pgn) = match (request.pgn, request.game) {
        (Some(pgn), None) => (ids::game(), pgn),
        (None, Some(id)) => (id.clone(), state.games.find(&client.0, &id)?.pgn().await?),
        _ => return Err(ApiError::bad("either `pgn` or `game` is needed")),
    };
    let tags = Reviewed::read(&pgn)?.tags();
    Ok(Kept::new(id, pgn, tags, request.rating))
}

/// Makes a review; with `keep` it is on disk once it is complete.
fn made(state: Arc<AppState>, client: &Client, kept: Kept, keep: bool) -> Result<Response, ApiError> {
    let reviewed = Reviewed::read(&kept.pgn)?;
    let permit = permit(&state)?;
    let (lines, written) = line_stream::channel();
    let client = client.clone();
    let asker = Asker::new(&client.0, Urgency::Review);
    tokio::spawn(async move {
        let _permit = permit;
        let (found, finding) = line_stream::channel();
        let mut all = String::new();
        let work = async {
            // The sender goes with the work, and so ends what is passed on.
            let found = found;
            analysis::review(&state.minds, &asker, &reviewed, kept.rating, &found).await;
        };
        let pass_on = line_stream::pass_on(finding, &lines, |line| all += line);
        let complete = tokio::select! {
            ((), complete) = async { tokio::join!(work, pass_on) } => complete,
            // Whoever leaves ends the search that is under way as well.
            () = lines.closed() => false,
        };
        if keep
            && complete
            && let Err(error) = state.shelf.put(&client.0, &kept, &all)
        {
            warn!("review {}: {error}", kept.id);
        }
    });
    Ok(line_stream::response(written))
}

fn permit(state: &AppState) -> Result<OwnedSemaphorePermit, ApiError> {
    let permit = Arc::clone(&state.reviews).try_acquire_owned();
    permit.map_err(|_| ApiError::too_many("other games are being reviewed; try again in a minute"))
}
