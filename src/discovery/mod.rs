//! The agent under test: where it is, what its card says, how it is driven.
//!
//! Enters: a URL. Leaves: interfaces and capabilities, and [`Triggers`](triggers::Triggers).

pub(crate) mod bases;
pub(crate) mod card;
mod doubled;
pub(crate) mod find;
pub(crate) mod hints;
pub(crate) mod interfaces;
pub(crate) mod jku;
#[cfg(feature = "cli")]
pub(crate) mod lock;
mod nearest;
mod probe;
pub(crate) mod reach;
mod remedy;
pub(crate) mod replicas;
mod strangers;
pub mod triggers;

pub use bases::BaseError;
pub use find::{DiscoveryError, Flaw, Flaws};
pub(crate) use find::{discover, without_card};
pub use jku::{JkuError, Trust};
pub use reach::Concern;
pub use remedy::Remedy;
