//! The description of the interface, for programs that want to use it.

use axum::{
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};

const DOCUMENT: &str = include_str!("openapi.json");

pub(crate) async fn document() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
}
