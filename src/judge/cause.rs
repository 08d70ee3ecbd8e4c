//! What is wrong with an answer that is none of those that were expected. The kinds are such that one mistake in an agent is one
//! kind, however many requests show it and whatever each of them asked for.

use super::{denies, may_deny};
use crate::case::{Expect, Outcome};
use crate::finding::{Kind, NO_ANSWER, UNREADABLE};
use crate::profile::{Binding, Profile};
use crate::transcript::{Answer, Content, Ended, ErrorObject};

/// Any error of the binding.
pub(super) const AN_ERROR: &str = "an error";

/// What is wrong with an answer, of which none of `allowed` was expected.
pub(super) fn of(profile: &Profile, expect: &Expect, allowed: &[Outcome], answer: &Answer) -> Kind {
    let operation = answer.exchange.request.operation;
    let may_refuse = allowed.iter().any(Outcome::is_error);
    if let Some(operation) = operation.filter(|_| denies(profile, answer)) {
        return Kind::OperationDenied { operation: operation.to_string() };
    }
    if let Some(operation) = operation.filter(|_| may_deny(profile, answer)) {
        return Kind::NotFoundOverHttp { operation: operation.to_string() };
    }
    if let Some(kind) = failure(answer).filter(|_| may_refuse) {
        return kind;
    }
    let expected = expected(allowed, operation.is_some());
    match (answer.refusal(), &answer.content) {
        (Some(error), _) if !is_codeless(answer, error) => {
            let operation = operation.map(|operation| operation.to_string()).unwrap_or_default();
            return Kind::WrongError { operation, expected, received: name_of(error) };
        }
        (None, Content::Result(_) | Content::Stream(_)) if !allowed.contains(&Outcome::Result) => {
            return Kind::RequestServed { expected, area: String::new() };
        }
        (None, _) if expect.asks_for_any_answer() => return left(answer),
        (None, Content::Lost) => return Kind::NoAnswer,
        _ => {}
    }
    match (allowed.contains(&Outcome::Result), operation) {
        // Results are made by each operation.
        (true, Some(operation)) => of_another_kind(&format!("{expected} of {operation}"), answer),
        _ if may_refuse => of_another_kind(AN_ERROR, answer),
        _ => of_another_kind(&expected, answer),
    }
}

/// What is expected, without what is as good: of an operation errors instead of its result, and of what calls none anything
/// instead of the first error; so it is where nothing but errors is right, or silence.
fn expected(allowed: &[Outcome], calls: bool) -> String {
    let error = allowed.iter().find(|outcome| outcome.is_error());
    let result = allowed.iter().find(|outcome| **outcome == Outcome::Result);
    let is_error_or_nothing = |outcome: &Outcome| outcome.is_error() || *outcome == Outcome::Nothing;
    let first = match result {
        Some(result) if calls => Some(result),
        Some(result) => error.or(Some(result)),
        None => error.filter(|_| allowed.iter().all(is_error_or_nothing)),
    };
    match first {
        Some(outcome) => outcome.to_string(),
        None => allowed.iter().map(Outcome::to_string).collect::<Vec<_>>().join(", or "),
    }
}

/// Adds to what was served in which area the case is, where what was expected does not tell one check from another: an agent may
/// have left out many, each a cause of its own.
pub(super) fn place(kind: &mut Kind, case_area: &str) {
    let is_general = |expected: &str| expected == INVALID_PARAMS || expected == Outcome::Refusal.to_string();
    if let Kind::RequestServed { expected, area } = kind
        && is_general(expected)
    {
        case_area.clone_into(area);
    }
}

/// The error for whatever is wrong with parameters.
const INVALID_PARAMS: &str = "InvalidParamsError";

/// That something of another kind came. Who writes no errors of the binding writes none of any name, so that they are one.
pub(super) fn of_another_kind(expected: &str, answer: &Answer) -> Kind {
    let received = match &answer.content {
        Content::Result(_) => "a result",
        Content::Error(error) if is_codeless(answer, error) => UNREADABLE,
        Content::Error(_) => "an error",
        Content::Stream(_) => "a stream",
        Content::Batch(_) => "a batch of responses",
        Content::Nothing => "an empty body",
        Content::Unreadable(_) => UNREADABLE,
        Content::Lost => "nothing",
    };
    Kind::WrongAnswer { expected: expected.to_owned(), received: received.to_owned() }
}

/// How the agent failed, if that is its answer: by an error that says so, by a status of the server with something that is no
/// answer, or by a stream that breaks off before there is anything in it.
pub(crate) fn failure(answer: &Answer) -> Option<Kind> {
    let received = match (answer.refusal(), &answer.content) {
        (Some(error), _) => is_failure(error).then(|| name_of(error))?,
        (None, Content::Unreadable(_) | Content::Nothing) => {
            format!("HTTP {}{NO_ANSWER}", status(answer).filter(|status| *status >= 500)?)
        }
        (None, Content::Stream(events)) if events.is_empty() && matches!(answer.exchange.ended, Ended::Failed(_)) => {
            "a stream that breaks off".to_owned()
        }
        _ => return None,
    };
    Some(Kind::FailedInstead { received })
}

/// Whether an error says that the agent broke, whatever it was asked.
fn is_failure(error: &ErrorObject) -> bool {
    let is_failed_call = ["UNKNOWN", "INTERNAL"].contains(&error.label.as_str());
    error.is("InternalError") || is_failed_call || error.label.starts_with("HTTP 5")
}

/// Whether an error is none of JSON-RPC's (section 5.1 there): servers answer so before the agent sees the request.
pub(super) fn is_codeless(answer: &Answer, error: &ErrorObject) -> bool {
    answer.binding == Binding::Jsonrpc && error.code.is_none()
}

/// The name of an error, or the code of one without.
pub(super) fn name_of(error: &ErrorObject) -> String {
    error.name().unwrap_or(&error.label).to_owned()
}

/// How a request was left.
fn left(answer: &Answer) -> Kind {
    match &answer.exchange.ended {
        Ended::TimedOut(_) => Kind::RequestUnanswered,
        Ended::Failed(error) if error.breaks_http() => Kind::AnswerNoHttp,
        _ => Kind::ConnectionClosed,
    }
}

fn status(answer: &Answer) -> Option<u16> {
    answer.exchange.response.as_ref().map(|response| response.status)
}
