//! The services of the versions, side by side: the rpcs of each, how its request is read and how its answer is written.
//!
//! The definitions of three versions make three traits of as many message types, though the rpcs of all do the same: read
//! a request, perform the operation, write the answer ([`Rpcs`]). So a service is a table, and what differs between versions
//! is what differs between tables.

use prost::Message as _;
use tonic::{Request, Response, Status};

use super::rpc::{Events, Rpcs};

/// A service of the messages in `proto`, which its caller has in scope, as well as what tells the `tenant` of a request. A line is an rpc: its name, request and answer; of
/// one that streams, the name that the definition gives to its stream. Then how it is read and written.
macro_rules! service {
    (
        $(#[$documentation:meta])*
        answers { $($rpc:ident($request:ident) -> $answer:ty: $read:ident, $write:ident;)* }
        streams { $($streaming:ident($begun_by:ident) -> $stream:ident: $read_stream:ident;)* }
    ) => {
        $(#[$documentation])*
        #[derive(Debug)]
        pub struct Service(pub Rpcs);

        /// Whether the bytes are a request of this rpc that is read.
        pub fn reads(rpc: &str, message: &[u8]) -> bool {
            let is = |own: &str| own.replace('_', "").eq_ignore_ascii_case(rpc);
            $(
                if is(stringify!($rpc)) {
                    return proto::$request::decode(message).is_ok_and(|request| proto::read::$read(request).is_ok());
                }
            )*
            $(
                if is(stringify!($streaming)) {
                    return proto::$begun_by::decode(message)
                        .is_ok_and(|request| proto::read::$read_stream(request).is_ok());
                }
            )*
            false
        }

        #[tonic::async_trait]
        impl proto::a2a_service_server::A2aService for Service {
            $(
                async fn $rpc(&self, request: Request<proto::$request>) -> Result<Response<$answer>, Status> {
                    self.0.answer(request, tenant, proto::read::$read, proto::write::$write).await
                }
            )*
            $(
                type $stream = Events<proto::StreamResponse>;

                async fn $streaming(
                    &self,
                    request: Request<proto::$begun_by>,
                ) -> Result<Response<Self::$stream>, Status> {
                    self.0.stream(request, tenant, proto::read::$read_stream, proto::write::event).await
                }
            )*
        }
    };
}

/// The tenant for whom a request is, in versions that have none.
fn no_tenant<Q>(_: &Q) -> Option<&str> {
    None
}

pub mod v1_0 {
    use super::*;
    use crate::version::v1_0::proto;
    use crate::version::v1_0::proto::tenant;

    service! {
        /// `lf.a2a.v1.A2AService` (section 10.3).
        answers {
            send_message(SendMessageRequest) -> proto::SendMessageResponse: send_message, sent;
            get_task(GetTaskRequest) -> proto::Task: get_task, task;
            list_tasks(ListTasksRequest) -> proto::ListTasksResponse: list_tasks, tasks;
            cancel_task(CancelTaskRequest) -> proto::Task: cancel_task, task;
            create_task_push_notification_config(TaskPushNotificationConfig) -> proto::TaskPushNotificationConfig:
                create_push_config, push_config;
            get_task_push_notification_config(GetTaskPushNotificationConfigRequest) -> proto::TaskPushNotificationConfig:
                get_push_config, push_config;
            list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest)
                -> proto::ListTaskPushNotificationConfigsResponse: list_push_configs, push_configs;
            delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest) -> ():
                delete_push_config, deleted;
            get_extended_agent_card(GetExtendedAgentCardRequest) -> proto::AgentCard:
                get_extended_agent_card, extended_card;
        }
        streams {
            send_streaming_message(SendMessageRequest) -> SendStreamingMessageStream: send_streaming_message;
            subscribe_to_task(SubscribeToTaskRequest) -> SubscribeToTaskStream: subscribe_to_task;
        }
    }
}

pub mod v1_0_draft {
    use super::no_tenant as tenant;
    use super::*;
    use crate::version::v1_0::draft::proto;

    service! {
        /// `a2a.v1.A2AService` (1.0-draft, section 10.3).
        answers {
            send_message(SendMessageRequest) -> proto::SendMessageResponse: send_message, sent;
            get_task(GetTaskRequest) -> proto::Task: get_task, task;
            list_tasks(ListTasksRequest) -> proto::ListTasksResponse: list_tasks, tasks;
            cancel_task(CancelTaskRequest) -> proto::Task: cancel_task, task;
            set_task_push_notification_config(SetTaskPushNotificationConfigRequest) -> proto::TaskPushNotificationConfig:
                create_push_config, push_config;
            get_task_push_notification_config(GetTaskPushNotificationConfigRequest) -> proto::TaskPushNotificationConfig:
                get_push_config, push_config;
            list_task_push_notification_config(ListTaskPushNotificationConfigRequest)
                -> proto::ListTaskPushNotificationConfigResponse: list_push_configs, push_configs;
            delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest) -> ():
                delete_push_config, deleted;
            get_extended_agent_card(GetExtendedAgentCardRequest) -> proto::AgentCard:
                get_extended_agent_card, extended_card;
        }
        streams {
            send_streaming_message(SendMessageRequest) -> SendStreamingMessageStream: send_streaming_message;
            subscribe_to_task(SubscribeToTaskRequest) -> SubscribeToTaskStream: subscribe_to_task;
        }
    }
}

pub mod v0_3 {
    use super::no_tenant as tenant;
    use super::*;
    use crate::version::v0_3::proto;

    service! {
        /// `a2a.v1.A2AService` (0.3, section 3.2.2). The text (0.3, section 3.5.6) has a `ListTask`, too, which the
        /// definition lacks.
        answers {
            send_message(SendMessageRequest) -> proto::SendMessageResponse: send_message, sent;
            get_task(GetTaskRequest) -> proto::Task: get_task, task;
            cancel_task(CancelTaskRequest) -> proto::Task: cancel_task, task;
            create_task_push_notification_config(CreateTaskPushNotificationConfigRequest)
                -> proto::TaskPushNotificationConfig: create_push_config, push_config;
            get_task_push_notification_config(GetTaskPushNotificationConfigRequest) -> proto::TaskPushNotificationConfig:
                get_push_config, push_config;
            list_task_push_notification_config(ListTaskPushNotificationConfigRequest)
                -> proto::ListTaskPushNotificationConfigResponse: list_push_configs, push_configs;
            delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest) -> ():
                delete_push_config, deleted;
            get_agent_card(GetAgentCardRequest) -> proto::AgentCard: get_agent_card, extended_card;
        }
        streams {
            send_streaming_message(SendMessageRequest) -> SendStreamingMessageStream: send_streaming_message;
            task_subscription(TaskSubscriptionRequest) -> TaskSubscriptionStream: task_subscription;
        }
    }
}
