use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;
use crate::auth::Credentials;
use crate::binding::http::{LONGEST_BODY, Settings};
use crate::transcript::{Limit, TransportError};

const LONG: Duration = Duration::from_secs(10);

async fn receiver_within(timeout: Duration) -> (Http, Receiver) {
    let http = Http::new(Settings { credentials: Credentials::default(), timeout }).unwrap();
    let receiver = Receiver::start(&http, "push/case", |_| ()).await.unwrap();
    (http, receiver)
}

async fn receiver() -> (Http, Receiver) {
    receiver_within(LONG).await
}

/// Sends a request over a connection of its own; all that comes back until the receiver closes.
async fn send(receiver: &Receiver, text: &str) -> String {
    let mut stream = open(receiver, text).await;
    let mut answer = Vec::new();
    // A reset is as good an end as any.
    let _ended = tokio::time::timeout(LONG, stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8(answer).unwrap()
}

async fn open(receiver: &Receiver, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(receiver.url().trim_start_matches("http://")).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nX-Token: t\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn each_request_is_an_exchange_in_the_other_direction() {
    let (http, receiver) = receiver().await;
    let before = http.next_number();
    assert!(send(&receiver, &post("/hook?x=1", "{}")).await.starts_with("HTTP/1.1 200 OK\r\n"));
    let delivery = receiver.delivery(1, LONG).await.unwrap();
    assert_eq!((delivery.direction, delivery.number), (Direction::Inbound, before + 1));
    assert_eq!((delivery.purpose.as_str(), &delivery.ended), ("push/case", &Ended::Complete));
    let request = &delivery.request;
    assert_eq!((request.method.as_str(), &request.body[..]), ("POST", &b"{}"[..]));
    assert_eq!(request.url, format!("{}/hook?x=1", receiver.url()));
    assert!(request.headers.contains(&("x-token".to_owned(), "t".to_owned())));
    assert_eq!(delivery.response.as_ref().map(|response| response.status), Some(200));
    assert_eq!(http.next_number(), before + 2);
}

#[tokio::test]
async fn answers_as_told_and_then_as_before() {
    let (_http, receiver) = receiver().await;
    receiver.answer(Answering::status(204));
    receiver.answer_next([
        Answering::status(503),
        Answering::redirect(307, "http://127.0.0.1:1/elsewhere"),
        Answering::close(),
        Answering::status(201).late(Duration::from_millis(20)),
    ]);
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.push(send(&receiver, &post("/", "")).await);
    }
    let begins = |place: usize, text: &str| answers[place].starts_with(text);
    assert!(begins(0, "HTTP/1.1 503 ") && begins(1, "HTTP/1.1 307 ") && begins(3, "HTTP/1.1 201 "), "{answers:?}");
    assert!(answers[1].contains("location: http://127.0.0.1:1/elsewhere\r\n"), "{answers:?}");
    assert!(answers[2].is_empty() && begins(4, "HTTP/1.1 204 "), "{answers:?}");
    let statuses = receiver.deliveries();
    let statuses = statuses.iter().map(|one| one.response.as_ref().map(|response| response.status));
    assert_eq!(statuses.collect::<Vec<_>>(), [Some(503), Some(307), None, Some(201), Some(204)]);
}

#[tokio::test]
async fn whoever_waits_is_woken_by_the_request_that_it_waits_for() {
    let (_http, receiver) = receiver().await;
    let mut second = Box::pin(receiver.delivery(2, LONG));
    assert!(second.as_mut().now_or_never().is_none());
    send(&receiver, &post("/1", "")).await;
    assert!(second.as_mut().now_or_never().is_none());
    receiver.answer(Answering::silence());
    // It has come although it is never answered.
    let _open = open(&receiver, &post("/2", "")).await;
    assert!(second.await.unwrap().request.url.ends_with("/2"));
    assert!(receiver.delivery(3, Duration::from_millis(10)).await.is_none());
    assert!(receiver.delivery(1, Duration::ZERO).await.unwrap().request.url.ends_with("/1"));
}

#[tokio::test]
async fn what_is_no_whole_request_is_recorded_as_far_as_it_came() {
    let (_http, receiver) = receiver_within(Duration::from_millis(200)).await;
    let cut = post("/", "abc").replace("Content-Length: 3", "Content-Length: 9");
    let mut stream = open(&receiver, &cut).await;
    stream.shutdown().await.unwrap();
    let broken = receiver.delivery(1, LONG).await.unwrap();
    assert_eq!((&broken.ended, &broken.request.body[..]), (&Ended::Failed(TransportError::Reset), &b"abc"[..]));
    assert!(broken.response.is_none());

    let _waiting = open(&receiver, &cut).await;
    assert!(matches!(receiver.delivery(2, LONG).await.unwrap().ended, Ended::TimedOut(_)));

    assert!(send(&receiver, &post("/", &"a".repeat(LONGEST_BODY + 1))).await.starts_with("HTTP/1.1 413 "));
    let long = receiver.delivery(3, LONG).await.unwrap();
    assert_eq!(long.ended, Ended::Endless(Limit::Bytes(LONGEST_BODY)));
    assert!(long.request.body.len() < LONGEST_BODY);
}

#[tokio::test]
async fn nobody_listens_when_it_is_dropped() {
    let (_http, receiver) = receiver().await;
    let address = receiver.url().trim_start_matches("http://").to_owned();
    let mut open = open(&receiver, "POST / HT").await;
    drop(receiver);
    let mut rest = Vec::new();
    // The connection ends with the receiver.
    let _ended = tokio::time::timeout(LONG, open.read_to_end(&mut rest)).await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
