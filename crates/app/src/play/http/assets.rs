//! The page, inside the binary. The list is made by `build.rs`; an address that is not on it does not exist.

use axum::{
    http::{
        HeaderMap, HeaderValue, StatusCode, Uri,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
    },
    response::{IntoResponse, Response},
};

/// A file of the page: its address, its content, and a tag that changes with it.
#[derive(Debug)]
struct Asset {
    path: &'static str,
    bytes: &'static [u8],
    etag: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

pub(crate) async fn serve(uri: Uri, headers: HeaderMap) -> Response {
    let path = if uri.path() == "/" { "/index.html" } else { uri.path() };
    let Some(asset) = ASSETS.iter().find(|asset| asset.path == path) else {
        return (StatusCode::NOT_FOUND, "There is nothing at this address.").into_response();
    };
    // Vite puts a hash of the content into the names of what lies under /assets/.
    let cache = if path.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let known = headers.get(IF_NONE_MATCH).is_some_and(|tag| tag == asset.etag);
    let answer = [
        (CONTENT_TYPE, content_type(path)),
        (CACHE_CONTROL, HeaderValue::from_static(cache)),
        (ETAG, HeaderValue::from_static(asset.etag)),
    ];
    if known {
        (StatusCode::NOT_MODIFIED, answer).into_response()
    } else {
        (answer, asset.bytes).into_response()
    }
}

/// Whether the real page is inside, or only the one that says what is missing.
pub(crate) fn is_built() -> bool {
    BUILT
}

fn content_type(path: &str) -> HeaderValue {
    HeaderValue::from_static(match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        Some("json") => "application/json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    })
}
