//! The secret that lets a program play as an account. It never appears in any text of this program.

use std::{fmt, path::Path};

use hyper::header::HeaderValue;
use thiserror::Error;

/// The environment variable that may hold it.
pub const VARIABLE: &str = "LICHESS_TOKEN";

/// A personal access token with the scope `bot:play`.
#[derive(Clone)]
pub struct Token(HeaderValue);

#[derive(Debug, Error)]
pub enum TokenError {
    #[error("no token: set {VARIABLE} or name a file with `token_file`")]
    Missing,
    #[error("{path}: {error}")]
    Read { path: String, error: std::io::Error },
    #[error("{path} can be read by others (mode {mode:o}): `chmod 600` keeps the token in it secret")]
    Open { path: String, mode: u32 },
    #[error("{0} holds no token: one word of letters, digits and underscores is expected")]
    Shape(String),
}

impl Token {
    /// From the environment, or else from the first line of a file that nobody else may read.
    pub fn find(file: Option<&Path>) -> Result<Token, TokenError> {
        match (std::env::var(VARIABLE).ok().filter(|text| !text.trim().is_empty()), file) {
            (Some(text), _) => Token::parse(&text, VARIABLE),
            (None, Some(path)) => Token::read(path),
            (None, None) => Err(TokenError::Missing),
        }
    }

    pub fn read(path: &Path) -> Result<Token, TokenError> {
        let name = path.display().to_string();
        let wrong = |error| TokenError::Read { path: name.clone(), error };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(path).map_err(wrong)?.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                return Err(TokenError::Open { path: name, mode });
            }
        }
        let text = std::fs::read_to_string(path).map_err(wrong)?;
        Token::parse(&text, &name)
    }

    /// `place` is named where the text is no token; the text itself never is.
    pub fn parse(text: &str, place: &str) -> Result<Token, TokenError> {
        let word = text.trim();
        let sound = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let header = HeaderValue::from_str(&format!("Bearer {word}")).ok().filter(|_| sound);
        let mut header = header.ok_or_else(|| TokenError::Shape(place.to_owned()))?;
        header.set_sensitive(true);
        Ok(Token(header))
    }

    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_word_and_is_never_shown() {
        let token = Token::parse(" lip_abcDEF123\n", "here").unwrap();
        assert_eq!(format!("{token:?} {:?}", token.header()), "Token(..) Sensitive");
        for text in ["", "two words", "tökén", "line\nline"] {
            let error = Token::parse(text, "here").unwrap_err().to_string();
            assert!(error.starts_with("here holds no token") && !error.contains("two words"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("tabiya-token-{}", std::process::id()));
        std::fs::write(&path, "lip_secret\n").unwrap();
        let with_mode = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            Token::read(&path)
        };
        let open = with_mode(0o644).unwrap_err().to_string();
        assert!(open.contains("mode 644") && !open.contains("lip_secret"), "{open}");
        assert!(with_mode(0o600).is_ok());
        std::fs::remove_file(&path).unwrap();
        assert!(Token::read(&path).is_err());
    }
}
