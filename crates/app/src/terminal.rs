//! What every verb needs of a terminal: messages and progress on stderr, and an end in good order at Ctrl-C.

pub(crate) mod interrupt;
pub(crate) mod log;
pub(crate) mod progress;
