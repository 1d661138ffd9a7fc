//! A mind that thinks about a position for as long as somebody listens.

use std::{sync::Arc, time::Duration};

use axum::{extract::State, response::Response};
use chess::Moment;
use engine::{Info, Limits};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::Sender;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, Body, ErrorBody},
    client::Client,
    line_stream,
    opinions_api::{LineView, line},
    state::AppState,
};
use crate::play::{
    game::setup::Start,
    minds::turns::{Asker, Urgency},
    review::score::WhiteScore,
};

const MOST_LINES: usize = 5;
const MOST_SECONDS: u64 = 60;
/// More often nobody can read it.
const BETWEEN_WORDS: Duration = Duration::from_millis(120);

/// A position, and who is to think about it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AnalysisQuestion)]
pub(crate) struct Question {
    #[serde(default)]
    fen: Option<String>,
    /// In UCI.
    #[serde(default)]
    #[schema(max_items = 600)]
    moves: Vec<String>,
    /// A pair of mind and search, as `/api/minds` names them.
    mind: String,
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 5)]
    lines: usize,
    #[serde(default = "half_a_minute")]
    #[schema(minimum = 1, maximum = 60)]
    seconds: u64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum AnalysisLine {
    Lines(AnalysisWord),
    Done {},
}

/// What a mind thinks so far.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AnalysisWord {
    depth: u32,
    nodes: u64,
    nodes_per_second: u64,
    /// The best first.
    lines: Vec<LineView>,
}

fn one() -> usize {
    1
}

fn half_a_minute() -> u64 {
    30
}

/// Let a mind think about a position for as long as somebody listens.
///
/// One JSON object a line whenever there is more to say, and `{"type": "done"}` at the end. Closing the connection stops the thought.
#[utoipa::path(
    post,
    path = "/analysis",
    request_body = Question,
    responses(
        (status = 200, description = "Lines of JSON", body = AnalysisLine, content_type = "application/x-ndjson"),
        (status = 404, description = "No such mind", body = ErrorBody),
        (status = 422, description = "Not a position", body = ErrorBody),
        (status = 429, description = "Too many analyses of yours at once", body = ErrorBody),
        (status = 503, description = "Too many analyses of everybody's", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn analyse(
    State(state): State<Arc<AppState>>,
    client: Client,
    Body(question): Body<Question>,
) -> Result<Response, ApiError> {
    if !(1..=MOST_LINES).contains(&question.lines) || !(1..=MOST_SECONDS).contains(&question.seconds) {
        let message =
            format!("an analysis has 1 to {MOST_LINES} lines and takes 1 to {MOST_SECONDS} seconds");
        return Err(ApiError::bad(message));
    }
    if !state.minds.knows(&question.mind) {
        return Err(ApiError::not_found(format!("there is no mind `{}`", question.mind)));
    }
    let moment = Start { fen: question.fen, moves: question.moves }.new_moment()?;
    let share = state.analyses.begin(&client.0)?;
    let asker = Asker::new(&client.0, Urgency::Question);
    let (lines, written) = line_stream::channel();
    tokio::spawn(async move {
        let _share = share;
        if !moment.legal_moves().is_empty() {
            let limits = Limits::move_time(Duration::from_secs(question.seconds));
            let mut report = Report::new(moment.clone(), lines.clone());
            let hear = move |info: &Info| report.hear(info);
            let analysis = state.minds.analyses.analyse(
                &asker,
                &question.mind,
                &state.minds,
                moment,
                limits,
                question.lines,
                hear,
            );
            tokio::select! {
                _ = analysis => {}
                () = lines.closed() => {}
            }
        }
        drop(lines.send(line_stream::json_line(&AnalysisLine::Done {})).await);
    });
    Ok(line_stream::response(written))
}

/// What the search has said, told to the page whenever all lines of a depth are there.
struct Report {
    moment: Moment,
    lines: Sender<String>,
    found: Vec<LineView>,
    told: Option<std::time::Instant>,
}

impl Report {
    fn new(moment: Moment, lines: Sender<String>) -> Report {
        Report { moment, lines, found: Vec::new(), told: None }
    }

    fn hear(&mut self, info: &Info) {
        if info.line.is_empty() {
            return;
        }
        let score = WhiteScore::new(info.score, self.moment.turn());
        let said = line(&self.moment, Some(score), &info.line);
        let place = info.multipv.saturating_sub(1);
        match self.found.get_mut(place) {
            Some(known) => *known = said,
            None => self.found.push(said),
        }
        let is_soon = self.told.is_some_and(|at| at.elapsed() < BETWEEN_WORDS);
        if is_soon && place + 1 < self.found.len() {
            return;
        }
        self.told = Some(std::time::Instant::now());
        let word = AnalysisLine::Lines(AnalysisWord {
            depth: info.depth,
            nodes: info.nodes,
            nodes_per_second: info.nodes_per_second(),
            lines: self.found.clone(),
        });
        // A reader who is slow misses a word and gets the next.
        drop(self.lines.try_send(line_stream::json_line(&word)));
    }
}
