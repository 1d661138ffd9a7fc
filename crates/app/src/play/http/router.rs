//! Every address that the server answers.

use std::sync::Arc;

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    http::{HeaderValue, StatusCode, header::CACHE_CONTROL},
    middleware::{self, Next},
    response::Response,
    routing::{delete, get, post},
};

use super::{
    api_error::ApiError,
    assets, client, games_api,
    guard::{self, Guard},
    openapi, openings_api, opinions_api, review_api, socket,
    state::AppState,
    tabiyas_api,
};

/// Enough for any game and its comments.
const LARGEST_BODY: usize = 256 * 1024;

pub(crate) fn router(state: Arc<AppState>, guard: Guard) -> Router {
    let api = Router::new()
        .route("/games", get(games_api::list).post(games_api::start))
        .route("/games/{id}", get(games_api::view))
        .route("/games/{id}/actions", post(games_api::act))
        .route("/games/{id}/pgn", get(games_api::pgn))
        .route("/games/{id}/socket", get(socket::open))
        .route("/minds", get(opinions_api::minds))
        .route("/opinions", post(opinions_api::opinions))
        .route("/openings", get(openings_api::find))
        .route("/review", post(review_api::review))
        .route("/tabiyas", get(tabiyas_api::list).post(tabiyas_api::save))
        .route("/tabiyas/{id}", delete(tabiyas_api::remove))
        .route("/openapi.json", get(openapi::document))
        .fallback(async || ApiError::not_found("there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this address is asked in another way")
        })
        .layer(middleware::from_fn(never_stored))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .with_state(state);
    Router::new()
        .nest("/api", api)
        .fallback(get(assets::serve))
        .layer(middleware::from_fn(client::recognise))
        .layer(middleware::from_fn_with_state(Arc::new(guard), guard::watch))
}

async fn never_stored(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
