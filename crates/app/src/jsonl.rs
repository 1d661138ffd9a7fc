//! Files of one JSON value a line, each whole and on disk before anybody hears of it.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
};

use serde::Serialize;

/// An open file that grows by whole lines.
#[derive(Debug)]
pub(crate) struct Jsonl {
    file: File,
    /// Bytes that are whole lines and on disk.
    length: u64,
    /// Whether there may be more in the file, of a line that could not be written whole.
    torn: bool,
    /// While it is set, the file takes half of what is written and no more.
    #[cfg(test)]
    disk_full: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// The lines that were written whole: what follows the last line break was being written when the program ended.
pub(crate) fn whole(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)]
}

impl Jsonl {
    /// A new file, where there is none.
    pub(crate) fn create(path: &Path) -> io::Result<Jsonl> {
        OpenOptions::new().append(true).create_new(true).open(path).map(|file| Jsonl::at(file, 0, false))
    }

    /// Goes on with a file behind its first `length` bytes; whatever follows them is cut off before the next line.
    pub(crate) fn open(path: &Path, length: u64) -> io::Result<Jsonl> {
        let file = OpenOptions::new().append(true).open(path)?;
        let torn = file.metadata()?.len() > length;
        Ok(Jsonl::at(file, length, torn))
    }

    fn at(file: File, length: u64, torn: bool) -> Jsonl {
        Jsonl {
            file,
            length,
            torn,
            #[cfg(test)]
            disk_full: Default::default(),
        }
    }

    #[cfg(test)]
    pub(crate) fn full_with(self, disk_full: &std::sync::Arc<std::sync::atomic::AtomicBool>) -> Jsonl {
        Jsonl { disk_full: std::sync::Arc::clone(disk_full), ..self }
    }

    /// Bytes that are whole lines and on disk.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Returns once all lines are on disk. If it fails none of them is, or will be found there later.
    pub(crate) fn append(&mut self, values: &[impl Serialize]) -> io::Result<()> {
        let mut text = Vec::new();
        for value in values {
            serde_json::to_writer(&mut text, value)?;
            text.push(b'\n');
        }
        self.cut()?;
        self.torn = true;
        // What cannot be cut off now is cut off before the next line, or by the next who reads the file.
        self.write(&text).inspect_err(|_| drop(self.cut()))?;
        self.length += text.len() as u64;
        self.torn = false;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        #[cfg(test)]
        if self.disk_full.load(std::sync::atomic::Ordering::Relaxed) {
            self.file.write_all(&bytes[..bytes.len() / 2])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.write_all(bytes)?;
        self.file.sync_data()
    }

    /// Takes off what follows the last whole line.
    fn cut(&mut self) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.length)?;
            self.torn = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_line_that_does_not_fit_leaves_no_trace_and_a_cut_one_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let mut lines = Jsonl::create(&path).unwrap();
        lines.append(&[1, 2]).unwrap();
        lines.disk_full.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(lines.append(&["a long line"]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"1\n2\n");
        lines.disk_full.store(false, std::sync::atomic::Ordering::Relaxed);
        lines.append(&[3]).unwrap();
        drop(lines);
        fs::write(&path, "1\n2\n3\n\"half").unwrap();
        let length = whole(&fs::read(&path).unwrap()).len() as u64;
        Jsonl::open(&path, length).unwrap().append(&[4]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"1\n2\n3\n4\n");
        assert!(Jsonl::create(&path).is_err(), "nothing is overwritten");
    }
}
