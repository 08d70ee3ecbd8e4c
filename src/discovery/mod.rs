//! The agent under test: where it is, what its card says, how it is driven.
//!
//! Enters: a URL. Leaves: [`Discovered`] interfaces and capabilities, and [`Triggers`](triggers::Triggers).

pub mod bases;
mod card;
mod claims;
pub mod find;
mod interfaces;
pub mod reach;
pub mod triggers;

pub use find::{Discovered, DiscoveryError, discover, without_card};
