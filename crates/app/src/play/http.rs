//! Everything that speaks HTTP: the addresses, who may ask, the page's files, and the description of the interface.

mod analysis_api;
pub(super) mod api_error;
mod archive_api;
pub(crate) mod assets;
mod blocking;
pub(super) mod client;
mod explorer_api;
mod games_api;
pub(crate) mod guard;
mod insight_api;
mod line_stream;
mod openapi;
mod openings_api;
mod opinions_api;
mod people_api;
mod rate_limit;
mod review_api;
pub(crate) mod router;
pub(crate) mod server;
mod shares;
mod socket;
pub(crate) mod state;
mod tabiyas_api;
#[cfg(test)]
mod tests;
mod training_api;
