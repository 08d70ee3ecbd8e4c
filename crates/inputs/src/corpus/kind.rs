//! The kinds of inputs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::diagnostic::near;

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A JSON text.
    Json,
    /// An event stream, from its first byte to its last.
    Sse,
    /// A JSON-RPC response.
    Envelope,
    /// A JSON-RPC request.
    Request,
    /// The body of a gRPC message stream.
    Grpc,
    /// An agent card.
    Card,
    /// A task.
    Task,
    /// A message.
    Message,
    /// An event of a stream.
    Event,
    /// An event of a stream in the JSON of protocol buffers.
    ProtoJson,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Json,
        Self::Sse,
        Self::Envelope,
        Self::Request,
        Self::Grpc,
        Self::Card,
        Self::Task,
        Self::Message,
        Self::Event,
        Self::ProtoJson,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Sse => "sse",
            Self::Envelope => "envelope",
            Self::Request => "request",
            Self::Grpc => "grpc",
            Self::Card => "card",
            Self::Task => "task",
            Self::Message => "message",
            Self::Event => "event",
            Self::ProtoJson => "protojson",
        }
    }

    /// Whether each version of A2A has its own.
    pub fn is_of_a_version(self) -> bool {
        matches!(self, Self::Card | Self::Task | Self::Message | Self::Event | Self::ProtoJson)
    }

    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Sse => "txt",
            Self::Grpc => "bin",
            _ => "json",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

/// A name that is none of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no kind `{0}`")]
pub struct UnknownKind(String);

impl UnknownKind {
    /// What may have been meant.
    pub fn help(&self) -> Option<String> {
        near::help(&self.0, Kind::ALL.map(Kind::name))
    }
}

/// A kind of which there are no inputs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", match profile {
    Some(profile) => format!("A2A {profile} has no JSON of the kind `{kind}`"),
    None => format!("each version has its own inputs of the kind `{kind}`: name one with --profile"),
})]
pub struct NoSuchKind {
    /// The kind.
    pub kind: Kind,
    /// The version, where one was named.
    pub profile: Option<String>,
}
