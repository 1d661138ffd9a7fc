//! From game dumps to training samples. Games are stored once, as rows of Parquet; positions are replayed and encoded late.

mod asking;
mod card;
pub mod chart;
mod dataset;
pub mod date;
pub mod durable;
mod epd;
mod error;
mod export;
mod filters;
mod game;
mod import;
mod label;
mod labelling;
mod lines;
mod opinions;
mod ordered;
mod part;
mod players;
mod plots;
mod policy;
mod puzzle;
mod reason;
mod result;
mod sample;
mod sampler;
mod sampler_state;
mod seen;
mod source;
mod split;
pub mod stats;
pub mod storage;
mod table;
#[cfg(test)]
mod testing;
mod time_control;

pub use chess::Random;

pub use asking::{OpinionError, OpinionOptions, OpinionProgress, collect_opinions};
pub use card::{Card, Fingerprint, Histograms, Shard, SourceEntry};
pub use dataset::Dataset;
pub use epd::{Epd, EpdError, read_epd};
pub use error::{DatasetError, TableError};
pub use export::{CSV_HEADER, write_csv, write_pgn};
pub use filters::{Bots, Filters};
pub use game::Game;
pub use import::{
    ImportError, ImportOptions, ImportProgress, PartitionWriter, Piece, Pieces, import, join_partitions,
    prepare_partitions,
};
pub use label::{Label, LabelCard, Labels, Limit, Recipe, labels_schema};
pub use labelling::{EngineError, LabelError, LabelOptions, LabelProgress, label};
pub use opinions::{OpinionCard, OpinionRecipe, Opinions, SoftTargets, StoredOpinion};
pub use part::{Part, PartError};
pub use players::{KeptApart, Players, Seen};
pub use plots::plot;
pub use policy::{Decided, Early, GameRules, POLICIES, Policy, PolicyError, PositionRules, Rate};
pub use puzzle::{Puzzle, PuzzleError, read_puzzles};
pub use reason::{Reason, Tally};
pub use result::GameResult;
pub use sample::Sample;
pub use sampler::{Sampler, SamplerError, SamplerOptions};
pub use sampler_state::SamplerState;
pub use source::Source;
pub use split::{Shares, Split};
pub use stats::{Comparison, Stats, compare};
pub use table::{ROW_GROUP, TableReader, games_from_batch, games_schema, games_to_batch};
pub use time_control::{Speed, TimeControl};
