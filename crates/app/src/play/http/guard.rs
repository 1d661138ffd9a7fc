//! Who may talk to the server: requests that name it by an address or a name it knows, from its own page or from no
//! page at all. This keeps other web sites, and names that are turned to this machine, away from the games.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{HOST, ORIGIN},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::api_error::ApiError;

const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
];

#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// Listening on this machine alone.
    pub(crate) loopback_only: bool,
    /// Names by which the server may be called besides `localhost` and addresses.
    pub(crate) names: Vec<String>,
}

pub(crate) async fn watch(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

impl Guard {
    fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or_default());
        let host = text(HOST).unwrap_or_default();
        if !self.knows(host) {
            let message = format!("this server is not called `{host}`; see `tabiya play --help` on --name");
            return Err(ApiError::new(StatusCode::MISDIRECTED_REQUEST, "host", message));
        }
        match text(ORIGIN) {
            Some(origin) if !is_own(origin, host) => {
                Err(ApiError::forbidden(format!("requests from `{origin}` are not answered")))
            }
            _ => Ok(()),
        }
    }

    /// Addresses pass because no name can be turned to them.
    fn knows(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        match name.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => !self.loopback_only || address.is_loopback(),
            Err(_) => name == "localhost" || self.names.contains(&name),
        }
    }
}

fn is_own(origin: &str, host: &str) -> bool {
    let origin = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
    origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_ours_are_answered() {
        let home = Guard { loopback_only: true, names: vec![] };
        let house = Guard { loopback_only: false, names: vec!["chess.example".to_owned()] };
        let table = [
            ("127.0.0.1:7878", true, true),
            ("localhost:7878", true, true),
            ("LOCALHOST", true, true),
            ("[::1]:7878", true, true),
            ("192.168.1.7:7878", false, true),
            ("chess.example", false, true),
            ("chess.example:7878", false, true),
            ("evil.example", false, false),
            ("127.0.0.1.evil.example:7878", false, false),
            ("localhost.evil.example", false, false),
            ("", false, false),
        ];
        for (host, at_home, in_house) in table {
            assert_eq!((home.knows(host), house.knows(host)), (at_home, in_house), "{host}");
        }
    }

    #[test]
    fn only_our_own_page_may_ask() {
        let guard = Guard { loopback_only: true, names: vec![] };
        let table = [
            (None, true),
            (Some("http://127.0.0.1:7878"), true),
            (Some("http://127.0.0.1:7879"), false),
            (Some("http://localhost:7878"), false),
            (Some("http://evil.example"), false),
            (Some("null"), false),
            (Some(""), false),
        ];
        for (origin, passes) in table {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("127.0.0.1:7878"));
            origin.map(|origin| headers.insert(ORIGIN, HeaderValue::from_static(origin)));
            assert_eq!(guard.check(&headers).is_ok(), passes, "{origin:?}");
        }
    }
}
