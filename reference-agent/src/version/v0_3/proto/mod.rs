//! A2A 0.3 as protobuf messages (0.3, section 3.2.2): like its JSON but for resource names in the place of ids, and
//! some members that it lacks: metadata and names of parts, and the tasks that a message refers to. The messages are
//! made of the definition at build time; `read` and `write` are their way from and to the model.

mod card;
pub mod read;
pub mod write;

#[cfg(test)]
mod tests;

pub use generated::*;

#[allow(clippy::all, clippy::pedantic, missing_docs, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/server/a2a.v1.rs"));
}
