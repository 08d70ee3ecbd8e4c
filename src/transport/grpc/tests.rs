mod peer;
mod tls;

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use h2::Reason;
use serde_json::json;

use super::*;
use crate::auth::token::{Grant, NotRenewed, Renew, Token};
use crate::auth::{Credentials, Identity};
use crate::transport::http::Settings;
use crate::wire::grpc::{Code, Decoder, DetailsError, FrameErrorKind, frame};
use peer::{Event, Peer, Piece, Script};

/// Longer than anything takes that is to happen.
const LONG: Duration = Duration::from_secs(20);
/// How long to wait for what is not to happen.
const SHORT: Duration = Duration::from_millis(100);

/// A client with a token for what is at this URL.
fn http(url: &str, timeout: Duration) -> Arc<Http> {
    let token = Identity::at(url, "Bearer secret".to_owned());
    let credentials = Credentials::default().and(token);
    Arc::new(Http::new(Settings { credentials, timeout }).unwrap())
}

fn grpc(address: SocketAddr, timeout: Duration) -> Grpc {
    let url = format!("http://{address}");
    Grpc::new(&url, None, http(&url, timeout)).unwrap()
}

fn outgoing() -> Outgoing {
    Outgoing {
        path: "/a2a.Service/GetTask".to_owned(),
        metadata: vec![("a2a-version".to_owned(), "1.0".to_owned()), ("trace-bin".to_owned(), "AAE".to_owned())],
        message: Bytes::from_static(b"ask"),
        prefix: None,
        streams: false,
        content_type: None,
        text: Bytes::from_static(b"{\"id\": \"t-1\"}"),
        operation: Some(Operation::GetTask),
        params: json!({ "id": "t-1" }).into(),
        purpose: "a test".to_owned(),
    }
}

/// A message in its frame.
fn message(text: &'static str) -> Piece {
    Piece::Data(frame(text.as_bytes()).unwrap())
}

fn data(bytes: &'static [u8]) -> Piece {
    Piece::Data(Bytes::from_static(bytes))
}

fn ok() -> Piece {
    Piece::Trailers(vec![("grpc-status", "0")])
}

/// The messages of a whole answer, its status, and its record.
async fn whole(grpc: &Grpc, outgoing: Outgoing) -> (Vec<Bytes>, Option<Status>, Exchange) {
    let mut incoming = grpc.send(7, outgoing).await;
    let messages = grpc.read_to_end(&mut incoming).await;
    assert!(incoming.is_over());
    (messages.into_iter().map(|message| message.bytes).collect(), incoming.status(), incoming.into_exchange())
}

/// What comes of an answer by this script.
async fn answered(script: Script) -> (Vec<Bytes>, Option<Status>, Exchange) {
    let peer = Peer::start(script).await;
    whole(&grpc(peer.address, LONG), outgoing()).await
}

/// How a call ends that gets no answer.
async fn failure(grpc: &Grpc) -> Ended {
    let (messages, status, exchange) = whole(grpc, outgoing()).await;
    assert!(messages.is_empty() && status.is_none() && exchange.response.is_none(), "{exchange:?}");
    exchange.ended
}

/// What is wrong with the frames of a response.
fn wrong_frame(response: &Response) -> Option<FrameErrorKind> {
    let mut decoder = Decoder::new(response.header("grpc-encoding"), LONGEST_BODY);
    let pushed = decoder.push(&response.body).err();
    pushed.or_else(|| decoder.finish().err()).map(|error| error.kind)
}

#[tokio::test]
async fn carries_a_unary_call() {
    let mut peer = Peer::start(Script::grpc(vec![message("answer"), ok()])).await;
    let grpc = grpc(peer.address, LONG);
    let (messages, status, exchange) = whole(&grpc, outgoing()).await;

    assert!(matches!(peer.event().await, Event::Connected));
    let Event::Asked(head, body) = peer.event().await else { panic!("no request") };
    assert_eq!((head.method.as_str(), head.uri.path()), ("POST", "/a2a.Service/GetTask"));
    assert_eq!(head.uri.authority().unwrap().as_str(), peer.address.to_string());
    for (name, value) in [
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        ("a2a-version", "1.0"),
        ("trace-bin", "AAE"),
        ("authorization", "Bearer secret"),
        ("user-agent", USER_AGENT),
    ] {
        assert_eq!(head.headers[name], value);
    }
    assert_eq!(head.headers.len(), 6, "{:?}", head.headers);
    assert_eq!(body, frame(b"ask").unwrap());

    assert_eq!(messages, ["answer"]);
    let status = status.unwrap();
    assert_eq!((status.code, status.is_in_headers), (Some(Code::Ok), false));
    assert_eq!((exchange.number, exchange.purpose.as_str(), &exchange.ended), (7, "a test", &Ended::Complete));
    let request = exchange.request;
    assert_eq!((request.method.as_str(), request.body), ("POST", outgoing().text));
    assert_eq!(request.url, format!("http://{}/a2a.Service/GetTask", peer.address));
    let recorded: Vec<_> = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(
        recorded,
        [
            ("content-type", "application/grpc"),
            ("te", "trailers"),
            ("a2a-version", "1.0"),
            ("trace-bin", "AAE"),
            ("authorization", "***"),
        ]
    );
    let response = exchange.response.unwrap();
    assert_eq!((response.status, response.body), (200, frame(b"answer").unwrap()));
    assert_eq!(response.trailers, [("grpc-status".to_owned(), "0".to_owned())]);
}

#[tokio::test]
async fn sends_metadata_and_content_type_as_they_are_given() {
    let mut peer = Peer::start(Script::grpc(vec![message("answer"), ok()])).await;
    let mut outgoing = outgoing();
    outgoing.content_type = Some("application/json".to_owned());
    // A deadline that is over at once: it is the agent's to keep, and this one does not.
    outgoing.metadata.push(("grpc-timeout".to_owned(), "1n".to_owned()));
    outgoing.metadata.push(("a2a-version".to_owned(), "0.3".to_owned()));
    let (messages, status, exchange) = whole(&grpc(peer.address, LONG), outgoing).await;
    assert_eq!((messages.len(), status.unwrap().code), (1, Some(Code::Ok)));
    assert_eq!(exchange.request.headers[0].1, "application/json");
    assert!(matches!(peer.event().await, Event::Connected));
    let Event::Asked(head, _) = peer.event().await else { panic!("no request") };
    assert_eq!(
        (&head.headers["content-type"], &head.headers["grpc-timeout"]),
        (&"application/json".parse().unwrap(), &"1n".parse().unwrap())
    );
    assert!(head.headers.get_all("a2a-version").iter().eq(["1.0", "0.3"]));
}

#[tokio::test]
async fn names_metadata_that_cannot_be_sent() {
    for (name, value) in [("two words", "x"), ("name", "two\nlines"), ("", "x")] {
        let mut outgoing = outgoing();
        outgoing.metadata.push((name.to_owned(), value.to_owned()));
        let incoming = grpc(([127, 0, 0, 1], 9).into(), LONG).send(1, outgoing).await;
        let Some(Ended::Failed(TransportError::Other(reason))) = &incoming.ended else {
            panic!("{:?}", incoming.ended)
        };
        assert!(reason.contains(&format!("{name:?} cannot be sent as metadata")), "{reason}");
    }
}

#[tokio::test]
async fn names_a_content_type_that_cannot_be_sent() {
    let mut outgoing = outgoing();
    outgoing.content_type = Some("two\nlines".to_owned());
    let incoming = grpc(([127, 0, 0, 1], 9).into(), LONG).send(1, outgoing).await;
    let Some(Ended::Failed(TransportError::Other(reason))) = &incoming.ended else { panic!("{:?}", incoming.ended) };
    assert!(reason.contains("cannot be sent as content-type"), "{reason}");
}

#[tokio::test]
async fn reads_a_stream_however_it_is_cut() {
    let rest = vec![data(b"\0\0\0\0\x03on"), data(b"e\0\0\0\0\0\0\0"), data(b"\0\0\x03two"), ok()];
    let peer = Peer::start(Script::grpc(rest)).await;
    let grpc = grpc(peer.address, LONG);
    let mut incoming = grpc.send(1, outgoing()).await;
    for expected in ["one", "", "two"] {
        assert!(!incoming.is_over() && incoming.status().is_none());
        assert_eq!(grpc.next_message(&mut incoming, None).await.unwrap().bytes, expected);
    }
    assert_eq!(grpc.next_message(&mut incoming, None).await, None);
    assert_eq!(incoming.status().unwrap().code, Some(Code::Ok));
    let exchange = incoming.into_exchange();
    assert_eq!(exchange.ended, Ended::Complete);
    assert_eq!(exchange.response.unwrap().body.len(), 21);
}

#[tokio::test]
async fn cancels_a_stream_that_it_leaves() {
    for (left_open, ended) in [(false, Ended::HungUp), (true, Ended::LeftOpen)] {
        let mut peer = Peer::start(Script::grpc(vec![message("one"), Piece::Silence])).await;
        let grpc = grpc(peer.address, LONG);
        let mut incoming = grpc.send(1, outgoing()).await;
        assert_eq!(grpc.next_message(&mut incoming, Some(LONG)).await.unwrap().bytes, "one");
        assert_eq!(grpc.next_message(&mut incoming, Some(SHORT)).await, None);
        assert!(!incoming.is_over());
        assert_eq!(incoming.snapshot().response.unwrap().body, frame(b"one").unwrap());
        incoming.hang_up(left_open);
        assert!(matches!(peer.event().await, Event::Connected));
        assert!(matches!(peer.event().await, Event::Asked(..)));
        assert!(matches!(peer.event().await, Event::Reset(Reason::CANCEL)));
        assert!(incoming.is_over());
        assert_eq!((incoming.status(), incoming.into_exchange().ended), (None, ended));
    }
}

#[tokio::test]
async fn reads_an_error_that_comes_with_the_headers() {
    let mut script = Script::grpc(vec![]);
    script.headers.extend([
        ("grpc-status", "5"),
        ("grpc-message", "no%20task"),
        ("grpc-status-details-bin", "CAUaIAoUZ29vZ2xlLnJwYy5FcnJvckluZm8SCAoGUkVBU09O"),
    ]);
    let (messages, status, exchange) = answered(script).await;
    assert!(messages.is_empty());
    let status = status.unwrap();
    assert_eq!((status.code, status.message.as_str(), status.is_in_headers), (Some(Code::NotFound), "no task", true));
    let details = status.details.unwrap().unwrap().value;
    assert_eq!(details.pointer("/details/0/reason"), Some(&json!("REASON")));
    assert_eq!(exchange.ended, Ended::Complete);
    assert!(exchange.response.unwrap().header("grpc-status-details-bin").is_some());
}

#[tokio::test]
async fn reads_an_error_after_messages() {
    let trailers = vec![("grpc-status", "4"), ("grpc-message", "too late")];
    let (messages, status, exchange) = answered(Script::grpc(vec![message("one"), Piece::Trailers(trailers)])).await;
    assert_eq!(messages, ["one"]);
    assert_eq!(status.unwrap().code, Some(Code::DeadlineExceeded));
    assert_eq!(exchange.ended, Ended::Complete);
}

#[tokio::test]
async fn survives_details_that_are_no_base64() {
    let fields = [("grpc-status", "3"), ("grpc-status-details-bin", "not base64!")];
    let mut in_headers = Script::grpc(vec![]);
    in_headers.headers.extend(fields);
    let in_trailers = Script::grpc(vec![Piece::Trailers(fields.to_vec())]);
    for script in [in_headers, in_trailers] {
        let (_, status, exchange) = answered(script).await;
        let details = status.unwrap().details.unwrap();
        assert!(matches!(details, Err(DetailsError::Base64(_))), "{details:?}");
        assert_eq!(exchange.ended, Ended::Complete);
    }
}

#[tokio::test]
async fn completes_what_is_no_grpc_answer() {
    let html: &[u8] = b"<html>there is no such page</html>";
    let page = Script {
        status: 404,
        headers: vec![("content-type", "text/html")],
        rest: vec![data(html), data(html), Piece::End],
    };
    let json = Script {
        status: 200,
        headers: vec![("content-type", "application/json")],
        rest: vec![data(b"{}"), Piece::End],
    };
    let empty = Script { status: 503, headers: vec![], rest: vec![] };
    for (script, status, body, wrong) in [
        (page, 404, [html, html].concat(), Some(FrameErrorKind::Flag { found: b'<' })),
        (json, 200, b"{}".to_vec(), Some(FrameErrorKind::Flag { found: b'{' })),
        (empty, 503, vec![], None),
    ] {
        let (messages, outcome, exchange) = answered(script).await;
        assert!(messages.is_empty() && outcome.is_none());
        assert_eq!(exchange.ended, Ended::Complete);
        let response = exchange.response.unwrap();
        assert_eq!((response.status, wrong_frame(&response)), (status, wrong));
        assert_eq!(response.body, body);
    }
}

#[tokio::test]
async fn completes_an_answer_without_trailers() {
    let (messages, status, exchange) = answered(Script::grpc(vec![message("one"), Piece::End])).await;
    assert_eq!((messages.len(), status, exchange.ended), (1, None, Ended::Complete));
}

#[tokio::test]
async fn records_what_follows_a_message_that_is_none() {
    let gzip = || {
        let mut script = Script::grpc(vec![message("one"), data(b"\x01\0\0\0\x01!"), data(b"more"), ok()]);
        script.headers.push(("grpc-encoding", "gzip"));
        script
    };
    let unnamed = Script { headers: vec![("content-type", "application/grpc")], ..gzip() };
    for (script, wrong) in [
        (unnamed, Some(FrameErrorKind::CompressedWithoutEncoding)),
        (gzip(), Some(FrameErrorKind::Flag { found: b'm' })),
        (Script::grpc(vec![message("one"), data(b"\0\0"), ok()]), Some(FrameErrorKind::TruncatedPrefix { got: 2 })),
        (
            Script::grpc(vec![message("one"), data(b"\0\xff\0\0\0half"), ok()]),
            Some(FrameErrorKind::TooLong { length: 0xff00_0000, limit: LONGEST_BODY }),
        ),
    ] {
        let (messages, status, exchange) = answered(script).await;
        assert_eq!(messages, ["one"]);
        assert_eq!((status.map(|status| status.code), exchange.ended), (Some(Some(Code::Ok)), Ended::Complete));
        assert_eq!(wrong_frame(&exchange.response.unwrap()), wrong);
    }
}

#[tokio::test]
async fn takes_plain_messages_of_an_answer_that_names_a_compression() {
    let mut script = Script::grpc(vec![message("one"), ok()]);
    script.headers.push(("grpc-encoding", "gzip"));
    let (messages, status, _) = answered(script).await;
    assert_eq!((messages, status.unwrap().code), (vec![Bytes::from_static(b"one")], Some(Code::Ok)));
}

#[tokio::test]
async fn stops_at_its_limits() {
    let rest = vec![Piece::Data(vec![0; LONGEST_BODY + 10].into()), Piece::Silence];
    let (_, _, exchange) = answered(Script::grpc(rest)).await;
    assert_eq!(exchange.ended, Ended::Endless(Limit::Events(MOST_EVENTS)));

    let long = [b"\x02".as_slice(), &vec![0; LONGEST_BODY]].concat();
    let (_, _, exchange) = answered(Script::grpc(vec![Piece::Data(long.into()), Piece::Silence])).await;
    assert_eq!(exchange.ended, Ended::Endless(Limit::Bytes(LONGEST_BODY)));
    assert!(exchange.response.unwrap().body.len() <= LONGEST_BODY);
}

#[tokio::test]
async fn gives_up_on_an_agent_that_does_not_answer() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = grpc(listener.local_addr().unwrap(), SHORT);
    assert_eq!(failure(&silent).await, Ended::TimedOut(SHORT));
}

#[tokio::test]
async fn gives_up_on_an_agent_that_falls_silent() {
    let limit = Duration::from_secs(1);
    for (rest, in_time, to_the_end) in [
        (vec![Piece::Silence], Ended::TimedOut(limit), Ended::TimedOut(limit)),
        (vec![message("one"), Piece::Silence], Ended::Endless(Limit::Time(limit)), Ended::TimedOut(limit)),
    ] {
        let peer = Peer::start(Script::grpc(rest)).await;
        let grpc = grpc(peer.address, limit);
        let by_message = async {
            let mut incoming = grpc.send(1, outgoing()).await;
            while grpc.next_message(&mut incoming, None).await.is_some() {}
            incoming.into_exchange().ended
        };
        let (by_message, at_once) = tokio::join!(by_message, whole(&grpc, outgoing()));
        assert_eq!((by_message, at_once.2.ended), (in_time, to_the_end));
    }
}

#[tokio::test]
async fn tells_what_became_of_the_connection() {
    let rest = vec![message("one"), Piece::Reset(Reason::INTERNAL_ERROR)];
    let (messages, status, exchange) = answered(Script::grpc(rest)).await;
    assert!(messages.len() <= 1 && status.is_none());
    assert_eq!(exchange.ended, Ended::Reset(Reason::INTERNAL_ERROR.into()));

    let (_, status, exchange) = answered(Script::grpc(vec![message("one"), Piece::HangUp, Piece::Silence])).await;
    assert_eq!((status, exchange.ended), (None, Ended::Failed(TransportError::Reset)));
}

#[tokio::test]
async fn says_that_nobody_listens() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(failure(&grpc(address, LONG)).await, Ended::Failed(TransportError::Refused));
}

#[tokio::test]
async fn says_that_a_port_speaks_no_http_2() {
    let http_1 = b"HTTP/1.1 505 HTTP Version Not Supported\r\ncontent-length: 0\r\n\r\n";
    for (asks_first, answer) in
        [(true, &http_1[..]), (false, http_1), (true, b""), (false, b""), (true, b"220"), (true, b"\0")]
    {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            if asks_first {
                let _ = stream.read(&mut [0; 1024]);
            }
            let _ = stream.write_all(answer);
        });
        let no_http_2 = TransportError::Other("the port does not answer in HTTP/2, which gRPC needs".to_owned());
        assert_eq!(failure(&grpc(address, LONG)).await, Ended::Failed(no_http_2), "{answer:?}");
        server.join().unwrap();
    }
}

#[tokio::test]
async fn shares_one_connection() {
    let mut peer = Peer::start(Script::grpc(vec![message("one"), ok()])).await;
    let grpc = grpc(peer.address, LONG);
    let calls = (0..8).map(|_| whole(&grpc, outgoing()));
    for (messages, ..) in futures_util::future::join_all(calls).await {
        assert_eq!(messages, ["one"]);
    }
    whole(&grpc, outgoing()).await;
    let connected = peer.events_so_far().iter().filter(|event| matches!(event, Event::Connected)).count();
    assert_eq!(connected, 1);
}

/// An issuer whose every token is another and holds for no time.
struct AtOnce(AtomicUsize);

impl Renew for AtOnce {
    fn renew(&self) -> BoxFuture<'_, Result<Grant, NotRenewed>> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        async move { Ok(granted(number)) }.boxed()
    }
}

fn granted(number: usize) -> Grant {
    Grant { access: format!("token-{number}"), lifetime: Some(Duration::ZERO), secrets: Vec::new() }
}

/// A token is that of the moment in which a call is made.
#[tokio::test]
async fn brings_the_token_that_holds() {
    let mut peer = Peer::start(Script::grpc(vec![message("answer"), ok()])).await;
    let url = format!("http://{}", peer.address);
    let origin = crate::auth::origin::of(&url).unwrap();
    let token = Token::new("ann", granted(0), Instant::now(), AtOnce(AtomicUsize::new(1))).unwrap();
    let identity = Identity::new(Vec::new(), vec![origin]).with_token(Some(token));
    let credentials = Credentials::default().and([identity]);
    let http = Arc::new(Http::new(Settings { credentials, timeout: LONG }).unwrap());
    let grpc = Grpc::new(&url, None, http).unwrap();
    for _ in 0..3 {
        whole(&grpc, outgoing()).await;
    }
    let events = peer.events_so_far();
    let shown = events.iter().filter_map(|event| match event {
        Event::Asked(head, _) => head.headers["authorization"].to_str().ok(),
        _ => None,
    });
    assert_eq!(shown.collect::<Vec<_>>(), ["Bearer token-1", "Bearer token-2", "Bearer token-3"]);
}

/// h2 closes a connection at the hundred and first empty frame.
#[tokio::test]
async fn messages_and_prefixes_without_bytes_do_not_end_the_connection() {
    let mut peer = Peer::start(Script::grpc(vec![message("answer"), ok()])).await;
    let grpc = grpc(peer.address, LONG);
    let empty = Outgoing { message: Bytes::new(), ..outgoing() };
    let nothing = Outgoing { prefix: Some(Bytes::new()), ..empty.clone() };
    for (outgoing, expected) in [(empty, &[0; 5][..]), (nothing, &[])] {
        for _ in 0..150 {
            let (messages, _, exchange) = whole(&grpc, outgoing.clone()).await;
            assert_eq!((messages.len(), &exchange.ended), (1, &Ended::Complete));
        }
        let seen = peer.events_so_far();
        let bodies = seen.iter().filter_map(|event| if let Event::Asked(_, body) = event { Some(body) } else { None });
        assert_eq!(bodies.clone().count(), 150);
        assert!(bodies.clone().all(|body| body == expected));
        let connected = seen.iter().filter(|event| matches!(event, Event::Connected)).count();
        assert_eq!(connected, usize::from(!expected.is_empty()), "one connection carries all");
    }
}

#[tokio::test]
async fn connects_again_where_the_server_closed_the_connection() {
    let mut peer = Peer::start(Script::grpc(vec![Piece::GoAway, message("one"), ok()])).await;
    let grpc = grpc(peer.address, LONG);
    for _ in 0..4 {
        let (messages, status, exchange) = whole(&grpc, outgoing()).await;
        assert_eq!((messages.len(), status.map(|status| status.code)), (1, Some(Some(Code::Ok))), "{exchange:?}");
    }
    let events = peer.events_so_far();
    let count = |wanted: fn(&Event) -> bool| events.iter().filter(|event| wanted(event)).count();
    assert_eq!(count(|event| matches!(event, Event::Asked(..))), 4);
    assert!(count(|event| matches!(event, Event::Connected)) > 1);
}
