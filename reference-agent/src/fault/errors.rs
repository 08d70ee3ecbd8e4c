//! The names of errors in each binding (1.0, section 5.4; JSON-RPC 2.0, section 5.1).

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use super::asked::{Asked, Binding};
use super::carrier::grpc;
use super::carrier::whole::Whole;
use crate::core::OperationName;
use crate::version::{DOMAIN, Version};

/// A row: name, code of JSON-RPC, status of HTTP, status of gRPC and its name, whether it is A2A's own.
type Row = (&'static str, i64, u16, i64, &'static str, bool);

const ERRORS: [Row; 15] = [
    ("JSONParseError", -32700, 400, 3, "INVALID_ARGUMENT", false),
    ("InvalidRequestError", -32600, 400, 3, "INVALID_ARGUMENT", false),
    ("MethodNotFoundError", -32601, 404, 12, "UNIMPLEMENTED", false),
    ("InvalidParamsError", -32602, 400, 3, "INVALID_ARGUMENT", false),
    ("InternalError", -32603, 500, 13, "INTERNAL", false),
    ("TaskNotFoundError", -32001, 404, 5, "NOT_FOUND", true),
    ("TaskNotCancelableError", -32002, 400, 9, "FAILED_PRECONDITION", true),
    ("PushNotificationNotSupportedError", -32003, 400, 9, "FAILED_PRECONDITION", true),
    ("UnsupportedOperationError", -32004, 400, 9, "FAILED_PRECONDITION", true),
    ("ContentTypeNotSupportedError", -32005, 400, 3, "INVALID_ARGUMENT", true),
    ("InvalidAgentResponseError", -32006, 500, 13, "INTERNAL", true),
    ("ExtendedAgentCardNotConfiguredError", -32007, 400, 9, "FAILED_PRECONDITION", true),
    ("ExtensionSupportRequiredError", -32008, 400, 9, "FAILED_PRECONDITION", true),
    ("VersionNotSupportedError", -32009, 400, 9, "FAILED_PRECONDITION", true),
    ("TaskGenerationMismatchError", -32010, 409, 10, "ABORTED", true),
];

/// The names of all errors.
pub fn names() -> impl Iterator<Item = &'static str> {
    ERRORS.iter().map(|row| row.0)
}

/// The rows in which the draft of 1.0 has other statuses (1.0-draft, section 5.4).
const ERRORS_OF_DRAFT: [Row; 6] = [
    ("TaskNotCancelableError", -32002, 409, 9, "FAILED_PRECONDITION", true),
    ("PushNotificationNotSupportedError", -32003, 400, 12, "UNIMPLEMENTED", true),
    ("UnsupportedOperationError", -32004, 400, 12, "UNIMPLEMENTED", true),
    ("ContentTypeNotSupportedError", -32005, 415, 3, "INVALID_ARGUMENT", true),
    ("InvalidAgentResponseError", -32006, 502, 13, "INTERNAL", true),
    ("VersionNotSupportedError", -32009, 400, 12, "UNIMPLEMENTED", true),
];

/// What the types of problems begin with (1.0-draft, section 5.4).
const TYPES: &str = "https://a2a-protocol.org/errors/";

/// The type of a problem: `.../task-not-found` of `TaskNotFoundError`.
fn problem_type(name: &str) -> String {
    format!("{TYPES}{}", reason(name).to_ascii_lowercase().replace('_', "-"))
}

/// The reason in `google.rpc.ErrorInfo`: `TASK_NOT_FOUND` of `TaskNotFoundError`.
fn reason(name: &str) -> String {
    let mut reason = String::new();
    for letter in name.trim_end_matches("Error").chars() {
        if letter.is_ascii_uppercase() && !reason.is_empty() {
            reason.push('_');
        }
        reason.push(letter.to_ascii_uppercase());
    }
    reason
}

impl Asked {
    /// The name of the error that an answer to this request is; none of a result.
    pub async fn error_in(&self, answer: Response<Body>) -> Option<String> {
        name(&Whole::read(answer).await, self)
    }
}

/// The name of the error that an answer is.
pub fn name(answer: &Whole, asked: &Asked) -> Option<String> {
    let json = answer.json(asked).unwrap_or_default();
    let by = |found: &dyn Fn(&Row) -> bool| ERRORS.iter().find(|row| found(row)).map(|row| row.0.to_owned());
    let error = json.get("error");
    let details = error.and_then(|error| error.get("details")).and_then(Value::as_array).into_iter().flatten();
    let said = details.filter_map(|detail| detail.get("reason")?.as_str()).next();
    let by_reason = said.and_then(|said| by(&|row| row.5 && reason(row.0) == said));
    let kind = json.get("type").and_then(Value::as_str);
    let by_type = kind.and_then(|kind| by(&|row| row.5 && problem_type(row.0) == kind));
    let code = |object: Option<&Value>| object.and_then(|object| object.get("code")).and_then(Value::as_i64);
    let Some(binding) = asked.binding else {
        // Where HTTP alone answers, its statuses are all the errors that there are.
        let status = answer.head.status;
        return (status.is_client_error() || status.is_server_error()).then(|| status.as_u16().to_string());
    };
    match binding {
        Binding::JsonRpc => {
            let code = code(error)?;
            by(&|row| row.1 == code).or_else(|| Some(code.to_string()))
        }
        Binding::HttpJson => {
            let status = answer.head.status;
            if status.is_success() {
                return None;
            }
            let bare = code(Some(&json)).and_then(|code| by(&|row| row.1 == code));
            let plain = || (status == StatusCode::BAD_REQUEST).then(|| "InvalidParamsError".to_owned());
            by_reason.or(by_type).or(bare).or_else(plain).or_else(|| Some(status.as_u16().to_string()))
        }
        Binding::Grpc => {
            let code = code(error)?;
            let plain = || match code {
                3 => Some("InvalidParamsError".to_owned()),
                code => by(&|row| !row.5 && row.3 == code),
            };
            by_reason.or_else(plain).or_else(|| Some(code.to_string()))
        }
    }
}

/// An answer that is the error of this name.
pub fn write(name: &str, asked: &Asked) -> Response<Body> {
    let of_draft = ERRORS_OF_DRAFT.iter().filter(|_| asked.version == Version::V1_0Draft);
    let Some((_, code, http, rpc, rpc_name, is_own)) = of_draft.chain(&ERRORS).find(|row| row.0 == name) else {
        return plain(StatusCode::NOT_IMPLEMENTED, "text/plain", format!("faults.yaml: no error is called {name}"));
    };
    let message = "something is wrong";
    let info = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason(name), "domain": DOMAIN, "metadata": {},
    });
    let details: Vec<&Value> = is_own.then_some(&info).into_iter().collect();
    match asked.binding {
        Some(Binding::Grpc) => {
            let mut response = plain(StatusCode::OK, "application/grpc", String::new());
            let error = json!({ "error": { "code": rpc, "message": message, "details": details } });
            grpc::write_status(&error, response.headers_mut());
            response
        }
        Some(Binding::HttpJson) => {
            let body = match asked.version {
                Version::V1_0 | Version::V1_1Draft => {
                    json!({ "error": { "code": http, "status": rpc_name, "message": message, "details": details } })
                }
                Version::V1_0Draft if *is_own => {
                    json!({ "type": problem_type(name), "status": http, "detail": message })
                }
                Version::V1_0Draft => json!({ "status": http, "detail": message }),
                _ => json!({ "code": code, "message": message }),
            };
            let media_type = match asked.version {
                Version::V1_0 | Version::V1_1Draft => "application/a2a+json",
                Version::V1_0Draft => "application/problem+json",
                _ => "application/json",
            };
            plain(status(*http), media_type, body.to_string())
        }
        None => plain(status(*http), "text/plain", message.to_owned()),
        Some(Binding::JsonRpc) => {
            let mut error = json!({ "code": code, "message": message });
            if asked.version.is_like_1_0() && *is_own {
                error["data"] = json!(details);
            }
            let body = json!({ "jsonrpc": "2.0", "id": asked.id, "error": error });
            let is_stream = asked.operation.is_some_and(OperationName::is_streaming);
            let has_status = is_stream && asked.version.refuses_streams_by_status();
            plain(if has_status { status(*http) } else { StatusCode::OK }, "application/json", body.to_string())
        }
    }
}

fn status(number: u16) -> StatusCode {
    StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A response of some text.
pub fn plain(status: StatusCode, media_type: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers: &mut HeaderMap = response.headers_mut();
    headers.insert("content-type", HeaderValue::from_static(media_type));
    response
}
