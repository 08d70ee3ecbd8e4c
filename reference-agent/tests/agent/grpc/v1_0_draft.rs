//! `a2a.v1.A2AService` of the draft of 1.0, which 0.3 has by the same name.

use a2a_reference_agent::{Capability, RunningAgent};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use super::proto::v0_3;
use super::proto::v1_0_draft::a2a_service_client::A2aServiceClient;
use super::proto::v1_0_draft::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigRequest, ListTasksRequest,
    Message, Part, PushNotificationConfig, Role, SendMessageConfiguration, SendMessageRequest,
    SetTaskPushNotificationConfigRequest, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, TaskState, part,
    send_message_response, stream_response,
};
use super::{all, channel, next, reason, with};
use crate::client::{agent, agent_with};

type Client = A2aServiceClient<Channel>;

async fn client(agent: &RunningAgent) -> Client {
    A2aServiceClient::new(channel(agent).await)
}

fn request<T>(message: T) -> Request<T> {
    with(message, &[("a2a-version", "1.0")])
}

fn message(text: &str, blocking: bool) -> SendMessageRequest {
    let message = Message {
        message_id: "m-1".to_owned(),
        role: Role::User.into(),
        parts: vec![Part { metadata: None, part: Some(part::Part::Text(text.to_owned())) }],
        ..Message::default()
    };
    let configuration = SendMessageConfiguration { blocking, ..SendMessageConfiguration::default() };
    SendMessageRequest { request: Some(message), configuration: Some(configuration), metadata: None }
}

async fn sent(client: &mut Client, text: &str) -> Task {
    match client.send_message(request(message(text, true))).await.unwrap().into_inner().payload.unwrap() {
        send_message_response::Payload::Task(task) => task,
        send_message_response::Payload::Msg(message) => panic!("{message:?}"),
    }
}

fn name(task: &Task) -> String {
    format!("tasks/{}", task.id)
}

fn state(task: &Task) -> TaskState {
    task.status.as_ref().unwrap().state()
}

#[tokio::test]
async fn tasks_go_by_resource_name() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let task = sent(&mut client, "file").await;
    assert_eq!(state(&task), TaskState::Completed);
    let Some(part::Part::File(file)) = &task.artifacts[0].parts[0].part else { panic!("{task:?}") };
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("greeting.txt", "text/plain"));
    let get = |name: String| request(GetTaskRequest { name, history_length: None });
    assert_eq!(client.get_task(get(name(&task))).await.unwrap().into_inner(), task);
    assert_eq!(client.get_task(get(task.id.clone())).await.unwrap_err().code(), Code::InvalidArgument);

    let listed = client.list_tasks(request(ListTasksRequest::default())).await.unwrap().into_inner();
    assert_eq!((listed.total_size, listed.tasks[0].history.len()), (1, 0));
    let late = ListTasksRequest { last_updated_after: 4_102_444_800_000, ..ListTasksRequest::default() };
    assert_eq!(client.list_tasks(request(late)).await.unwrap().into_inner().total_size, 0);

    let early = match client.send_message(request(message("slow", false))).await.unwrap().into_inner().payload {
        Some(send_message_response::Payload::Task(task)) => task,
        other => panic!("{other:?}"),
    };
    assert!([TaskState::Submitted, TaskState::Working].contains(&state(&early)));
    let canceled = client.cancel_task(request(CancelTaskRequest { name: name(&early) })).await.unwrap().into_inner();
    assert_eq!(state(&canceled), TaskState::Cancelled);
}

#[tokio::test]
async fn streams_end_with_a_final_status() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let events = all(client.send_streaming_message(request(message("chunks", false))).await).await;
    let finals: Vec<bool> = events
        .iter()
        .filter_map(|event| match event.payload.as_ref().unwrap() {
            stream_response::Payload::StatusUpdate(update) => Some(update.r#final),
            _ => None,
        })
        .collect();
    assert_eq!(finals, [false, true]);

    let waiting = sent(&mut client, "input-required").await;
    let subscribe = SubscribeToTaskRequest { name: name(&waiting) };
    let mut stream = client.subscribe_to_task(request(subscribe)).await.unwrap().into_inner();
    let first = next(&mut stream).await.unwrap().unwrap();
    assert_eq!(first.payload, Some(stream_response::Payload::Task(waiting)));
}

#[tokio::test]
async fn push_configs_are_set_read_and_deleted() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let parent = name(&sent(&mut client, "input-required").await);
    let name = format!("{parent}/pushNotificationConfigs/c");
    let config = PushNotificationConfig { url: "http://127.0.0.1:9/".to_owned(), ..PushNotificationConfig::default() };
    let set = SetTaskPushNotificationConfigRequest {
        parent: parent.clone(),
        config_id: "c".to_owned(),
        config: Some(TaskPushNotificationConfig { name: name.clone(), push_notification_config: Some(config) }),
    };
    let made = client.set_task_push_notification_config(request(set)).await.unwrap().into_inner();
    assert_eq!(made.name, name);
    let get = GetTaskPushNotificationConfigRequest { name: name.clone() };
    assert_eq!(client.get_task_push_notification_config(request(get.clone())).await.unwrap().into_inner(), made);
    let list = ListTaskPushNotificationConfigRequest { parent, ..ListTaskPushNotificationConfigRequest::default() };
    let listed = client.list_task_push_notification_config(request(list)).await.unwrap().into_inner();
    assert_eq!(listed.configs, [made]);
    let delete = DeleteTaskPushNotificationConfigRequest { name };
    client.delete_task_push_notification_config(request(delete)).await.unwrap();
    let missing = client.get_task_push_notification_config(request(get)).await.unwrap_err();
    assert_eq!((missing.code(), reason(&missing).as_str()), (Code::NotFound, "TASK_NOT_FOUND"));
}

async fn extended_card(client: &mut Client) -> Result<AgentCard, Status> {
    let headers = [("a2a-version", "1.0"), ("authorization", "Bearer x")];
    let card = client.get_extended_agent_card(with(GetExtendedAgentCardRequest {}, &headers)).await?;
    Ok(card.into_inner())
}

#[tokio::test]
async fn errors_have_the_statuses_of_the_draft() {
    let agent = agent().await;
    let card = extended_card(&mut client(&agent).await).await.unwrap();
    assert_eq!(
        (card.protocol_version.as_deref(), card.supported_interfaces.len(), card.skills.len()),
        (Some("1.0"), 3, 2)
    );

    let deaf = agent_with(&Capability::ALL, 300).await;
    let mut client = client(&deaf).await;
    for refused in [
        extended_card(&mut client).await.unwrap_err(),
        client.send_streaming_message(request(message("x", false))).await.unwrap_err(),
    ] {
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unimplemented, "UNSUPPORTED_OPERATION"));
    }
    let other = with(ListTasksRequest::default(), &[("a2a-version", "9.9")]);
    let refused = client.list_tasks(other).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unimplemented, "VERSION_NOT_SUPPORTED"));
}

#[tokio::test]
async fn the_version_tells_the_two_services_of_one_name_apart() {
    let agent = agent().await;
    let mut draft = client(&agent).await;
    let mut of_0_3 = v0_3::a2a_service_client::A2aServiceClient::new(channel(&agent).await);
    // 0.3 has no such rpc.
    let listed = draft.list_tasks(ListTasksRequest::default()).await.unwrap_err();
    assert_eq!(listed.code(), Code::Unimplemented);
    let task = sent(&mut draft, "complete").await;
    let subscribe = |name: String| v0_3::TaskSubscriptionRequest { name };
    for metadata in [vec![], vec![("a2a-version", "0.3")], vec![("a2a-version", "0.3.0")]] {
        let events = all(of_0_3.task_subscription(with(subscribe(name(&task)), &metadata)).await).await;
        assert_eq!(events.len(), 1, "{metadata:?}");
    }
    let gone = of_0_3.task_subscription(request(subscribe(name(&task)))).await.unwrap_err();
    assert_eq!(gone.code(), Code::Unimplemented);
}
