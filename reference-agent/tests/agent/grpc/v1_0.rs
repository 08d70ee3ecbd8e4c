//! `lf.a2a.v1.A2AService`.

use a2a_reference_agent::{Capability, Config, RunningAgent};
use prost_types::ListValue;
use prost_types::value::Kind;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use super::proto::v1_0::a2a_service_client::A2aServiceClient;
use super::proto::v1_0::{
    AuthenticationInfo, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTasksRequest,
    Message, Part, Role, SendMessageConfiguration, SendMessageRequest, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig, TaskState, part, send_message_response, stream_response,
};
use super::{all, channel, field, next, object, reason, value, with};
use crate::client::{agent, agent_with, start};

type Client = A2aServiceClient<Channel>;

async fn client(agent: &RunningAgent) -> Client {
    A2aServiceClient::new(channel(agent).await)
}

fn request<T>(message: T) -> Request<T> {
    with(message, &[("a2a-version", "1.0")])
}

fn content(content: part::Content) -> Part {
    Part { content: Some(content), ..Part::default() }
}

fn message(text: &str) -> SendMessageRequest {
    let message = Message {
        message_id: "m-1".to_owned(),
        role: Role::User.into(),
        parts: vec![content(part::Content::Text(text.to_owned()))],
        ..Message::default()
    };
    SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }
}

fn at_once(text: &str) -> SendMessageRequest {
    let configuration = SendMessageConfiguration { return_immediately: true, ..SendMessageConfiguration::default() };
    SendMessageRequest { configuration: Some(configuration), ..message(text) }
}

async fn sent(client: &mut Client, message: SendMessageRequest) -> Task {
    match client.send_message(request(message)).await.unwrap().into_inner().payload.unwrap() {
        send_message_response::Payload::Task(task) => task,
        send_message_response::Payload::Message(message) => panic!("{message:?}"),
    }
}

fn state(task: &Task) -> TaskState {
    task.status.as_ref().unwrap().state()
}

fn get_task(id: &str) -> GetTaskRequest {
    GetTaskRequest { id: id.to_owned(), ..GetTaskRequest::default() }
}

fn cancel_task(id: &str) -> CancelTaskRequest {
    CancelTaskRequest { id: id.to_owned(), ..CancelTaskRequest::default() }
}

fn subscribe(id: &str) -> SubscribeToTaskRequest {
    SubscribeToTaskRequest { id: id.to_owned(), ..SubscribeToTaskRequest::default() }
}

fn push_config(task_id: &str, id: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        id: id.to_owned(),
        task_id: task_id.to_owned(),
        url: "http://127.0.0.1:9/hook".to_owned(),
        ..TaskPushNotificationConfig::default()
    }
}

/// The states that a stream goes through.
fn states(events: &[StreamResponse]) -> Vec<TaskState> {
    let state = |event: &StreamResponse| match event.payload.as_ref().unwrap() {
        stream_response::Payload::Task(task) => Some(state(task)),
        stream_response::Payload::StatusUpdate(update) => Some(update.status.as_ref().unwrap().state()),
        _ => None,
    };
    events.iter().filter_map(state).collect()
}

#[tokio::test]
async fn a_message_becomes_a_completed_task() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let task = sent(&mut client, message("complete this")).await;
    assert_eq!((task.id.as_str(), task.context_id.as_str()), ("task-000001", "context-000001"));
    assert_eq!(state(&task), TaskState::Completed);
    assert!(task.status.as_ref().unwrap().timestamp.unwrap().seconds > 0);
    assert_eq!(task.artifacts[0].parts, [content(part::Content::Text("complete this".to_owned()))]);
    assert_eq!((task.history[0].message_id.as_str(), task.history[0].role()), ("m-1", Role::User));
    assert_eq!(client.get_task(request(get_task(&task.id))).await.unwrap().into_inner(), task);
    let without_history = GetTaskRequest { history_length: Some(0), ..get_task(&task.id) };
    assert_eq!(client.get_task(request(without_history)).await.unwrap().into_inner().history, []);
}

#[tokio::test]
async fn a_message_can_be_answered_by_a_message() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let answer = client.send_message(request(message("message please"))).await.unwrap().into_inner();
    let Some(send_message_response::Payload::Message(answer)) = answer.payload else { panic!("{answer:?}") };
    assert_eq!(answer.role(), Role::Agent);
    assert_eq!(answer.parts, [content(part::Content::Text("You said: message please".to_owned()))]);
    let events = all(client.send_streaming_message(request(message("message"))).await).await;
    assert!(matches!(events.as_slice(), [StreamResponse { payload: Some(stream_response::Payload::Message(_)) }]));
}

#[tokio::test]
async fn every_kind_of_content_arrives_as_it_is() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let parts: Vec<Part> = [
        Kind::NullValue(0),
        Kind::NumberValue(-1.5),
        Kind::BoolValue(false),
        Kind::StringValue(String::new()),
        Kind::ListValue(ListValue { values: vec![value(Kind::NullValue(0)), value(Kind::NumberValue(2.0))] }),
        Kind::StructValue(object("naïve 🙂", value(Kind::ListValue(ListValue::default())))),
    ]
    .map(|kind| content(part::Content::Data(value(kind))))
    .into_iter()
    .chain([
        content(part::Content::Text(String::new())),
        Part {
            filename: "a.bin".to_owned(),
            media_type: "application/octet-stream".to_owned(),
            metadata: Some(object("k", value(Kind::NumberValue(1.0)))),
            ..content(part::Content::Raw(vec![0, 255]))
        },
        content(part::Content::Url("https://example.com/".to_owned())),
    ])
    .collect();
    let mut with_parts = message("");
    with_parts.message.as_mut().unwrap().parts = parts.clone();
    assert_eq!(sent(&mut client, with_parts).await.history[0].parts, parts);

    let data = sent(&mut client, message("data")).await;
    let Some(part::Content::Data(data)) = data.artifacts[0].parts[0].content.clone() else { panic!("{data:?}") };
    let Some(Kind::StructValue(data)) = data.kind else { panic!("{data:?}") };
    assert_eq!(data.fields["integer"], value(Kind::NumberValue(42.0)));
    assert_eq!(data.fields["null"], value(Kind::NullValue(0)));
    let file = sent(&mut client, message("file")).await;
    assert_eq!(file.artifacts[0].parts[0].filename, "greeting.txt");
}

#[tokio::test]
async fn tasks_are_listed_in_pages() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    for _ in 0..3 {
        sent(&mut client, message("complete")).await;
    }
    let mut list =
        ListTasksRequest { page_size: Some(2), include_artifacts: Some(true), ..ListTasksRequest::default() };
    let first = client.list_tasks(request(list.clone())).await.unwrap().into_inner();
    assert_eq!((first.tasks.len(), first.page_size, first.total_size), (2, 2, 3));
    assert_eq!((first.tasks[0].id.as_str(), first.tasks[0].artifacts.len()), ("task-000003", 1));
    list.page_token = first.next_page_token;
    let second = client.list_tasks(request(list)).await.unwrap().into_inner();
    assert_eq!((second.tasks.len(), second.next_page_token.as_str()), (1, ""));

    let after = second.tasks[0].status.as_ref().unwrap().timestamp;
    for (list, expected) in [
        (ListTasksRequest { status: TaskState::Working.into(), ..ListTasksRequest::default() }, 0),
        (ListTasksRequest { status: TaskState::Completed.into(), ..ListTasksRequest::default() }, 3),
        (ListTasksRequest { context_id: "context-000002".to_owned(), ..ListTasksRequest::default() }, 1),
        (ListTasksRequest { status_timestamp_after: after, ..ListTasksRequest::default() }, 3),
    ] {
        assert_eq!(
            client.list_tasks(request(list.clone())).await.unwrap().into_inner().total_size,
            expected,
            "{list:?}"
        );
    }
}

#[tokio::test]
async fn a_stream_ends_with_its_task() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let events = all(client.send_streaming_message(request(message("chunks"))).await).await;
    assert_eq!(states(&events), [TaskState::Submitted, TaskState::Working, TaskState::Completed]);
    assert_eq!(events.len(), 9);
    let waiting = all(client.send_streaming_message(request(message("input-required"))).await).await;
    assert_eq!(states(&waiting).last(), Some(&TaskState::InputRequired));
}

#[tokio::test]
async fn a_task_is_watched_and_canceled() {
    let agent = agent_with(&[], 60_000).await;
    let mut client = client(&agent).await;
    let task = sent(&mut client, at_once("slow")).await;
    let mut stream = client.subscribe_to_task(request(subscribe(&task.id))).await.unwrap().into_inner();
    let first = next(&mut stream).await.unwrap().unwrap();
    assert!(matches!(first.payload, Some(stream_response::Payload::Task(first)) if first.id == task.id));
    let canceled = client.cancel_task(request(cancel_task(&task.id))).await.unwrap().into_inner();
    assert_eq!(state(&canceled), TaskState::Canceled);
    let mut events = Vec::new();
    while let Some(event) = next(&mut stream).await.unwrap() {
        events.push(event);
    }
    assert_eq!(states(&events).last(), Some(&TaskState::Canceled));
}

#[tokio::test]
async fn a_client_that_goes_leaves_its_task_alone() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let mut stream = client.send_streaming_message(request(message("slow"))).await.unwrap().into_inner();
    let first = next(&mut stream).await.unwrap().unwrap();
    let Some(stream_response::Payload::Task(task)) = first.payload else { panic!("{first:?}") };
    drop(stream);
    let events = all(client.subscribe_to_task(request(subscribe(&task.id))).await).await;
    assert_eq!(states(&events).last(), Some(&TaskState::Completed));
}

#[tokio::test]
async fn push_configs_are_kept() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let task = sent(&mut client, message("input-required")).await;
    let full = TaskPushNotificationConfig {
        token: "t".to_owned(),
        authentication: Some(AuthenticationInfo { scheme: "Bearer".to_owned(), credentials: "x".to_owned() }),
        ..push_config(&task.id, "a")
    };
    let created = client.create_task_push_notification_config(request(full.clone())).await.unwrap().into_inner();
    assert_eq!(created, full);
    let named = client.create_task_push_notification_config(request(push_config(&task.id, ""))).await.unwrap();
    let named = named.into_inner();
    assert!(!named.id.is_empty());

    let get = GetTaskPushNotificationConfigRequest {
        task_id: task.id.clone(),
        id: "a".to_owned(),
        ..GetTaskPushNotificationConfigRequest::default()
    };
    assert_eq!(client.get_task_push_notification_config(request(get.clone())).await.unwrap().into_inner(), full);
    let list = ListTaskPushNotificationConfigsRequest {
        task_id: task.id.clone(),
        page_size: 1,
        ..ListTaskPushNotificationConfigsRequest::default()
    };
    let first = client.list_task_push_notification_configs(request(list.clone())).await.unwrap().into_inner();
    assert_eq!((first.configs.as_slice(), first.next_page_token.as_str()), ([full].as_slice(), "a"));
    let list = ListTaskPushNotificationConfigsRequest { page_token: first.next_page_token, page_size: 0, ..list };
    let second = client.list_task_push_notification_configs(request(list)).await.unwrap().into_inner();
    assert_eq!((second.configs.as_slice(), second.next_page_token.as_str()), ([named].as_slice(), ""));

    let delete = DeleteTaskPushNotificationConfigRequest {
        task_id: task.id.clone(),
        id: "a".to_owned(),
        ..DeleteTaskPushNotificationConfigRequest::default()
    };
    for _ in 0..2 {
        client.delete_task_push_notification_config(request(delete.clone())).await.unwrap();
    }
    let gone = client.get_task_push_notification_config(request(get)).await.unwrap_err();
    assert_eq!((gone.code(), reason(&gone).as_str()), (Code::NotFound, "TASK_NOT_FOUND"));
}

#[tokio::test]
async fn the_extended_card_needs_credentials() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let refused = client.get_extended_agent_card(request(GetExtendedAgentCardRequest::default())).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let metadata = [("a2a-version", "1.0"), ("authorization", "Bearer x")];
    let card = client.get_extended_agent_card(with(GetExtendedAgentCardRequest::default(), &metadata)).await.unwrap();
    let card = card.into_inner();
    assert_eq!((card.name.as_str(), card.skills.len()), ("Reference agent", 2));
    let interface = card.supported_interfaces.iter().find(|interface| interface.protocol_binding == "GRPC").unwrap();
    assert_eq!(
        (interface.url.as_str(), interface.protocol_version.as_str()),
        (agent.url().trim_start_matches("http://"), "1.0")
    );
}

fn check(status: &Status, code: Code, expected: &str) {
    assert_eq!((status.code(), reason(status).as_str()), (code, expected), "{status:?}");
}

#[tokio::test]
async fn errors_say_which_they_are() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let missing = client.get_task(request(get_task("none"))).await.unwrap_err();
    check(&missing, Code::NotFound, "TASK_NOT_FOUND");
    check(&client.cancel_task(request(cancel_task("none"))).await.unwrap_err(), Code::NotFound, "TASK_NOT_FOUND");
    check(&client.subscribe_to_task(request(subscribe("none"))).await.unwrap_err(), Code::NotFound, "TASK_NOT_FOUND");

    let ended = sent(&mut client, message("complete")).await.id;
    let status = client.cancel_task(request(cancel_task(&ended))).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "TASK_NOT_CANCELABLE");
    let status = client.subscribe_to_task(request(subscribe(&ended))).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    let mut late = message("more");
    late.message.as_mut().unwrap().task_id = ended;
    let status = client.send_message(request(late)).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    let mut foreign = message("x");
    foreign.message.as_mut().unwrap().parts[0].media_type = "video/mp4".to_owned();
    let status = client.send_streaming_message(request(foreign)).await.unwrap_err();
    check(&status, Code::InvalidArgument, "CONTENT_TYPE_NOT_SUPPORTED");
}

#[tokio::test]
async fn what_is_not_declared_is_refused() {
    let agent = agent_with(&[Capability::Streaming, Capability::Push, Capability::ExtendedCard], 300).await;
    let mut client = client(&agent).await;
    let status = client.send_streaming_message(request(message("x"))).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    let status = client.subscribe_to_task(request(subscribe("x"))).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
    let status = client.create_task_push_notification_config(request(push_config("t", ""))).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    let status = client.get_extended_agent_card(request(GetExtendedAgentCardRequest::default())).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "UNSUPPORTED_OPERATION");
}

#[tokio::test]
async fn the_version_must_be_1_0() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    // Without a version a request is of 0.3 (section 3.6.2), which has a service of its own.
    for metadata in [vec![], vec![("a2a-version", "")], vec![("a2a-version", "0.3")], vec![("a2a-version", "2.0")]] {
        let status = client.get_task(with(get_task("x"), &metadata)).await.unwrap_err();
        check(&status, Code::FailedPrecondition, "VERSION_NOT_SUPPORTED");
    }
    let status = client.get_task(with(get_task("x"), &[("a2a-version", "1.0.1")])).await.unwrap_err();
    check(&status, Code::NotFound, "TASK_NOT_FOUND");
}

#[tokio::test]
async fn extensions_that_are_asked_for_are_confirmed() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let uri = "urn:a2aspec:triggers:v1";
    let metadata = [("a2a-version", "1.0"), ("a2a-extensions", "urn:unknown, urn:a2aspec:triggers:v1")];
    let listed = client.list_tasks(with(ListTasksRequest::default(), &metadata)).await.unwrap();
    assert_eq!(listed.metadata().get("a2a-extensions").unwrap(), uri);
    let stream = client.send_streaming_message(with(message("x"), &metadata)).await.unwrap();
    assert_eq!(stream.metadata().get("a2a-extensions").unwrap(), uri);
    let refused = client.get_task(with(get_task("none"), &metadata)).await.unwrap_err();
    assert_eq!(refused.metadata().get("a2a-extensions").unwrap(), uri);
    assert!(
        client
            .list_tasks(request(ListTasksRequest::default()))
            .await
            .unwrap()
            .metadata()
            .get("a2a-extensions")
            .is_none()
    );
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let agent = agent().await;
    let mut client = client(&agent).await;
    let changed = |change: fn(&mut SendMessageRequest)| {
        let mut message = message("x");
        change(&mut message);
        message
    };
    let nan = || value(Kind::NumberValue(f64::NAN));
    for (message, expected) in [
        (SendMessageRequest::default(), "message"),
        (changed(|request| request.message.as_mut().unwrap().message_id.clear()), "message.messageId"),
        (changed(|request| request.message.as_mut().unwrap().role = 0), "message.role"),
        (changed(|request| request.message.as_mut().unwrap().role = 77), "message.role"),
        (changed(|request| request.message.as_mut().unwrap().parts.clear()), "message.parts"),
        (changed(|request| request.message.as_mut().unwrap().parts[0].content = None), "message.parts[0]"),
        (
            changed(|request| {
                request.message.as_mut().unwrap().parts[0].content =
                    Some(part::Content::Data(prost_types::Value { kind: None }));
            }),
            "message.parts[0].data",
        ),
        (SendMessageRequest { metadata: Some(object("n", nan())), ..message("x") }, "metadata.n"),
        (
            changed(|request| {
                let configuration = request.configuration.get_or_insert_default();
                configuration.history_length = Some(-1);
            }),
            "configuration.historyLength",
        ),
        (
            changed(|request| {
                let configuration = request.configuration.get_or_insert_default();
                configuration.task_push_notification_config = Some(TaskPushNotificationConfig::default());
            }),
            "configuration.taskPushNotificationConfig.url",
        ),
    ] {
        let status = client.send_message(request(message.clone())).await.unwrap_err();
        assert_eq!((status.code(), field(&status).as_str()), (Code::InvalidArgument, expected), "{message:?}");
        let streamed = client.send_streaming_message(request(message)).await.unwrap_err();
        assert_eq!(field(&streamed), expected);
    }

    let moment = prost_types::Timestamp { seconds: 0, nanos: -1 };
    for (list, expected) in [
        (ListTasksRequest { status: 99, ..ListTasksRequest::default() }, "status"),
        (ListTasksRequest { page_size: Some(0), ..ListTasksRequest::default() }, "pageSize"),
        (ListTasksRequest { page_size: Some(101), ..ListTasksRequest::default() }, "pageSize"),
        (ListTasksRequest { page_token: "x".to_owned(), ..ListTasksRequest::default() }, "pageToken"),
        (ListTasksRequest { history_length: Some(-1), ..ListTasksRequest::default() }, "historyLength"),
        (
            ListTasksRequest { status_timestamp_after: Some(moment), ..ListTasksRequest::default() },
            "statusTimestampAfter",
        ),
    ] {
        let status = client.list_tasks(request(list)).await.unwrap_err();
        assert_eq!((status.code(), field(&status).as_str()), (Code::InvalidArgument, expected));
    }
    assert_eq!(field(&client.get_task(request(get_task(""))).await.unwrap_err()), "id");
    assert_eq!(field(&client.cancel_task(request(cancel_task(""))).await.unwrap_err()), "id");
    assert_eq!(field(&client.subscribe_to_task(request(subscribe(""))).await.unwrap_err()), "id");
    let status = client.create_task_push_notification_config(request(push_config("", ""))).await.unwrap_err();
    assert_eq!(field(&status), "taskId");
}

#[tokio::test]
async fn each_rpc_is_for_the_tenant_that_it_names() {
    let tenants = ["acme", "globex"].map(|name| name.parse().unwrap()).to_vec();
    let agent = start(Config { tenants, ..Config::default() }).await;
    let mut client = client(&agent).await;
    let own = |name: &str| SendMessageRequest { tenant: name.to_owned(), ..message("input-required") };
    let task = sent(&mut client, own("acme")).await;
    let of = |name: &str| GetTaskRequest { tenant: name.to_owned(), ..get_task(&task.id) };
    assert_eq!(client.get_task(request(of("acme"))).await.unwrap().into_inner(), task);
    for other in ["", "globex"] {
        assert_eq!(client.get_task(request(of(other))).await.unwrap_err().code(), Code::NotFound, "{other:?}");
    }
    let stranger = SubscribeToTaskRequest { tenant: "initech".to_owned(), ..subscribe(&task.id) };
    assert_eq!(field(&client.subscribe_to_task(request(stranger)).await.unwrap_err()), "tenant");
    let listed = client.list_tasks(request(ListTasksRequest { tenant: "acme".to_owned(), ..Default::default() })).await;
    assert_eq!(listed.unwrap().into_inner().total_size, 1);
}
