//! Errors of 1.0 as JSON (sections 3.3.2, 9.5 and 11.6).

use serde_json::{Map, Value, json};

use crate::core::{Error, Violation};
use crate::version::error::{DOMAIN, ErrorInfo};
use crate::version::{ErrorNames, ErrorObject, Version};

/// Writes an error as JSON-RPC has it.
pub fn write_error(error: &Error) -> ErrorObject {
    let names = ErrorNames::of(error, Version::V1_0);
    let details = write_details(error, &names);
    let data = (!details.is_empty()).then_some(Value::Array(details));
    ErrorObject { code: names.json_rpc, message: error.to_string(), data }
}

/// Writes what an error tells to programs: a `google.rpc.ErrorInfo` with its name, and of wrong parameters a
/// `google.rpc.BadRequest`, too.
pub fn write_details(error: &Error, names: &ErrorNames) -> Vec<Value> {
    let info = names.info.as_ref().map(write_info);
    let bad_request = match error {
        Error::InvalidParams(violation) => Some(write_violation(violation)),
        _ => None,
    };
    info.into_iter().chain(bad_request).collect()
}

fn write_info(info: &ErrorInfo) -> Value {
    let mut detail = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": info.reason,
        "domain": DOMAIN,
    });
    if !info.metadata.is_empty() {
        let member = |(name, value): &(&str, String)| ((*name).to_owned(), Value::String(value.clone()));
        detail["metadata"] = Value::Object(info.metadata.iter().map(member).collect::<Map<_, _>>());
    }
    detail
}

fn write_violation(violation: &Violation) -> Value {
    let violations = [json!({ "field": violation.field, "description": violation.description })];
    json!({ "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_carry_typed_details() {
        let error = write_error(&Error::TaskNotFound { task_id: "x".to_owned() });
        assert_eq!(
            serde_json::to_value(&error).unwrap(),
            json!({
                "code": -32001,
                "message": "there is no task `x`",
                "data": [{
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "TASK_NOT_FOUND",
                    "domain": "a2a-protocol.org",
                    "metadata": {"taskId": "x"},
                }],
            }),
        );
        let error = write_error(&Error::InvalidParams(Violation::new("message.parts", "is required")));
        assert_eq!(error.code, -32602);
        assert_eq!(
            error.data,
            Some(json!([
                {
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "INVALID_PARAMS",
                    "domain": "a2a-protocol.org",
                },
                {
                    "@type": "type.googleapis.com/google.rpc.BadRequest",
                    "fieldViolations": [{ "field": "message.parts", "description": "is required" }],
                },
            ])),
        );
    }
}
