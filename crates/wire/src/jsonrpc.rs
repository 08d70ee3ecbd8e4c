//! JSON-RPC 2.0 envelopes, by the specification of 2013-01-04. Sections in comments are its sections.
//!
//! [`read_response`] takes what can be taken from a peer's answer and lists every departure; [`classify`] says what a
//! body is to a server, which keeps the harness's own requests honest.

mod id;
mod request;
mod response;

pub use id::{Id, IdMatch};
pub use request::{Call, Invalid, Params, Request, classify, classify_document};
pub use response::{ErrorObject, Reading, read_response, read_with_null_error};

/// One departure from the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer of the value, or of where it should be.
    pub pointer: String,
    /// What the specification asks for.
    pub expected: String,
    /// What is there.
    pub actual: String,
}

impl Problem {
    fn new(pointer: &str, expected: &str, actual: impl Into<String>) -> Self {
        Self { pointer: pointer.to_owned(), expected: expected.to_owned(), actual: actual.into() }
    }
}
