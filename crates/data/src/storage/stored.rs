//! A file opened for reading at any place, as Parquet wants it.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use parquet::{
    errors::Result,
    file::reader::{ChunkReader, Length},
};

use super::remote;

#[derive(Debug)]
pub(crate) enum Stored {
    File(File),
    #[cfg(feature = "stores")]
    Object(std::sync::Arc<super::remote::Pages>),
}

impl Stored {
    pub(crate) fn open(path: &Path) -> io::Result<Stored> {
        match remote(path)? {
            None => Ok(Stored::File(File::open(path)?)),
            #[cfg(feature = "stores")]
            Some(object) => Ok(Stored::Object(std::sync::Arc::new(object.pages()?))),
            #[cfg(not(feature = "stores"))]
            Some(never) => match never {},
        }
    }

    pub(crate) fn try_clone(&self) -> io::Result<Stored> {
        match self {
            Stored::File(file) => Ok(Stored::File(file.try_clone()?)),
            #[cfg(feature = "stores")]
            Stored::Object(pages) => Ok(Stored::Object(std::sync::Arc::clone(pages))),
        }
    }
}

impl Length for Stored {
    fn len(&self) -> u64 {
        match self {
            Stored::File(file) => file.len(),
            #[cfg(feature = "stores")]
            Stored::Object(pages) => pages.len(),
        }
    }
}

impl ChunkReader for Stored {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Box<dyn Read>> {
        match self {
            Stored::File(file) => Ok(Box::new(file.get_read(start)?)),
            #[cfg(feature = "stores")]
            Stored::Object(pages) => {
                Ok(Box::new(super::remote::PageReader { pages: std::sync::Arc::clone(pages), at: start }))
            }
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        match self {
            Stored::File(file) => file.get_bytes(start, length),
            #[cfg(feature = "stores")]
            Stored::Object(pages) => Ok(pages.read(start, length)?),
        }
    }
}
