//! Errors as gRPC has them: a status with typed details (section 10.6).

use std::collections::HashMap;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::core::Error;
use crate::version::{DOMAIN, ErrorInfo, ErrorNames, RpcCode, Version};

/// The longest text that a status repeats from a request, in bytes. A status travels in headers, and a client that
/// cannot take them sees no status at all.
const LONGEST_TEXT: usize = 512;

/// The status of an error: with its name in a `google.rpc.ErrorInfo`, and the wrong parameter in a `google.rpc.BadRequest`.
pub fn of(error: &Error, version: Version) -> Status {
    let names = ErrorNames::of(error, version);
    let mut details = ErrorDetails::new();
    if let Some(ErrorInfo { reason, metadata }) = names.info {
        let metadata: HashMap<String, String> =
            metadata.into_iter().map(|(name, value)| (name.to_owned(), shortened(value))).collect();
        details.set_error_info(reason, DOMAIN, metadata);
    }
    if let Error::InvalidParams(violation) = error {
        let text = |text: &String| shortened(text.clone());
        details.add_bad_request_violation(text(&violation.field), text(&violation.description));
    }
    Status::with_error_details(code(names.grpc), shortened(error.to_string()), details)
}

/// The status of a request whose deadline has passed.
pub fn deadline_exceeded() -> Status {
    Status::new(code(RpcCode::DeadlineExceeded), "the deadline of the request has passed")
}

fn code(code: RpcCode) -> Code {
    Code::from_i32(code as i32)
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Violation;

    #[test]
    fn errors_of_a2a_say_which_they_are() {
        let status = of(&Error::TaskNotFound { task_id: "x".to_owned() }, Version::V1_0);
        assert_eq!((status.code(), status.message()), (Code::NotFound, "there is no task `x`"));
        let info = status.get_details_error_info().unwrap();
        assert_eq!((info.reason.as_str(), info.domain.as_str()), ("TASK_NOT_FOUND", "a2a-protocol.org"));
        assert_eq!(info.metadata["taskId"], "x");
        assert!(status.get_details_bad_request().is_none());
    }

    #[test]
    fn wrong_parameters_are_named() {
        let status = of(&Violation::new("message.parts", "is required").into(), Version::V1_0);
        assert_eq!(status.code(), Code::InvalidArgument);
        let violations = status.get_details_bad_request().unwrap().field_violations;
        assert_eq!(violations.len(), 1);
        assert_eq!(
            (violations[0].field.as_str(), violations[0].description.as_str()),
            ("message.parts", "is required")
        );
        let info = status.get_details_error_info().unwrap();
        assert_eq!((info.reason.as_str(), info.domain.as_str()), ("INVALID_PARAMS", "a2a-protocol.org"));
    }

    #[test]
    fn no_request_makes_a_status_long() {
        let status = of(&Error::TaskNotFound { task_id: "é".repeat(100_000) }, Version::V1_0);
        assert!(status.message().len() < 520 && status.details().len() < 2000);
    }
}
