//! The draft as protobuf messages: its normative form (1.4). It has the resource names of 0.3 and the package, the
//! members of 1.0 for the most part, and parts of its own. The messages are made of the definition at build time; `read`
//! and `write` are their way from and to the model.

mod card;
pub mod read;
pub mod write;

#[cfg(test)]
mod tests;

pub use generated::*;

#[allow(clippy::all, clippy::pedantic, missing_docs, deprecated, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/server/draft/a2a.v1.rs"));
}
