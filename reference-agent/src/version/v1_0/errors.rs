//! Errors of 1.0 (sections 5.4 and 9.5).

use serde_json::{Value, json};

use super::names::task_state_name;
use crate::core::Error;
use crate::version::ErrorObject;

/// The domain of the reasons that A2A defines.
const DOMAIN: &str = "a2a-protocol.org";

/// Writes an error: A2A's own with a `google.rpc.ErrorInfo`, wrong parameters with a `google.rpc.BadRequest`.
pub fn write_error(error: &Error) -> ErrorObject {
    let (code, data) = match error {
        Error::TaskNotFound { task_id } => (-32001, info("TASK_NOT_FOUND", json!({ "taskId": task_id }))),
        Error::PushConfigNotFound { task_id, id } => {
            (-32001, info("TASK_NOT_FOUND", json!({ "taskId": task_id, "pushNotificationConfigId": id })))
        }
        Error::TaskNotCancelable { task_id, state } => {
            (-32002, info("TASK_NOT_CANCELABLE", json!({ "taskId": task_id, "state": task_state_name(*state) })))
        }
        Error::PushNotificationNotSupported => (-32003, info("PUSH_NOTIFICATION_NOT_SUPPORTED", json!({}))),
        Error::UnsupportedOperation(_) | Error::ExtendedCardNotDeclared => {
            (-32004, info("UNSUPPORTED_OPERATION", json!({})))
        }
        Error::ContentTypeNotSupported { media_type } => {
            (-32005, info("CONTENT_TYPE_NOT_SUPPORTED", json!({ "mediaType": media_type })))
        }
        Error::VersionNotSupported { requested, supported } => {
            let metadata = json!({ "requested": requested, "supported": supported.join(", ") });
            (-32009, info("VERSION_NOT_SUPPORTED", metadata))
        }
        Error::InvalidParams(violation) => {
            let violations = [json!({ "field": violation.field, "description": violation.description })];
            let detail = json!({ "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations });
            (-32602, Some(json!([detail])))
        }
        // No code is named for these two (section 3.3.2); the first of those that JSON-RPC leaves to servers serves.
        Error::Unauthenticated => (-32000, None),
        Error::ShuttingDown | Error::Internal => (-32603, None),
    };
    ErrorObject { code, message: error.to_string(), data }
}

fn info(reason: &str, metadata: Value) -> Option<Value> {
    let mut detail = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": DOMAIN,
    });
    if let (Some(detail), Value::Object(metadata)) = (detail.as_object_mut(), metadata)
        && !metadata.is_empty()
    {
        detail.insert("metadata".to_owned(), Value::Object(metadata));
    }
    Some(Value::Array(vec![detail]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Violation;

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
        let field = error.data.unwrap().pointer("/0/fieldViolations/0/field").cloned();
        assert_eq!(field, Some(json!("message.parts")));
    }
}
