use super::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTasksRequest,
    SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
};

/// A request, each of which has a field for the tenant (section 3.2.1).
pub trait Request {
    /// What the field holds.
    fn tenant(&self) -> &str;
}

/// The tenant for whom a request is. An empty field is none.
pub fn tenant(request: &impl Request) -> Option<&str> {
    Some(request.tenant()).filter(|tenant| !tenant.is_empty())
}

macro_rules! requests {
    ($($request:ty)*) => {
        $(
            impl Request for $request {
                fn tenant(&self) -> &str {
                    &self.tenant
                }
            }
        )*
    };
}

requests! {
    SendMessageRequest
    GetTaskRequest
    ListTasksRequest
    CancelTaskRequest
    SubscribeToTaskRequest
    TaskPushNotificationConfig
    GetTaskPushNotificationConfigRequest
    ListTaskPushNotificationConfigsRequest
    DeleteTaskPushNotificationConfigRequest
    GetExtendedAgentCardRequest
}
