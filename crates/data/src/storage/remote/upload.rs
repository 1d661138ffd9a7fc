//! Writing an object from front to end: small ones at once, larger ones in parts. Nobody sees anything before the last step. What a killed
//! writer had uploaded stays invisible; a rule of the bucket (`AbortIncompleteMultipartUpload`) frees its room.

use std::io;

use object_store::{MultipartUpload, ObjectStoreExt};

use super::{Object, wait};

/// Bytes of a part: stores ask for at least 5 MiB and take at most 10,000 parts.
const PART: usize = 16 << 20;

#[derive(Debug)]
pub(crate) struct Upload {
    object: Object,
    waiting: Vec<u8>,
    parts: Option<Box<dyn MultipartUpload>>,
}

impl Upload {
    pub(super) fn new(object: Object) -> Upload {
        Upload { object, waiting: Vec::new(), parts: None }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PART && self.object.in_parts {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn send(&mut self) -> io::Result<()> {
        if self.parts.is_none() {
            self.parts = Some(wait(self.object.store.put_multipart(&self.object.path))?);
        }
        let parts = self.parts.as_mut().expect("begun above");
        let bytes = std::mem::take(&mut self.waiting);
        wait(parts.put_part(bytes.into()))
    }

    /// Makes the object visible.
    pub(crate) fn complete(mut self) -> io::Result<()> {
        if self.parts.is_none() {
            return self.object.write(std::mem::take(&mut self.waiting));
        }
        let sent = if self.waiting.is_empty() { Ok(()) } else { self.send() };
        let parts = self.parts.as_mut().expect("seen above");
        sent.and_then(|()| wait(parts.complete()).map(drop)).inspect_err(|_| drop(wait(parts.abort())))
    }

    pub(crate) fn abort(mut self) {
        if let Some(parts) = &mut self.parts {
            let _ = wait(parts.abort());
        }
    }
}
