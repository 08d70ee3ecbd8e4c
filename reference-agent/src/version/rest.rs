//! How a version is written over HTTP+JSON, where that is not how JSON-RPC has it.

use serde_json::{Map, Value, json};

use super::field::Checked;
use super::v1_0::draft::Form;
use super::{ErrorNames, Interface, Json, RpcCode, Version, v0_3, v1_0};
use crate::config::RestDialect;
use crate::core::{Answer, Error, Operation, OperationName};
use crate::model::StreamEvent;

/// A version as it is written over HTTP+JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestVersion {
    /// 0.3, in one of its forms.
    V0_3(RestDialect),
    /// The draft of 1.0.
    V1_0Draft,
    /// 1.0, as over JSON-RPC.
    V1_0,
    /// The draft of 1.1, likewise.
    V1_1Draft,
}

/// Something to complain about, in all the words that a dialect may need.
#[derive(Debug)]
pub struct Complaint {
    /// The code of JSON-RPC, for 0.3.
    pub json_rpc: i32,
    /// The status of HTTP.
    pub http: u16,
    /// The status of gRPC, for 1.0.
    pub grpc: RpcCode,
    /// For people.
    pub message: String,
}

impl RestVersion {
    /// The version.
    pub const fn version(self) -> Version {
        match self {
            Self::V0_3(_) => Version::V0_3,
            Self::V1_0Draft => Version::V1_0Draft,
            Self::V1_0 => Version::V1_0,
            Self::V1_1Draft => Version::V1_1Draft,
        }
    }

    /// What is spoken at the addresses of this version.
    pub const fn interface(self) -> &'static Interface {
        Interface::of(self.version())
    }

    /// The same version in the form in which a request is read and answered: `choose` says which, given what the request
    /// shows of its own form.
    pub fn of_request(
        self,
        name: OperationName,
        params: &Map<String, Value>,
        choose: impl FnOnce(Option<RestDialect>) -> RestDialect,
    ) -> Self {
        match self {
            Self::V0_3(_) => Self::V0_3(choose(v0_3::rest::form_of(name, params))),
            Self::V1_0Draft | Self::V1_0 | Self::V1_1Draft => self,
        }
    }

    /// The form, where the version leaves it open.
    pub const fn form(self) -> Option<RestDialect> {
        match self {
            Self::V0_3(form) => Some(form),
            Self::V1_0Draft | Self::V1_0 | Self::V1_1Draft => None,
        }
    }

    /// Reads the parameters of an operation.
    ///
    /// # Errors
    /// The first parameter that is missing or wrong.
    pub fn read(self, name: OperationName, params: Map<String, Value>) -> Checked<Operation> {
        match self {
            Self::V0_3(form) => v0_3::rest::read(name, params, form),
            Self::V1_0Draft => v1_0::draft::read(name, Some(Value::Object(params))),
            Self::V1_0 | Self::V1_1Draft => self.version().read(name, Some(Value::Object(params))),
        }
    }

    /// Writes the answer to an operation.
    ///
    /// # Errors
    /// None that the model can cause.
    pub fn write_answer(self, answer: &Answer) -> serde_json::Result<Json> {
        match self {
            Self::V0_3(form) => v0_3::rest::write_answer(answer, form),
            Self::V1_0Draft => v1_0::draft::write_answer(answer, Form::Wrapped),
            Self::V1_0 | Self::V1_1Draft => v1_0::write_answer(answer),
        }
    }

    /// Writes an element of a stream.
    ///
    /// # Errors
    /// None that the model can cause.
    pub fn write_event(self, event: &StreamEvent, is_last: bool) -> serde_json::Result<Json> {
        match self {
            Self::V0_3(form) => v0_3::rest::write_event(event, is_last, form),
            Self::V1_0Draft => v1_0::draft::write_event(event, is_last, Form::Wrapped),
            Self::V1_0 | Self::V1_1Draft => v1_0::write_event(event),
        }
    }

    /// Writes an error of the agent, and gives its HTTP status.
    pub fn write_error(self, error: &Error) -> (u16, Value) {
        let names = ErrorNames::of(error, self.version());
        let body = match self {
            // The error object of JSON-RPC, which 0.3 names for all transports (0.3, section 7.1).
            Self::V0_3(_) => json!(v0_3::write_error(error)),
            Self::V1_0Draft => v1_0::draft::write_problem(error, &names),
            Self::V1_0 | Self::V1_1Draft => {
                status_body(names.http, names.grpc, &error.to_string(), v1_0::write_details(error, &names))
            }
        };
        (names.http, body)
    }

    /// Writes an error that has nothing to do with A2A.
    pub fn write_complaint(self, complaint: &Complaint) -> Value {
        match self {
            Self::V0_3(_) => json!({ "code": complaint.json_rpc, "message": complaint.message }),
            Self::V1_0Draft => v1_0::draft::write_plain_problem(complaint.http, &complaint.message),
            Self::V1_0 | Self::V1_1Draft => status_body(complaint.http, complaint.grpc, &complaint.message, Vec::new()),
        }
    }
}

/// A `google.rpc.Status` as HTTP+JSON has it: `code` is the status of HTTP, and `status` the name of that of gRPC
/// (section 11.6).
fn status_body(http: u16, grpc: RpcCode, message: &str, details: Vec<Value>) -> Value {
    json!({ "error": { "code": http, "status": grpc.name(), "message": message, "details": details } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_has_its_error_bodies() {
        let error = Error::TaskNotFound { task_id: "x".to_owned() };
        assert_eq!(
            RestVersion::V1_0.write_error(&error),
            (
                404,
                json!({"error": {
                    "code": 404,
                    "status": "NOT_FOUND",
                    "message": "there is no task `x`",
                    "details": [{
                        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                        "reason": "TASK_NOT_FOUND",
                        "domain": "a2a-protocol.org",
                        "metadata": {"taskId": "x"},
                    }],
                }}),
            ),
        );
        assert_eq!(
            RestVersion::V1_0Draft.write_error(&error),
            (
                404,
                json!({
                    "type": "https://a2a-protocol.org/errors/task-not-found",
                    "title": "task not found",
                    "status": 404,
                    "detail": "there is no task `x`",
                    "taskId": "x",
                }),
            ),
        );
        assert_eq!(
            RestVersion::V0_3(RestDialect::Proto).write_error(&error),
            (404, json!({"code": -32001, "message": "there is no task `x`"})),
        );
    }
}
