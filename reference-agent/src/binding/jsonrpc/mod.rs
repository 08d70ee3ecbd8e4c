//! JSON-RPC 2.0 over HTTP (section 9).

mod envelope;
mod methods;

pub use self::methods::operation;

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response as HttpResponse};
use futures_util::future::join_all;
use serde_json::Value;

use self::envelope::{Call, Fault, Id, Invalid, Payload};
use super::credentials::{self, Shown};
use super::{event_stream, http};
use crate::config::Scheme;
use crate::core::{Engine, Error, Operation, OperationName, Outcome, TaskStream, Tenants, Users};
use crate::version::{ErrorNames, ErrorObject, Interface, Json, Version};

/// Answers an HTTP request at `interface`.
pub async fn serve(users: Arc<Users>, interface: &'static Interface, request: Request) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let shown = Shown::over_http(&parts);
    let tenants = match credentials::tenants(&users, shown) {
        Ok(tenants) => Arc::clone(tenants),
        Err(error) => {
            let body = envelope::error(&Id::Null, &interface.default_version().write_error(&error));
            return refuse(&error, users.schemes(), interface.default_version(), body);
        }
    };
    let is_authenticated = credentials::is_authenticated(&users, shown);
    let body = match http::check_media_type(&parts.headers, &[http::JSON]) {
        Ok(()) => http::read_body(&parts.headers, body).await,
        Err(unreadable) => Err(unreadable),
    };
    let body = match body {
        Ok(body) => body,
        Err(unreadable) => {
            let fault = Fault::InvalidRequest(unreadable.to_string().into());
            return respond(unreadable.status(), envelope::error(&Id::Null, &(&fault).into()));
        }
    };
    let requested = http::requested_version(&parts);
    let server = Server {
        users,
        tenants,
        is_authenticated,
        version: interface.choose(requested.as_deref()),
        default_version: interface.default_version(),
        headers: parts.headers,
    };
    let mut response = match envelope::read(&body) {
        Payload::Single(call) => server.single(call).await,
        Payload::Batch(calls) => server.batch(calls).await,
    };
    if let Ok(version) = server.version {
        http::confirm_extensions(version, &server.headers, response.headers_mut());
    }
    response
}

/// Whether every call of a body is one of an operation that the version has, with parameters that it reads. What the agent then
/// makes of them is not asked: it is the reader alone, for who fuzzes it.
pub fn reads(version: Version, body: &[u8]) -> bool {
    let reads = |call: Result<Call, Invalid>| {
        call.is_ok_and(|call| {
            let name = methods::operation(version, &call.method);
            name.is_some_and(|name| version.read(name, call.params).is_ok())
        })
    };
    match envelope::read(body) {
        Payload::Single(call) => reads(call),
        Payload::Batch(calls) => calls.into_iter().all(reads),
    }
}

/// What all calls of one HTTP request share.
struct Server {
    users: Arc<Users>,
    tenants: Arc<Tenants>,
    is_authenticated: bool,
    version: Result<Version, Error>,
    default_version: Version,
    headers: HeaderMap,
}

/// What a call asks for: of whom, in which version, and what.
struct Found {
    engine: Arc<Engine>,
    version: Version,
    operation: Operation,
}

/// What a call gets.
enum Reply {
    /// Nothing: it was a notification.
    Nothing,
    /// A result.
    Result(Id, Json),
    /// A stream of results.
    Stream(Id, Version, TaskStream),
    /// An error.
    Refusal(Id, Refusal),
}

/// Why a call is refused.
enum Refusal {
    /// By the envelope: what was called is nothing that can be called.
    Envelope(Fault),
    /// By the agent.
    Agent(Error),
}

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Agent(error.into())
    }
}

impl Server {
    async fn single(&self, call: Result<Call, Invalid>) -> HttpResponse {
        let refused_by_status = call.as_ref().is_ok_and(|call| self.refuses_by_status(&call.method));
        match self.reply(call, true).await {
            Reply::Nothing => StatusCode::NO_CONTENT.into_response(),
            Reply::Result(id, result) => respond(StatusCode::OK, envelope::result(&id, &result)),
            Reply::Stream(id, version, events) => event_stream::respond(events, move |event, is_last| {
                envelope::result(&id, &version.write_event(event, is_last)?)
            }),
            Reply::Refusal(id, Refusal::Agent(error)) if refused_by_status => {
                let status = ErrorNames::of(&error, *self.version.as_ref().unwrap_or(&self.default_version)).http;
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                respond(status, envelope::error(&id, &self.error_object(&error.into())))
            }
            Reply::Refusal(id, refusal) => self.refuse(id, &refusal),
        }
    }

    /// Whether HTTP, too, says that a call of this method is refused.
    fn refuses_by_status(&self, method: &str) -> bool {
        self.version.as_ref().is_ok_and(|version| {
            version.refuses_streams_by_status()
                && methods::operation(*version, method).is_some_and(OperationName::is_streaming)
        })
    }

    /// Answers the calls of a batch side by side: one that waits for a task does not hold up the others.
    async fn batch(&self, calls: Vec<Result<Call, Invalid>>) -> HttpResponse {
        let replies = join_all(calls.into_iter().map(|call| self.reply(call, false))).await;
        let response = |reply| match reply {
            Reply::Result(id, result) => Some(envelope::result(&id, &result)),
            Reply::Refusal(id, refusal) => Some(envelope::error(&id, &self.error_object(&refusal))),
            // `reply` makes no streams for a batch.
            Reply::Nothing | Reply::Stream(..) => None,
        };
        let responses: serde_json::Result<Vec<String>> = replies.into_iter().filter_map(response).collect();
        match responses {
            Ok(responses) if responses.is_empty() => StatusCode::NO_CONTENT.into_response(),
            responses => respond(StatusCode::OK, responses.map(|responses| format!("[{}]", responses.join(",")))),
        }
    }

    /// Does what a call asks, if it is one. A stream is given only to a call that is alone in its request.
    async fn reply(&self, call: Result<Call, Invalid>, is_alone: bool) -> Reply {
        let Call { id, method, params } = match call {
            Ok(call) => call,
            Err(Invalid { id, fault }) => return Reply::Refusal(id, Refusal::Envelope(fault)),
        };
        let found = self.find(&method, params, is_alone);
        let Some(id) = id else {
            if let Ok(found) = found {
                self.notify(found).await;
            }
            return Reply::Nothing;
        };
        let found = match found {
            Ok(found) => found,
            Err(refusal) => return Reply::Refusal(id, refusal),
        };
        let version = found.version;
        match self.perform(found).await {
            Ok(Outcome::Stream(events)) => Reply::Stream(id, version, events),
            Ok(Outcome::Answer(answer)) => match version.write_answer(&answer) {
                Ok(result) => Reply::Result(id, result),
                Err(_) => Reply::Refusal(id, Error::Internal.into()),
            },
            Err(error) => Reply::Refusal(id, error.into()),
        }
    }

    fn find(&self, method: &str, params: Option<Value>, is_alone: bool) -> Result<Found, Refusal> {
        let version = self.version.clone()?;
        let name = methods::operation(version, method).ok_or(Refusal::Envelope(Fault::MethodNotFound))?;
        if name.is_streaming() && !is_alone {
            return Err(Refusal::Envelope(Fault::InvalidRequest("a stream cannot be part of a batch".into())));
        }
        let members = params.as_ref().and_then(Value::as_object);
        let engine = Arc::clone(self.tenants.engine(version.tenant(members))?);
        Ok(Found { engine, version, operation: version.read(name, params)? })
    }

    async fn perform(&self, Found { engine, version, operation }: Found) -> Result<Outcome, Error> {
        engine.perform(operation, http::caller(self.is_authenticated, &self.headers, version)).await
    }

    /// Does what a notification asks. Nobody waits for the outcome, so neither does the agent.
    async fn notify(&self, mut found: Found) {
        if let Operation::SendMessage(request) = &mut found.operation {
            request.configuration.return_immediately = true;
        }
        // Whatever comes of it, a notification is not answered (section 4.1 of JSON-RPC).
        let _unheard = self.perform(found).await;
    }

    fn refuse(&self, id: Id, refusal: &Refusal) -> HttpResponse {
        let body = envelope::error(&id, &self.error_object(refusal));
        match refusal {
            Refusal::Agent(error) => {
                let version = *self.version.as_ref().unwrap_or(&self.default_version);
                refuse(error, self.users.schemes(), version, body)
            }
            Refusal::Envelope(_) => respond(StatusCode::OK, body),
        }
    }

    fn error_object(&self, refusal: &Refusal) -> ErrorObject {
        match refusal {
            Refusal::Envelope(fault) => fault.into(),
            Refusal::Agent(error) => self.version.as_ref().unwrap_or(&self.default_version).write_error(error),
        }
    }
}

/// Section 7.4: HTTP says what credentials are missing. Of all else JSON-RPC tells alone.
fn refuse(error: &Error, schemes: &[Scheme], version: Version, body: serde_json::Result<String>) -> HttpResponse {
    let is_of_http = matches!(error, Error::Unauthenticated(_) | Error::PermissionDenied);
    let status = StatusCode::from_u16(ErrorNames::of(error, version).http).ok().filter(|_| is_of_http);
    let mut response = respond(status.unwrap_or(StatusCode::OK), body);
    credentials::challenge(error, schemes, &mut response);
    response
}

fn respond(status: StatusCode, body: serde_json::Result<String>) -> HttpResponse {
    match body {
        Ok(body) => http::written(status, http::JSON, body),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
