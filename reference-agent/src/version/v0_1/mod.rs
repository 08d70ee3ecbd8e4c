//! A2A 0.1 and the proposal before it: JSON with `type` discriminators on parts, tasks whose ids their clients make, and
//! streams of updates alone (0.1, sections 6 and 7). `kin` is what the two have otherwise.

mod errors;
mod names;
mod read;
mod traits;
mod write;

pub use errors::write_error;
pub use read::read;
pub use traits::{PROPOSAL, V0_1, VersionTraits};
pub use write::{write_answer, write_event};
