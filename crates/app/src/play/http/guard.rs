//! Who may talk to the server: requests that name it by an address or a name it knows, from its own page or from no
//! page at all. This keeps other web sites, and names that are turned to this machine, away from the games.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{HOST, ORIGIN},
        uri::Authority,
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

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// Listening on this machine alone.
    pub(crate) loopback_only: bool,
    /// Names by which the server may be called besides `localhost` and addresses.
    pub(crate) names: Vec<String>,
}

pub(crate) async fn watch(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(&request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

impl Guard {
    fn check(&self, request: &Request) -> Result<(), ApiError> {
        let headers = request.headers();
        let host = only(headers, HOST)?.unwrap_or_default();
        // A target with a host of its own goes before the header, so it has to be ours as well.
        let named = request.uri().authority().map(Authority::as_str);
        for host in [Some(host), named].into_iter().flatten() {
            if !self.knows(host) {
                let message =
                    format!("this server is not called `{host}`; see `tabiya play --help` on --name");
                return Err(ApiError::new(StatusCode::MISDIRECTED_REQUEST, "host", message));
            }
        }
        if let Some(origin) = only(headers, ORIGIN)?.filter(|origin| !is_own(origin, host)) {
            return Err(ApiError::forbidden(format!("requests from `{origin}` are not answered")));
        }
        // Browsers say where a request comes from even where they send no origin. Following a link to the page is fine.
        let api = request.uri().path().starts_with("/api");
        match only(headers, SEC_FETCH_SITE)? {
            Some(site @ ("cross-site" | "same-site")) if api => {
                Err(ApiError::forbidden(format!("requests that are `{site}` are not answered")))
            }
            _ => Ok(()),
        }
    }

    /// Addresses pass because no name can be turned to them.
    fn knows(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        let address = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(inside) => inside.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
            None => name.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
        };
        match address {
            Some(address) => !self.loopback_only || address.is_loopback(),
            None => name == "localhost" || self.names.contains(&name),
        }
    }
}

/// The value of a header that may be given once. Of two, a proxy may heed the other one.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ApiError> {
    let mut values = headers.get_all(&name).iter();
    let first = values.next().map(|value| value.to_str().unwrap_or("?"));
    match values.next() {
        Some(_) => Err(ApiError::bad(format!("`{name}` may be given only once"))),
        None => Ok(first),
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
            ("[[[127.0.0.1]]]", false, false),
            ("[127.0.0.1]", false, false),
            ("127.0.0.1]", false, false),
            ("[[::1]]:7878", false, false),
            ("::1", false, false),
            ("2130706433", false, false),
        ];
        for (host, at_home, in_house) in table {
            assert_eq!((home.knows(host), house.knows(host)), (at_home, in_house), "{host}");
        }
    }

    #[test]
    fn what_contradicts_itself_or_comes_from_another_site_is_refused() {
        let guard = Guard { loopback_only: true, names: vec![] };
        let table = [
            ("/api/minds", &[("host", "localhost")][..], true),
            ("/api/minds", &[("host", "localhost"), ("host", "localhost")], false),
            (
                "/api/minds",
                &[("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://x")],
                false,
            ),
            ("http://localhost/api/minds", &[("host", "localhost")], true),
            ("http://evil.example/api/minds", &[("host", "localhost")], false),
            ("/api/openings", &[("host", "localhost"), ("sec-fetch-site", "same-origin")], true),
            ("/api/openings", &[("host", "localhost"), ("sec-fetch-site", "none")], true),
            ("/api/openings", &[("host", "localhost"), ("sec-fetch-site", "cross-site")], false),
            ("/api/openings", &[("host", "localhost"), ("sec-fetch-site", "same-site")], false),
            ("/", &[("host", "localhost"), ("sec-fetch-site", "cross-site")], true),
        ];
        for (target, headers, passes) in table {
            let request = Request::builder().uri(target);
            let request =
                headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            let request = request.body(axum::body::Body::empty()).unwrap();
            assert_eq!(guard.check(&request).is_ok(), passes, "{target} {headers:?}");
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
            let mut request = Request::builder().uri("/").header(HOST, "127.0.0.1:7878");
            if let Some(origin) = origin {
                request = request.header(ORIGIN, origin);
            }
            let request = request.body(axum::body::Body::empty()).unwrap();
            assert_eq!(guard.check(&request).is_ok(), passes, "{origin:?}");
        }
    }
}
