//! Each variation changes bytes of at least one exchange: what changes none could not be seen to be survived.

use std::time::{Duration, Instant};

use a2a_reference_agent::{Config, RunningAgent, Variation};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::client::start;
use crate::grpc::proto::v1_0 as proto;

/// How long nothing more may come at a webhook before that is all.
const QUIET: Duration = Duration::from_millis(250);

/// How long a stream that stays open is waited for.
const OPEN: Duration = Duration::from_secs(3);

/// What an agent says to the same requests over HTTP/1.1, byte by byte, and over HTTP/2, frame by frame.
struct Seen {
    bytes: String,
    took: Duration,
}

async fn seen(variations: Vec<&'static Variation>, has_webhook: bool) -> Seen {
    // Of a URL that stays the same, so that the tag of the card does.
    let public_url = Some("http://agent.example".to_owned());
    let agent = start(Config { variations, public_url, slow: Duration::from_millis(20), ..Config::default() }).await;
    let began = Instant::now();
    let mut text = over_http(&agent).await;
    let took = began.elapsed();
    text.push_str(&over_grpc(&agent).await);
    if has_webhook {
        text.push_str(&at_webhook(&agent).await);
    }
    let port = agent.url().rsplit(':').next().unwrap_or_default().to_owned();
    let text = text.replace(&port, "PORT");
    // Times differ from run to run, and in no other way than by their digits; signatures have random letters.
    let text = without_signatures(&text);
    let bytes = text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    agent.stop().await;
    Seen { bytes, took }
}

/// A text with a mark in place of each run of more than 80 characters of base64.
fn without_signatures(text: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let words = text.split_inclusive(|letter| !is_letter(letter));
    words.map(|word| if word.len() > 80 { "SIGNATURE" } else { word }).collect()
}

fn message(version: &str, text: &str) -> Value {
    match version {
        "1.0" => json!({ "message": { "messageId": text, "role": "ROLE_USER", "parts": [{ "text": text }] } }),
        "0.3" => json!({
            "message": { "kind": "message", "messageId": text, "role": "user", "parts": [{ "kind": "text", "text": text }] }
        }),
        _ => json!({ "id": text, "message": { "role": "user", "parts": [{ "type": "text", "text": text }] } }),
    }
}

/// The requests, in one piece: they are answered in turn.
fn requests() -> Vec<String> {
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\n\r\n");
    let post = |path: &str, body: &Value| {
        let body = body.to_string();
        let head = "Host: localhost\r\nA2A-Version: 1.0\r\nAuthorization: Bearer x\r\nContent-Type: application/json";
        format!("POST {path} HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    let call = |path: &str, method: &str, params: &Value| {
        post(path, &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
    };
    let mut all = vec![get("/.well-known/agent-card.json")];
    for text in ["complete", "complete", "data", "chunks", "input-required", "message", "file", "fail"] {
        all.push(call("/1.0", "SendMessage", &message("1.0", text)));
        all.push(post("/rest/message:send", &message("1.0", text)));
    }
    for text in ["complete", "auth-required", "chunks"] {
        all.push(call("/1.0", "SendStreamingMessage", &message("1.0", text)));
        all.push(post("/rest/message:stream", &message("1.0", text)));
    }
    for (method, params) in [
        ("GetTask", json!({ "id": "task-000001" })),
        ("GetTask", json!({ "id": "no" })),
        ("CancelTask", json!({ "id": "task-000001" })),
        ("ListTasks", json!({})),
        ("NoSuch", json!({})),
        ("GetExtendedAgentCard", json!({})),
        (
            "CreateTaskPushNotificationConfig",
            json!({ "taskId": "task-000001", "id": "c", "url": "http://127.0.0.1:9/" }),
        ),
    ] {
        all.push(call("/1.0", method, &params));
    }
    let config = json!({ "id": "d", "url": "http://127.0.0.1:9/" });
    all.push(post("/rest/tasks/task-000001/pushNotificationConfigs", &config));
    all.push(
        "DELETE /rest/tasks/task-000001/pushNotificationConfigs/d HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\n\r\n"
            .replace("Host: a", "Host: localhost"),
    );
    all.extend(["/rest/tasks/task-000001", "/rest/tasks/no", "/rest/tasks"].map(get));
    for text in ["complete", "chunks"] {
        all.push(call("/0.3", "message/send", &message("0.3", text)));
        all.push(call("/0.3", "message/stream", &message("0.3", text)));
    }
    all.push(call("/0.3", "tasks/get", &json!({ "id": "no" })));
    all.push(call("/0.1/a2a", "tasks/send", &message("0.1", "complete")));
    all
}

/// Answers byte by byte. A request whose connection is closed before it is asked again on another one.
async fn over_http(agent: &RunningAgent) -> String {
    let mut seen = Vec::new();
    let mut stream: Option<TcpStream> = None;
    for request in requests() {
        let mut open = match stream.take() {
            Some(open) => open,
            None => TcpStream::connect(agent.url().trim_start_matches("http://")).await.unwrap(),
        };
        open.write_all(request.as_bytes()).await.unwrap();
        let (answer, is_over) = answer(&mut open).await;
        let text = String::from_utf8_lossy(&answer).to_ascii_lowercase();
        seen.extend(answer);
        stream = (is_over && !text.contains("\r\nconnection: close")).then_some(open);
    }
    String::from_utf8_lossy(&seen).into_owned()
}

/// One answer, with its body as it is framed, and whether it came to its end: a stream may stay open.
async fn answer(stream: &mut TcpStream) -> (Vec<u8>, bool) {
    let mut seen: Vec<u8> = Vec::new();
    let mut piece = [0; 65_536];
    loop {
        if is_whole(&seen) {
            return (seen, true);
        }
        match tokio::time::timeout(OPEN, stream.read(&mut piece)).await {
            Err(_) | Ok(Ok(0) | Err(_)) => return (seen, false),
            Ok(Ok(count)) => seen.extend_from_slice(&piece[..count]),
        }
    }
}

fn is_whole(seen: &[u8]) -> bool {
    let Some(end) = seen.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&seen[..end]).to_ascii_lowercase();
    let body = &seen[end + 4..];
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
    match length {
        Some(length) => body.len() >= length,
        None if head.contains("transfer-encoding: chunked") => body.ends_with(b"0\r\n\r\n"),
        None => true,
    }
}

/// Answers frame by frame.
async fn over_grpc(agent: &RunningAgent) -> String {
    let say = |text: &str| proto::SendMessageRequest {
        message: Some(proto::Message {
            message_id: text.to_owned(),
            role: proto::Role::User.into(),
            parts: vec![proto::Part {
                content: Some(proto::part::Content::Text(text.to_owned())),
                ..Default::default()
            }],
            ..Default::default()
        }),
        ..Default::default()
    };
    let unknown = proto::GetTaskRequest { id: "no".to_owned(), ..Default::default() };
    let calls = [
        ("SendMessage", say("complete").encode_to_vec()),
        ("SendStreamingMessage", say("complete").encode_to_vec()),
        ("GetTask", unknown.encode_to_vec()),
    ];
    let stream = TcpStream::connect(agent.url().trim_start_matches("http://")).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut seen = String::new();
    for (name, message) in calls {
        let mut body = vec![0];
        body.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        body.extend(message);
        let request = hyper::Request::post(format!("{}/lf.a2a.v1.A2AService/{name}", agent.url()))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("a2a-version", "1.0")
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        seen.push_str(&headers(response.headers()));
        let mut body = response.into_body();
        while let Some(Ok(frame)) = body.frame().await {
            match frame.into_data() {
                // Times take more or fewer bytes; what is in the frame is compared as text.
                Ok(data) => seen.push_str(&format!("{}\n", text(&data))),
                Err(frame) => seen.push_str(&headers(frame.trailers_ref().unwrap())),
            }
        }
    }
    seen
}

/// What can be read of bytes, and where they end.
fn text(bytes: &[u8]) -> String {
    let plain = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' };
    let text: String = bytes.iter().map(plain).collect();
    // The time of a status: six of its bytes are about when it was.
    let letters: String = text.chars().filter(|letter| letter.is_ascii_alphabetic()).collect();
    if text.len() < 8 { format!("{}:{letters}", text.len()) } else { format!("long:{}", marks(&letters)) }
}

/// Words of a text that no time can bring about.
fn marks(letters: &str) -> String {
    ["echo", "complete", "left", "right", "remark", "Thatisall", "context"]
        .into_iter()
        .filter(|word| letters.contains(word))
        .collect()
}

fn headers(headers: &hyper::HeaderMap) -> String {
    let line = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
        let value = if name == "date" { "now".into() } else { String::from_utf8_lossy(value.as_bytes()).into_owned() };
        format!("{name}: {value}\n")
    };
    headers.iter().map(line).collect()
}

/// What is posted to a webhook.
async fn at_webhook(agent: &RunningAgent) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let mut params = message("1.0", "complete");
    params["configuration"] = json!({ "taskPushNotificationConfig": { "id": "c", "url": url } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params }).to_string();
    let head = "POST /1.0 HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nConnection: close\r\nContent-Type: application/json";
    let mut stream = TcpStream::connect(agent.url().trim_start_matches("http://")).await.unwrap();
    stream.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await.unwrap();
    let mut seen = String::new();
    while let Ok(Ok((mut posted, _))) = tokio::time::timeout(QUIET, listener.accept()).await {
        let (request, _) = answer(&mut posted).await;
        seen.push_str(&String::from_utf8_lossy(&request));
        let _gone = posted.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
    }
    seen.replace(&url, "URL")
}

#[tokio::test]
async fn each_changes_bytes() {
    let plain = seen(Vec::new(), true).await;
    let again = seen(Vec::new(), true).await;
    assert_eq!(plain.bytes, again.bytes, "an agent without a variation says the same twice");
    let without_webhook = seen(Vec::new(), false).await;
    let mut idle = Vec::new();
    let all = Variation::all().unwrap().iter().map(|variation| async move {
        let has_webhook = variation.id.starts_with("push/");
        (variation, has_webhook, seen(vec![variation], has_webhook).await)
    });
    let mut all = futures_util::stream::iter(all).buffered(8);
    while let Some((variation, has_webhook, varied)) = all.next().await {
        let before = if has_webhook { &plain } else { &without_webhook };
        // Pauses are no bytes.
        let is_later = variation.id.ends_with("/slow") && varied.took > before.took + Duration::from_millis(40);
        if varied.bytes == before.bytes && !is_later {
            idle.push(variation.id.as_str());
        }
    }
    assert!(idle.is_empty(), "nothing is changed by {}", idle.join(", "));
}
