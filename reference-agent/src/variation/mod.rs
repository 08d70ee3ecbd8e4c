//! Legal ways to behave in which agents differ, so that clients can be seen to survive each.
//!
//! A *variation* is declared in `variations.yaml`, in the language of faults: what it changes is done by the same layer around the
//! agent. What only the inside can do is a [`Habit`], which `core` asks for. Unlike a fault it breaks nothing: the whole suite passes
//! under each.
//!
//! | module | what it knows |
//! |---|---|
//! | `data` | what a variation can say |
//! | `random` | which of several variations acts in an exchange |

mod data;
mod random;

pub(crate) use data::Habit;
pub use data::{UnknownVariation, Variation};
pub(crate) use random::Choice;
