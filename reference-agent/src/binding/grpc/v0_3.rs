use tonic::{Request, Response, Status};

use super::rpc::{Events, Rpcs};
use crate::version::v0_3::proto::a2a_service_server::A2aService;
use crate::version::v0_3::proto::{
    AgentCard, CancelTaskRequest, CreateTaskPushNotificationConfigRequest, DeleteTaskPushNotificationConfigRequest,
    GetAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigResponse, SendMessageRequest, SendMessageResponse, StreamResponse, Task,
    TaskPushNotificationConfig, TaskSubscriptionRequest, read, write,
};

/// `a2a.v1.A2AService` (0.3, section 3.2.2). The text (0.3, section 3.5.6) has a `ListTask`, too, which the definition
/// lacks.
#[derive(Debug)]
pub struct Service(pub Rpcs);

#[tonic::async_trait]
impl A2aService for Service {
    type SendStreamingMessageStream = Events<StreamResponse>;
    type TaskSubscriptionStream = Events<StreamResponse>;

    async fn send_message(
        &self,
        request: Request<SendMessageRequest>,
    ) -> Result<Response<SendMessageResponse>, Status> {
        self.0.answer(request, read::send_message, write::sent).await
    }

    async fn send_streaming_message(
        &self,
        request: Request<SendMessageRequest>,
    ) -> Result<Response<Self::SendStreamingMessageStream>, Status> {
        self.0.stream(request, read::send_streaming_message, write::event).await
    }

    async fn get_task(&self, request: Request<GetTaskRequest>) -> Result<Response<Task>, Status> {
        self.0.answer(request, read::get_task, write::task).await
    }

    async fn cancel_task(&self, request: Request<CancelTaskRequest>) -> Result<Response<Task>, Status> {
        self.0.answer(request, read::cancel_task, write::task).await
    }

    async fn task_subscription(
        &self,
        request: Request<TaskSubscriptionRequest>,
    ) -> Result<Response<Self::TaskSubscriptionStream>, Status> {
        self.0.stream(request, read::task_subscription, write::event).await
    }

    async fn create_task_push_notification_config(
        &self,
        request: Request<CreateTaskPushNotificationConfigRequest>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        self.0.answer(request, read::create_push_config, write::push_config).await
    }

    async fn get_task_push_notification_config(
        &self,
        request: Request<GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        self.0.answer(request, read::get_push_config, write::push_config).await
    }

    async fn list_task_push_notification_config(
        &self,
        request: Request<ListTaskPushNotificationConfigRequest>,
    ) -> Result<Response<ListTaskPushNotificationConfigResponse>, Status> {
        self.0.answer(request, read::list_push_configs, write::push_configs).await
    }

    async fn delete_task_push_notification_config(
        &self,
        request: Request<DeleteTaskPushNotificationConfigRequest>,
    ) -> Result<Response<()>, Status> {
        self.0.answer(request, read::delete_push_config, write::deleted).await
    }

    async fn get_agent_card(&self, request: Request<GetAgentCardRequest>) -> Result<Response<AgentCard>, Status> {
        self.0.answer(request, read::get_agent_card, write::extended_card).await
    }
}
