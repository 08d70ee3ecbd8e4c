//! Bodies of errors over HTTP+JSON (A2A 1.0 section 11.6, A2A 0.3 section 3.2.3).

use serde_json::{Map, Value};

use super::answers::{HttpError, bodies_of_no_route, http_errors, http_errors_with_404};
use super::args::HttpErrorAspect;
use super::{judged, problems};
use crate::finding::{Finding, Kind, show, show_found};
use crate::reason::Reason;
use crate::wire::grpc::Code;
use crate::wire::json::Number;
use crate::{Judgement, RunView};

/// One aspect of every error's body: its `form`, its `code`, its `status`, or whether all are `consistent`; of problem
/// details their form, their status, and their sentence.
pub(super) fn http_error(view: RunView<'_>, args: &HttpErrorAspect) -> Judgement {
    match args {
        HttpErrorAspect::Form => judge_each(http_errors_with_404(&view), form),
        HttpErrorAspect::Code => judge_each(http_errors(&view), code),
        HttpErrorAspect::Status => judge_each(http_errors(&view), |error| status(&view, error)),
        HttpErrorAspect::Consistent => consistent(&view),
        HttpErrorAspect::Problem => judge_each(http_errors_with_404(&view), |error| problems::form(&view, error)),
        HttpErrorAspect::ProblemStatus => judge_each(http_errors(&view), problems::status),
        HttpErrorAspect::ProblemDetail => judge_each(http_errors(&view), problems::detail),
    }
}

/// Asks about each error; `None` where an error says nothing about it.
fn judge_each<'a>(
    errors: Vec<HttpError<'a>>,
    ask: impl Fn(&HttpError<'a>) -> Option<Result<(), Finding>>,
) -> Judgement {
    let answers: Vec<Result<(), Finding>> = errors.iter().filter_map(ask).collect();
    judged(answers.len(), "error", answers.into_iter().filter_map(Result::err).collect())
}

/// The value at a pointer into the body.
pub(super) fn at(error: &HttpError<'_>, pointer: &str) -> Option<Value> {
    error.body.as_ref()?.at(pointer).map(|node| node.to_value())
}

/// What is wrong at a pointer into the body.
pub(super) fn wrong(error: &HttpError<'_>, pointer: &str, kind: Kind, expected: &str) -> Finding {
    let number = error.answer.exchange.number;
    let finding = Finding::new(kind);
    match &error.body {
        Some(_) => {
            let actual = show_found(at(error, pointer).as_ref());
            finding.compare(expected, actual).at(number, pointer)
        }
        None => finding.compare(expected, unreadable(error)).in_exchange(number),
    }
}

/// What is there instead of JSON.
fn unreadable(error: &HttpError<'_>) -> String {
    let response = error.answer.exchange.response.as_ref();
    let kind = response.and_then(|response| response.header("content-type")).unwrap_or("no content-type");
    let is_empty = response.is_none_or(|response| response.body.is_empty());
    let what = if is_empty { "an empty body".to_owned() } else { format!("a body of {kind}") };
    format!("HTTP {} with {what}", error.status)
}

/// The body has an error with a number and a message.
fn form(error: &HttpError<'_>) -> Option<Result<(), Finding>> {
    let has = |pointer: &str, is: fn(&Value) -> bool| at(error, pointer).is_some_and(|value| is(&value));
    let has_code = code_of(error).is_some();
    Some(if error.body.is_none() {
        Err(wrong(error, "", Kind::ErrorBodyNotJson, "an object with the member `error`"))
    } else if !has("/error", Value::is_object) {
        Err(wrong(error, "", Kind::ErrorBodyWithoutError, "an object with the object `error`"))
    } else if !has_code {
        Err(wrong(error, "/error/code", Kind::ErrorWithoutCode, "a whole number"))
    } else if !has("/error/message", |value| value.as_str().is_some_and(|text| !text.trim().is_empty())) {
        Err(wrong(error, "/error/message", Kind::ErrorWithoutMessage, "a string that is not empty"))
    } else {
        Ok(())
    })
}

fn code_of(error: &HttpError<'_>) -> Option<i64> {
    error.body.as_ref()?.at("/error/code")?.as_number().and_then(Number::as_whole_i64)
}

/// The number is the HTTP status.
fn code(error: &HttpError<'_>) -> Option<Result<(), Finding>> {
    let is_right = code_of(error)? == i64::from(error.status);
    let expected = error.status.to_string();
    Some(if is_right { Ok(()) } else { Err(wrong(error, "/error/code", Kind::ErrorCodeNotStatus, &expected)) })
}

/// The error has the name of a gRPC code: where it says which error it is, one that the table gives that error.
fn status(view: &RunView<'_>, error: &HttpError<'_>) -> Option<Result<(), Finding>> {
    at(error, "/error").filter(Value::is_object)?;
    let naming = view.profile.naming(view.binding);
    let called = error.answer.refusal().and_then(|known| known.called(naming));
    let named = called.and_then(|called| view.profile.error_called(naming, called)).map(|(_, facts)| facts);
    let name = at(error, "/error/status");
    let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
    let is_code = Code::ALL.into_iter().any(|code| code.name() == name);
    let kind = Kind::ErrorStatusNoCode;
    Some(match named {
        Some(facts) if !facts.has_grpc(name) => Err(wrong(error, "/error/status", kind, &facts.grpc.join(" or "))),
        None if !is_code => Err(wrong(error, "/error/status", kind, "a name such as NOT_FOUND")),
        _ => Ok(()),
    })
}

/// All bodies are objects of one form, whatever it is. What the web server says of addresses that it does not have, it may
/// say of an operation that the agent lacks.
fn consistent(view: &RunView<'_>) -> Judgement {
    let no_route = bodies_of_no_route(view);
    let is_no_route = |error: &HttpError<'_>| {
        let body = error.answer.exchange.response.as_ref().map(|response| response.body.as_ref());
        error.status == 404 && body.is_some_and(|body| no_route.contains(&body))
    };
    let errors: Vec<HttpError<'_>> = http_errors(view).into_iter().filter(|error| !is_no_route(error)).collect();
    let kind = |error: &HttpError<'_>| (error.status, error.answer.exchange.request.operation);
    let kinds: Vec<_> = errors.iter().map(kind).collect();
    if kinds.iter().all(|kind| kinds.first() == Some(kind)) {
        return Judgement::Unseen(Reason::NoErrorsToCompare);
    }
    let mut findings = Vec::new();
    let mut first: Option<(&HttpError<'_>, Value)> = None;
    for error in &errors {
        let Some(body) = at(error, "").filter(Value::is_object) else {
            findings.push(wrong(error, "", Kind::ErrorBodyNoObject, "an object"));
            continue;
        };
        match &first {
            None => first = Some((error, body)),
            Some((known, wanted)) => {
                if let Some((pointer, expected)) = difference(wanted, &body) {
                    let number = known.answer.exchange.number;
                    let expected = format!("{expected}, as in exchange {number}");
                    findings.push(wrong(error, &pointer, Kind::ErrorBodiesDiffer, &expected).against(number));
                }
            }
        }
    }
    judged(errors.len(), "error", findings)
}

/// Where a body is of another form than the one before it, and what should be there.
fn difference(wanted: &Value, body: &Value) -> Option<(String, String)> {
    let inner = |body: &Value| body.get("error").filter(|error| error.is_object()).cloned();
    match (inner(wanted), inner(body)) {
        (Some(wanted), Some(body)) => {
            let (pointer, expected) = members_differ(wanted.as_object()?, body.as_object()?)?;
            Some((format!("/error{pointer}"), expected))
        }
        (Some(_), None) => Some((String::new(), "an object `error`".to_owned())),
        (None, Some(_)) => Some(("/error".to_owned(), "no object `error`".to_owned())),
        (None, None) => members_differ(wanted.as_object()?, body.as_object()?),
    }
}

/// Members that hold whatever an error has to add, in whatever form (JSON-RPC 2.0 section 5.1 says so of `data`).
const FREE: [&str; 2] = ["data", "details"];

/// Objects of one form have a member in common, and common members are of one type. What is null is of any.
fn members_differ(wanted: &Map<String, Value>, got: &Map<String, Value>) -> Option<(String, String)> {
    let common = || wanted.iter().filter_map(|(name, value)| Some((name, value, got.get(name)?)));
    if common().next().is_none() {
        let names: Vec<String> = wanted.keys().map(|name| format!("`{name}`")).collect();
        return Some((String::new(), format!("one of the members {}", names.join(", "))));
    }
    let is_other = |(name, wanted, got): &(&String, &Value, &Value)| {
        !FREE.contains(&name.as_str())
            && !wanted.is_null()
            && !got.is_null()
            && std::mem::discriminant(*wanted) != std::mem::discriminant(*got)
    };
    common().find(is_other).map(|(name, wanted, _)| (format!("/{name}"), format!("something like {}", show(wanted))))
}
