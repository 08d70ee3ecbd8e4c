//! What the errors of the agent are called on the wire (1.0, section 5.4), whatever binding and version carry them.

use super::{Version, v1_0};
use crate::core::Error;

/// The domain of the reasons that A2A defines (1.0, sections 9.5, 10.6 and 11.6).
pub const DOMAIN: &str = "a2a-protocol.org";

/// The names of an error: one for each binding, and one that all of them share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorNames {
    /// The code of JSON-RPC.
    pub json_rpc: i32,
    /// The status of HTTP. Version 1.0.0 had other ones for some errors; those of 1.0 are of 1.0.1.
    pub http: u16,
    /// The status of gRPC.
    pub grpc: RpcCode,
    /// What A2A itself calls the error; `None` for errors that every protocol knows. That parameters are invalid is one of
    /// those, and the text gives it no reason. Published clients tell errors by nothing else, though, and know this one by a
    /// reason that is made of its name as those of A2A's own are.
    pub info: Option<ErrorInfo>,
}

/// The content of a `google.rpc.ErrorInfo` of the [`DOMAIN`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorInfo {
    /// The name of the error, such as `TASK_NOT_FOUND`.
    pub reason: &'static str,
    /// What the error is about.
    pub metadata: Vec<(&'static str, String)>,
}

/// The values of `google.rpc.Code` that this agent uses, with their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcCode {
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    Unauthenticated = 16,
}

impl RpcCode {
    /// The name, as JSON has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }
}

impl ErrorNames {
    /// What `error` is called. 0.3 has the same codes of JSON-RPC (0.3, section 8) and leaves the other bindings open,
    /// so it gets what 1.0 settled on.
    pub fn of(error: &Error, version: Version) -> Self {
        use RpcCode::{
            Aborted, FailedPrecondition, Internal, InvalidArgument, NotFound, PermissionDenied, Unauthenticated,
            Unavailable, Unimplemented,
        };
        // The draft had other statuses for some errors (1.0-draft, section 5.4).
        let is_draft = version == Version::V1_0Draft;
        let http = |draft, settled| if is_draft { draft } else { settled };
        let not_done = if is_draft { Unimplemented } else { FailedPrecondition };
        let named = |json_rpc, http, grpc, reason, metadata| Self {
            json_rpc,
            http,
            grpc,
            info: Some(ErrorInfo { reason, metadata }),
        };
        let plain = |json_rpc, http, grpc| Self { json_rpc, http, grpc, info: None };
        match error {
            Error::TaskNotFound { task_id } => {
                named(-32001, 404, NotFound, "TASK_NOT_FOUND", vec![("taskId", task_id.clone())])
            }
            Error::PushConfigNotFound { task_id, id } => {
                let metadata = vec![("taskId", task_id.clone()), ("pushNotificationConfigId", id.clone())];
                named(-32001, 404, NotFound, "TASK_NOT_FOUND", metadata)
            }
            Error::TaskNotCancelable { task_id, state } => {
                let state = v1_0::Names::of(version).state(*state).to_owned();
                let metadata = vec![("taskId", task_id.clone()), ("state", state)];
                named(-32002, http(409, 400), FailedPrecondition, "TASK_NOT_CANCELABLE", metadata)
            }
            Error::TaskGenerationMismatch { task_id, expected, current } => {
                let metadata = vec![
                    ("taskId", task_id.clone()),
                    ("expectedGeneration", expected.to_string()),
                    ("currentGeneration", current.to_string()),
                ];
                named(-32010, 409, Aborted, "TASK_GENERATION_MISMATCH", metadata)
            }
            Error::PushNotificationNotSupported => {
                named(-32003, 400, not_done, "PUSH_NOTIFICATION_NOT_SUPPORTED", vec![])
            }
            Error::UnsupportedOperation(_) => named(-32004, 400, not_done, "UNSUPPORTED_OPERATION", vec![]),
            // Section 3.3.4 asks for this one where the card does not declare an extended card; 0.3 has one name for
            // both, and no such address then (0.3, section 7.10). Before it there was no code, and no such address either.
            Error::ExtendedCardNotDeclared => match version {
                Version::V1_0 | Version::V1_1Draft | Version::V1_0Draft => {
                    named(-32004, 400, not_done, "UNSUPPORTED_OPERATION", vec![])
                }
                _ => named(-32007, 404, NotFound, "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", vec![]),
            },
            Error::ContentTypeNotSupported { media_type } => {
                let metadata = vec![("mediaType", media_type.clone())];
                named(-32005, http(415, 400), InvalidArgument, "CONTENT_TYPE_NOT_SUPPORTED", metadata)
            }
            // 0.3 knows no versions; who asks for another one knows the code of 1.0.
            Error::VersionNotSupported { requested, supported } => {
                let metadata = vec![("requested", requested.clone()), ("supported", supported.join(", "))];
                named(-32009, 400, not_done, "VERSION_NOT_SUPPORTED", metadata)
            }
            // Before 1.0 the text asks for an appropriate code (0.3, topic "Extensions").
            Error::ExtensionSupportRequired { uri } => {
                let metadata = vec![("extension", (*uri).to_owned())];
                named(-32008, 400, FailedPrecondition, "EXTENSION_SUPPORT_REQUIRED", metadata)
            }
            Error::InvalidParams(_) => named(-32602, 400, InvalidArgument, "INVALID_PARAMS", vec![]),
            // No code of JSON-RPC is given (section 3.3.2); the first of those that it leaves to servers serves.
            Error::Unauthenticated(_) => plain(-32000, 401, Unauthenticated),
            Error::PermissionDenied => plain(-32000, 403, PermissionDenied),
            Error::ShuttingDown => plain(-32603, 503, Unavailable),
            Error::Internal => plain(-32603, 500, Internal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Unauthenticated, Violation};

    #[test]
    fn errors_have_the_names_of_section_5_4() {
        let names = |error: Error| {
            let names = ErrorNames::of(&error, Version::V1_0);
            (names.json_rpc, names.grpc.name(), names.http, names.info.map(|info| info.reason))
        };
        let task_id = || "t".to_owned();
        for (error, expected) in [
            (Error::TaskNotFound { task_id: task_id() }, (-32001, "NOT_FOUND", 404, Some("TASK_NOT_FOUND"))),
            (
                Error::TaskNotCancelable { task_id: task_id(), state: crate::model::TaskState::Completed },
                (-32002, "FAILED_PRECONDITION", 400, Some("TASK_NOT_CANCELABLE")),
            ),
            (
                Error::TaskGenerationMismatch { task_id: task_id(), expected: 1, current: 2 },
                (-32010, "ABORTED", 409, Some("TASK_GENERATION_MISMATCH")),
            ),
            (
                Error::PushNotificationNotSupported,
                (-32003, "FAILED_PRECONDITION", 400, Some("PUSH_NOTIFICATION_NOT_SUPPORTED")),
            ),
            (Error::ExtendedCardNotDeclared, (-32004, "FAILED_PRECONDITION", 400, Some("UNSUPPORTED_OPERATION"))),
            (
                Error::ContentTypeNotSupported { media_type: "a/b".to_owned() },
                (-32005, "INVALID_ARGUMENT", 400, Some("CONTENT_TYPE_NOT_SUPPORTED")),
            ),
            (
                Error::VersionNotSupported { requested: "2.0".to_owned(), supported: &["1.0"] },
                (-32009, "FAILED_PRECONDITION", 400, Some("VERSION_NOT_SUPPORTED")),
            ),
            (
                Error::ExtensionSupportRequired { uri: "urn:x" },
                (-32008, "FAILED_PRECONDITION", 400, Some("EXTENSION_SUPPORT_REQUIRED")),
            ),
            (
                Error::InvalidParams(Violation::new("id", "is required")),
                (-32602, "INVALID_ARGUMENT", 400, Some("INVALID_PARAMS")),
            ),
            (Error::Unauthenticated(Unauthenticated::Expired), (-32000, "UNAUTHENTICATED", 401, None)),
            (Error::PermissionDenied, (-32000, "PERMISSION_DENIED", 403, None)),
            (Error::ShuttingDown, (-32603, "UNAVAILABLE", 503, None)),
            (Error::Internal, (-32603, "INTERNAL", 500, None)),
        ] {
            assert_eq!(names(error.clone()), expected, "{error}");
        }
        assert_eq!(ErrorNames::of(&Error::ExtendedCardNotDeclared, Version::V0_3).json_rpc, -32007);
        for (error, http, grpc) in [
            (
                Error::TaskNotCancelable { task_id: task_id(), state: crate::model::TaskState::Completed },
                409,
                "FAILED_PRECONDITION",
            ),
            (Error::ContentTypeNotSupported { media_type: "a/b".to_owned() }, 415, "INVALID_ARGUMENT"),
            (Error::PushNotificationNotSupported, 400, "UNIMPLEMENTED"),
            (Error::ExtendedCardNotDeclared, 400, "UNIMPLEMENTED"),
            (Error::VersionNotSupported { requested: "2.0".to_owned(), supported: &["1.0"] }, 400, "UNIMPLEMENTED"),
        ] {
            let names = ErrorNames::of(&error, Version::V1_0Draft);
            assert_eq!((names.http, names.grpc.name()), (http, grpc), "{error} in the draft");
        }
    }
}
