//! The right to write something: one writer at a time.
//!
//! Where files can be locked, the second writer is turned away. A store knows no locks that end with their owner: there the last one who
//! came has the right, so that the place of a killed writer can be taken at once, and an earlier one who still lives stops before it shows
//! anything more.

use std::{fs::File, io, path::Path};

use super::remote;

#[derive(Debug)]
pub(crate) enum Claim {
    Lock {
        _file: File,
    },
    #[cfg(feature = "stores")]
    Token {
        object: super::remote::Object,
        token: Vec<u8>,
    },
}

impl Claim {
    /// Claims what the file `path` stands for; `None` where another process holds it.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Claim>> {
        match remote(path)? {
            None => {
                let file = File::create(path)?;
                Ok(file.try_lock().is_ok().then_some(Claim::Lock { _file: file }))
            }
            #[cfg(feature = "stores")]
            Some(object) => {
                let token = token();
                object.write(token.clone())?;
                Ok(Some(Claim::Token { object, token }))
            }
            #[cfg(not(feature = "stores"))]
            Some(never) => match never {},
        }
    }

    /// Whether nobody has taken over; to be asked before anything is shown.
    pub(crate) fn check(&self) -> io::Result<()> {
        match self {
            Claim::Lock { .. } => Ok(()),
            #[cfg(feature = "stores")]
            Claim::Token { object, token } => match object.read() {
                Ok(found) if found == *token => Ok(()),
                Ok(_) => Err(io::Error::other("another process has begun to write here; this one ends")),
                // Whoever took over has finished and taken his mark away.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Err(io::Error::other("another process has written here meanwhile; this one ends"))
                }
                Err(error) => Err(error),
            },
        }
    }
}

#[cfg(feature = "stores")]
impl Drop for Claim {
    fn drop(&mut self) {
        let held = self.check().is_ok();
        if let Claim::Token { object, .. } = self
            && held
        {
            object.delete();
        }
    }
}

/// Some text that no other process makes.
#[cfg(feature = "stores")]
fn token() -> Vec<u8> {
    use std::hash::{BuildHasher, RandomState};
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let chance = RandomState::new().hash_one(now.as_nanos());
    format!("{} {} {chance:016x}\n", std::process::id(), now.as_secs()).into_bytes()
}
