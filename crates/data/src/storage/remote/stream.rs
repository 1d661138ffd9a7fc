//! An object from front to end: windows of it are fetched ahead of the reader, each by a request of its own, so that a break costs no more
//! than a window. The object must stay the same while it is read.

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use futures_util::{StreamExt, stream};
use object_store::{Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use tokio::sync::mpsc::{Receiver, channel};

use super::{Object, StoreError, refused, runtime, wait};

const WINDOW: u64 = 8 << 20;
/// Windows that are on their way at once.
const AHEAD: usize = 3;

struct Windows {
    ready: Receiver<object_store::Result<Bytes>>,
    current: Bytes,
    /// Bytes that are still to come, beyond the current window.
    left: u64,
}

pub(super) fn open(object: Object) -> io::Result<(u64, Box<dyn Read + Send>)> {
    let about = wait(object.store.head(&object.path))?;
    let length = about.size;
    let (sender, ready) = channel(1);
    let fetch = move |start: u64| {
        let (object, tag) = (object.clone(), about.e_tag.clone());
        async move {
            let range = GetRange::Bounded(start..(start + WINDOW).min(length));
            let options = GetOptions { range: Some(range), if_match: tag, ..GetOptions::default() };
            match object.store.get_opts(&object.path, options).await {
                Ok(found) => found.bytes().await,
                // A server that knows no ranges sends the whole, which is taken if it is a window's worth.
                Err(Error::NotSupported { .. }) if length <= WINDOW => {
                    object.store.get(&object.path).await?.bytes().await
                }
                Err(error) => Err(error),
            }
        }
    };
    runtime().spawn(async move {
        let starts = stream::iter((0..length).step_by(WINDOW as usize));
        let mut windows = std::pin::pin!(starts.map(fetch).buffered(AHEAD));
        while let Some(window) = windows.next().await {
            let failed = window.is_err();
            if sender.send(window).await.is_err() || failed {
                return;
            }
        }
    });
    Ok((length, Box::new(Windows { ready, current: Bytes::new(), left: length })))
}

impl Read for Windows {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() && self.left > 0 {
            let broken = || io::Error::other(StoreError("the transfer broke off".to_owned()));
            let window = self.ready.blocking_recv().ok_or_else(broken)?.map_err(refused)?;
            self.left = self.left.checked_sub(window.len() as u64).ok_or_else(broken)?;
            self.current = window;
        }
        let length = buffer.len().min(self.current.len());
        self.current.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}
