//! Errors of 0.3 as JSON (0.3, section 8). Their `data` is free-form.

use serde_json::json;

use crate::core::Error;
use crate::version::{ErrorNames, ErrorObject, Version};

/// Writes an error.
pub fn write_error(error: &Error) -> ErrorObject {
    let data = match error {
        Error::InvalidParams(violation) => {
            Some(json!({ "field": violation.field, "description": violation.description }))
        }
        _ => None,
    };
    ErrorObject { code: ErrorNames::of(error, Version::V0_3).json_rpc, message: error.to_string(), data }
}
