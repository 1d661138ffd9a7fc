//! What `tabiya --version` tells: the version, the commit, and how this machine computes.

use std::sync::LazyLock;

pub(crate) fn version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let level = nets::Level::chosen().map_or_else(|error| error.to_string(), |level| level.to_string());
        format!("{}, computing with {level}", release())
    });
    &TEXT
}

/// The part that is the same on every machine.
pub(crate) fn release() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let commit = env!("TABIYA_COMMIT");
        let built = if commit.is_empty() { String::new() } else { format!(" ({commit})") };
        format!("{}{built}", env!("CARGO_PKG_VERSION"))
    });
    &TEXT
}
