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
use serde_json::Value;
use tokio::sync::mpsc;

use super::{
    api_error::{ApiError, Body},
    client::Client,
    state::AppState,
};
use crate::play::{
    game::setup::{RATINGS, SetupError},
    minds::turns::{Asker, Urgency},
    review::analysis::{self, Reviewed},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// A game in PGN, or else the name of one's own.
    #[serde(default)]
    pgn: Option<String>,
    #[serde(default)]
    game: Option<String>,
    /// The player's own rating.
    #[serde(default)]
    rating: Option<u16>,
}

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
    let (lines, mut written) = mpsc::channel::<Value>(8);
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
        .map(|line| Ok::<_, Infallible>(Bytes::from(format!("{line}\n"))));
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Stream::from_stream(lines)).into_response())
}
