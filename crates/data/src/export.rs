//! Out of the table again: HC3's CSV, one row a position, and PGN with clocks.

mod csv;
mod pgn;

pub use self::{
    csv::{CSV_HEADER, write_csv},
    pgn::write_pgn,
};
