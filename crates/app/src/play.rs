//! The page in the browser, and the server behind it.
//!
//! `http` answers requests; `game` holds the games that are being played; `minds` thinks; `review` looks games over; `explorer`
//! tells what people play; `training` keeps mistakes, repertoires and the profile; `people` those whom one prepares against. What players
//! bring lies in a `drawer` and is worked on in the `background`.

mod archive;
mod background;
mod drawer;
mod explorer;
pub(crate) mod game;
pub(crate) mod http;
mod ids;
pub(crate) mod minds;
mod openings;
mod people;
mod review;
mod training;
