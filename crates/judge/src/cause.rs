//! What is wrong with an answer that is none of those that were expected. The kinds are such that one mistake in an agent is one
//! kind, however many requests show it and whatever each of them asked for.

use super::{denies, may_deny};
use crate::case::{Expect, Input, Outcome};
use crate::finding::{AFTER_CHECKS, Finding, Kind, NO_ANSWER, UNREADABLE};
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
            return Kind::RequestServed { expected };
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

/// The kind of input that tells a finding from others of its kind: an agent may have left out many checks, and may fail of many things,
/// each a cause of its own.
pub(super) fn input(finding: &Finding, input: &Input, may_serve: bool) -> Option<String> {
    let is_of_the_input = |received: &String| AFTER_CHECKS.contains(&received.as_str());
    match &finding.kind {
        Kind::RequestServed { .. } => Some(input.text.clone()),
        // An error about the task shows that the rest of the request was taken for right. Where such an error was expected, it is
        // but another one.
        Kind::WrongError { expected, received, .. } if is_of_the_input(received) && is_about_the_request(expected) => {
            Some(input.text.clone())
        }
        // What goes beside the parameters is read by other code than these.
        Kind::WrongError { .. } if may_serve && input.is_beside => Some(input.text.clone()),
        // Whatever serves HTTP reads bytes, and each oddity of them by a rule of its own.
        Kind::WrongAnswer { .. }
        | Kind::WrongError { .. }
        | Kind::NotFoundOverHttp { .. }
        | Kind::FailedInstead { .. }
            if input.is_verbatim =>
        {
            Some(input.text.clone())
        }
        Kind::FailedInstead { .. } => failed_at(finding, input, may_serve),
        _ => None,
    }
}

/// What an agent fails at: all that is malformed in one way is one cause, since one handler is missing; what is right, and
/// what the agent need not support, is one for each operation.
fn failed_at(finding: &Finding, input: &Input, may_serve: bool) -> Option<String> {
    let Kind::FailedInstead { received } = &finding.kind else { return None };
    match input.rule {
        _ if may_serve => Some(format!("{}, which is right", input.of)),
        // No answer at all is what a server has for whatever is thrown, and so is a stream that was begun.
        _ if finding.kind.is_no_answer() || received == BREAKS_OFF => None,
        rule if rule.is_of_parameters() => Some("malformed parameters".to_owned()),
        _ if input.is_raw => Some(MALFORMED.to_owned()),
        _ => Some(input.of.clone()),
    }
}

/// Whether an error is about a request, whatever its task is like.
fn is_about_the_request(expected: &str) -> bool {
    ["InvalidParamsError", "InvalidRequestError", "JSONParseError", "MethodNotFoundError", "VersionNotSupportedError"]
        .contains(&expected)
}

/// What agents fail at that no parameters are read of: what is none of JSON, of JSON-RPC or of HTTP+JSON.
pub(super) const MALFORMED: &str = "malformed requests";

/// What is received where a stream was begun, and its first event never came.
const BREAKS_OFF: &str = "a stream that breaks off";

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
        Content::Lost | Content::Deliveries(_) => "nothing",
    };
    Kind::WrongAnswer { expected: expected.to_owned(), received: received.to_owned() }
}

/// How the agent failed, if that is its answer: by an error that says so, by a status of the server with something that is no
/// answer, or by a stream that breaks off before there is anything in it.
pub fn failure(answer: &Answer) -> Option<Kind> {
    let received = match (answer.refusal(), &answer.content) {
        (Some(error), _) => is_failure(error).then(|| name_of(error))?,
        (None, Content::Unreadable(_) | Content::Nothing) => {
            format!("HTTP {}{NO_ANSWER}", status(answer).filter(|status| *status >= 500)?)
        }
        (None, Content::Stream(events)) if events.is_empty() && matches!(answer.exchange.ended, Ended::Failed(_)) => {
            BREAKS_OFF.to_owned()
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
