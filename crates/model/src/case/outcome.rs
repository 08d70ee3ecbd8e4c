//! Outcomes: what may come of an exchange.

use std::fmt;

/// An outcome of an exchange that a case allows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// A result.
    Result,
    /// The error of this name.
    Error(String),
    /// Any error by which the agent refuses the request: none that says that it broke, that it could not read JSON,
    /// or that it knows no such method.
    Refusal,
    /// An HTTP status by which whatever received the request turned it away, with no error of the protocol: 4xx, 501 or
    /// 505.
    HttpRefusal,
    /// No response object at all.
    Nothing,
    /// The agent closed the connection of a `bytes` step without an answer.
    Closed,
    /// An answer, whatever it says: silence is none, and no lost or refused connection.
    Answered,
    /// An HTTP answer; what it must look like stands under `http`.
    Http,
    /// A gRPC status; what it must be stands under `grpc`.
    Grpc,
}

impl Outcome {
    /// The names of those that are no errors, as case files write them.
    pub const NAMES: [&str; 8] = ["result", "refusal", "http-refusal", "nothing", "closed", "answered", "http", "grpc"];

    /// The outcome that case files write so.
    pub fn read(name: &str) -> Self {
        match name {
            "result" => Self::Result,
            "refusal" => Self::Refusal,
            "http-refusal" => Self::HttpRefusal,
            "nothing" => Self::Nothing,
            "closed" => Self::Closed,
            "answered" => Self::Answered,
            "http" => Self::Http,
            "grpc" => Self::Grpc,
            error => Self::Error(error.to_owned()),
        }
    }

    /// How case files write it.
    pub fn name(&self) -> &str {
        match self {
            Self::Result => "result",
            Self::Error(name) => name,
            Self::Refusal => "refusal",
            Self::HttpRefusal => "http-refusal",
            Self::Nothing => "nothing",
            Self::Closed => "closed",
            Self::Answered => "answered",
            Self::Http => "http",
            Self::Grpc => "grpc",
        }
    }

    /// Whether it is an error of the protocol.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error(_) | Self::Refusal)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result => f.write_str("a result"),
            Self::Error(name) => f.write_str(name),
            Self::Refusal => f.write_str("an error that refuses the request"),
            Self::HttpRefusal => f.write_str("HTTP 4xx, 501 or 505"),
            Self::Nothing => f.write_str("no response object"),
            Self::Closed => f.write_str("the end of the connection"),
            Self::Answered => f.write_str("an answer"),
            Self::Http => f.write_str("an HTTP answer"),
            Self::Grpc => f.write_str("a gRPC status"),
        }
    }
}
