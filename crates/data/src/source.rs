//! An input: a file or standard input, unpacked by what its first bytes say, not by its name.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use xxhash_rust::xxh3::xxh3_64;

use crate::storage::{self, StoreError};

/// Bytes that are hashed to tell inputs apart.
const HEAD: usize = 1 << 20;

/// An opened input.
pub struct Source {
    /// File name without folders; `-` is standard input.
    pub name: String,
    /// Length (where known) and hash of the first bytes as stored.
    pub identity: String,
    /// Bytes as stored; unknown for standard input.
    pub len: Option<u64>,
    /// Stored bytes read so far, for progress.
    pub consumed: Arc<AtomicU64>,
    reader: Box<dyn Read + Send>,
}

impl Source {
    pub fn open(path: &Path) -> io::Result<Source> {
        if path == Path::new("-") {
            return Source::new("-".to_owned(), None, Box::new(io::stdin()));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match storage::remote(path)? {
            None => {}
            #[cfg(feature = "stores")]
            Some(object) => {
                let (len, stream) = object.stream()?;
                return Source::new(name, Some(len), stream);
            }
            #[cfg(not(feature = "stores"))]
            Some(never) => match never {},
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder, not a file of games"));
        }
        // A pipe or device has no length to speak of.
        Source::new(name, metadata.is_file().then_some(metadata.len()), Box::new(file))
    }

    pub fn new(name: String, len: Option<u64>, mut raw: Box<dyn Read + Send>) -> io::Result<Source> {
        let mut head = Vec::new();
        raw.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let identity = format!("{}:{:016x}", len.unwrap_or(0), xxh3_64(&head));
        let consumed = Arc::new(AtomicU64::new(0));
        let whole = Counted { inner: Cursor::new(head.clone()).chain(raw), count: Arc::clone(&consumed) };
        let reader: Box<dyn Read + Send> = match head.as_slice() {
            // Frames that follow one another are read on; so are skippable ones.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Box::new(zstd::Decoder::new(whole)?)
            }
            [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(whole))),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => {
                Box::new(bzip2::bufread::MultiBzDecoder::new(BufReader::new(whole)))
            }
            _ => Box::new(whole),
        };
        Ok(Source { name, identity, len, consumed, reader })
    }

    /// The whole unpacked text by lines, for readers of small files.
    pub fn lines(self) -> impl BufRead {
        BufReader::with_capacity(1 << 16, self.reader)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name, self.identity)
    }
}

/// Whether an error speaks of the data (a cut or damaged archive) and not of the machine.
pub(crate) fn is_bad_data(error: &io::Error) -> bool {
    error.raw_os_error().is_none() && !error.get_ref().is_some_and(|inner| inner.is::<StoreError>())
}

struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buffer)?;
        self.count.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn unpack(bytes: Vec<u8>) -> Vec<u8> {
        let mut text = Vec::new();
        let mut source = Source::new("x".to_owned(), None, Box::new(Cursor::new(bytes))).unwrap();
        source.read_to_end(&mut text).unwrap();
        text
    }

    #[test]
    fn every_packing_reads_the_same_in_one_and_in_two_pieces() {
        let (first, second) = (b"1. e4 e5 *\n\n".repeat(500), b"1. d4 *\n".repeat(300));
        let whole = [first.clone(), second.clone()].concat();
        let zst = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
        let gz = |bytes: &[u8]| {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(bytes).unwrap();
            writer.finish().unwrap()
        };
        let bz2 = |bytes: &[u8]| {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            writer.write_all(bytes).unwrap();
            writer.finish().unwrap()
        };
        assert_eq!(unpack(whole.clone()), whole);
        for pack in [&zst as &dyn Fn(&[u8]) -> Vec<u8>, &gz, &bz2] {
            assert_eq!(unpack(pack(&whole)), whole);
            assert_eq!(unpack([pack(&first), pack(&second)].concat()), whole);
        }
    }
}
