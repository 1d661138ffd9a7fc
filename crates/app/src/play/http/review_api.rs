//! A whole game looked over: the answer is one line of JSON after another, as they are found.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::{Body as Stream, Bytes},
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::sync::mpsc;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, Body, ErrorBody},
    client::Client,
    state::AppState,
};
use crate::play::{
    game::setup::{RATINGS, SetupError},
    minds::turns::{Asker, Urgency},
    review::analysis::{self, Reviewed},
    review::line::ReviewLine,
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
    State(state): State<Arc<AppState>>,
    client: Client,
    Body(request): Body<Request>,
) -> Result<Response, ApiError> {
    if let Some(rating) = request.rating.filter(|rating| !RATINGS.contains(rating)) {
        return Err(SetupError::Rating(rating).into());
    }
    let pgn = match (request.pgn, request.game) {
        (Some(pgn), None) => pgn,
        (None, Some(id)) => state.games.find(&client.0, &id)?.pgn().await?,
        _ => return Err(ApiError::bad("either `pgn` or `game` is needed")),
    };
    let reviewed = Reviewed::read(&pgn)?;
    let permit = Arc::clone(&state.reviews).try_acquire_owned();
    let permit =
        permit.map_err(|_| ApiError::too_many("other games are being reviewed; try again in a minute"))?;
    // A reader who leaves closes the channel, and the work ends with the next line.
    let (lines, mut written) = mpsc::channel::<ReviewLine>(8);
    let asker = Asker::new(&client.0, Urgency::Review);
    tokio::spawn(async move {
        // Whoever leaves ends the search that is under way as well.
        tokio::select! {
            () = analysis::review(&state.minds, &asker, &reviewed, request.rating, &lines) => {}
            () = lines.closed() => {}
        }
        drop(permit);
    });
    let lines = futures_util::stream::poll_fn(move |context| written.poll_recv(context))
        .map(|line| Ok::<_, Infallible>(Bytes::from(json_line(&line))));
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Stream::from_stream(lines)).into_response())
}

fn json_line(line: &ReviewLine) -> String {
    serde_json::to_string(line).expect("plain data") + "\n"
}
