//! `a2a.v1.A2AService`.

use a2a_reference_agent::{Capability, RunningAgent};
use prost_types::value::Kind;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::proto::v0_3::a2a_service_client::A2aServiceClient;
use super::proto::v0_3::{
    AuthenticationInfo, CancelTaskRequest, CreateTaskPushNotificationConfigRequest, DataPart,
    DeleteTaskPushNotificationConfigRequest, FilePart, GetAgentCardRequest, GetTaskPushNotificationConfigRequest,
    GetTaskRequest, ListTaskPushNotificationConfigRequest, Message, Part, PushNotificationConfig, Role,
    SendMessageConfiguration, SendMessageRequest, StreamResponse, Task, TaskPushNotificationConfig, TaskState,
    TaskSubscriptionRequest, file_part, part, send_message_response, stream_response,
};
use super::{all, channel, field, object, reason, value, with};
use crate::client::{agent, agent_with};

type Client = A2aServiceClient<Channel>;

async fn client(agent: &RunningAgent) -> Client {
    A2aServiceClient::new(channel(agent).await)
}

fn text(text: &str) -> Part {
    Part { part: Some(part::Part::Text(text.to_owned())) }
}

fn message(parts: Vec<Part>) -> SendMessageRequest {
    let message =
        Message { message_id: "m-1".to_owned(), role: Role::User.into(), content: parts, ..Message::default() };
    SendMessageRequest { request: Some(message), ..SendMessageRequest::default() }
}

async fn sent(client: &mut Client, message: SendMessageRequest) -> Task {
    match client.send_message(message).await.unwrap().into_inner().payload.unwrap() {
        send_message_response::Payload::Task(task) => task,
        send_message_response::Payload::Msg(message) => panic!("{message:?}"),
    }
}

fn state(task: &Task) -> TaskState {
    task.status.as_ref().unwrap().state()
}

fn name(task: &Task) -> String {
    format!("tasks/{}", task.id)
}

#[tokio::test]
async fn a_message_becomes_a_completed_task() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let task = sent(&mut client, message(vec![text("complete this")])).await;
    assert_eq!(state(&task), TaskState::Completed);
    assert_eq!(task.artifacts[0].parts, [text("complete this")]);
    assert_eq!(task.history[0].content, [text("complete this")]);
    let get = GetTaskRequest { name: name(&task), history_length: 0 };
    assert_eq!(client.get_task(get).await.unwrap().into_inner(), task);

    let answer = client.send_message(message(vec![text("message")])).await.unwrap().into_inner();
    assert!(
        matches!(answer.payload, Some(send_message_response::Payload::Msg(answer)) if answer.role() == Role::Agent)
    );
}

#[tokio::test]
async fn every_kind_of_content_arrives_as_it_is() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let file = |file, mime_type: &str| Part {
        part: Some(part::Part::File(FilePart { mime_type: mime_type.to_owned(), file: Some(file) })),
    };
    let parts = vec![
        text(""),
        file(file_part::File::FileWithBytes(vec![0, 255]), "image/png"),
        file(file_part::File::FileWithUri("https://example.com/".to_owned()), ""),
        Part { part: Some(part::Part::Data(DataPart { data: Some(object("null", value(Kind::NullValue(0)))) })) },
        Part { part: Some(part::Part::Data(DataPart { data: Some(prost_types::Struct::default()) })) },
    ];
    assert_eq!(sent(&mut client, message(parts.clone())).await.history[0].content, parts);
    let files = sent(&mut client, message(vec![text("file")])).await;
    let greeting = b"Hello from the reference agent.\n".to_vec();
    assert_eq!(files.artifacts[0].parts[0], file(file_part::File::FileWithBytes(greeting), "text/plain"));
}

#[tokio::test]
async fn streams_say_which_event_is_final() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let finals = |events: &[StreamResponse]| -> Vec<(TaskState, bool)> {
        let update = |event: &StreamResponse| match event.payload.as_ref().unwrap() {
            stream_response::Payload::StatusUpdate(update) => {
                Some((update.status.as_ref().unwrap().state(), update.r#final))
            }
            _ => None,
        };
        events.iter().filter_map(update).collect()
    };
    let events = all(client.send_streaming_message(message(vec![text("complete")])).await).await;
    assert_eq!(finals(&events), [(TaskState::Working, false), (TaskState::Completed, true)]);
    // 0.3 ends a stream here, too.
    let events = all(client.send_streaming_message(message(vec![text("auth-required")])).await).await;
    assert_eq!(finals(&events), [(TaskState::Working, false), (TaskState::AuthRequired, true)]);
}

#[tokio::test]
async fn a_task_is_canceled_and_shown_to_subscribers() {
    let agent = agent_with(&[], 60_000).await;
    let mut client = client(&agent).await;
    // Who configures a send and does not ask to wait does not want to.
    let configured =
        SendMessageRequest { configuration: Some(SendMessageConfiguration::default()), ..message(vec![text("slow")]) };
    let task = sent(&mut client, configured).await;
    let canceled = client.cancel_task(CancelTaskRequest { name: name(&task) }).await.unwrap().into_inner();
    assert_eq!(state(&canceled), TaskState::Cancelled);
    let events = all(client.task_subscription(TaskSubscriptionRequest { name: name(&task) }).await).await;
    assert_eq!(events, [StreamResponse { payload: Some(stream_response::Payload::Task(canceled)) }]);
}

#[tokio::test]
async fn sends_wait_when_asked_to() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let configuration = SendMessageConfiguration { blocking: true, ..SendMessageConfiguration::default() };
    let waiting = SendMessageRequest { configuration: Some(configuration), ..message(vec![text("slow")]) };
    assert_eq!(state(&sent(&mut client, waiting).await), TaskState::Completed);
    assert_eq!(state(&sent(&mut client, message(vec![text("slow")])).await), TaskState::Completed);
}

#[tokio::test]
async fn push_configs_have_names() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let task = sent(&mut client, message(vec![text("input-required")])).await;
    let inner = PushNotificationConfig {
        id: "a".to_owned(),
        url: "http://127.0.0.1:9/hook".to_owned(),
        token: "t".to_owned(),
        authentication: Some(AuthenticationInfo {
            schemes: vec!["Bearer".to_owned(), "Basic".to_owned()],
            credentials: "x".to_owned(),
        }),
    };
    let full = TaskPushNotificationConfig {
        name: format!("tasks/{}/pushNotificationConfigs/a", task.id),
        push_notification_config: Some(inner.clone()),
    };
    let create = |parent: String, config_id: &str, id: &str| CreateTaskPushNotificationConfigRequest {
        parent,
        config_id: config_id.to_owned(),
        config: Some(TaskPushNotificationConfig {
            name: String::new(),
            push_notification_config: Some(PushNotificationConfig { id: id.to_owned(), ..inner.clone() }),
        }),
    };
    for (parent, config_id, id) in [
        (name(&task), "a", ""),
        (name(&task), "", "a"),
        (name(&task), "a", "b"),
        (format!("task/{}/pushNotificationConfigs", task.id), "a", "a"),
    ] {
        let created = client.create_task_push_notification_config(create(parent, config_id, id)).await.unwrap();
        assert_eq!(created.into_inner(), full);
    }
    let get = GetTaskPushNotificationConfigRequest { name: full.name.clone() };
    assert_eq!(client.get_task_push_notification_config(get.clone()).await.unwrap().into_inner(), full);
    let list = ListTaskPushNotificationConfigRequest {
        parent: name(&task),
        ..ListTaskPushNotificationConfigRequest::default()
    };
    let listed = client.list_task_push_notification_config(list).await.unwrap().into_inner();
    assert_eq!(listed.configs, std::slice::from_ref(&full));
    let delete = DeleteTaskPushNotificationConfigRequest { name: full.name };
    client.delete_task_push_notification_config(delete).await.unwrap();
    let gone = client.get_task_push_notification_config(get).await.unwrap_err();
    assert_eq!(gone.code(), Code::NotFound);
}

#[tokio::test]
async fn the_card_is_the_extended_one() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    assert_eq!(client.get_agent_card(GetAgentCardRequest {}).await.unwrap_err().code(), Code::Unauthenticated);
    let request = with(GetAgentCardRequest {}, &[("authorization", "Bearer x")]);
    let card = client.get_agent_card(request).await.unwrap().into_inner();
    assert_eq!((card.protocol_version.as_str(), card.skills.len()), ("0.3.0", 2));
    assert!(card.supports_authenticated_extended_card);
    assert!(card.additional_interfaces.iter().any(|interface| (interface.url.as_str(), interface.transport.as_str())
        == (agent.url().trim_start_matches("http://"), "GRPC")));
}

fn check(status: &Status, code: Code, expected: &str) {
    assert_eq!((status.code(), reason(status).as_str()), (code, expected), "{status:?}");
}

#[tokio::test]
async fn errors_say_which_they_are() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let get = |name: &str| GetTaskRequest { name: name.to_owned(), history_length: 0 };
    check(&client.get_task(get("tasks/none")).await.unwrap_err(), Code::NotFound, "TASK_NOT_FOUND");
    let task = sent(&mut client, message(vec![text("complete")])).await;
    let status = client.cancel_task(CancelTaskRequest { name: name(&task) }).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "TASK_NOT_CANCELABLE");
    // This service speaks 0.3, whether or not the client says so.
    for version in ["0.3", "0.3.0", ""] {
        let status = client.get_task(with(get("tasks/none"), &[("a2a-version", version)])).await.unwrap_err();
        check(&status, Code::NotFound, "TASK_NOT_FOUND");
    }
    // By another version it is that of the draft of 1.0, or of none.
    let status = client.get_task(with(get("tasks/none"), &[("a2a-version", "9.9")])).await.unwrap_err();
    check(&status, Code::Unimplemented, "VERSION_NOT_SUPPORTED");

    let bare = agent_with(&Capability::ALL, 300).await;
    let mut client = self::client(&bare).await;
    let status = client.send_streaming_message(message(vec![text("x")])).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    let list = ListTaskPushNotificationConfigRequest {
        parent: "tasks/x".to_owned(),
        ..ListTaskPushNotificationConfigRequest::default()
    };
    let status = client.list_task_push_notification_config(list).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    let status = client.get_agent_card(GetAgentCardRequest {}).await.unwrap_err();
    check(&status, Code::NotFound, "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED");
}

#[tokio::test]
async fn extensions_that_are_asked_for_are_confirmed() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let uri = "urn:a2aspec:triggers:v1";
    let response = client.send_message(with(message(vec![text("x")]), &[("x-a2a-extensions", uri)])).await.unwrap();
    assert_eq!(response.metadata().get("x-a2a-extensions").unwrap(), uri);
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let file = Part { part: Some(part::Part::File(FilePart::default())) };
    let data = Part { part: Some(part::Part::Data(DataPart::default())) };
    for (message, expected) in [
        (SendMessageRequest::default(), "message"),
        (message(vec![]), "message.content"),
        (message(vec![text("x"), Part::default()]), "message.content[1]"),
        (message(vec![file]), "message.content[0].file"),
        (message(vec![data]), "message.content[0].data.data"),
    ] {
        let status = client.send_message(message).await.unwrap_err();
        assert_eq!((status.code(), field(&status).as_str()), (Code::InvalidArgument, expected));
    }
    for name in ["", "task-000001", "task/x", "tasks/", "/tasks/x"] {
        let name = name.to_owned();
        let status = client.get_task(GetTaskRequest { name: name.clone(), history_length: 0 }).await.unwrap_err();
        assert_eq!((status.code(), field(&status).as_str()), (Code::InvalidArgument, "name"), "{name}");
        let status = client.cancel_task(CancelTaskRequest { name: name.clone() }).await.unwrap_err();
        assert_eq!(field(&status), "name");
        let status = client.task_subscription(TaskSubscriptionRequest { name: name.clone() }).await.unwrap_err();
        assert_eq!(field(&status), "name");
        let delete = DeleteTaskPushNotificationConfigRequest { name: format!("{name}/pushNotificationConfigs/") };
        assert_eq!(field(&client.delete_task_push_notification_config(delete).await.unwrap_err()), "name");
    }
    let status = client.get_task(GetTaskRequest { name: "tasks/x".to_owned(), history_length: -1 }).await.unwrap_err();
    assert_eq!(field(&status), "historyLength");
    let create = CreateTaskPushNotificationConfigRequest {
        parent: "tasks/x".to_owned(),
        ..CreateTaskPushNotificationConfigRequest::default()
    };
    let status = client.create_task_push_notification_config(create.clone()).await.unwrap_err();
    assert_eq!(field(&status), "config");
    let nowhere = CreateTaskPushNotificationConfigRequest { parent: String::new(), ..create };
    assert_eq!(field(&client.create_task_push_notification_config(nowhere).await.unwrap_err()), "parent");
}
