//! Streams of lines, kept alive, and cut or stammering where faults are switched on.

use std::{convert::Infallible, time::Duration};

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::Server;

const KEEP_ALIVE: Duration = Duration::from_millis(200);

struct Feed {
    server: Server,
    /// Lines that are due, last first.
    due: Vec<String>,
    later: Receiver<String>,
    cut: bool,
}

/// Lines that are there, and then those that come.
pub(crate) fn body(server: Server, mut first: Vec<String>, later: Receiver<String>) -> Body {
    first.reverse();
    let feed = Feed { server, due: first, later, cut: false };
    Body::from_stream(stream::unfold(feed, |mut feed| async {
        let chunk = feed.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(chunk)), feed))
    }))
}

impl Feed {
    async fn next(&mut self) -> Option<String> {
        if self.cut {
            return None;
        }
        let line = match self.due.pop() {
            Some(line) => line,
            None => match tokio::time::timeout(KEEP_ALIVE, self.later.recv()).await {
                Err(_) => return Some("\n".to_owned()),
                Ok(Ok(line)) => line,
                Ok(Err(RecvError::Lagged(_))) => return None,
                Ok(Err(RecvError::Closed)) => return None,
            },
        };
        let delay = self.server.world().faults.delay();
        if let Some(delay) = delay {
            tokio::time::sleep(delay).await;
        }
        let mut world = self.server.world();
        let faults = &mut world.faults;
        let (cut, twice) = (faults.cut, faults.twice);
        if faults.strikes(cut) {
            self.cut = true;
            return Some(line[..line.len() / 2].to_owned());
        }
        Some(if faults.strikes(twice) { format!("{line}\n{line}\n") } else { format!("{line}\n") })
    }
}
