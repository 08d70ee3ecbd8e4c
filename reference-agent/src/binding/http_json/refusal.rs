//! Why a request is refused.

use axum::http::StatusCode;

use super::super::http::Unreadable;
use crate::core::{Error, Violation};
use crate::version::{Complaint, RpcCode};

/// Who refuses a request.
#[derive(Debug)]
pub enum Refusal {
    /// The agent.
    Agent(Error),
    /// HTTP, before the agent has heard of it.
    Http(Fault),
}

/// What is wrong with a request as one of HTTP.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// There is nothing at this address.
    #[error("there is nothing at this address")]
    NoSuchAddress,
    /// There is, but not for this method; these are the ones that there are.
    #[error("this address has only {0}")]
    NoSuchMethod(String),
    /// The body cannot be read.
    #[error("{0}")]
    Unreadable(Unreadable),
    /// The body is no JSON.
    #[error("the request body is not valid JSON")]
    NotJson,
    /// The body is JSON, but no object.
    #[error("the request body must be a JSON object")]
    NotAnObject,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Agent(error)
    }
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self::Agent(violation.into())
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Http(fault)
    }
}

impl From<Unreadable> for Refusal {
    fn from(unreadable: Unreadable) -> Self {
        Self::Http(Fault::Unreadable(unreadable))
    }
}

/// Writing an answer never fails; if it did, it would be the agent's fault.
impl From<serde_json::Error> for Refusal {
    fn from(_: serde_json::Error) -> Self {
        Self::Agent(Error::Internal)
    }
}

impl Fault {
    /// The status of HTTP.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NoSuchAddress => StatusCode::NOT_FOUND,
            Self::NoSuchMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Unreadable(unreadable) => unreadable.status(),
            Self::NotJson | Self::NotAnObject => StatusCode::BAD_REQUEST,
        }
    }

    /// The fault as a body tells it.
    pub fn complaint(&self) -> Complaint {
        let (json_rpc, grpc) = match self {
            Self::NoSuchAddress => (-32601, RpcCode::NotFound),
            Self::NoSuchMethod(_) => (-32601, RpcCode::Unimplemented),
            Self::Unreadable(Unreadable::TooLarge) => (-32600, RpcCode::ResourceExhausted),
            Self::Unreadable(Unreadable::TooSlow) => (-32600, RpcCode::DeadlineExceeded),
            Self::Unreadable(Unreadable::MediaType(_) | Unreadable::Broken) | Self::NotAnObject => {
                (-32600, RpcCode::InvalidArgument)
            }
            Self::NotJson => (-32700, RpcCode::InvalidArgument),
        };
        Complaint { json_rpc, http: self.status().as_u16(), grpc, message: self.to_string() }
    }
}
