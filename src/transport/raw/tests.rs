use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::*;
use crate::auth::{Credentials, Identity};
use crate::binding::{LONGEST_BODY, Outgoing};
use crate::transcript::{Ended, Fate, Limit, TransportError};
use crate::transport::http::{Http, Settings};
use crate::transport::memory::{Memory, Reply};
use crate::wire::http2::{Frame, PREFACE, field, flag, kind};

const LONG: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(200);

fn client(timeout: Duration) -> Http {
    Http::new(Settings { credentials: Credentials::default(), timeout }).unwrap()
}

fn meant(url: &str) -> Outgoing {
    Outgoing {
        method: "POST".to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: Bytes::new(),
        operation: None,
        params: Arc::default(),
        rpc_id: None,
        purpose: "test".to_owned(),
    }
}

/// A server that does this with its only connection; its URL, and what comes of it.
async fn server<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    serve: impl FnOnce(TcpStream) -> F + Send + 'static,
) -> (String, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/a2a", listener.local_addr().unwrap());
    let served = tokio::spawn(async move { serve(listener.accept().await.unwrap().0).await });
    (url, served)
}

/// Reads until these bytes have come, or nothing more does; all that has come.
async fn until(stream: &mut TcpStream, last: &str) -> String {
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).ends_with(last) {
        let mut piece = [0; 1024];
        match stream.read(&mut piece).await {
            Ok(size @ 1..) => read.extend_from_slice(&piece[..size]),
            _ => break,
        }
    }
    String::from_utf8(read).unwrap()
}

fn answer(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn seen(conversation: &Conversation) -> Vec<(u16, String, Ended)> {
    let exchanges = conversation.answers.iter().map(Incoming::snapshot);
    exchanges
        .map(|exchange| {
            let response = exchange.response.as_ref();
            let body = response.map(|response| String::from_utf8_lossy(&response.body).into_owned());
            (response.map_or(0, |response| response.status), body.unwrap_or_default(), exchange.ended)
        })
        .collect()
}

fn ok(body: &str) -> (u16, String, Ended) {
    (200, body.to_owned(), Ended::Complete)
}

#[tokio::test]
async fn bytes_go_as_they_are_and_answers_come_in_order() {
    let (url, served) = server(async |mut stream| {
        let read = until(&mut stream, "two").await;
        stream.write_all(format!("HTTP/1.1 100 Go on\r\n\r\n{}{}", answer("1"), answer("2")).as_bytes()).await.unwrap();
        (read, until(&mut stream, "never").await)
    })
    .await;
    let script = Script { answers: 2, ..Script::new(meant(&url), "GET\t\0 one\r\n\r\ntwo") };
    let http = client(LONG);
    let conversation = http.converse(http.next_number(), &script).await;
    assert_eq!(seen(&conversation), [ok("1"), ok("2")]);
    assert_eq!((conversation.interim.as_slice(), conversation.fate), (&[100][..], Fate::Open));
    assert_eq!(conversation.written, 16);
    let numbers: Vec<u64> = conversation.answers.iter().map(|answer| answer.snapshot().number).collect();
    assert_eq!(numbers, [1, 2]);
    // What is read after the answers is the end.
    assert_eq!(served.await.unwrap(), ("GET\t\0 one\r\n\r\ntwo".to_owned(), String::new()));
    let request = conversation.answers[1].snapshot().request;
    assert!(
        request.is_verbatim
            && request.body == script.moves[0].parts().iter().map(|part| part.bytes(&[])).collect::<Vec<_>>().concat()
    );
}

#[tokio::test]
async fn credentials_go_to_their_origin_and_into_no_record() {
    for is_own in [true, false] {
        let (url, served) = server(async |mut stream| {
            let read = until(&mut stream, "\r\n\r\n").await;
            stream.write_all(answer("").as_bytes()).await.unwrap();
            read
        })
        .await;
        let origin = if is_own { url.as_str() } else { "http://127.0.0.1:1" };
        let identity = Identity::at(origin, "Bearer s3cret".to_owned());
        let credentials = Credentials::default().and(identity);
        let http = Http::new(Settings { credentials, timeout: LONG }).unwrap();
        let bytes = |text: &'static str| Part::Bytes(Bytes::from_static(text.as_bytes()));
        let parts = vec![bytes("GET / HTTP/1.1\r\n"), Part::Credentials, bytes("\r\n")];
        let conversation = http.converse(1, &Script::of(meant(&url), vec![Move::Send(parts)])).await;
        let (sent, record) = match is_own {
            true => ("authorization: Bearer s3cret\r\n", "authorization: ***\r\n"),
            false => ("", ""),
        };
        assert_eq!(served.await.unwrap(), format!("GET / HTTP/1.1\r\n{sent}\r\n"));
        let request = conversation.answers[0].snapshot().request;
        assert_eq!(request.body, format!("GET / HTTP/1.1\r\n{record}\r\n"));
    }
}

#[tokio::test]
async fn pieces_leave_one_by_one_and_the_answer_is_waited_for() {
    let (url, served) = server(async |mut stream| {
        let first = until(&mut stream, "abc").await;
        stream.write_all(answer("1").as_bytes()).await.unwrap();
        let second = until(&mut stream, "def").await;
        stream.write_all(answer("2").as_bytes()).await.unwrap();
        (first, second, until(&mut stream, "never").await)
    })
    .await;
    let bytes = |text: &'static str| vec![Part::Bytes(Bytes::from_static(text.as_bytes()))];
    let moves = vec![
        Move::Drip { parts: bytes("abc"), size: 1, pause: Duration::from_millis(1) },
        Move::Await(1),
        Move::Pause(Duration::from_millis(1)),
        Move::Send(bytes("def")),
        Move::HalfClose,
        Move::Send(bytes("too late")),
    ];
    let script = Script { answers: 2, ..Script::of(meant(&url), moves) };
    assert_eq!(script.pauses(), Duration::from_millis(4));
    let conversation = client(LONG).converse(1, &script).await;
    assert_eq!(seen(&conversation), [ok("1"), ok("2")]);
    assert_eq!(served.await.unwrap(), ("abc".to_owned(), "def".to_owned(), String::new()));
}

#[tokio::test]
async fn a_connection_that_is_reset_is_an_error_to_the_agent_and_one_that_is_closed_is_none() {
    for (last, is_error) in [(Move::Reset, true), (Move::Close, false)] {
        let (url, served) = server(async |mut stream| {
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).await.is_err()
        })
        .await;
        let moves = vec![Move::Send(vec![Part::Bytes(Bytes::from_static(b"abc"))]), last];
        let conversation = client(LONG).converse(1, &Script::of(meant(&url), moves)).await;
        assert_eq!(seen(&conversation), [(0, String::new(), Ended::HungUp)]);
        assert_eq!(served.await.unwrap(), is_error);
    }
}

#[tokio::test]
async fn says_how_a_connection_ended() {
    let all: [(&'static str, (u16, &str, Ended), Fate); 6] = [
        ("", (0, "", Ended::Closed), Fate::Closed),
        ("HTTP/1.1 200 OK\r\n\r\nabc", (200, "abc", Ended::Complete), Fate::Closed),
        ("HTTP/1.1 200", (0, "", Ended::Failed(TransportError::Reset)), Fate::Closed),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
            (200, "abc", Ended::Failed(TransportError::Reset)),
            Fate::Closed,
        ),
        ("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n", (400, "", Ended::Complete), Fate::Closed),
        (
            "220 smtp\r\n",
            (0, "", Ended::Failed(TransportError::NotHttp1("no status line of HTTP/1 at byte 0".to_owned()))),
            Fate::Unreadable,
        ),
    ];
    for (text, (status, body, ended), fate) in all {
        let (url, _served) = server(async move |mut stream| {
            until(&mut stream, "abc").await;
            stream.write_all(text.as_bytes()).await.unwrap();
        })
        .await;
        let script = Script { answers: 2, ..Script::new(meant(&url), "abc") };
        let conversation = client(LONG).converse(1, &script).await;
        assert_eq!(seen(&conversation), [(status, body.to_owned(), ended)], "{text:?}");
        assert_eq!(conversation.fate, fate, "{text:?}");
    }
    let nobody = client(LONG).converse(1, &Script::new(meant("http://127.0.0.1:1/"), "abc")).await;
    assert_eq!(seen(&nobody), [(0, String::new(), Ended::Failed(TransportError::Refused))]);
}

#[tokio::test]
async fn waits_no_longer_than_the_limit_and_reads_no_more() {
    let (url, _served) = server(async |mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na").await.unwrap();
        until(&mut stream, "never").await
    })
    .await;
    let conversation = client(SHORT).converse(1, &Script::new(meant(&url), "abc")).await;
    assert_eq!(seen(&conversation), [(200, "a".to_owned(), Ended::TimedOut(SHORT))]);

    let (url, _served) = server(async |mut stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        while stream.write_all(&[b'a'; 1 << 16]).await.is_ok() {}
    })
    .await;
    let endless = client(LONG).converse(1, &Script::new(meant(&url), "abc")).await;
    assert_eq!(endless.answers[0].snapshot().ended, Ended::Endless(Limit::Bytes(LONGEST_BODY)));
}

#[tokio::test]
async fn reads_as_slowly_as_it_is_told() {
    let (url, served) = server(async |mut stream| {
        stream.write_all(answer("abcdef").as_bytes()).await.unwrap();
        until(&mut stream, "never").await
    })
    .await;
    let reading = Reading { piece: 7, pause: Duration::from_millis(1) };
    let script = Script { reading, ..Script::new(meant(&url), "x") };
    assert_eq!(seen(&client(LONG).converse(1, &script).await), [ok("abcdef")]);
    assert_eq!(served.await.unwrap(), "x");
}

#[tokio::test]
async fn an_agent_in_memory_can_hold_the_other_end() {
    let memory = Memory::new(|_| Reply::silence()).holding(|mut end| {
        tokio::spawn(async move {
            let mut piece = [0; 3];
            end.read_exact(&mut piece).await.unwrap();
            end.write_all(answer("ok").as_bytes()).await.unwrap();
        });
    });
    let settings = Settings { credentials: Credentials::default(), timeout: LONG };
    let http = Http::over(Arc::new(memory), settings);
    let conversation = http.converse(1, &Script::new(meant("http://agent.example/"), "abc")).await;
    assert_eq!(seen(&conversation), [ok("ok")]);
}

mod by_tls {
    use rcgen::{CertifiedKey, generate_simple_self_signed};
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    use super::*;
    use crate::transport::Dialing;
    use crate::transport::dialing::tests::pem;

    #[tokio::test]
    async fn speaks_tls_and_names_what_is_wrong_with_a_certificate() {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let mut config =
            ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                assert_eq!(stream.get_ref().1.alpn_protocol(), None);
                let mut read = Vec::new();
                // The end comes by a `close_notify`.
                stream.read_to_end(&mut read).await.unwrap();
                assert_eq!(read, b"abc");
                stream.write_all(answer("ok").as_bytes()).await.unwrap();
                stream.shutdown().await.unwrap();
            }
        });
        let mut dialing = Dialing::default();
        dialing.trust(pem("CERTIFICATE", cert.der()).as_bytes()).unwrap();
        let settings = Settings { credentials: Credentials::default(), timeout: LONG };
        let trusting = Http::dialing(dialing, settings).unwrap();
        let mut stream = trusting.dial(&url).await.map_err(|ended| ended.to_string()).unwrap();
        stream.write_all(b"abc").await.unwrap();
        stream.shutdown().await.unwrap();
        let mut read = String::new();
        stream.read_to_string(&mut read).await.unwrap();
        assert_eq!(read, answer("ok"));
        stream.reset_on_drop();

        let untrusted = client(LONG).converse(1, &Script::new(meant(&url), "abc")).await;
        let ended = untrusted.answers[0].snapshot().ended;
        assert!(matches!(ended, Ended::Failed(TransportError::Tls(_))), "{ended:?}");
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Frame {
    Frame { kind, flags, stream, length: None, payload: Bytes::copy_from_slice(payload) }
}

/// What a server of HTTP/2 says, frame by frame, and what comes of it on the client's streams.
async fn over_http2(said: &[Frame]) -> (Conversation, Vec<u8>) {
    let said: Vec<u8> = said.iter().flat_map(Frame::write).collect();
    let (url, served) = server(async move |mut stream: TcpStream| {
        let mut read = vec![0; 4096];
        let size = stream.read(&mut read).await.unwrap();
        read.truncate(size);
        stream.write_all(&said).await.unwrap();
        read
    })
    .await;
    let http = Http::new(Settings {
        credentials: Credentials::default().and(Identity::at(&url, "Bearer s3cret".to_owned())),
        timeout: LONG,
    });
    let head = frame(kind::HEADERS, flag::END_HEADERS, 1, &[]);
    let payload = vec![Part::Bytes(field(b":path", b"/a")), Part::Credentials];
    let head = Part::Frame(Box::new(FramePart { frame: head, padding: None, payload }));
    let parts = vec![Part::Bytes(Bytes::from_static(PREFACE.as_bytes())), head];
    let script = Script { speech: Speech::Http2, ..Script::of(meant(&url), vec![Move::Send(parts)]) };
    let conversation = http.unwrap().converse(1, &script).await;
    (conversation, served.await.unwrap())
}

#[tokio::test]
async fn frames_go_as_they_are_with_credentials_among_their_fields() {
    let (conversation, sent) = over_http2(&[]).await;
    let block = [field(b":path", b"/a"), field(b"authorization", b"Bearer s3cret")].concat();
    let head = frame(kind::HEADERS, flag::END_HEADERS, 1, &block).write();
    assert_eq!(sent, [PREFACE.as_bytes(), &head].concat());
    let request = conversation.answers[0].snapshot().request;
    assert!(request.is_verbatim && !String::from_utf8_lossy(&request.body).contains("s3cret"));
    assert_eq!(seen(&conversation), [(0, String::new(), Ended::Closed)]);
}

#[tokio::test]
async fn the_first_answer_is_that_on_the_first_stream() {
    let settings = || frame(kind::SETTINGS, 0, 0, &[]);
    let ends = flag::END_HEADERS | flag::END_STREAM;
    let reset = |stream, code| frame(kind::RST_STREAM, 0, stream, &[0, 0, 0, code]);
    let ok = || frame(kind::HEADERS, flag::END_HEADERS, 1, &field(b":status", b"200"));
    let data = || frame(kind::DATA, 0, 1, b"abc");
    let trailers = || frame(kind::HEADERS, ends, 1, &field(b"grpc-status", b"5"));
    let (whole, _) = over_http2(&[settings(), reset(3, 8), ok(), data(), trailers()]).await;
    assert_eq!(seen(&whole), [(200, "abc".to_owned(), Ended::Complete), (0, String::new(), Ended::Reset(8))]);
    assert_eq!(whole.answers[0].trailers, [("grpc-status".to_owned(), "5".to_owned())]);
    let (refused, _) = over_http2(&[settings(), reset(1, 1)]).await;
    assert_eq!(seen(&refused), [(0, String::new(), Ended::Reset(1))]);
    let (gone, _) = over_http2(&[settings(), frame(kind::GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 1])]).await;
    assert_eq!((seen(&gone), gone.fate), (vec![(0, String::new(), Ended::Closed)], Fate::Closed));
    // Begun, and broken off.
    let (broken, _) = over_http2(&[settings(), ok(), data()]).await;
    assert_eq!(seen(&broken), [(200, "abc".to_owned(), Ended::Failed(TransportError::Reset))]);
    let (other, _) = over_http2(&[frame(kind::DATA, 0, 1, b"abc")]).await;
    assert_eq!(other.fate, Fate::Unreadable);
}
