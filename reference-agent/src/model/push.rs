/// Where and how to tell a client about updates of a task (section 4.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPushNotificationConfig {
    /// The routing value that the client sent along.
    pub tenant: Option<String>,
    /// Names the configuration within its task; empty until the agent has chosen one.
    pub id: String,
    /// The task; empty while the configuration travels inside a send request.
    pub task_id: String,
    /// The webhook.
    pub url: String,
    /// A secret that the webhook recognises the agent by.
    pub token: Option<String>,
    /// How the agent authenticates itself.
    pub authentication: Option<AuthenticationInfo>,
}

/// Credentials for a webhook (section 4.3.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticationInfo {
    /// An HTTP authentication scheme, such as `Bearer`.
    pub scheme: String,
    /// Further schemes that a client of 0.3 allowed (0.3, section 6.9); kept to be shown again, never used.
    pub alternatives: Vec<String>,
    /// What follows the scheme in the header.
    pub credentials: Option<String>,
}
