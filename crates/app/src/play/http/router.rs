//! Every address that the server answers.

use std::sync::Arc;

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    http::{HeaderValue, StatusCode, header::CACHE_CONTROL},
    middleware::{self, Next},
    response::Response,
    routing::get,
};
use utoipa_axum::{
    router::{OpenApiRouter, UtoipaMethodRouterExt},
    routes,
};

use super::{
    analysis_api,
    api_error::ApiError,
    archive_api, assets, client, explorer_api, games_api,
    guard::{self, Guard},
    insight_api, openapi, openings_api, opinions_api, people_api, review_api, socket,
    state::AppState,
    tabiyas_api, training_api,
};

/// Enough for any game and its comments.
const LARGEST_BODY: usize = 256 * 1024;
/// Some five thousand games with clocks.
const LARGEST_FILE: usize = 32 * 1024 * 1024;
/// Years of games and training.
const LARGEST_ARCHIVE: usize = 128 * 1024 * 1024;

/// Every address under `/api`, each described where it is handled.
pub(super) fn addresses() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(games_api::list, games_api::start))
        .routes(routes!(games_api::view))
        .routes(routes!(games_api::act))
        .routes(routes!(games_api::pgn))
        .routes(routes!(socket::open))
        .routes(routes!(opinions_api::minds))
        .routes(routes!(opinions_api::opinions))
        .routes(routes!(insight_api::web))
        .routes(routes!(insight_api::passes))
        .routes(routes!(insight_api::imagination))
        .routes(routes!(openings_api::find))
        .routes(routes!(explorer_api::explore))
        .routes(routes!(analysis_api::analyse))
        .routes(routes!(review_api::review))
        .routes(routes!(review_api::list, review_api::keep))
        .routes(routes!(review_api::kept, review_api::remove))
        .routes(
            routes!(training_api::imports, training_api::import).layer(DefaultBodyLimit::max(LARGEST_FILE)),
        )
        .routes(routes!(training_api::import_own))
        .routes(routes!(training_api::remove_import))
        .routes(routes!(people_api::list, people_api::keep).layer(DefaultBodyLimit::max(LARGEST_FILE)))
        .routes(routes!(people_api::book))
        .routes(routes!(people_api::remove))
        .routes(routes!(training_api::mistakes))
        .routes(routes!(training_api::memories, training_api::remember))
        .routes(routes!(training_api::profile))
        .routes(routes!(training_api::repertoires, training_api::add_repertoire))
        .routes(routes!(training_api::change_repertoire, training_api::remove_repertoire))
        .routes(
            routes!(archive_api::export, archive_api::import).layer(DefaultBodyLimit::max(LARGEST_ARCHIVE)),
        )
        .routes(routes!(tabiyas_api::list, tabiyas_api::save))
        .routes(routes!(tabiyas_api::remove))
        .routes(routes!(openapi::describe))
}

pub(crate) fn router(state: Arc<AppState>, guard: Guard) -> Router {
    let (api, _) = addresses().split_for_parts();
    let api = api
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
