//! A look inside minds: the graph that one attends along, how the opinion of another changes from pass to pass, and the future that a third
//! imagines.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{Json, extract::State};
use chess::{
    Moment,
    encoding::graph::{Edge, Graph, Ray},
    shakmaty::{Color, Square, san::SanPlus},
};
use nets::{
    graph::{Attention, AttentionReader},
    planner,
    recycler::PassReader,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, Body, ErrorBody, QuestionRefused},
    blocking::off_the_runtime,
    client::Client,
    opinions_api::{Likely, from_white, likely},
    state::AppState,
};
use crate::{
    minds,
    play::{game::setup::Start, minds::catalogue::Insight},
};

/// After how many passes a mind is asked.
const PASSES: usize = 8;
const STEPS: std::ops::RangeInclusive<usize> = 1..=40;

/// Networks that were asked before, by the names of their minds.
#[derive(Default)]
pub(crate) struct Readers {
    attention: Mutex<HashMap<String, Arc<AttentionReader>>>,
    passes: Mutex<HashMap<String, Arc<PassReader>>>,
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Readers")
    }
}

/// A position, and the mind that is looked into.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = InsightQuestion)]
pub(crate) struct Question {
    /// `family:search`, as the list of minds has it.
    mind: String,
    #[serde(default)]
    fen: Option<String>,
    /// In UCI.
    #[serde(default)]
    #[schema(max_items = 600)]
    moves: Vec<String>,
}

/// The lines between pieces, as the mind has them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Web {
    layers: usize,
    edges: Vec<WebEdge>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WebKind {
    Attack,
    Defence,
    Ray,
}

/// A line from one piece to another.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebEdge {
    kind: WebKind,
    from: String,
    to: String,
    /// What is at stake, from 0 to 1; of rays nothing.
    weight: f32,
    /// Of attacks and defences: whether the piece that makes it is pinned.
    pinned: bool,
    /// Of rays: pieces between the two, and whether the first moves along such lines.
    blockers: u8,
    slides: bool,
    /// What the network makes of it, by layer: the share of all that the target hears, or how open the gate of a ray is.
    attention: Vec<f32>,
}

/// What a mind thinks after some passes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pass {
    passes: usize,
    /// The likeliest moves.
    policy: Vec<Likely>,
    /// Chances of White, of a draw, of Black.
    #[schema(value_type = (f32, f32, f32))]
    chances: [f32; 3],
}

/// A future as it forms.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Imagination {
    /// Before the first step, and after each.
    frames: Vec<ImaginedFrame>,
    /// The imagined moves as far as they are legal.
    line: Vec<String>,
    san: Vec<String>,
    /// For each later move of the line: whether the position imagined before it is what the moves lead to.
    exact: Vec<bool>,
    /// The moves that would have come next are not legal.
    broken: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImaginedFrame {
    /// Origin and target of each move; `null` while it is hidden.
    actions: Vec<Option<[String; 2]>>,
    /// How sure the mind is of each move.
    sure: Vec<f32>,
    /// What stands on a1, b1, .. h8 before the second and each later move: a letter as in a FEN, `.` for nothing, `?` for hidden.
    positions: Vec<String>,
}

fn moment(question: &Question) -> Result<Moment, ApiError> {
    let start = Start { fen: question.fen.clone(), moves: question.moves.clone() };
    let moment = start.new_moment()?;
    match moment.legal_moves().is_empty() {
        false => Ok(moment),
        true => Err(ApiError::bad("the game is over in this position")),
    }
}

/// The bytes of the network of a mind that allows this look.
fn bytes(state: &AppState, mind: &str, insight: Insight) -> Result<Vec<u8>, ApiError> {
    let known = state.minds.cards.iter().find(|card| card.name == mind && card.insights.contains(&insight));
    let bytes = known.and_then(|_| minds::bytes_of(mind.split(':').next()?));
    bytes.ok_or_else(|| ApiError::not_found(format!("`{mind}` is no mind that can be looked into like that")))
}

/// The reader of a mind, made when it is first asked for.
fn reader<T>(
    known: &Mutex<HashMap<String, Arc<T>>>,
    mind: &str,
    make: impl FnOnce() -> Result<T, ApiError>,
) -> Result<Arc<T>, ApiError> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(reader) = known.get(mind) {
        return Ok(Arc::clone(reader));
    }
    let made = Arc::new(make()?);
    known.insert(mind.to_owned(), Arc::clone(&made));
    Ok(made)
}

/// Looks into a mind: one of the questions that a player may ask at once.
async fn look<T: Send + 'static>(
    state: Arc<AppState>,
    client: &Client,
    work: impl FnOnce(&AppState) -> Result<T, ApiError> + Send + 'static,
) -> Result<Json<T>, ApiError> {
    let share = state.questions.begin(&client.0)?;
    off_the_runtime(move || {
        let _share = share;
        work(&state).map(Json)
    })
    .await
}

fn broken(error: &nets::WeightError) -> ApiError {
    tracing::warn!("{error}");
    ApiError::not_found("this network cannot be looked into")
}

/// The graph of a position, and what the network attends to in it.
#[utoipa::path(
    post,
    path = "/insights/web",
    request_body = Question,
    responses(
        (status = 200, description = "The lines between pieces", body = Web),
        (status = 400, description = "The game is over there", body = ErrorBody),
        (status = 404, description = "No such mind, or one without a graph", body = ErrorBody),
        QuestionRefused,
        ApiError,
    )
)]
pub(crate) async fn web(
    State(state): State<Arc<AppState>>,
    client: Client,
    Body(question): Body<Question>,
) -> Result<Json<Web>, ApiError> {
    let moment = moment(&question)?;
    look(state, &client, move |state| {
        let make = || {
            let bytes = bytes(state, &question.mind, Insight::Web)?;
            AttentionReader::from_bytes(&bytes).map_err(|error| broken(&error))
        };
        let reader = reader(&state.readers.attention, &question.mind, make)?;
        Ok(web_of(&moment, reader.layers(), &reader.read(&moment)))
    })
    .await
}

fn web_of(moment: &Moment, layers: usize, attention: &Attention) -> Web {
    let graph = Graph::of(moment);
    let lists = [
        (WebKind::Attack, &graph.attacks, &attention.attacks),
        (WebKind::Defence, &graph.defences, &attention.defences),
        (WebKind::Ray, &graph.rays, &attention.rays),
    ];
    let edges = lists.into_iter().flat_map(|(kind, edges, attention)| {
        let graph = &graph;
        edges.iter().enumerate().map(move |(at, edge)| {
            let attention = attention.iter().filter_map(|layer| layer.get(at)).copied().collect();
            edge_of(moment.turn(), graph, kind, edge, attention)
        })
    });
    Web { layers, edges: edges.collect() }
}

fn edge_of(us: Color, graph: &Graph, kind: WebKind, edge: &Edge, attention: Vec<f32>) -> WebEdge {
    let square = |node: u8| {
        let square = Square::new(graph.pieces[usize::from(node)].square.into());
        us.fold_wb(square, square.flip_vertical()).to_string()
    };
    let ray = (kind == WebKind::Ray).then(|| Ray::of_kind(edge.kind));
    WebEdge {
        kind,
        from: square(edge.from),
        to: square(edge.to),
        weight: edge.weight,
        pinned: ray.is_none() && edge.kind == 1,
        blockers: ray.map_or(0, |ray| ray.blockers),
        slides: ray.is_some_and(|ray| ray.slides),
        attention,
    }
}

/// What a mind thinks after one pass, after two, and so on.
#[utoipa::path(
    post,
    path = "/insights/passes",
    request_body = Question,
    responses(
        (status = 200, description = "An opinion for each number of passes", body = Vec<Pass>),
        (status = 400, description = "The game is over there", body = ErrorBody),
        (status = 404, description = "No such mind, or one that makes no passes", body = ErrorBody),
        QuestionRefused,
        ApiError,
    )
)]
pub(crate) async fn passes(
    State(state): State<Arc<AppState>>,
    client: Client,
    Body(question): Body<Question>,
) -> Result<Json<Vec<Pass>>, ApiError> {
    let moment = moment(&question)?;
    look(state, &client, move |state| {
        let make = || {
            let bytes = bytes(state, &question.mind, Insight::Passes)?;
            PassReader::from_bytes(&bytes).map_err(|error| broken(&error))
        };
        let reader = reader(&state.readers.passes, &question.mind, make)?;
        let opinions = (1..).zip(reader.read(&moment, PASSES));
        let pass = |(passes, opinion): (usize, chess::Opinion)| Pass {
            passes,
            policy: opinion.policy.map_or(vec![], |policy| likely(&moment, &policy)),
            chances: opinion.wdl.map_or([0.0; 3], |wdl| from_white(wdl, moment.turn())),
        };
        Ok(opinions.map(pass).collect())
    })
    .await
}

/// A position, and how finely its future is imagined.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImaginationQuestion {
    mind: String,
    #[serde(default)]
    fen: Option<String>,
    /// In UCI.
    #[serde(default)]
    #[schema(max_items = 600)]
    moves: Vec<String>,
    /// From noise to a future.
    #[schema(minimum = 1, maximum = 40)]
    steps: usize,
}

/// The future that a mind imagines, as it forms.
#[utoipa::path(
    post,
    path = "/insights/imagination",
    request_body = ImaginationQuestion,
    responses(
        (status = 200, description = "The future", body = Imagination),
        (status = 400, description = "The game is over there, or not so many steps", body = ErrorBody),
        (status = 404, description = "No such mind, or one that imagines nothing", body = ErrorBody),
        QuestionRefused,
        ApiError,
    )
)]
pub(crate) async fn imagination(
    State(state): State<Arc<AppState>>,
    client: Client,
    Body(question): Body<ImaginationQuestion>,
) -> Result<Json<Imagination>, ApiError> {
    let ImaginationQuestion { mind, fen, moves, steps } = question;
    if !STEPS.contains(&steps) {
        return Err(ApiError::bad(format!(
            "a future takes {} to {} steps, not {steps}",
            STEPS.start(),
            STEPS.end()
        )));
    }
    let moment = moment(&Question { mind: mind.clone(), fen, moves })?;
    look(state, &client, move |state| {
        let bytes = bytes(state, &mind, Insight::Imagination)?;
        let imagined = planner::imagine(&bytes, &moment, steps).map_err(|error| broken(&error))?;
        Ok(imagination_of(&moment, imagined))
    })
    .await
}

fn imagination_of(moment: &Moment, imagined: planner::Imagination) -> Imagination {
    let mut at = moment.clone();
    let mut san = Vec::new();
    for m in imagined.line.iter().map_while(|uci| at.parse_uci(uci).ok()).collect::<Vec<_>>() {
        san.push(SanPlus::from_move(at.position.clone(), m).to_string());
        at.play(m);
    }
    let frame = |frame: planner::Frame| ImaginedFrame {
        actions: frame.actions,
        sure: frame.sure,
        positions: frame.positions,
    };
    let imagined_moves = imagined.frames.last().map_or(0, |frame| frame.actions.iter().flatten().count());
    let broken = imagined.line.len() < imagined_moves && !at.legal_moves().is_empty();
    let frames = imagined.frames.into_iter().map(frame).collect();
    Imagination { frames, line: imagined.line, san, exact: imagined.exact, broken }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_web_names_squares_as_the_board_has_them_whoever_is_to_move() {
        let sides = [&["e2e4", "d7d5"][..], &["e2e4", "d7d5", "a2a3"]];
        for moves in sides {
            let moment = Moment::default().after_uci(moves.iter().copied()).unwrap();
            let Web { edges, .. } = web_of(&moment, 0, &Attention::default());
            let has = |kind, from: &str, to: &str| {
                edges.iter().any(|edge| edge.kind == kind && edge.from == from && edge.to == to)
            };
            assert!(has(WebKind::Attack, "e4", "d5") && has(WebKind::Attack, "d5", "e4"));
            assert!(has(WebKind::Defence, "d8", "d5") && !has(WebKind::Defence, "d1", "e4"));
            let ray = edges.iter().find(|e| e.kind == WebKind::Ray && e.from == "f1" && e.to == "a6");
            assert!(ray.is_none(), "nobody stands on a6");
            assert!(has(WebKind::Ray, "d1", "d5") && has(WebKind::Ray, "d5", "d1"));
        }
    }
}
