//! Values of A2A for those who write parsers.
//!
//! [`generate`] makes values of a schema out of choices, [`corpus`] writes inputs with labels into folders, and [`parsers`] gives
//! them to a parser that runs as a process of its own, and compares what it reads. Nothing here has an HTTP client.

pub mod corpus;
pub mod generate;
pub mod parsers;

pub(crate) use a2aspec_model::{profile, verdict};
pub(crate) use a2aspec_wire::{self as wire, diagnostic};
