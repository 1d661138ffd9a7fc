//! A Lichess account played by a mind: the [Bot API](https://lichess.org/api#tag/Bot), its games and its manners.
//!
//! [`Bot`] listens to the events of the account, answers challenges by a [`Policy`] and plays every game in a task of its own. Who
//! thinks comes from outside, as a [`Seat`]; what happens is told as [`Report`]s.

mod back_off;
mod bot;
mod challenges;
mod client;
mod daily;
mod events;
mod failure;
mod game;
mod game_events;
mod lines;
mod manners;
mod policy;
mod report;
mod seat;
mod table;
mod token;

pub use bot::{Bot, BotError};
pub use client::{Client, ClientError, Patience};
pub use events::{Challenge, Profile};
pub use failure::Failure;
pub use manners::{Chat, Level, Manners, OnInterrupt};
pub use policy::{Decline, Policy, PolicyError, Standing, Verdict};
pub use report::{Report, Teller};
pub use seat::{Pairing, Player, Seat};
pub use token::{Token, TokenError, VARIABLE};
