use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Http, MOST_EVENTS, Outgoing, RawEvent, Settings};
use crate::auth::Credentials;
use crate::transcript::{Ended, Limit, TransportError};
use crate::transport::memory::{Memory, Reply};

/// Answers as many requests as it may on one connection, and hangs up on the next.
async fn serve(mut connection: TcpStream, answers: usize) {
    let mut buffer = [0; 4096];
    for _ in 0..answers {
        if connection.read(&mut buffer).await.unwrap_or(0) == 0 {
            return;
        }
        connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.expect("write");
    }
    let _ = connection.read(&mut buffer).await;
}

/// A server whose connections bear `answers` requests each; its address, and how many connections it has seen.
async fn server(answers: usize) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(serve(connection, answers));
        }
    });
    (url, seen)
}

fn client() -> Http {
    Http::new(Settings { credentials: Credentials::default(), timeout: Duration::from_secs(10) }).expect("a client")
}

#[tokio::test]
async fn a_connection_that_the_server_gave_up_costs_no_answer() {
    let (url, seen) = server(1).await;
    let http = client();
    for _ in 0..3 {
        let exchange = http.fetch("GET", &url, &[], "test").await;
        assert_eq!(exchange.response.map(|response| response.status), Some(200), "{:?}", exchange.ended);
    }
    assert_eq!(seen.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_server_that_always_hangs_up_is_asked_twice() {
    let (url, seen) = server(0).await;
    let exchange = client().fetch("GET", &url, &[], "test").await;
    assert_eq!(exchange.ended, Ended::Failed(TransportError::Reset));
    assert_eq!(seen.load(Ordering::Relaxed), 2);
}

/// How an exchange ended whose answer is these bytes, behind which the server closes the connection.
async fn after(answer: String) -> (Option<u16>, Ended) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let _ = connection.read(&mut [0; 4096]).await;
            let _ = connection.write_all(answer.as_bytes()).await;
            let _ = connection.shutdown().await;
            // What the client still has to say is read, so that nothing is reset.
            while connection.read(&mut [0; 4096]).await.is_ok_and(|size| size > 0) {}
        }
    });
    let exchange = client().fetch("GET", &url, &[], "test").await;
    (exchange.response.map(|response| response.status), exchange.ended)
}

const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

#[tokio::test]
async fn who_closes_the_connection_has_closed_it() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-le",
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n",
    ] {
        let (_, ended) = after(answer.to_owned()).await;
        assert_eq!(ended, Ended::Failed(TransportError::Reset), "{answer:?}");
    }
}

#[tokio::test]
async fn who_breaks_http_is_told_so() {
    for answer in [
        "220 smtp\r\n\r\n".to_owned(),
        "HTTP/1.1 2x0 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc".to_owned(),
        format!("{CHUNKED}xyz\r\n"),
        format!("{CHUNKED}\r\nab\r\n"),
        format!("{CHUNKED}2\r\nabc\r\n0\r\n\r\n"),
        format!("{CHUNKED}2;a\nab\r\n0\r\n\r\n"),
        format!("{CHUNKED}fffffffffffffffff\r\nab\r\n0\r\n\r\n"),
    ] {
        let (_, ended) = after(answer.clone()).await;
        assert!(matches!(ended, Ended::Failed(TransportError::NotHttp1(_))), "{answer:?}: {ended:?}");
    }
}

#[tokio::test]
async fn what_our_client_does_not_read_is_our_limit_and_named() {
    let extension = format!("1;{}\r\na\r\n", "x".repeat(4_000)).repeat(5);
    let fields = |count: usize| (0..count).map(|number| format!("x-{number}: 1\r\n")).collect::<String>();
    for (answer, limit) in [
        (format!("{CHUNKED}{extension}0\r\n\r\n"), "16 KiB of chunk extensions"),
        (format!("{CHUNKED}1\r\na\r\n0\r\nx: {}\r\n\r\n", "x".repeat(20_000)), "16 KiB of trailers"),
        (format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "x".repeat(2_000_000)), "400 KiB or 2048 fields"),
        (format!("HTTP/1.1 200 OK\r\n{}\r\n", fields(2_100)), "400 KiB or 2048 fields"),
    ] {
        let (_, ended) = after(answer).await;
        let Ended::Failed(error @ TransportError::OwnLimit(_)) = &ended else { panic!("{limit}: {ended:?}") };
        assert!(error.to_string().contains(limit), "{error}");
    }
    let many = format!("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n{}\r\n{{}}", fields(1_500));
    assert_eq!(after(many).await, (Some(200), Ended::Complete), "a head with many fields is right");
}

const LIMIT: Duration = Duration::from_secs(10);

/// A client of an agent in memory that answers like this for ever.
fn client_of(kind: &'static str, pieces: Vec<(Duration, &'static str)>) -> Http {
    let pieces: Vec<_> =
        pieces.into_iter().map(|(after, piece)| (after, Bytes::from_static(piece.as_bytes()))).collect();
    let reply = move |_: &Outgoing| Reply {
        after: Duration::ZERO,
        head: Some((200, kind)),
        pieces: pieces.clone(),
        ended: None,
    };
    let settings = Settings { credentials: Credentials::default(), timeout: LIMIT };
    Http::over(Arc::new(Memory::new(reply)), settings)
}

fn request() -> Outgoing {
    Outgoing {
        method: "POST".to_owned(),
        url: "http://agent.test/".to_owned(),
        headers: Vec::new(),
        body: Bytes::new(),
        operation: None,
        params: Arc::default(),
        rpc_id: None,
        purpose: "test".to_owned(),
    }
}

/// Each piece comes in time, and the whole never does.
#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_has_the_time_of_one_answer() {
    let trickle = vec![(Duration::from_secs(1), " "); 1_000];
    let exchange = client_of("application/json", trickle).fetch("GET", "http://agent.test/", &[], "test").await;
    assert_eq!((exchange.ended, exchange.elapsed), (Ended::TimedOut(LIMIT), LIMIT));
    assert_eq!(exchange.response.map(|response| response.status), Some(200));
}

/// What comes after the JSON belongs to the answer, which has not ended.
#[tokio::test(start_paused = true)]
async fn whitespace_without_end_behind_a_whole_value_is_no_end() {
    let mut pieces = vec![(Duration::ZERO, "{}")];
    pieces.extend(vec![(Duration::from_millis(900), "\n"); 1_000]);
    let exchange = client_of("application/json", pieces).fetch("GET", "http://agent.test/", &[], "test").await;
    assert_eq!((exchange.ended, exchange.elapsed), (Ended::TimedOut(LIMIT), LIMIT));
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_events_has_the_time_of_one_answer() {
    for line in ["id: 1\n", "id: 1\n\n", ": still here\n\n", "data: and", "retry: 1\n", "event: x\n\n"] {
        let http = client_of("text/event-stream", vec![(Duration::from_secs(1), line); 1_000]);
        let mut incoming = http.send(1, request()).await;
        assert!(http.next_event(&mut incoming, None).await.is_none());
        let exchange = incoming.into_exchange();
        assert_eq!((exchange.ended, exchange.elapsed), (Ended::TimedOut(LIMIT), LIMIT), "{line:?}");
    }
}

/// An event takes many times its bytes: of a megabyte of empty ones no more are held than are read.
#[tokio::test(start_paused = true)]
async fn of_a_flood_of_events_no_more_are_held_than_are_read() {
    const FLOOD: &str = "data:\n\ndata:\n\ndata:\n\ndata:\n\n";
    let flood: &'static str = FLOOD.repeat(32 << 10).leak();
    let http = client_of("text/event-stream", vec![(Duration::ZERO, flood)]);
    let mut incoming = http.send(1, request()).await;
    let mut seen = 0;
    while http.next_event(&mut incoming, None).await.is_some() {
        seen += 1;
        assert!(incoming.waiting.len() <= MOST_EVENTS, "{}", incoming.waiting.len());
    }
    let exchange = incoming.into_exchange();
    assert_eq!((seen, exchange.ended), (MOST_EVENTS, Ended::Endless(Limit::Events(MOST_EVENTS))));
    let times = vec![Duration::ZERO; 3];
    assert_eq!(RawEvent::all_in(flood.as_bytes(), &times).len(), times.len());
}
