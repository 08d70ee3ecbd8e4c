//! What gRPC itself asks for: limits, deadlines, unknown rpcs, messages that are none, reflection.

use a2a_reference_agent::RunningAgent;
use prost::Message as _;
use prost_types::{FileDescriptorProto, Timestamp};
use reqwest::header::CONTENT_TYPE;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

use super::proto::v1_0::a2a_service_client::A2aServiceClient;
use super::proto::v1_0::{
    GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageRequest, SubscribeToTaskRequest, Task, TaskState,
    part, stream_response,
};
use super::{PATIENCE, channel, next, with};
use crate::client::{agent, agent_with, answer, awaiting_agent};

const VERSION: (&str, &str) = ("a2a-version", "1.0");

fn message(text: &str) -> SendMessageRequest {
    let message = Message {
        message_id: "m".to_owned(),
        role: Role::User.into(),
        parts: vec![Part { content: Some(part::Content::Text(text.to_owned())), ..Part::default() }],
        ..Message::default()
    };
    SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }
}

/// A message as gRPC sends it over HTTP.
fn frame(message: &[u8]) -> Vec<u8> {
    [&[0], u32::try_from(message.len()).unwrap().to_be_bytes().as_slice(), message].concat()
}

/// Calls an rpc by its path, with a message of any type.
async fn call<M: prost::Message + 'static>(agent: &RunningAgent, path: &'static str, message: M) -> Status {
    let mut grpc = Grpc::new(channel(agent).await);
    grpc.ready().await.unwrap();
    let codec: ProstCodec<M, Task> = ProstCodec::default();
    grpc.unary(with(message, &[VERSION]), PathAndQuery::from_static(path), codec).await.unwrap_err()
}

#[tokio::test]
async fn what_is_not_there_is_unimplemented() {
    let agent = agent().await;
    for path in [
        "/lf.a2a.v1.A2AService/NoSuchRpc",
        "/lf.a2a.v1.A2AService/gettask",
        "/a2a.v1.A2AService/ListTask",
        "/a2a.v2.A2AService/GetTask",
    ] {
        assert_eq!(call(&agent, path, GetTaskRequest::default()).await.code(), Code::Unimplemented, "{path}");
    }
}

#[tokio::test]
async fn messages_that_are_none_are_refused() {
    let agent = agent().await;
    // A number in the place of the text `tenant`.
    let other = Timestamp { seconds: 5, nanos: 5 };
    let status = call(&agent, "/lf.a2a.v1.A2AService/GetTask", other).await;
    assert_eq!(status.code(), Code::Internal, "{status:?}");
}

#[tokio::test]
async fn messages_have_a_largest_size() {
    let agent = agent().await;
    let mut client = A2aServiceClient::new(channel(&agent).await).max_decoding_message_size(usize::MAX);
    let fitting = message(&"x".repeat(4 * 1024 * 1024 - 100));
    client.send_message(with(fitting, &[VERSION])).await.unwrap();
    let large = message(&"x".repeat(4 * 1024 * 1024));
    let status = client.send_message(with(large.clone(), &[VERSION])).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let status = client.send_streaming_message(with(large, &[VERSION])).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
}

#[tokio::test]
async fn long_texts_come_back_short() {
    let agent = agent().await;
    let mut client = A2aServiceClient::new(channel(&agent).await);
    let id = "é".repeat(1_000_000);
    let status =
        client.get_task(with(GetTaskRequest { id, ..GetTaskRequest::default() }, &[VERSION])).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound, "{status:?}");
    assert!(status.message().starts_with("there is no task `é"));
}

#[tokio::test]
async fn deadlines_pass_at_the_agent() {
    let agent = agent_with(&[], 60_000).await;
    let mut client = A2aServiceClient::new(channel(&agent).await);
    let deadline = [VERSION, ("grpc-timeout", "50m")];
    let mut stream = client.send_streaming_message(with(message("slow"), &deadline)).await.unwrap().into_inner();
    let first = next(&mut stream).await.unwrap().unwrap();
    let Some(stream_response::Payload::Task(task)) = first.payload else { panic!("{first:?}") };
    let status = loop {
        match next(&mut stream).await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream ended before its deadline"),
            Err(status) => break status,
        }
    };
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    // The task does not mind.
    let task = client.get_task(with(GetTaskRequest { id: task.id, ..GetTaskRequest::default() }, &[VERSION])).await;
    assert_eq!(task.unwrap().into_inner().status.unwrap().state(), TaskState::Working);
    // A client of gRPC would give up by itself.
    let late = crate::client::http()
        .post(format!("{}/lf.a2a.v1.A2AService/SendMessage", agent.url()))
        .header(CONTENT_TYPE, "application/grpc")
        .header(VERSION.0, VERSION.1)
        .header("grpc-timeout", "50m");
    assert_eq!(answer(late.body(frame(&message("slow").encode_to_vec()))).await.headers["grpc-status"], "4");
}

#[tokio::test]
async fn deadlines_may_be_far_away_or_unreadable() {
    let agent = agent().await;
    let list = crate::client::http()
        .post(format!("{}/lf.a2a.v1.A2AService/ListTasks", agent.url()))
        .header(CONTENT_TYPE, "application/grpc")
        .header(VERSION.0, VERSION.1)
        .body(frame(&[]));
    for timeout in ["99999999H", "soon", ""] {
        let answer = answer(list.try_clone().unwrap().header("grpc-timeout", timeout)).await;
        assert!(answer.status == 200 && !answer.headers.contains_key("grpc-status"), "{timeout}");
    }
}

#[tokio::test]
async fn clients_that_go_leave_nothing_behind() {
    let agent = awaiting_agent().await;
    let mut client = A2aServiceClient::new(channel(&agent).await);
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let all_gone = async |before: usize| {
        while tasks() > before {
            tokio::task::yield_now().await;
        }
    };
    client.list_tasks(with(ListTasksRequest::default(), &[VERSION])).await.unwrap();
    let before = tasks();
    for _ in 0..10 {
        let stream = client.send_streaming_message(with(message("auth-required"), &[VERSION])).await.unwrap();
        next(&mut stream.into_inner()).await.unwrap().unwrap();
    }
    tokio::time::timeout(PATIENCE, all_gone(before)).await.expect("streams end with their clients");
    let listed = client.list_tasks(with(ListTasksRequest::default(), &[VERSION])).await.unwrap().into_inner();
    assert!(listed.tasks.iter().all(|task| task.status.as_ref().unwrap().state() == TaskState::AuthRequired));
}

#[tokio::test]
async fn no_bytes_upset_the_agent() {
    let agent = agent().await;
    let http = crate::client::http();
    let good = message("complete").encode_to_vec();
    for (rpc, seed) in
        ["SendMessage", "SendStreamingMessage", "GetTask", "ListTasks"].into_iter().cycle().zip(0..200_u8)
    {
        let mut bytes = good.clone();
        let place = usize::from(seed) % bytes.len();
        bytes[place] = bytes[place].wrapping_mul(seed).wrapping_add(31);
        bytes.truncate(bytes.len() - usize::from(seed % 3));
        let request = http
            .post(format!("{}/lf.a2a.v1.A2AService/{rpc}", agent.url()))
            .header(CONTENT_TYPE, "application/grpc")
            .header(VERSION.0, VERSION.1);
        assert_eq!(answer(request.body(frame(&bytes))).await.status, 200, "{rpc} of {bytes:?}");
    }
}

#[tokio::test]
async fn stopping_ends_streams() {
    let agent = awaiting_agent().await;
    let mut client = A2aServiceClient::new(channel(&agent).await);
    let mut stream =
        client.send_streaming_message(with(message("auth-required"), &[VERSION])).await.unwrap().into_inner();
    for _ in 0..3 {
        next(&mut stream).await.unwrap().unwrap();
    }
    tokio::time::timeout(PATIENCE, agent.stop()).await.expect("an agent without streams stops");
    assert_eq!(next(&mut stream).await.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test]
async fn what_is_no_grpc_is_told_by_http() {
    let agent = agent().await;
    let http = crate::client::http();
    let url = format!("{}/lf.a2a.v1.A2AService/GetTask", agent.url());
    for media_type in ["application/json", "application/grpc+json", "application/grpc-web", "text/plain"] {
        assert_eq!(answer(http.post(&url).header(CONTENT_TYPE, media_type)).await.status, 415, "{media_type}");
    }
    let get = http.get(&url).header(CONTENT_TYPE, "application/grpc");
    assert_eq!(answer(get).await.status, 405);
    // HTTP/1.1 is not what gRPC travels over, and does no harm.
    let old = answer(http.post(&url).header(CONTENT_TYPE, "application/grpc+proto").body("x")).await;
    assert_eq!((old.status, old.headers["grpc-status"].to_str().unwrap()), (200, "13"));
}

#[tokio::test]
async fn one_connection_serves_calls_side_by_side() {
    let agent = agent().await;
    let client = A2aServiceClient::new(channel(&agent).await);
    let calls = (0..20).map(|_| {
        let mut client = client.clone();
        async move { client.send_message(with(message("slow"), &[VERSION])).await.is_ok() }
    });
    assert!(futures_util::future::join_all(calls).await.into_iter().all(|is_ok| is_ok));
    let mut client = client;
    let listed = client.list_tasks(with(ListTasksRequest::default(), &[VERSION])).await.unwrap().into_inner();
    assert_eq!(listed.total_size, 20);
    let missing = SubscribeToTaskRequest { id: "none".to_owned(), ..SubscribeToTaskRequest::default() };
    assert!(client.subscribe_to_task(with(missing, &[VERSION])).await.is_err());
}

#[tokio::test]
async fn services_describe_themselves() {
    let agent = agent().await;
    let mut client = ServerReflectionClient::new(channel(&agent).await);
    let ask = |request: MessageRequest| ServerReflectionRequest { host: String::new(), message_request: Some(request) };
    let questions = [
        ask(MessageRequest::ListServices(String::new())),
        ask(MessageRequest::FileContainingSymbol("lf.a2a.v1.A2AService".to_owned())),
        ask(MessageRequest::FileContainingSymbol("a2a.v1.A2AService.TaskSubscription".to_owned())),
    ];
    let answers = client.server_reflection_info(Request::new(futures_util::stream::iter(questions))).await;
    let mut answers = answers.unwrap().into_inner();
    let mut response = async || -> MessageResponse {
        let response: ServerReflectionResponse = next(&mut answers).await.unwrap().unwrap();
        response.message_response.unwrap()
    };
    let MessageResponse::ListServicesResponse(services) = response().await else { panic!() };
    let names: Vec<&str> = services.service.iter().map(|service| service.name.as_str()).collect();
    assert!(names.contains(&"lf.a2a.v1.A2AService") && names.contains(&"a2a.v1.A2AService"), "{names:?}");
    for package in ["lf.a2a.v1", "a2a.v1"] {
        let MessageResponse::FileDescriptorResponse(file) = response().await else { panic!() };
        let file = FileDescriptorProto::decode(file.file_descriptor_proto[0].as_slice()).unwrap();
        assert_eq!(file.package(), package);
    }
}
