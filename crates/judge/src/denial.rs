//! Whose an error is: one of A2A, or a denial of the operation itself, whatever was asked of it.

use serde_json::Value;

use super::{Service, before_the_agent};
use crate::profile::{Binding, Naming, Operation, Profile};
use crate::transcript::{Answer, Content, ErrorObject};

impl Service {
    /// Notes what an answer shows of its operation.
    pub fn note(&mut self, profile: &Profile, answer: &Answer) {
        let Some(operation) = answer.exchange.request.operation else { return };
        if shows_service(answer) && !denies(profile, answer) && !may_deny(profile, answer) {
            self.served.insert(operation);
            if shows_work(answer) {
                self.worked.insert(operation);
            }
        }
    }
}

/// Whether an answer is one of the operation's at all, if only an error: what cannot be read, or comes from before the agent,
/// shows nothing of it. Neither does an error to exact bytes, which a server may refuse before it knows what they call.
fn shows_service(answer: &Answer) -> bool {
    match answer.content {
        Content::Result(_) | Content::Stream(_) => before_the_agent(answer).is_none(),
        Content::Error(_) => answer.exchange.request.params.is_object() && before_the_agent(answer).is_none(),
        _ => false,
    }
}

/// Whether an answer says that the agent has no such operation: MethodNotFoundError over JSON-RPC (section 5.1 there),
/// UNIMPLEMENTED over gRPC where no detail calls it an error of A2A, HTTP 405 or 501 without such an error.
///
/// HTTP 404 may be about what the path names. It is a denial only of operations whose path names nothing; of the others, see
/// [`may_deny`].
pub fn denies(profile: &Profile, answer: &Answer) -> bool {
    let (Some(operation), Some(error)) = (answer.exchange.request.operation, answer.refusal()) else { return false };
    match answer.binding {
        Binding::Jsonrpc => error.is("MethodNotFoundError"),
        Binding::Grpc => error.label == "UNIMPLEMENTED" && error.called(profile.naming(answer.binding)).is_none(),
        Binding::HttpJson => match error.code {
            Some(405) => true,
            Some(501) => !is_of_a2a(profile, answer.binding, error),
            Some(404) => names_nothing(operation) && !is_of_a2a(profile, answer.binding, error),
            _ => false,
        },
    }
}

/// Whether an answer says that GetTask does not find the task.
pub fn is_unfound(answer: &Answer) -> bool {
    answer.exchange.request.operation == Some(Operation::GetTask)
        && answer.refusal().is_some_and(|error| error.is("TaskNotFoundError"))
}

/// Whether an answer is UnsupportedOperationError. It may mean a part of the operation: only where no answer shows
/// [work](Service::worked) the agent has nothing of it.
pub fn says_unsupported(answer: &Answer) -> bool {
    answer.refusal().is_some_and(|error| error.name() == Some(UNSUPPORTED))
}

/// Whether an answer shows that there is something of the operation: a result, or an error that comes of more than a look at
/// the parameters.
fn shows_work(answer: &Answer) -> bool {
    let shows = |error: &ErrorObject| {
        let may_be = |name: &str| error.is(name);
        error.refuses && !error.names.is_empty() && !BEFORE_THE_WORK.into_iter().any(may_be)
    };
    answer.refusal().is_none_or(shows)
}

/// The error for what an agent does not have.
pub const UNSUPPORTED: &str = "UnsupportedOperationError";
/// What an agent may answer that has nothing of an operation, and still looks at what it is sent.
const BEFORE_THE_WORK: [&str; 5] =
    [UNSUPPORTED, "InvalidParamsError", "InvalidRequestError", "JSONParseError", "VersionNotSupportedError"];

/// Whether an answer may be a denial: HTTP 404 without an error of A2A, where the path names something. So servers answer for
/// a route that they do not have, and careless agents for a task that they do not have. Where what is named is there, it is the
/// first.
pub fn may_deny(profile: &Profile, answer: &Answer) -> bool {
    let (Some(operation), Some(error)) = (answer.exchange.request.operation, answer.refusal()) else { return false };
    // Exact bytes may name a route of their own.
    answer.binding == Binding::HttpJson
        && error.code == Some(404)
        && answer.exchange.request.params.is_object()
        && !names_nothing(operation)
        && !is_of_a2a(profile, answer.binding, error)
}

/// The statuses that say that there is no such route.
pub const NO_ROUTE: [u16; 3] = [404, 405, 501];

/// Whether an answer is none of A2A's and says that there is nothing at all: HTTP 4xx or 501 with a page, without a body, or with JSON
/// that is no error of the protocol. Where a version gives errors no form, any object may be one, and only the status says it.
pub fn not_there(profile: &Profile, answer: &Answer) -> bool {
    let Some(response) = answer.exchange.response.as_ref() else { return false };
    let refuses = (400..500).contains(&response.status) || response.status == 501;
    if !refuses || before_the_agent(answer).is_some() {
        return false;
    }
    match (&answer.content, answer.refusal(), answer.binding) {
        (.., Binding::Grpc) => false,
        (Content::Unreadable(_) | Content::Nothing, ..) => true,
        // What is JSON-RPC with a mistake is judged as such.
        (_, Some(error), Binding::Jsonrpc) => error.code.is_none() && error.document.root().get("jsonrpc").is_none(),
        (_, Some(error), Binding::HttpJson) => match profile.naming(answer.binding) {
            Naming::ByStatus => NO_ROUTE.contains(&response.status),
            _ => !is_of_a2a(profile, answer.binding, error),
        },
        _ => false,
    }
}

fn names_nothing(operation: Operation) -> bool {
    matches!(operation, Operation::ListTasks | Operation::GetExtendedAgentCard)
}

/// Whether the body of an error is one that the version gives to errors; where it gives none, any object may be.
pub fn is_of_a2a(profile: &Profile, binding: Binding, error: &ErrorObject) -> bool {
    let naming = profile.naming(binding);
    match naming {
        Naming::ByStatus => error.document.root().as_object().is_some(),
        Naming::ByReason(domain) => {
            let is_ours = error.info().and_then(|info| info.get("domain")).and_then(Value::as_str) == Some(domain);
            let has_form = error.value.get("code").is_some_and(Value::is_i64)
                && error.value.get("message").is_some_and(Value::is_string)
                && !error.base.is_empty();
            is_ours || has_form
        }
        Naming::ByType(_) => error.called(naming).is_some_and(|called| profile.error_called(naming, called).is_some()),
    }
}
