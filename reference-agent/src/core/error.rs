use crate::model::TaskState;

/// Why an operation was refused (section 3.3.2). How a refusal looks on the wire is the version's affair.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such task.
    #[error("there is no task `{task_id}`")]
    TaskNotFound {
        /// The id asked for.
        task_id: String,
    },
    /// The task has no such push notification configuration; told as TaskNotFoundError (section 3.1.8).
    #[error("task `{task_id}` has no push notification configuration `{id}`")]
    PushConfigNotFound {
        /// The task.
        task_id: String,
        /// The id asked for; empty where the client asked for any.
        id: String,
    },
    /// The task has already ended.
    #[error("task `{task_id}` cannot be canceled: it has already ended")]
    TaskNotCancelable {
        /// The task.
        task_id: String,
        /// How it ended.
        state: TaskState,
    },
    /// The task has another generation than the message is for (1.1, section 3.2.2).
    #[error("task `{task_id}` has the generation {current}, and the message is for {expected}")]
    TaskGenerationMismatch {
        /// The task.
        task_id: String,
        /// The one that the message is for.
        expected: i64,
        /// The one that the task has.
        current: i64,
    },
    /// The agent does not declare `capabilities.pushNotifications`.
    #[error("push notifications are not supported")]
    PushNotificationNotSupported,
    /// The agent does not do this, or not now.
    #[error("{0}")]
    UnsupportedOperation(Unsupported),
    /// A part of the message has a media type that the card does not list.
    #[error("media type `{media_type}` is not supported")]
    ContentTypeNotSupported {
        /// The media type of the part.
        media_type: String,
    },
    /// The agent does not declare an extended card.
    #[error("there is no extended agent card")]
    ExtendedCardNotDeclared,
    /// The interface does not speak the version that the client asked for (section 3.6.2).
    #[error("A2A version `{requested}` is not supported here")]
    VersionNotSupported {
        /// What the client asked for.
        requested: String,
        /// What it could have asked for.
        supported: &'static [&'static str],
    },
    /// The card requires an extension that the request does not ask for (section 3.3.4).
    #[error("the extension `{uri}` is required")]
    ExtensionSupportRequired {
        /// The extension.
        uri: &'static str,
    },
    /// A parameter is missing or wrong.
    #[error("invalid parameters: {0}")]
    InvalidParams(#[from] Violation),
    /// The operation needs credentials, and those of the request are none.
    #[error("{0}")]
    Unauthenticated(Unauthenticated),
    /// The credentials are good, and do not allow the operation.
    #[error("the token does not allow to send messages")]
    PermissionDenied,
    /// The agent is being stopped.
    #[error("the agent is shutting down")]
    ShuttingDown,
    /// Something that should not happen has happened. The reason stays inside.
    #[error("internal error")]
    Internal,
}

/// What is wrong with the credentials of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unauthenticated {
    /// There are none that anybody was given.
    #[error("authentication required")]
    Unknown,
    /// There is more than one in a place for one, and readers differ on which counts.
    #[error("the request has the same credentials more than once")]
    Doubled,
    /// They were good once.
    #[error("the token has expired")]
    Expired,
    /// They are good elsewhere.
    #[error("the token is for another audience")]
    WrongAudience,
}

/// The reasons for an UnsupportedOperationError.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// The agent does not declare `capabilities.streaming` (section 3.3.4).
    #[error("streaming is not supported")]
    Streaming,
    /// A message for a task that has ended (section 3.1.1).
    #[error("task `{task_id}` has ended and takes no more messages")]
    MessageToEndedTask {
        /// The task.
        task_id: String,
    },
    /// A subscription of a task that has ended (section 3.1.6).
    #[error("task `{task_id}` has ended and cannot be subscribed to")]
    SubscriptionOfEndedTask {
        /// The task.
        task_id: String,
    },
}

/// A parameter that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {description}")]
pub struct Violation {
    /// The parameter, such as `message.parts[0].text`.
    pub field: String,
    /// The rule.
    pub description: String,
}

impl Violation {
    /// A violation of `field`.
    pub fn new(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self { field: field.into(), description: description.into() }
    }

    /// The same violation seen from the object around it.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        let separator = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        self.field = format!("{outer}{separator}{}", self.field);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_from_the_outside() {
        let violation = Violation::new("text", "must be a string").within("[0]").within("parts").within("message");
        assert_eq!(violation.field, "message.parts[0].text");
    }
}
