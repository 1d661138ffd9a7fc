//! Reading at any place of an object. Parquet asks for small pieces that follow one another: each request takes some of what comes next.

use std::{
    collections::VecDeque,
    io::{self, Read},
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use object_store::ObjectStoreExt;

use super::{Object, wait};

/// Bytes of a request at least: about a row group of games.
const AT_LEAST: u64 = 1 << 20;
/// Requests whose bytes are kept.
const KEPT: usize = 4;

#[derive(Debug)]
pub(crate) struct Pages {
    object: Object,
    length: u64,
    recent: Mutex<VecDeque<(u64, Bytes)>>,
}

impl Pages {
    pub(super) fn new(object: Object, length: u64) -> Pages {
        Pages { object, length, recent: Mutex::default() }
    }

    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// `length` bytes from `start` on.
    pub(crate) fn read(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let end = start.saturating_add(length as u64);
        if end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if length == 0 {
            return Ok(Bytes::new());
        }
        let cut = |(from, bytes): &(u64, Bytes)| {
            let inside = *from <= start && end <= from + bytes.len() as u64;
            inside.then(|| bytes.slice((start - from) as usize..(end - from) as usize))
        };
        let lock = || self.recent.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(found) = lock().iter().find_map(cut) {
            return Ok(found);
        }
        let wanted = start..end.max(start + AT_LEAST).min(self.length);
        let fresh = (start, wait(self.object.store.get_range(&self.object.path, wanted))?);
        let found = cut(&fresh).ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut recent = lock();
        recent.truncate(KEPT - 1);
        recent.push_front(fresh);
        Ok(found)
    }
}

/// Reads on from a place.
pub(crate) struct PageReader {
    pub(crate) pages: Arc<Pages>,
    pub(crate) at: u64,
}

impl Read for PageReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.pages.len().saturating_sub(self.at);
        let length = left.min(buffer.len().min(1 << 16) as u64) as usize;
        let bytes = self.pages.read(self.at, length)?;
        buffer[..length].copy_from_slice(&bytes);
        self.at += length as u64;
        Ok(length)
    }
}
