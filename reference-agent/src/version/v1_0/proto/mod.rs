//! A2A 1.0 as protobuf messages: its normative form (section 5.5). The messages are made of the definition at build
//! time; `read` and `write` are their way from and to the model.

mod card;
pub mod read;
mod tenant;
pub mod write;

#[cfg(test)]
mod tests;

pub use generated::*;
pub use tenant::tenant;

#[allow(clippy::all, clippy::pedantic, missing_docs, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/server/lf.a2a.v1.rs"));
}
