//! What every verb needs of a terminal: progress on stderr, and an end in good order at Ctrl-C.

pub(crate) mod interrupt;
pub(crate) mod progress;
