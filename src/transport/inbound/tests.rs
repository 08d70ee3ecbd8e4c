use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;
use crate::auth::Credentials;
use crate::binding::LONGEST_BODY;
use crate::transcript::{Direction, Ended, Limit, TransportError};
use crate::transport::http::Settings;

const LONG: Duration = Duration::from_secs(10);

/// A receiver with a hook, and the client that numbers its exchanges.
struct Fixture {
    http: Http,
    receiver: Receiver,
    hook: Hook,
}

async fn fixture_within(timeout: Duration) -> Fixture {
    let http = Http::new(Settings { credentials: Credentials::default(), timeout }).unwrap();
    let receiver = Receiver::start(&http, &Listen::default()).await.unwrap();
    let hook = receiver.hook("push/case", |_| ()).unwrap();
    Fixture { http, receiver, hook }
}

async fn fixture() -> Fixture {
    fixture_within(LONG).await
}

impl Fixture {
    /// Sends a request over a connection of its own; all that comes back until the receiver closes.
    async fn send(&self, text: &str) -> String {
        let mut stream = self.open(text).await;
        let mut answer = Vec::new();
        // A reset is as good an end as any.
        let _ended = tokio::time::timeout(LONG, stream.read_to_end(&mut answer)).await.unwrap();
        String::from_utf8(answer).unwrap()
    }

    async fn open(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.receiver.url().trim_start_matches("http://")).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    /// A request to the hook.
    fn post(&self, query: &str, body: &str) -> String {
        let path = self.hook.url().strip_prefix(self.receiver.url()).unwrap();
        post(&format!("{path}{query}"), body)
    }

    /// The `nth` delivery, as soon as it has come.
    async fn delivery(&self, nth: usize) -> Arc<Exchange> {
        self.hook.wait(LONG, |all| all.len() >= nth).await.0[nth - 1].clone()
    }
}

fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nX-Token: t\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn each_request_is_an_exchange_in_the_other_direction() {
    let fixture = fixture().await;
    let before = fixture.http.next_number();
    assert!(!fixture.receiver.was_reached());
    assert!(fixture.send(&fixture.post("?x=1", "{}")).await.starts_with("HTTP/1.1 200 OK\r\n"));
    let delivery = fixture.delivery(1).await;
    assert_eq!((delivery.direction, delivery.number), (Direction::Inbound, before + 1));
    assert_eq!((delivery.purpose.as_str(), &delivery.ended), ("push/case", &Ended::Complete));
    let request = &delivery.request;
    assert_eq!((request.method.as_str(), &request.body[..]), ("POST", &b"{}"[..]));
    assert_eq!(request.url, format!("{}?x=1", fixture.hook.url()));
    assert!(request.headers.contains(&("x-token".to_owned(), "t".to_owned())));
    assert_eq!(delivery.response.as_ref().map(|response| response.status), Some(200));
    assert_eq!(fixture.http.next_number(), before + 2);
    assert!(fixture.receiver.was_reached());
}

#[tokio::test]
async fn every_hook_has_a_path_of_its_own_that_ends_with_it() {
    let fixture = fixture().await;
    let other = fixture.receiver.hook("push/other", |_| ()).unwrap();
    assert_ne!(other.url(), fixture.hook.url());
    for path in ["/", "/hook", "/0123456789abcdef0123456789abcdef"] {
        assert!(fixture.send(&post(path, "{}")).await.starts_with("HTTP/1.1 404 "), "{path}");
    }
    assert!(!fixture.receiver.was_reached());
    let gone = other.url().strip_prefix(fixture.receiver.url()).unwrap().to_owned();
    // What stands before a receiver may have put something before its paths.
    assert!(fixture.send(&post(&format!("/tunnel{gone}"), "{}")).await.starts_with("HTTP/1.1 200 "));
    assert_eq!((other.deliveries().len(), fixture.hook.deliveries().len()), (1, 0));
    drop(other);
    assert!(fixture.send(&post(&gone, "{}")).await.starts_with("HTTP/1.1 404 "));
}

#[tokio::test]
async fn an_agent_that_makes_sure_of_the_webhook_gets_its_token_back() {
    let fixture = fixture().await;
    let asked = fixture.post("?validationToken=a%20b", "").replace("POST", "GET");
    let answer = fixture.send(&asked).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n\r\na b"), "{answer}");
    assert!(fixture.hook.deliveries().is_empty() && !fixture.receiver.was_reached());
}

#[tokio::test]
async fn answers_as_told_and_then_as_before() {
    let fixture = fixture().await;
    fixture.hook.answer(Reply::status(204));
    fixture.hook.answer_next([
        Reply::status(503),
        Reply::redirect(307, "http://127.0.0.1:1/elsewhere"),
        Reply::Close,
        Reply::status(201),
    ]);
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.push(fixture.send(&fixture.post("", "")).await);
    }
    let begins = |place: usize, text: &str| answers[place].starts_with(text);
    assert!(begins(0, "HTTP/1.1 503 ") && begins(1, "HTTP/1.1 307 ") && begins(3, "HTTP/1.1 201 "), "{answers:?}");
    assert!(answers[1].contains("location: http://127.0.0.1:1/elsewhere\r\n"), "{answers:?}");
    assert!(answers[2].is_empty() && begins(4, "HTTP/1.1 204 "), "{answers:?}");
    let statuses = fixture.hook.deliveries();
    let statuses = statuses.iter().map(|one| one.response.as_ref().map(|response| response.status));
    assert_eq!(statuses.collect::<Vec<_>>(), [Some(503), Some(307), None, Some(201), Some(204)]);
}

#[tokio::test]
async fn whoever_waits_is_woken_by_the_request_that_it_waits_for() {
    let fixture = fixture().await;
    let mut second = Box::pin(fixture.delivery(2));
    assert!(second.as_mut().now_or_never().is_none());
    fixture.send(&fixture.post("?1", "")).await;
    assert!(second.as_mut().now_or_never().is_none());
    fixture.hook.answer(Reply::Silence);
    // It has come although it is never answered.
    let _open = fixture.open(&fixture.post("?2", "")).await;
    assert!(second.await.request.url.ends_with("?2"));
    let (all, is_enough) = fixture.hook.wait(Duration::from_millis(10), |all| all.len() > 2).await;
    assert_eq!((all.len(), is_enough), (2, false));
    assert!(fixture.hook.wait(Duration::ZERO, |all| all.len() > 1).await.1);
}

#[tokio::test]
async fn what_is_held_back_is_answered_when_it_is_released() {
    let fixture = fixture().await;
    fixture.hook.answer(Reply::Held);
    let request = fixture.post("?1", "");
    let mut held = Box::pin(fixture.send(&request));
    let is_heard = tokio::select! {
        _answer = held.as_mut() => false,
        heard = fixture.delivery(1) => heard.response.is_none(),
    };
    assert!(is_heard && held.as_mut().now_or_never().is_none());
    fixture.hook.release();
    assert!(held.await.starts_with("HTTP/1.1 200 "));
    assert!(fixture.send(&fixture.post("?2", "")).await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn a_hook_elsewhere_is_at_another_origin() {
    let http = Http::new(Settings { credentials: Credentials::default(), timeout: LONG }).unwrap();
    let listen = Listen { is_elsewhere_too: true, ..Listen::default() };
    let receiver = Receiver::start(&http, &listen).await.unwrap();
    let hook = receiver.hook_elsewhere("push/case", |_| ()).unwrap();
    let (origin, path) = hook.url().rsplit_once('/').unwrap();
    assert!(origin.starts_with("http://127.0.0.1:") && origin != receiver.url(), "{origin}");
    let mut stream = TcpStream::connect(origin.trim_start_matches("http://")).await.unwrap();
    stream.write_all(post(&format!("/{path}"), "{}").as_bytes()).await.unwrap();
    let (deliveries, _) = hook.wait(LONG, |all| !all.is_empty()).await;
    assert!(deliveries[0].request.url.starts_with(origin), "{}", deliveries[0].request.url);
    assert!(fixture().await.receiver.hook_elsewhere("push/case", |_| ()).is_err());
}

#[tokio::test]
async fn what_is_no_whole_request_is_recorded_as_far_as_it_came() {
    let fixture = fixture_within(Duration::from_millis(200)).await;
    let cut = fixture.post("", "abc").replace("Content-Length: 3", "Content-Length: 9");
    let mut stream = fixture.open(&cut).await;
    stream.shutdown().await.unwrap();
    let broken = fixture.delivery(1).await;
    assert_eq!((&broken.ended, &broken.request.body[..]), (&Ended::Failed(TransportError::Reset), &b"abc"[..]));
    assert!(broken.response.is_none());

    let _waiting = fixture.open(&cut).await;
    assert!(matches!(fixture.delivery(2).await.ended, Ended::TimedOut(_)));

    let long = fixture.post("", &"a".repeat(LONGEST_BODY + 1));
    assert!(fixture.send(&long).await.starts_with("HTTP/1.1 413 "));
    let long = fixture.delivery(3).await;
    assert_eq!(long.ended, Ended::Endless(Limit::Bytes(LONGEST_BODY)));
    assert!(long.request.body.len() < LONGEST_BODY);
}

#[tokio::test]
async fn there_is_room_for_so_many_bytes_until_a_hook_ends() {
    let fixture = fixture().await;
    let full = fixture.post("", &"a".repeat(LONGEST_BODY));
    for _ in 0..MOST_HELD / LONGEST_BODY {
        assert!(fixture.send(&full).await.starts_with("HTTP/1.1 200 "));
    }
    assert!(fixture.send(&full).await.starts_with("HTTP/1.1 503 "));
    let other = fixture.receiver.hook("push/other", |_| ()).unwrap();
    let Fixture { http, receiver, hook } = fixture;
    drop(hook);
    let fixture = Fixture { http, receiver, hook: other };
    assert!(fixture.send(&fixture.post("", "{}")).await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn the_agent_is_told_the_url_that_leads_here() {
    let http = Http::new(Settings { credentials: Credentials::default(), timeout: LONG }).unwrap();
    let listen = Listen { url: Some("https://tunnel.example/in/".to_owned()), ..Listen::default() };
    let receiver = Receiver::start(&http, &listen).await.unwrap();
    let hook = receiver.hook("push/case", |_| ()).unwrap();
    assert!(hook.url().starts_with("https://tunnel.example/in/"), "{}", hook.url());
}

#[tokio::test]
async fn the_query_of_that_url_goes_with_each_hook() {
    let http = Http::new(Settings { credentials: Credentials::default(), timeout: LONG }).unwrap();
    let listen = Listen { url: Some("https://tunnel.example/in/?key=a&b#c".to_owned()), ..Listen::default() };
    let receiver = Receiver::start(&http, &listen).await.unwrap();
    assert_eq!(receiver.url(), "https://tunnel.example/in");
    let hook = receiver.hook("push/case", |_| ()).unwrap();
    let name = hook.url().strip_prefix("https://tunnel.example/in/").and_then(|rest| rest.strip_suffix("?key=a&b"));
    assert!(name.is_some_and(|name| receiver.shared.path(&format!("/in/{name}")).is_some()), "{}", hook.url());
}

#[tokio::test]
async fn nobody_listens_when_it_is_dropped() {
    let fixture = fixture().await;
    let address = fixture.receiver.url().trim_start_matches("http://").to_owned();
    let mut open = fixture.open("POST / HT").await;
    drop(fixture);
    let mut rest = Vec::new();
    // The connection ends with the receiver.
    let _ended = tokio::time::timeout(LONG, open.read_to_end(&mut rest)).await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
