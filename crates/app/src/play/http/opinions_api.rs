//! What each mind thinks of a position.

use std::{sync::Arc, time::Duration};

use axum::{Json, extract::State};
use chess::{
    Brain, Clocks, Comparer, Moment, Ratings, Wdl,
    shakmaty::{Color, Move, Position, san::SanPlus},
};
use engine::Limits;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, Body, ErrorBody},
    client::Client,
    state::AppState,
    training_api::off_the_runtime,
};
use crate::play::{
    game::setup::{RATINGS, SetupError, Start},
    game::side::Side,
    minds::catalogue::{ENGINE, MindCard, Minds, Network},
    minds::search_pool::SearchResult,
    minds::turns::{Asker, Urgency},
    people::shelf::About,
    review::score::WhiteScore,
};

const SEARCH_TIME: Duration = Duration::from_millis(700);
const LINES: usize = 3;
/// Moves of a line that are told.
const LINE_LENGTH: usize = 10;
const MOST_MOVES: usize = 8;
/// Ten hours.
const LONGEST_CLOCK_S: u32 = 36_000;

/// A position, and the player whom minds shall think of.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    #[serde(default)]
    fen: Option<String>,
    /// In UCI.
    #[serde(default)]
    #[schema(max_items = 600)]
    moves: Vec<String>,
    #[serde(default = "usual_rating")]
    #[schema(minimum = 600, maximum = 2600)]
    rating: u16,
    /// Seconds that both players have left; none is no clock.
    #[serde(default)]
    #[schema(maximum = 36000)]
    clock_s: Option<u32>,
}

fn usual_rating() -> u16 {
    1500
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Opinions)]
pub(crate) struct Answer {
    fen: String,
    turn: Side,
    minds: Vec<View>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MindOpinion)]
struct View {
    #[serde(flatten)]
    card: MindCard,
    /// The likeliest moves; empty where a mind has no opinion on them.
    policy: Vec<Likely>,
    /// From a mind that compares positions: how likely it holds the one after a move for better than the one before.
    improvements: Vec<Likely>,
    /// Chances of White, of a draw, of Black.
    #[schema(value_type = Option<(f32, f32, f32)>)]
    chances: Option<[f32; 3]>,
    score: Option<WhiteScore>,
    /// Predicted seconds of thought.
    think_s: Option<f32>,
    lines: Vec<LineView>,
    depth: Option<u32>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Likely {
    uci: String,
    san: String,
    chance: f32,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Line)]
pub(crate) struct LineView {
    score: Option<WhiteScore>,
    uci: Vec<String>,
    san: Vec<String>,
}

/// The minds that can be played and asked; the first is the usual opponent.
#[utoipa::path(
    get,
    path = "/minds",
    responses(
        (status = 200, description = "The minds", body = Vec<MindCard>),
        ApiError,
    )
)]
pub(crate) async fn minds(
    State(state): State<Arc<AppState>>,
    client: Client,
) -> Result<Json<Vec<MindCard>>, ApiError> {
    off_the_runtime(move || {
        let mut cards = state.minds.cards.clone();
        cards.extend(state.people.list(&client.0).iter().map(About::card));
        Ok(Json(cards))
    })
    .await
}

/// What every mind thinks of a position.
#[utoipa::path(
    post,
    path = "/opinions",
    request_body = Question,
    responses(
        (status = 200, description = "One opinion for each mind", body = Answer),
        (status = 422, description = "Not a position", body = ErrorBody),
        (status = 429, description = "Too many questions of yours at once", body = ErrorBody),
        (status = 503, description = "Too many questions of everybody's", body = ErrorBody),
        ApiError,
    )
)]
pub(crate) async fn opinions(
    State(state): State<Arc<AppState>>,
    client: Client,
    Body(question): Body<Question>,
) -> Result<Json<Answer>, ApiError> {
    if !RATINGS.contains(&question.rating) {
        return Err(SetupError::Rating(question.rating).into());
    }
    if question.clock_s.is_some_and(|seconds| seconds > LONGEST_CLOCK_S) {
        return Err(ApiError::bad(format!("a clock has at most {LONGEST_CLOCK_S} seconds")));
    }
    let start = Start { fen: question.fen, moves: question.moves };
    let mut moment = start.new_moment()?;
    moment.players = Some(Ratings::lichess(Some(question.rating), Some(question.rating)));
    moment.clocks = question.clock_s.map(|seconds| Clocks::start(seconds.max(1), 0));
    let _turn = state.questions.begin(&client.0)?;
    let asker = Asker::new(&client.0, Urgency::Question);
    let networks = state.minds.networks.iter().map(|network| ask(network, &moment));
    let mut minds = futures_util::future::join_all(networks).await;
    minds.extend(search(&state.minds, &asker, &moment).await);
    Ok(Json(Answer { fen: moment.fen(), turn: moment.turn().into(), minds }))
}

fn empty(card: &MindCard) -> View {
    let card = card.clone();
    View {
        card,
        policy: vec![],
        improvements: vec![],
        chances: None,
        score: None,
        think_s: None,
        lines: vec![],
        depth: None,
    }
}

async fn ask(network: &Network, moment: &Moment) -> View {
    if moment.legal_moves().is_empty() {
        return empty(&network.card);
    }
    let mut asked = moment.clone();
    // Who plays like one person sits opposite somebody of the same strength, as the others do.
    if let Some(rating) = network.card.rating {
        asked.players = Some(Ratings::lichess(Some(rating), Some(rating)));
    }
    let opinion = network.evaluator.ask(asked).await;
    let improvements = network.evaluator.comparer().map(|mut comparer| improvements(&mut *comparer, moment));
    let line = Some(line(moment, None, &opinion.line)).filter(|line| !line.uci.is_empty());
    View {
        policy: likely(moment, opinion.policy.as_deref().unwrap_or_default()),
        improvements: likely(moment, &improvements.unwrap_or_default()),
        chances: opinion.wdl.map(|wdl| from_white(wdl, moment.turn())),
        think_s: opinion.think.as_ref().map(|think| think.mean().as_secs_f32()),
        lines: line.into_iter().collect(),
        ..empty(&network.card)
    }
}

/// The engine's word, after some thought.
async fn search(minds: &Minds, asker: &Asker, moment: &Moment) -> Option<View> {
    let card = minds.cards.iter().find(|card| card.name == ENGINE)?;
    let limits = Limits::move_time(SEARCH_TIME);
    let thought = match moment.legal_moves().is_empty() {
        true => None,
        false => minds.searches.think(asker, ENGINE, moment.clone(), limits, LINES).await,
    };
    Some(thought.map_or_else(|| empty(card), |thought| searched(moment, &thought, empty(card))))
}

fn searched(moment: &Moment, thought: &SearchResult, empty: View) -> View {
    let turn = moment.turn();
    let lines = thought
        .lines
        .iter()
        .map(|found| line(moment, Some(WhiteScore::new(found.score, turn)), &found.moves));
    View {
        score: thought.score.map(|score| WhiteScore::new(score, turn)),
        depth: Some(thought.depth),
        lines: lines.collect(),
        ..empty
    }
}

pub(super) fn from_white(wdl: Wdl, turn: Color) -> [f32; 3] {
    let white = turn.fold_wb(wdl, wdl.flipped());
    [white.win(), white.draw(), white.loss()]
}

/// For each legal move the chance that the position after it is better for the player than the one before.
fn improvements(comparer: &mut dyn Comparer, moment: &Moment) -> Vec<f32> {
    let player = moment.turn();
    let before = comparer.embed(&moment.position, player);
    let better = |m: Move| {
        let mut after = moment.position.clone();
        after.play_unchecked(m);
        let after = comparer.embed(&after, player);
        1.0 / (1.0 + (-comparer.compare(&after, &before)).exp())
    };
    moment.legal_moves().into_iter().map(better).collect()
}

pub(super) fn likely(moment: &Moment, policy: &[f32]) -> Vec<Likely> {
    let moves = moment.legal_moves();
    let mut found: Vec<Likely> = moves
        .iter()
        .zip(policy)
        .map(|(&m, &chance)| Likely {
            uci: moment.uci(m),
            san: SanPlus::from_move(moment.position.clone(), m).to_string(),
            chance,
        })
        .collect();
    found.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    found.truncate(MOST_MOVES);
    found
}

pub(super) fn line(moment: &Moment, score: Option<WhiteScore>, moves: &[Move]) -> LineView {
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    let mut at = moment.clone();
    for &m in moves.iter().take(LINE_LENGTH) {
        uci.push(at.uci(m));
        san.push(SanPlus::from_move(at.position.clone(), m).to_string());
        at.play(m);
    }
    LineView { score, uci, san }
}
