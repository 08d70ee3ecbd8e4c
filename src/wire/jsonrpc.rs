//! JSON-RPC 2.0 envelopes, by the specification of 2013-01-04. Sections in comments are its sections.
//!
//! [`read_response`] takes what can be taken from a peer's answer and lists every departure; [`classify`] says what a
//! body is to a server, which keeps the harness's own requests honest.

mod id;
mod request;
mod response;

pub use id::{Id, IdMatch};
pub use request::{Call, Invalid, Params, Request, classify, classify_document};
pub use response::{ErrorObject, Reading, read_response};

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

/// What a number in `error.code` is set aside for (section 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeClass {
    /// -32700
    ParseError,
    /// -32600
    InvalidRequest,
    /// -32601
    MethodNotFound,
    /// -32602
    InvalidParams,
    /// -32603
    InternalError,
    /// -32099 to -32000, for implementations to define.
    Server,
    /// The rest of -32768 to -32000: reserved for later versions of JSON-RPC.
    Reserved,
    /// Everything else: free for the application.
    Application,
}

/// Sorts an error code.
#[must_use]
pub fn code_class(code: i64) -> CodeClass {
    match code {
        -32700 => CodeClass::ParseError,
        -32600 => CodeClass::InvalidRequest,
        -32601 => CodeClass::MethodNotFound,
        -32602 => CodeClass::InvalidParams,
        -32603 => CodeClass::InternalError,
        -32099..=-32000 => CodeClass::Server,
        -32768..=-32100 => CodeClass::Reserved,
        _ => CodeClass::Application,
    }
}
