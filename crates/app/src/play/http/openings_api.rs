//! Openings by name.

use axum::{
    Json,
    extract::{Query, rejection::QueryRejection},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{api_error::ApiError, blocking::off_the_runtime};
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
    off_the_runtime(move || Ok(Json(Openings::shared().find(&search.q)))).await
}
