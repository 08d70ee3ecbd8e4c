//! What went wrong, in the words of the wrapper contract.

use serde_json::{Value, json};

/// The kinds of errors that the contract tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The agent answered with an error.
    Agent,
    /// There is no answer of the protocol.
    Transport,
    /// The answer cannot be read, or breaks the protocol.
    Unreadable,
    /// This client did not ask.
    Refused,
    /// The limit was over.
    Timeout,
    /// The command names what there is not.
    Usage,
}

/// An error as this client reports it to its caller.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    /// A JSON-RPC code or an HTTP status, or null.
    pub(crate) code: Value,
    /// The name of the error in A2A 1.0.
    pub(crate) name: Option<&'static str>,
    pub(crate) message: String,
    /// The request cannot have reached an agent that acts on it: another interface may be tried.
    pub(crate) not_sent: bool,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, code: Value::Null, name: None, message: message.into(), not_sent: false }
    }

    pub(crate) fn transport(message: impl Into<String>) -> Self {
        Self::new(Kind::Transport, message)
    }

    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Self::new(Kind::Unreadable, message)
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// An HTTP error without an A2A error in it.
    pub(crate) fn status(status: u16) -> Self {
        Self { code: json!(status), ..Self::transport(format!("HTTP status {status}")) }
    }

    /// An error of the agent.
    pub(crate) fn agent(code: Value, name: Option<&'static str>, message: impl Into<String>) -> Self {
        Self { code, name, ..Self::new(Kind::Agent, message) }
    }

    /// The answer of the contract to the command of this id.
    pub(crate) fn answer(&self, id: &Value) -> Value {
        let kind = match self.kind {
            Kind::Agent => "agent",
            Kind::Transport => "transport",
            Kind::Unreadable => "unreadable",
            Kind::Refused => "refused",
            Kind::Timeout => "timeout",
            Kind::Usage => "usage",
        };
        json!({ "say": "error", "id": id, "kind": kind, "code": self.code, "name": self.name, "message": self.message })
    }
}

/// The errors of A2A 1.0 section 5.4: name, JSON-RPC code, and the reason of `google.rpc.ErrorInfo`.
const NAMED: [(&str, i64, &str); 14] = [
    ("TaskNotFoundError", -32001, "TASK_NOT_FOUND"),
    ("TaskNotCancelableError", -32002, "TASK_NOT_CANCELABLE"),
    ("PushNotificationNotSupportedError", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    ("UnsupportedOperationError", -32004, "UNSUPPORTED_OPERATION"),
    ("ContentTypeNotSupportedError", -32005, "CONTENT_TYPE_NOT_SUPPORTED"),
    ("InvalidAgentResponseError", -32006, "INVALID_AGENT_RESPONSE"),
    ("ExtendedAgentCardNotConfiguredError", -32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
    ("ExtensionSupportRequiredError", -32008, "EXTENSION_SUPPORT_REQUIRED"),
    ("VersionNotSupportedError", -32009, "VERSION_NOT_SUPPORTED"),
    ("JSONParseError", -32700, "JSON_PARSE"),
    ("InvalidRequestError", -32600, "INVALID_REQUEST"),
    ("MethodNotFoundError", -32601, "METHOD_NOT_FOUND"),
    ("InvalidParamsError", -32602, "INVALID_PARAMS"),
    ("InternalError", -32603, "INTERNAL"),
];

/// The name of a JSON-RPC code.
pub(crate) fn name_of_code(code: i64) -> Option<&'static str> {
    NAMED.iter().find(|(_, known, _)| *known == code).map(|(name, ..)| *name)
}

/// The name of a reason in `google.rpc.ErrorInfo`.
pub(crate) fn name_of_reason(reason: &str) -> Option<&'static str> {
    NAMED.iter().find(|(.., known)| *known == reason).map(|(name, ..)| *name)
}
