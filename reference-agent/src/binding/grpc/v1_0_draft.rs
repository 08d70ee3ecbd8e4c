use tonic::{Request, Response, Status};

use super::rpc::{Events, Rpcs};
use crate::version::v1_0::draft::proto::a2a_service_server::A2aService;
use crate::version::v1_0::draft::proto::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, SetTaskPushNotificationConfigRequest, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig, read, write,
};

/// `a2a.v1.A2AService` (1.0-draft, section 10.3).
#[derive(Debug)]
pub struct Service(pub Rpcs);

#[tonic::async_trait]
impl A2aService for Service {
    type SendStreamingMessageStream = Events<StreamResponse>;
    type SubscribeToTaskStream = Events<StreamResponse>;

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

    async fn list_tasks(&self, request: Request<ListTasksRequest>) -> Result<Response<ListTasksResponse>, Status> {
        self.0.answer(request, read::list_tasks, write::tasks).await
    }

    async fn cancel_task(&self, request: Request<CancelTaskRequest>) -> Result<Response<Task>, Status> {
        self.0.answer(request, read::cancel_task, write::task).await
    }

    async fn subscribe_to_task(
        &self,
        request: Request<SubscribeToTaskRequest>,
    ) -> Result<Response<Self::SubscribeToTaskStream>, Status> {
        self.0.stream(request, read::subscribe_to_task, write::event).await
    }

    async fn set_task_push_notification_config(
        &self,
        request: Request<SetTaskPushNotificationConfigRequest>,
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

    async fn get_extended_agent_card(
        &self,
        request: Request<GetExtendedAgentCardRequest>,
    ) -> Result<Response<AgentCard>, Status> {
        self.0.answer(request, read::get_extended_agent_card, write::extended_card).await
    }
}
