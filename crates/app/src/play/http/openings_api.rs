//! Openings by name.

use axum::{
    Json,
    extract::{Query, rejection::QueryRejection},
};
use serde::Deserialize;

use super::api_error::ApiError;
use crate::play::openings::{Line, Openings};

/// No name of an opening is longer.
const LONGEST_QUERY: usize = 200;

#[derive(Debug, Deserialize)]
pub(crate) struct Search {
    #[serde(default)]
    q: String,
}

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
