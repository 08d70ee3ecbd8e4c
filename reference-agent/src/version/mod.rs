//! Protocol versions: how each one writes the model as JSON and as protobuf messages, and reads it.
//!
//! A version is a pair of translations, `read` and `write`, around the canonical model, and the [`Rules`] on which it
//! differs in behaviour. It does not know what carries the JSON; `rest` has what bodies of HTTP+JSON have otherwise.
//! Its `proto` is the same pair for gRPC. What errors are called is in one table, `error`.

mod base64;
mod error;
mod field;
mod negotiation;
mod protobuf;
mod rest;
pub mod v0_3;
pub mod v1_0;

pub use error::{DOMAIN, ErrorInfo, ErrorNames, RpcCode};
pub use negotiation::Interface;
pub use rest::{Complaint, RestDialect};

use serde::Serialize;
use serde_json::Value;

use crate::core::{Answer, Error, Operation, OperationName, Rules, Violation};
use crate::model::StreamEvent;

/// A version of the protocol, named by `Major.Minor` as in section 3.6 of A2A 1.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 0.3
    V0_3,
    /// 1.0
    V1_0,
}

impl Version {
    /// The version as cards and headers name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V0_3 => "0.3",
            Self::V1_0 => "1.0",
        }
    }

    /// The points on which this version differs in behaviour.
    pub const fn rules(self) -> &'static Rules {
        match self {
            Self::V0_3 => &v0_3::RULES,
            Self::V1_0 => &v1_0::RULES,
        }
    }

    /// The HTTP header by which clients of this version ask for extensions.
    pub const fn extensions_header(self) -> &'static str {
        match self {
            Self::V0_3 => "x-a2a-extensions",
            Self::V1_0 => "a2a-extensions",
        }
    }

    /// Reads the parameters of an operation.
    ///
    /// # Errors
    /// The first parameter that is missing or wrong.
    pub fn read(self, name: OperationName, params: Option<Value>) -> Result<Operation, Violation> {
        match self {
            Self::V0_3 => v0_3::read(name, params),
            Self::V1_0 => v1_0::read(name, params),
        }
    }

    /// Writes the answer to an operation.
    ///
    /// # Errors
    /// None that the model can cause; serde's interface asks for it.
    pub fn write_answer(self, answer: &Answer) -> serde_json::Result<Value> {
        match self {
            Self::V0_3 => v0_3::write_answer(answer),
            Self::V1_0 => v1_0::write_answer(answer),
        }
    }

    /// Writes an element of a stream.
    ///
    /// # Errors
    /// As [`Self::write_answer`].
    pub fn write_event(self, event: &StreamEvent, is_last: bool) -> serde_json::Result<Value> {
        match self {
            Self::V0_3 => v0_3::write_event(event, is_last),
            Self::V1_0 => v1_0::write_event(event),
        }
    }

    /// Writes an error.
    pub fn write_error(self, error: &Error) -> ErrorObject {
        match self {
            Self::V0_3 => v0_3::write_error(error),
            Self::V1_0 => v1_0::write_error(error),
        }
    }
}

/// The `error` member of a JSON-RPC response.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorObject {
    /// A code of JSON-RPC, or of A2A 1.0, section 5.4.
    pub code: i32,
    /// For people.
    pub message: String,
    /// For programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}
