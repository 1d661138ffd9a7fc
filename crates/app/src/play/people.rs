//! People to prepare against: their games as a player brought them, what they open with, and a mind that plays like them.

pub(super) mod book;
pub(super) mod shelf;
