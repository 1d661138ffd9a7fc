//! Who asks: a cookie with a name that nobody can guess. Whoever has it owns the games that were begun with it.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, Request},
    http::{
        HeaderMap, HeaderValue,
        header::{COOKIE, SET_COOKIE},
        request::Parts,
    },
    middleware::Next,
    response::Response,
};

use super::api_error::ApiError;
use crate::play::ids;

const NAME: &str = "tabiya";
/// Ten years: the games are the player's own.
const MAX_AGE_S: u64 = 10 * 365 * 86_400;

#[derive(Clone, Debug)]
pub(crate) struct Client(pub(crate) Arc<str>);

/// Recognises whoever asks, or gives her a name.
pub(crate) async fn recognise(mut request: Request, next: Next) -> Response {
    let known = from_cookies(request.headers());
    let is_new = known.is_none();
    let client: Arc<str> = known.unwrap_or_else(ids::client).into();
    request.extensions_mut().insert(Client(Arc::clone(&client)));
    let mut response = next.run(request).await;
    if is_new {
        let cookie = format!("{NAME}={client}; Path=/; HttpOnly; SameSite=Strict; Max-Age={MAX_AGE_S}");
        response.headers_mut().append(SET_COOKIE, HeaderValue::from_str(&cookie).expect("plain ASCII"));
    }
    response
}

fn from_cookies(headers: &HeaderMap) -> Option<String> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, value)| *name == NAME && ids::is_client(value))
        .map(|(_, value)| value.to_owned())
}

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Client, ApiError> {
        parts.extensions.get().cloned().ok_or_else(|| ApiError::forbidden("nobody asked"))
    }
}
