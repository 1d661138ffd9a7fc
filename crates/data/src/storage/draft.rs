//! A file that is being written: nobody sees it under its name before it is published.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::remote;
use crate::durable;

#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// Gone once it is published.
    target: Option<Target>,
}

#[derive(Debug)]
enum Target {
    File(File),
    #[cfg(feature = "stores")]
    Upload(super::remote::Upload),
}

impl Draft {
    pub fn create(path: &Path) -> io::Result<Draft> {
        let target = match remote(path)? {
            None => Target::File(File::create(durable::temporary(path))?),
            #[cfg(feature = "stores")]
            Some(object) => Target::Upload(object.upload()?),
            #[cfg(not(feature = "stores"))]
            Some(never) => match never {},
        };
        Ok(Draft { path: path.to_owned(), target: Some(target) })
    }

    /// Gives the file its name, once all of it is on disk.
    pub fn publish(mut self) -> io::Result<()> {
        match self.target.take().expect("published once") {
            Target::File(file) => durable::publish(&file, &self.path)
                .inspect_err(|_| drop(fs::remove_file(durable::temporary(&self.path)))),
            #[cfg(feature = "stores")]
            Target::Upload(upload) => upload.complete(),
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.target.as_mut().expect("not yet published") {
            Target::File(file) => file.write(bytes),
            #[cfg(feature = "stores")]
            Target::Upload(upload) => upload.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.target.as_mut().expect("not yet published") {
            Target::File(file) => file.flush(),
            #[cfg(feature = "stores")]
            Target::Upload(_) => Ok(()),
        }
    }
}

/// What is not published leaves nothing behind, whatever ended the work.
impl Drop for Draft {
    fn drop(&mut self) {
        match self.target.take() {
            Some(Target::File(_)) => drop(fs::remove_file(durable::temporary(&self.path))),
            #[cfg(feature = "stores")]
            Some(Target::Upload(upload)) => upload.abort(),
            None => {}
        }
    }
}
