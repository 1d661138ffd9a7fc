//! Requests to Lichess: one account, one pause for all when Lichess asks for it.

use std::{sync::Mutex, time::Duration};

use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Method, Request, Response, StatusCode, Uri,
    body::{Bytes, Incoming},
    header::{self, HeaderValue},
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client as Http, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde::de::DeserializeOwned;
use thiserror::Error;
use tokio::time::{Instant, sleep_until, timeout};

use crate::{events::Profile, failure::Failure, lines::Lines, token::Token};

/// Answers are a few kilobytes.
const LARGEST: usize = 1 << 20;

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the answer to a request.
    pub answer: Duration,
    /// For a sign of life on a stream.
    pub silence: Duration,
    /// After Lichess said that there were too many requests. It asks for a full minute.
    pub too_many: Duration,
    /// Before the second try of something that failed; doubled with each further one.
    pub first_retry: Duration,
    pub longest_retry: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            answer: Duration::from_secs(10),
            silence: Duration::from_secs(20),
            too_many: Duration::from_secs(61),
            first_retry: Duration::from_millis(500),
            longest_retry: Duration::from_secs(60),
        }
    }
}

#[derive(Debug, Error)]
pub enum ClientError {
    #[error("`{0}` is no address of a server, such as https://lichess.org")]
    Address(String),
    #[error(
        "`{0}` is not encrypted, so the token would be sent for all to read: it must begin with https://"
    )]
    Plain(String),
    #[error("no encrypted connections: {0}")]
    Tls(String),
}

#[derive(Debug)]
pub struct Client {
    http: Http<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base: String,
    bearer: HeaderValue,
    pub(crate) patience: Patience,
    /// No request leaves before.
    paused_until: Mutex<Option<Instant>>,
}

impl Client {
    pub fn new(base: &str, token: &Token, patience: Patience) -> Result<Client, ClientError> {
        let base = base.trim_end_matches('/').to_owned();
        let uri: Uri = base.parse().map_err(|_| ClientError::Address(base.clone()))?;
        let host = uri.host().ok_or_else(|| ClientError::Address(base.clone()))?;
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if matches!(host, "localhost" | "127.0.0.1" | "[::1]") => {}
            Some("http") => return Err(ClientError::Plain(base)),
            _ => return Err(ClientError::Address(base)),
        }
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(patience.answer));
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(|error| ClientError::Tls(error.to_string()))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        Ok(Client {
            http: Http::builder(TokioExecutor::new()).build(connector),
            base,
            bearer: token.header(),
            patience,
            paused_until: Mutex::new(None),
        })
    }

    /// Whose token it is.
    pub async fn profile(&self) -> Result<Profile, Failure> {
        self.get("/api/account").await
    }

    /// What Lichess says about something, as JSON.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let response = self.send(Method::GET, path, "").await?;
        let text = self.text(response).await?;
        serde_json::from_str(&text).map_err(|error| Failure::Lost(format!("{path}: {error}")))
    }

    /// Asks for something to be done. `form` is already encoded.
    pub(crate) async fn post(&self, path: &str, form: &str) -> Result<(), Failure> {
        let response = self.send(Method::POST, path, form).await?;
        // Only a whole answer frees the connection for the next request.
        let _ = self.text(response).await;
        Ok(())
    }

    pub(crate) async fn stream(&self, path: &str) -> Result<Lines, Failure> {
        let response = self.send(Method::GET, path, "").await?;
        Ok(Lines::new(response.into_body(), self.patience.silence))
    }

    async fn send(&self, method: Method, path: &str, form: &str) -> Result<Response<Incoming>, Failure> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::AUTHORIZATION, self.bearer.clone())
            .header(header::USER_AGENT, concat!("tabiya/", env!("CARGO_PKG_VERSION")));
        if !form.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        }
        let request = request
            .body(Full::new(Bytes::copy_from_slice(form.as_bytes())))
            .map_err(|error| Failure::lost(&error))?;
        self.wait_out_the_pause().await;
        let response = match timeout(self.patience.answer, self.http.request(request)).await {
            Err(_) => return Err(Failure::Lost(format!("no answer in {:?}", self.patience.answer))),
            Ok(response) => response.map_err(|error| Failure::lost(&error))?,
        };
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            self.pause();
            return Err(Failure::TooMany);
        }
        if status.is_success() {
            return Ok(response);
        }
        let text = self.text(response).await.unwrap_or_default();
        let text: String = text.trim().chars().take(200).collect();
        if status.is_client_error() {
            return Err(Failure::Refused { status: status.as_u16(), text });
        }
        Err(Failure::Lost(format!("the server failed with {status}")))
    }

    async fn text(&self, response: Response<Incoming>) -> Result<String, Failure> {
        let body = Limited::new(response.into_body(), LARGEST).collect();
        match timeout(self.patience.answer, body).await {
            Err(_) => Err(Failure::Lost(format!("half an answer in {:?}", self.patience.answer))),
            Ok(Err(error)) => Err(Failure::Lost(error.to_string())),
            Ok(Ok(whole)) => Ok(String::from_utf8_lossy(&whole.to_bytes()).into_owned()),
        }
    }

    fn pause(&self) {
        let until = Instant::now() + self.patience.too_many;
        *self.paused_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(until);
    }

    async fn wait_out_the_pause(&self) {
        loop {
            let until = *self.paused_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match until.filter(|&until| until > Instant::now()) {
                Some(until) => sleep_until(until).await,
                None => return,
            }
        }
    }
}

/// One value of a form.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let letter = |byte: u8| match plain(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_to_nobody_who_could_be_overheard() {
        let token = Token::parse("lip_x", "here").unwrap();
        let client = |base| Client::new(base, &token, Patience::default());
        for base in
            ["https://lichess.org", "https://lichess.org/", "http://127.0.0.1:80", "http://localhost:1"]
        {
            assert!(client(base).is_ok(), "{base}");
        }
        for base in ["http://lichess.org", "ftp://lichess.org", "lichess", "", "file:///x"] {
            let error = client(base).unwrap_err().to_string();
            assert!(error.contains(base), "{error}");
        }
        let shown = format!("{:?}", client("https://lichess.org").unwrap());
        assert!(!shown.contains("lip_x"), "{shown}");
    }

    #[test]
    fn forms_hold_any_text() {
        assert_eq!(encoded("Good luck, Zoë & co!"), "Good%20luck%2C%20Zo%C3%AB%20%26%20co%21");
    }
}
