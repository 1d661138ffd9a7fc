//! Answers that come as one line of JSON after another, as they are found.

use std::convert::Infallible;

use axum::{
    body::{Body, Bytes},
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use futures_util::StreamExt;
use serde::Serialize;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// Lines wait here for a reader who is slower than the work.
const WAITING: usize = 8;
pub(crate) const NDJSON: &str = "application/x-ndjson";

pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    mpsc::channel(WAITING)
}

pub(crate) fn json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data") + "\n"
}

/// Every line as it is sent.
pub(crate) fn response(mut written: Receiver<String>) -> Response {
    let lines = futures_util::stream::poll_fn(move |context| written.poll_recv(context));
    let bytes = lines.map(|line| Ok::<_, Infallible>(Bytes::from(line)));
    ([(CONTENT_TYPE, NDJSON)], Body::from_stream(bytes)).into_response()
}

/// All at once.
pub(crate) fn ready(lines: String) -> Response {
    ([(CONTENT_TYPE, NDJSON)], lines).into_response()
}

/// Writes down what is found for as long as somebody listens. Returns whether there was a listener to the end.
pub(crate) async fn pass_on<T: Serialize>(
    mut found: Receiver<T>,
    lines: &Sender<String>,
    mut heard: impl FnMut(&str),
) -> bool {
    while let Some(value) = found.recv().await {
        let line = json_line(&value);
        heard(&line);
        if lines.send(line).await.is_err() {
            return false;
        }
    }
    true
}
