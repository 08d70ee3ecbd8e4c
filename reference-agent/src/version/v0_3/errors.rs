//! Errors of 0.3 (0.3, section 8). Their `data` is free-form.

use serde_json::json;

use crate::core::Error;
use crate::version::ErrorObject;

/// Writes an error.
pub fn write_error(error: &Error) -> ErrorObject {
    let code = match error {
        Error::TaskNotFound { .. } | Error::PushConfigNotFound { .. } => -32001,
        Error::TaskNotCancelable { .. } => -32002,
        Error::PushNotificationNotSupported => -32003,
        Error::UnsupportedOperation(_) => -32004,
        Error::ContentTypeNotSupported { .. } => -32005,
        Error::ExtendedCardNotDeclared => -32007,
        // 0.3 knows no versions; who asks for another one knows the code of 1.0.
        Error::VersionNotSupported { .. } => -32009,
        Error::InvalidParams(_) => -32602,
        Error::Unauthenticated => -32000,
        Error::ShuttingDown | Error::Internal => -32603,
    };
    let data = match error {
        Error::InvalidParams(violation) => {
            Some(json!({ "field": violation.field, "description": violation.description }))
        }
        _ => None,
    };
    ErrorObject { code, message: error.to_string(), data }
}
