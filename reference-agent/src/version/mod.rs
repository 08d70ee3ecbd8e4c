//! Protocol versions: how each one writes the model as JSON and as protobuf messages, and reads it.
//!
//! A version is a pair of translations, `read` and `write`, around the canonical model, and the [`Rules`] on which it
//! differs in behaviour. It does not know what carries the JSON; `rest` has what bodies of HTTP+JSON have otherwise.
//! Its `proto` is the same pair for gRPC. What errors are called is in one table, `error`. The versions of a [`Family`]
//! share its translations around a table of what each has otherwise; a draft and what became of it share `v1_0`.

pub mod base64;
mod error;
mod field;
mod json;
mod negotiation;
mod protobuf;
mod resource_name;
mod rest;
mod v0_1;
pub mod v0_3;
pub mod v1_0;

pub use error::{DOMAIN, ErrorInfo, ErrorNames, RpcCode};
pub use json::Json;
pub use negotiation::Interface;
pub use rest::{Complaint, RestVersion};

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::core::{Answer, Error, Operation, OperationName, Rules, Violation};
use crate::model::StreamEvent;
use v1_0::draft::Form;

/// A version of the protocol, named by `Major.Minor` as in section 3.6 of A2A 1.0; by all numbers before 0.3, where
/// the last one, too, changed what is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// What was proposed before there was a number.
    Proposal,
    /// 0.1
    V0_1,
    /// 0.2.1
    V0_2_1,
    /// 0.2.5
    V0_2_5,
    /// 0.3
    V0_3,
    /// The draft of 1.0, which calls itself 1.0 already.
    V1_0Draft,
    /// 1.0
    V1_0,
    /// The draft of 1.1: 1.0 with generations of tasks.
    V1_1Draft,
}

impl Version {
    /// The versions from before there was a header to name them, and cards that list several: each is served below a
    /// base of its own. The newest first.
    pub const UNNAMED: [Self; 4] = [Self::V0_2_5, Self::V0_2_1, Self::V0_1, Self::Proposal];

    /// All versions, the newest first.
    pub const ALL: [Self; 8] = [
        Self::V1_1Draft,
        Self::V1_0,
        Self::V1_0Draft,
        Self::V0_3,
        Self::V0_2_5,
        Self::V0_2_1,
        Self::V0_1,
        Self::Proposal,
    ];

    /// The name that tells the version from all others.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposal => "proposal",
            Self::V0_1 => "0.1",
            Self::V0_2_1 => "0.2.1",
            Self::V0_2_5 => "0.2.5",
            Self::V0_3 => "0.3",
            Self::V1_0Draft => "1.0-draft",
            Self::V1_0 => "1.0",
            Self::V1_1Draft => "1.1-draft",
        }
    }

    /// The versions that this one is written like, and what it has otherwise.
    pub const fn family(self) -> Family {
        match self {
            Self::Proposal => Family::V0_1(&v0_1::PROPOSAL),
            Self::V0_1 => Family::V0_1(&v0_1::V0_1),
            Self::V0_2_1 => Family::V0_3(&v0_3::V0_2_1),
            Self::V0_2_5 => Family::V0_3(&v0_3::V0_2_5),
            Self::V0_3 => Family::V0_3(&v0_3::V0_3),
            Self::V1_0Draft => Family::V1_0Draft,
            Self::V1_0 => Family::V1_0(&v1_0::RULES),
            Self::V1_1Draft => Family::V1_0(&v1_0::RULES_OF_1_1),
        }
    }

    /// Whether it is 1.0, or a later version that is written like it.
    pub const fn is_like_1_0(self) -> bool {
        matches!(self.family(), Family::V1_0(_))
    }

    /// The points on which this version differs in behaviour.
    pub const fn rules(self) -> &'static Rules {
        match self.family() {
            Family::V0_1(traits) => &traits.rules,
            Family::V0_3(traits) => &traits.rules,
            Family::V1_0Draft => &v1_0::draft::RULES,
            Family::V1_0(rules) => rules,
        }
    }

    /// Whether a stream over JSON-RPC that fails before it begins has the HTTP status of an error (0.2.5, sections 7.2
    /// and 7.9; 0.1, sections 7.2 and 7.7). Other texts do not say, and this agent has 200 for what JSON-RPC answers.
    pub const fn refuses_streams_by_status(self) -> bool {
        match self.family() {
            Family::V0_1(traits) => traits.refuses_streams_by_status,
            Family::V0_3(traits) => traits.refuses_streams_by_status,
            Family::V1_0Draft | Family::V1_0(_) => false,
        }
    }

    /// The HTTP headers by which clients of this version ask for extensions, if it has any. The draft gives two names to
    /// the one (1.0-draft, section 3.2.6 and topic "Extensions").
    pub const fn extensions_headers(self) -> &'static [&'static str] {
        match self.family() {
            Family::V0_3(traits) if traits.names_extensions => &["x-a2a-extensions"],
            Family::V0_1(_) | Family::V0_3(_) => &[],
            Family::V1_0Draft => &["a2a-extensions", "x-a2a-extensions"],
            Family::V1_0(_) => &["a2a-extensions"],
        }
    }

    /// The tenant that the parameters of an operation name, in a version that has tenants (1.0, section 3.2.1). An empty name is
    /// none, as in protobuf.
    pub fn tenant(self, params: Option<&Map<String, Value>>) -> Option<&str> {
        let named = params?.get("tenant")?.as_str().filter(|tenant| !tenant.is_empty())?;
        self.is_like_1_0().then_some(named)
    }

    /// Reads the parameters of an operation.
    ///
    /// # Errors
    /// The first parameter that is missing or wrong.
    pub fn read(self, name: OperationName, params: Option<Value>) -> Result<Operation, Violation> {
        match self.family() {
            Family::V0_1(traits) => v0_1::read(name, params, traits),
            Family::V0_3(traits) => v0_3::read(name, params, traits),
            Family::V1_0Draft => v1_0::draft::read(name, params),
            Family::V1_0(rules) => v1_0::read(name, params, rules),
        }
    }

    /// Writes the answer to an operation.
    ///
    /// # Errors
    /// None that the version's own operations can cause; serde's interface asks for it.
    pub fn write_answer(self, answer: &Answer) -> serde_json::Result<Json> {
        match self.family() {
            Family::V0_1(traits) => v0_1::write_answer(answer, traits),
            Family::V0_3(traits) => v0_3::write_answer(answer, traits),
            Family::V1_0Draft => v1_0::draft::write_answer(answer, Form::Bare),
            Family::V1_0(_) => v1_0::write_answer(answer),
        }
    }

    /// Writes an element of a stream.
    ///
    /// # Errors
    /// As [`Self::write_answer`].
    pub fn write_event(self, event: &StreamEvent, is_last: bool) -> serde_json::Result<Json> {
        match self.family() {
            Family::V0_1(traits) => v0_1::write_event(event, is_last, traits),
            Family::V0_3(traits) => v0_3::write_event(event, is_last, traits),
            Family::V1_0Draft => v1_0::draft::write_event(event, is_last, Form::Bare),
            Family::V1_0(_) => v1_0::write_event(event),
        }
    }

    /// Writes an error.
    pub fn write_error(self, error: &Error) -> ErrorObject {
        match self.family() {
            Family::V0_1(_) => v0_1::write_error(error),
            Family::V0_3(_) => v0_3::write_error(error),
            Family::V1_0Draft => v1_0::draft::write_error(error),
            Family::V1_0(_) => v1_0::write_error(error),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A word that names no [`Version`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown version `{0}` (there are: 1.1-draft, 1.0, 1.0-draft, 0.3, 0.2.5, 0.2.1, 0.1, proposal)")]
pub struct UnknownVersion(
    /// The word.
    pub String,
);

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|version| version.name() == word).ok_or_else(|| UnknownVersion(word.to_owned()))
    }
}

/// Versions that are written alike, with what one of them has otherwise.
#[derive(Debug, Clone, Copy)]
pub enum Family {
    /// Clients make the ids of tasks, and parts say their `type`.
    V0_1(&'static v0_1::VersionTraits),
    /// Objects say their `kind`.
    V0_3(&'static v0_3::VersionTraits),
    /// Objects are told by their members, or by the one that they are in.
    V1_0Draft,
    /// Objects are told by the member that they are in.
    V1_0(&'static Rules),
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
