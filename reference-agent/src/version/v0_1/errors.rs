//! Errors as JSON (0.1, section 8; the proposal, Error Handling): those of 0.3, about parameters of other names.

use crate::core::{Error, Violation};
use crate::version::{ErrorObject, v0_3};

/// Writes an error.
pub fn write_error(error: &Error) -> ErrorObject {
    match error {
        Error::InvalidParams(violation) if violation.field == "message.contextId" => {
            let violation = Violation::new("sessionId", "must be the session of the task, or be left out");
            v0_3::write_error(&violation.into())
        }
        other => v0_3::write_error(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_the_names_of_the_family() {
        let written = write_error(&Violation::new("message.contextId", "must be another").into());
        assert_eq!((written.code, written.data.unwrap()["field"].as_str()), (-32602, Some("sessionId")));
        let written = write_error(&Error::TaskNotFound { task_id: "t".to_owned() });
        assert_eq!((written.code, written.data), (-32001, None));
    }
}
