//! Openings by name.

use axum::{Json, extract::Query};
use serde::Deserialize;

use crate::play::openings::{Line, Openings};

#[derive(Debug, Deserialize)]
pub(crate) struct Search {
    #[serde(default)]
    q: String,
}

pub(crate) async fn find(Query(search): Query<Search>) -> Json<Vec<&'static Line>> {
    Json(Openings::shared().find(&search.q))
}
