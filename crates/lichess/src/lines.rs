//! A stream of JSON values, one a line. Lichess sends an empty line every few seconds, so silence means that the connection is dead.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

use crate::failure::Failure;

/// No event is longer; more means that something else answers.
const LONGEST: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Lines {
    body: Incoming,
    buffer: Vec<u8>,
    silence: Duration,
}

impl Lines {
    pub(crate) fn new(body: Incoming, silence: Duration) -> Lines {
        Lines { body, buffer: Vec::new(), silence }
    }

    /// The next line that is not empty. `None` where the stream ends; half a line at the end is nothing. Safe to drop while it waits.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, Failure> {
        loop {
            while let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                if !line.is_empty() {
                    return Ok(Some(line));
                }
            }
            if self.buffer.len() > LONGEST {
                return Err(Failure::Lost("a line without an end".to_owned()));
            }
            let frame = match timeout(self.silence, self.body.frame()).await {
                Err(_) => return Err(Failure::Lost(format!("nothing heard for {:?}", self.silence))),
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => frame.map_err(|error| Failure::lost(&error))?,
            };
            if let Some(data) = frame.data_ref() {
                self.buffer.extend_from_slice(data);
            }
        }
    }
}
