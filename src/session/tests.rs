use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::words::Words;
use super::*;
use crate::auth::Credentials;
use crate::binding::CallRequest;
use crate::case::{Deliveries, Enough, HookAnswer, Webhook};
use crate::discovery::triggers::Triggers;
use crate::event::Event;
use crate::interface::Interface;
use crate::profile::{self, Binding};
use crate::transcript::{Content, Direction};
use crate::transport::http::Settings;
use crate::transport::inbound::{Hook, Listen};

/// A session that talks to nobody, and what it tells.
async fn session() -> (Session, mpsc::UnboundedReceiver<Event>) {
    session_within(Duration::from_secs(10)).await
}

/// The same that waits for so long.
async fn session_within(timeout: Duration) -> (Session, mpsc::UnboundedReceiver<Event>) {
    let profiles = profile::bundled().unwrap();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    let interface = Interface::new(profile, Binding::Jsonrpc, "http://127.0.0.1:1/".to_owned()).unwrap();
    let settings = Settings { credentials: Credentials::default(), timeout };
    let http = Arc::new(Http::new(settings).unwrap());
    let options = Options {
        max_messages: None,
        messages: Arc::default(),
        words: Arc::new(Words::new(Triggers::default(), None)),
        places: Places::new(1),
        trust: Arc::default(),
        webhooks: Some(Arc::new(Receiver::start(&http, &Listen::default()).await.unwrap())),
    };
    let (events, heard) = mpsc::unbounded_channel();
    let sink = EventSink::new(events, http.began(), crate::report::Secrets::default());
    (Session::new(Connection::new(interface, Arc::clone(&http)), http, options, sink), heard)
}

/// Posts a body to a webhook, as an agent does; gives what it is answered.
async fn post(hook: &Hook, body: &str) -> String {
    let (host, path) = hook.url().trim_start_matches("http://").split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let length = body.len();
    let head = format!("POST /{path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let mut answer = String::new();
    // A reset is as good an end as any.
    let _ended = stream.read_to_string(&mut answer).await;
    answer
}

fn to_hook(enough: Enough) -> Deliveries {
    Deliveries { to: "hook".to_owned(), enough }
}

#[tokio::test]
async fn what_the_agent_posts_is_told_waited_for_and_read() {
    let (session, mut heard) = session().await;
    let hook = session.hook(&Webhook::default(), "push/case").unwrap();
    let status =
        |state: &str| format!(r#"{{"statusUpdate":{{"taskId":"t","status":{{"state":"TASK_STATE_{state}"}}}}}}"#);
    assert!(post(&hook, &status("WORKING")).await.starts_with("HTTP/1.1 200 "));
    let Some(Event::Exchanged(told)) = heard.recv().await else { panic!("it is told") };
    let one = session.deliveries(&hook, &to_hook(Enough::Count(1))).await;
    assert_eq!((one.answers[0].exchange.number, one.is_enough, one.was_reached), (told.number, true, true));
    assert_eq!(told.direction, Direction::Inbound);
    let (wanted, ended) = (to_hook(Enough::Ended), status("COMPLETED"));
    let (ended, _) = tokio::join!(session.deliveries(&hook, &wanted), post(&hook, &ended));
    assert!(ended.is_enough);
    assert_eq!(ended.value()[1]["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
    post(&hook, "<p>").await;
    let all = session.deliveries(&hook, &to_hook(Enough::Quiet)).await;
    assert!(all.is_enough && matches!(all.answers[2].content, Content::Unreadable(_)));
}

#[tokio::test]
async fn nobody_waits_again_and_again_for_an_agent_that_does_not_get_here() {
    let (session, _heard) = session_within(Duration::from_millis(400)).await;
    let hook = session.hook(&Webhook::default(), "push/case").unwrap();
    let wanted = to_hook(Enough::Count(1));
    let mut limits = Vec::new();
    for _ in 0..3 {
        let delivered = session.deliveries(&hook, &wanted).await;
        assert!(!delivered.is_enough && !delivered.was_reached);
        limits.push(delivered.limit.as_millis());
    }
    assert_eq!(limits, [400, 400, 300]);
    post(&hook, "{}").await;
    assert!(session.deliveries(&hook, &wanted).await.is_enough);
    assert_eq!(session.deliveries(&hook, &to_hook(Enough::Count(2))).await.limit.as_millis(), 400);
}

#[tokio::test]
async fn a_webhook_answers_as_its_case_says() {
    let (session, _heard) = session().await;
    let status = |status, headers: &[(&str, &str)]| {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        HookAnswer::Status(status, headers.collect())
    };
    let redirect = HookAnswer::Redirect(308, "other".to_owned());
    let answer = vec![status(429, &[("retry-after", "0")]), redirect, HookAnswer::Close, status(204, &[])];
    let webhook = Webhook { answer, elsewhere: false };
    let hook = session.hook(&webhook, "push/case").unwrap();
    Session::set_answers(&hook, &webhook, |name| Some("http://other/").filter(|_| name == "other")).unwrap();
    let moved = "HTTP/1.1 308 Permanent Redirect\r\nlocation: http://other/\r\n";
    let late = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 0\r\n";
    for wanted in [late, moved, "", "HTTP/1.1 204 ", "HTTP/1.1 204 "] {
        let answer = post(&hook, "{}").await;
        assert!(answer.starts_with(wanted) && answer.is_empty() == wanted.is_empty(), "{answer}");
    }
    assert!(Session::set_answers(&hook, &webhook, |_| None).is_err());
}

#[tokio::test]
async fn a_call_is_written_by_its_binding_and_counts() {
    let (session, _heard) = session().await;
    let call = |operation| CallRequest {
        operation,
        params: serde_json::json!({ "id": "t" }).into(),
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
