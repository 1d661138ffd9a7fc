//! The opening explorer: what people of a rating play, wherever one is.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, Body, ErrorBody, QuestionRefused},
    client::Client,
    line_stream,
    state::AppState,
};
use crate::play::{
    explorer::{self, ExplorerLine},
    game::setup::{RATINGS, SetupError, Start},
    minds::turns::{Asker, Urgency},
};

/// A position, and whose moves are wanted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExplorerQuestion)]
pub(crate) struct Question {
    #[serde(default)]
    fen: Option<String>,
    /// In UCI.
    #[serde(default)]
    #[schema(max_items = 600)]
    moves: Vec<String>,
    #[schema(minimum = 600, maximum = 2600)]
    rating: u16,
    /// Whether the engine's word is wanted, too.
    #[serde(default = "yes")]
    engine: bool,
}

fn yes() -> bool {
    true
}

/// What people of a rating play in a position, and how well it serves them.
///
/// One JSON object a line: first what people play, at once; then the engine's word on each move with its trap meter, as they are found;
/// then `{"type": "done"}`.
#[utoipa::path(
    post,
    path = "/explorer",
    request_body = Question,
    responses(
        (status = 200, description = "Lines of JSON", body = ExplorerLine, content_type = "application/x-ndjson"),
        (status = 404, description = "No network knows people", body = ErrorBody),
        QuestionRefused,
        ApiError,
    )
)]
pub(crate) async fn explore(
    State(state): State<Arc<AppState>>,
    client: Client,
    Body(question): Body<Question>,
) -> Result<Response, ApiError> {
    if !RATINGS.contains(&question.rating) {
        return Err(SetupError::Rating(question.rating).into());
    }
    let moment = Start { fen: question.fen, moves: question.moves }.new_moment()?;
    if state.minds.people().is_none() {
        return Err(ApiError::not_found("there is no network in this program that knows what people play"));
    }
    let share = state.questions.begin(&client.0)?;
    // The engine's word on every move is no short question: it takes its turn with the moves of games.
    let asker = Asker::new(&client.0, Urgency::Game);
    let (lines, written) = line_stream::channel();
    tokio::spawn(async move {
        let _share = share;
        let Some(people) = state.minds.people() else { return };
        let (found, finding) = line_stream::channel();
        let work = async {
            // The sender goes with the work, and so ends what is passed on.
            let found = found;
            let (rating, engine) = (question.rating, question.engine);
            explorer::explore(&state.minds, people, &asker, moment, rating, engine, &found).await;
        };
        tokio::select! {
            _ = async { tokio::join!(work, line_stream::pass_on(finding, &lines, |_| {})) } => {}
            // Whoever walks on to the next position has no more questions here.
            () = lines.closed() => {}
        }
    });
    Ok(line_stream::response(written))
}
