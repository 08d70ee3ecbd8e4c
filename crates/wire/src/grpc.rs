//! gRPC over HTTP/2 as a peer wrote it: message frames, statuses, and the details that come with them.
//!
//! Sections in comments are those of the gRPC project's "gRPC over HTTP2" document, which is the standard there is.
//! [`Decoder`] takes a body apart, [`frame()`] makes one, and `Status` reads what headers and trailers say of
//! the outcome.

mod code;
mod details;
mod frame;
mod status;
#[cfg(test)]
mod tests;

pub use code::Code;
pub use details::{Details, DetailsError, Malformed};
pub use frame::{Decoder, Frame, FrameError, FrameErrorKind, frame};
pub use status::Status;
