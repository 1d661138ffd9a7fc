//! Why a request to Lichess came to nothing.

use hyper::StatusCode;
use thiserror::Error;

/// Why a request came to nothing.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Failure {
    /// The server understood and says no: the same again would not help.
    #[error("refused with {status}: {text}")]
    Refused { status: u16, text: String },
    /// Nothing was done, as there were too many requests.
    #[error("too many requests")]
    TooMany,
    /// It may have been done or not.
    #[error("{0}")]
    Lost(String),
}

impl Failure {
    /// With the reason behind, as the outer error says little.
    pub(crate) fn lost(error: &(dyn std::error::Error + 'static)) -> Failure {
        let mut deepest = error;
        while let Some(source) = deepest.source() {
            deepest = source;
        }
        Failure::Lost(match error.source() {
            Some(_) => format!("{error}: {deepest}"),
            None => error.to_string(),
        })
    }

    pub(crate) fn is(&self, code: StatusCode) -> bool {
        matches!(self, Failure::Refused { status, .. } if *status == code.as_u16())
    }
}
