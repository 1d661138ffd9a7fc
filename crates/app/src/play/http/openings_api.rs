//! Openings by name.

use axum::{
    Json,
    extract::{Query, rejection::QueryRejection},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::api_error::ApiError;
use crate::play::openings::{Line, Openings};

/// No name of an opening is longer.
const LONGEST_QUERY: usize = 200;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Search {
    /// Words of a name, or a code.
    #[serde(default)]
    #[param(max_length = 200)]
    q: String,
}

/// Openings by words of their name or code.
#[utoipa::path(
    get,
    path = "/openings",
    params(Search),
    responses(
        (status = 200, description = "At most 40, shorter lines first", body = Vec<Line>),
        ApiError,
    )
)]
pub(crate) async fn find(
    search: Result<Query<Search>, QueryRejection>,
) -> Result<Json<Vec<&'static Line>>, ApiError> {
    let Query(search) = search.map_err(|rejection| ApiError::bad(rejection.body_text()))?;
    if search.q.chars().count() > LONGEST_QUERY {
        return Err(ApiError::bad(format!("a search has at most {LONGEST_QUERY} characters")));
    }
    // The first search reads the whole table.
    let found = tokio::task::spawn_blocking(move || Openings::shared().find(&search.q)).await;
    found.map(Json).map_err(|_| ApiError::gone("the search broke off; ask again"))
}
