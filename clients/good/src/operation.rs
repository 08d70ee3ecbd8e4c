//! The operations of A2A 1.0.

/// One operation: what it needs, and what comes back.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The name of the method, and the `do` word.
    pub(crate) name: &'static str,
    /// The member of `capabilities` without which it is not there.
    pub(crate) needs: Option<&'static str>,
    /// The shape of the result; of each event, where it streams.
    pub(crate) result: &'static str,
    pub(crate) streams: bool,
    /// How it is asked for over HTTP+JSON.
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
}

const fn operation(name: &'static str, result: &'static str, method: &'static str, path: &'static str) -> Operation {
    Operation { name, needs: None, result, streams: false, method, path }
}

const fn needing(needs: &'static str, operation: Operation) -> Operation {
    Operation { needs: Some(needs), ..operation }
}

const fn streaming(operation: Operation) -> Operation {
    Operation { streams: true, ..needing("streaming", operation) }
}

const HOOKS: &str = "/tasks/{taskId}/pushNotificationConfigs";
const HOOK: &str = "/tasks/{taskId}/pushNotificationConfigs/{id}";
const PUSH: &str = "pushNotifications";

/// Each of them (sections 5.3 and 11.3).
pub(crate) const ALL: [Operation; 11] = [
    operation("SendMessage", "SendMessageResponse", "POST", "/message:send"),
    streaming(operation("SendStreamingMessage", "StreamResponse", "POST", "/message:stream")),
    operation("GetTask", "Task", "GET", "/tasks/{id}"),
    operation("ListTasks", "ListTasksResponse", "GET", "/tasks"),
    operation("CancelTask", "Task", "POST", "/tasks/{id}:cancel"),
    streaming(operation("SubscribeToTask", "StreamResponse", "POST", "/tasks/{id}:subscribe")),
    needing(PUSH, operation("CreateTaskPushNotificationConfig", "TaskPushNotificationConfig", "POST", HOOKS)),
    needing(PUSH, operation("GetTaskPushNotificationConfig", "TaskPushNotificationConfig", "GET", HOOK)),
    needing(
        PUSH,
        operation("ListTaskPushNotificationConfigs", "ListTaskPushNotificationConfigsResponse", "GET", HOOKS),
    ),
    needing(PUSH, operation("DeleteTaskPushNotificationConfig", "Empty", "DELETE", HOOK)),
    needing("extendedAgentCard", operation("GetExtendedAgentCard", "AgentCard", "GET", "/extendedAgentCard")),
];

/// The operation of a name.
pub(crate) fn named(name: &str) -> Option<&'static Operation> {
    ALL.iter().find(|operation| operation.name == name)
}

impl Operation {
    /// Whether it sends a message.
    pub(crate) fn sends(&self) -> bool {
        matches!(self.name, "SendMessage" | "SendStreamingMessage")
    }
}
