use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::words::Words;
use super::*;
use crate::auth::Credentials;
use crate::binding::http::Settings;
use crate::discovery::triggers::Triggers;
use crate::interface::Interface;
use crate::profile::{self, Binding};
use crate::transcript::Direction;

/// A session that talks to nobody, and what it tells.
fn session() -> (Session, mpsc::UnboundedReceiver<Event>) {
    let profiles = profile::bundled().unwrap();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    let interface = Interface::new(profile, Binding::Jsonrpc, "http://127.0.0.1:1/".to_owned()).unwrap();
    let settings = Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) };
    let http = Arc::new(Http::new(settings).unwrap());
    let options = Options {
        max_messages: None,
        words: Arc::new(Words::new(Triggers::default(), None)),
        places: Places::new(1),
        keys: Arc::default(),
    };
    let (events, heard) = mpsc::unbounded_channel();
    let sink = EventSink::new(events, http.began());
    (Session::new(Connection::new(interface, Arc::clone(&http)), http, options, sink), heard)
}

#[tokio::test]
async fn requests_of_the_agent_are_told_and_waited_for() {
    let (session, mut heard) = session();
    let receiver = session.receiver("push/case").await.unwrap();
    let mut stream = TcpStream::connect(receiver.url().trim_start_matches("http://")).await.unwrap();
    let request = "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    stream.write_all(request.as_bytes()).await.unwrap();
    let delivery = session.delivery(&receiver, 1).await.unwrap();
    assert_eq!((delivery.direction, &delivery.request.body[..]), (Direction::Inbound, &b"{}"[..]));
    let Some(Event::Exchanged(told)) = heard.recv().await else { panic!("it is told") };
    assert_eq!(told.number, delivery.number);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn a_call_is_written_by_its_binding_and_counts() {
    let (session, _heard) = session();
    let call = |operation| CallRequest {
        operation,
        params: serde_json::json!({ "id": "t" }),
        rpc_id: None,
        headers: Vec::new(),
        purpose: "test".to_owned(),
    };
    let (number, outgoing) = session.write(call(Operation::GetTask), false).unwrap();
    assert_eq!((outgoing.method.as_str(), outgoing.rpc_id), ("POST", Some(serde_json::json!(number))));
    // What is wrong by mistake is not written.
    assert!(matches!(session.write(call(Operation::SendMessage), false), Err(StepError::Broken(_))));
    assert_eq!(session.messages_sent(), 0);
    session.write(call(Operation::SendMessage), true).unwrap();
    assert_eq!(session.messages_sent(), 1);
}
