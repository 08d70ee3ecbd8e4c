//! Faults that are in no file: an effect times an operation.
//!
//! `error:TaskNotFoundError@GetTask` answers every GetTask with that error; `error:InternalError@GetTask:TaskNotFoundError` does
//! so where the right answer is the error behind the colon. `status:503@GetTask` answers with a status of HTTP and no body.

use super::data::{Fault, HttpChange, When};
use super::errors;
use crate::binding::jsonrpc;
use crate::version::Version;

/// How such faults are written, each with what is wrong then.
pub const FORMS: [(&str, &str); 2] = [
    (
        "error:ERROR@OPERATION[:ERROR]",
        "the operation is answered with an error: always, or where the second error is right",
    ),
    ("status:STATUS@OPERATION[:ERROR]", "the operation is answered with a status of HTTP and no body, likewise"),
];

/// Why a text is no such fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotComposed {
    /// It has another form.
    #[error("it is neither `error:ERROR@OPERATION` nor `status:STATUS@OPERATION`")]
    Form,
    /// The specification has no such error.
    #[error("the specification has no error `{0}`; the errors are {known}", known = errors::names().collect::<Vec<_>>().join(", "))]
    Error(String),
    /// HTTP has no such status.
    #[error("`{0}` is not a status of HTTP: a number from 200 to 599")]
    Status(String),
    /// The specification has no such operation.
    #[error("A2A 1.0 has no operation `{0}`; an example is `GetTask`")]
    Operation(String),
}

/// The fault that a text with `@` in it says.
///
/// # Errors
/// What is wrong with the text.
pub fn read(id: &str) -> Result<Fault, NotComposed> {
    let (effect, place) = id.split_once('@').ok_or(NotComposed::Form)?;
    let (kind, value) = effect.split_once(':').ok_or(NotComposed::Form)?;
    let (operation, right) = place.split_once(':').map_or((place, None), |(operation, right)| (operation, Some(right)));
    if jsonrpc::operation(Version::V1_0, operation).is_none() {
        return Err(NotComposed::Operation(operation.to_owned()));
    }
    for error in right.into_iter().chain((kind == "error").then_some(value)) {
        if !errors::names().any(|name| name == error) {
            return Err(NotComposed::Error(error.to_owned()));
        }
    }
    let when = When {
        operations: vec![operation.to_owned()],
        errors: right.map(str::to_owned).into_iter().collect(),
        ..When::default()
    };
    let instead = right.map_or_else(String::new, |right| format!(" instead of {right}"));
    let of = |what: &str| format!("{operation} is answered with {what}{instead}");
    let fault = match kind {
        "error" => Fault { breaks: of(value), error: Some(value.to_owned()), ..Fault::default() },
        "status" => {
            let status = value.parse().ok().filter(|status| (200..600).contains(status));
            let status = status.ok_or_else(|| NotComposed::Status(value.to_owned()))?;
            let http = HttpChange { status: Some(status), body: Some(String::new()), ..HttpChange::default() };
            Fault { breaks: of(&format!("HTTP {value}")), http: Some(http), ..Fault::default() }
        }
        _ => return Err(NotComposed::Form),
    };
    Ok(Fault { id: id.to_owned(), when, ..fault })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_and_an_operation_make_a_fault() {
        let fault = read("error:InternalError@GetTask:TaskNotFoundError").unwrap();
        assert_eq!(fault.breaks, "GetTask is answered with InternalError instead of TaskNotFoundError");
        assert_eq!(fault.error.as_deref(), Some("InternalError"));
        assert_eq!(
            (fault.when.operations, fault.when.errors),
            (vec!["GetTask".into()], vec!["TaskNotFoundError".into()])
        );
        let fault = read("status:503@CancelTask").unwrap();
        assert_eq!(fault.breaks, "CancelTask is answered with HTTP 503");
        assert_eq!(fault.http.and_then(|http| http.status), Some(503));
        assert!(fault.when.errors.is_empty());
    }

    #[test]
    fn what_there_is_not_is_named() {
        for (id, expected) in [
            ("delay:5@GetTask", NotComposed::Form),
            ("error@GetTask", NotComposed::Form),
            ("error:NoError@GetTask", NotComposed::Error("NoError".into())),
            ("error:InternalError@GetTask:NoError", NotComposed::Error("NoError".into())),
            ("error:InternalError@tasks/get", NotComposed::Operation("tasks/get".into())),
            ("status:99@GetTask", NotComposed::Status("99".into())),
            ("status:teapot@GetTask", NotComposed::Status("teapot".into())),
        ] {
            assert_eq!(read(id).unwrap_err(), expected, "{id}");
        }
    }
}
