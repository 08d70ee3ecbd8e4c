//! Connections: how they are accepted, how long they may be silent, and how they end.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderValue, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use futures_util::future::{Either, ready};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::front::Front;
use super::hosts::Hosts;
use super::tls::{Shield, Stream};
use super::{coding, host};
use crate::binding::credentials::CertifiedNames;
use crate::core::Users;
use crate::fault::Sockets;

/// How long a client may take for the headers of a request, counted from the beginning of the connection or the end of the
/// exchange before. Without it, a client that sends a byte now and then holds a connection for ever. It is long enough for the
/// slowest honest client, and a client whose idle connection is closed opens another one.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(30);

/// How long nothing is accepted after that has failed, as for want of file descriptors: connections end meanwhile.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(100);

/// What can let the agent die.
pub struct Mortal {
    /// Tells whenever it does, and how long it is away then.
    pub crashes: watch::Receiver<Duration>,
    /// Whose store dies with it.
    pub users: Arc<Users>,
}

/// Serves `routes` over HTTP/1 and HTTP/2, with faults at the sockets if there are any, until `closing` says so, and then until the
/// exchanges under way are over. One that is mortal is begun anew whenever it has died.
pub async fn serve(
    mut listener: TcpListener,
    shield: Option<Shield>,
    hosts: Arc<Hosts>,
    routes: Router,
    faults: Option<Arc<Sockets>>,
    mortal: Option<Mortal>,
    mut closing: watch::Receiver<bool>,
) {
    let serve = |listener, closing| {
        let service = Checked { hosts: Arc::clone(&hosts), routes: routes.clone() };
        serve_within(HEADERS_TIMEOUT, listener, shield.clone(), service, faults.clone(), closing)
    };
    let Some(Mortal { mut crashes, users }) = mortal else { return serve(listener, closing).await };
    let Ok(address) = listener.local_addr() else { return };
    loop {
        tokio::select! {
            () = serve(listener, closing.clone()) => return,
            Ok(()) = crashes.changed() => {}
        }
        users.forget();
        let away = *crashes.borrow_and_update();
        tokio::select! {
            () = sleep(away), if !away.is_zero() => {}
            _ = closing.wait_for(|is_closing| *is_closing) => return,
        }
        listener = match TcpListener::bind(address).await {
            Ok(listener) => listener,
            Err(_) => return,
        };
    }
}

async fn serve_within(
    headers_timeout: Duration,
    listener: TcpListener,
    shield: Option<Shield>,
    service: Checked,
    faults: Option<Arc<Sockets>>,
    mut closing: watch::Receiver<bool>,
) {
    // Dropping the set ends the connections.
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_ended) = connections.join_next() => continue,
            // An engine that is gone is closed, too.
            _ = closing.wait_for(|is_closing| *is_closing) => break,
        };
        match accepted {
            Ok((stream, _)) => {
                // Events are small, and are to leave at once rather than wait for company.
                let _unchanged = stream.set_nodelay(true);
                let (shield, faults) = (shield.clone(), faults.clone());
                let (service, closing) = (service.clone(), closing.clone());
                let has_title_case = faults.as_ref().is_some_and(|faults| faults.has_title_case());
                connections.spawn(async move {
                    let Some(stream) = shielded(shield, stream, headers_timeout, closing.clone()).await else { return };
                    let names = CertifiedNames(stream.certified_names().into());
                    let stream = Front::new(stream, faults);
                    converse((headers_timeout, has_title_case), stream, names, service, closing).await;
                });
            }
            Err(_) => sleep(PAUSE_AFTER_ERROR).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// A connection with TLS, where the agent has a certificate; nothing where the client does not agree to it in time.
async fn shielded(
    shield: Option<Shield>,
    stream: TcpStream,
    limit: Duration,
    mut closing: watch::Receiver<bool>,
) -> Option<Stream> {
    let Some(shield) = shield else { return Some(Stream::Plain(stream)) };
    tokio::select! {
        agreed = tokio::time::timeout(limit, shield.accept(stream)) => agreed.ok()?.ok(),
        _ = closing.wait_for(|is_closing| *is_closing) => None,
    }
}

/// What is answered, and to whom.
#[derive(Clone)]
struct Checked {
    hosts: Arc<Hosts>,
    routes: Router,
}

/// The answer to a request that is not for this agent, or whose body cannot be read; no route sees it.
fn refusal<B>(hosts: &Hosts, request: &hyper::Request<B>) -> Option<Response> {
    let (version, headers) = (request.version(), request.headers());
    let malformed = host::check(version, headers).map_err(|complaint| (StatusCode::BAD_REQUEST, complaint));
    let misdirected = || {
        let field = headers.get(HOST).and_then(|host| host.to_str().ok());
        let meant = request.uri().authority().map(|authority| authority.as_str()).into_iter().chain(field);
        hosts.check(meant).map_err(|complaint| (StatusCode::MISDIRECTED_REQUEST, complaint))
    };
    let refused = malformed.and_then(|()| misdirected()).and_then(|()| coding::check(headers)).err()?;
    let mut response = refused.into_response();
    if version <= Version::HTTP_11 {
        // Its body may not be what it seems.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Some(response)
}

/// Serves one connection, whose client has shown a certificate with these names, to its end. How long it waits for headers, and
/// whether the names of those of answers begin with capital letters, comes first.
async fn converse(
    (headers_timeout, has_title_case): (Duration, bool),
    stream: Front,
    names: CertifiedNames,
    checked: Checked,
    mut closing: watch::Receiver<bool>,
) {
    let has_spoken = Arc::new(AtomicBool::new(false));
    let spoken = Arc::clone(&has_spoken);
    let routes = TowerToHyperService::new(checked.routes);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        spoken.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(names.clone());
        match refusal(&checked.hosts, &request) {
            Some(refusal) => Either::Left(ready(Ok(refusal))),
            None => Either::Right(routes.call(request)),
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(headers_timeout).title_case_headers(has_title_case);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));

    // hyper's own limit begins with HTTP/1, so it leaves out a client that does not say which HTTP it speaks, and HTTP/2.
    let mut first_request = pin!(sleep(headers_timeout));
    let (mut is_awaited, mut is_closing) = (true, false);
    loop {
        tokio::select! {
            // What breaks a connection is nobody else's business.
            _ended = connection.as_mut() => return,
            () = first_request.as_mut(), if is_awaited => {
                is_awaited = false;
                if !has_spoken.load(Ordering::Relaxed) {
                    return;
                }
            }
            _ = closing.wait_for(|is_closing| *is_closing), if !is_closing => {
                is_closing = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::Notify;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// A server with a short limit. `/` answers at once, `/later` when told to.
    struct Server {
        address: std::net::SocketAddr,
        later: Arc<Notify>,
        closing: watch::Sender<bool>,
        task: tokio::task::JoinHandle<()>,
    }

    async fn server() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let later = Arc::new(Notify::new());
        let told = Arc::clone(&later);
        let wait = move || async move {
            told.notified().await;
            "later"
        };
        let routes = Router::new().route("/", get(|| async { "now" })).route("/later", get(wait));
        let closing = watch::Sender::new(false);
        let hosts = Arc::new(Hosts::of(&Config::default(), address.ip()));
        let limit = Duration::from_millis(100);
        let service = Checked { hosts, routes };
        let task = tokio::spawn(serve_within(limit, listener, None, service, None, closing.subscribe()));
        Server { address, later, closing, task }
    }

    impl Server {
        async fn open(&self, sent: &str) -> TcpStream {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            stream.write_all(sent.as_bytes()).await.unwrap();
            stream
        }
    }

    /// All that comes until the server closes.
    async fn rest(mut stream: TcpStream) -> String {
        let mut received = Vec::new();
        // A reset is as good an end as any.
        let _ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut received)).await.unwrap();
        String::from_utf8_lossy(&received).into_owned()
    }

    #[tokio::test]
    async fn silent_and_slow_clients_are_hung_up_on() {
        let server = server().await;
        let busy = server.open("GET /later HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
        for sent in [
            "",
            // May become either HTTP.
            "P",
            "PRI * HTTP/2.0\r\n",
            // HTTP/2 without a request: its preface and empty settings.
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0",
            "GET / HTTP/1.1\r\nHost:",
        ] {
            let stream = server.open(sent).await;
            assert!(!rest(stream).await.contains("now"), "{sent:?}");
        }
        let idle = server.open("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        assert!(rest(idle).await.ends_with("now"));
        // The limit is for requests alone: by now an answer has taken longer than that.
        server.later.notify_one();
        assert!(rest(busy).await.ends_with("later"));
    }

    #[tokio::test]
    async fn a_request_needs_its_host() {
        let server = server().await;
        for (head, status) in [
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80", "HTTP/1.1 200 OK"),
            ("GET / HTTP/1.1", "HTTP/1.1 400 Bad Request"),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: a", "HTTP/1.1 400 Bad Request"),
            ("GET / HTTP/1.1\r\nHost: a/b", "HTTP/1.1 400 Bad Request"),
            ("GET http://localhost/ HTTP/1.1", "HTTP/1.1 400 Bad Request"),
            ("GET / HTTP/1.0", "HTTP/1.0 200 OK"),
            ("GET / HTTP/1.1\r\nHost: evil.example", "HTTP/1.1 421 Misdirected Request"),
            ("GET / HTTP/1.1\r\nHost:", "HTTP/1.1 421 Misdirected Request"),
            ("GET / HTTP/1.0\r\nHost: evil.example", "HTTP/1.0 421 Misdirected Request"),
            ("GET http://evil.example/ HTTP/1.1\r\nHost: localhost", "HTTP/1.1 421 Misdirected Request"),
            ("GET http://localhost/ HTTP/1.1\r\nHost: evil.example", "HTTP/1.1 421 Misdirected Request"),
            ("GET http://localhost/ HTTP/1.1\r\nHost: localhost", "HTTP/1.1 200 OK"),
        ] {
            let answer = rest(server.open(&format!("{head}\r\nConnection: close\r\n\r\n")).await).await;
            assert_eq!(answer.lines().next(), Some(status), "{head}");
        }
    }

    #[tokio::test]
    async fn a_body_may_be_chunked_and_nothing_else() {
        let server = server().await;
        for (fields, status) in [
            ("Transfer-Encoding: chunked", "200 OK"),
            ("Transfer-Encoding: gzip, chunked", "501 Not Implemented"),
            ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "501 Not Implemented"),
            ("Transfer-Encoding: chunked, chunked", "400 Bad Request"),
            ("Transfer-Encoding: a2a", "400 Bad Request"),
            // Read by its chunks, and the connection is closed (RFC 9112, section 6.1).
            ("Transfer-Encoding: chunked\r\nContent-Length: 4", "200 OK"),
            ("Content-Length: 4\r\nTransfer-Encoding: chunked", "200 OK"),
        ] {
            let second = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
            let sent = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n\r\n0\r\n\r\n{second}");
            let answer = rest(server.open(&sent).await).await;
            assert_eq!(answer.lines().next(), Some(format!("HTTP/1.1 {status}").as_str()), "{fields}");
            let is_plain = fields == "Transfer-Encoding: chunked";
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1 + usize::from(is_plain), "{fields}: {answer}");
        }
    }

    #[tokio::test]
    async fn what_is_under_way_is_answered_before_the_end() {
        let server = server().await;
        let busy = server.open("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        // One that was accepted later has been answered: so the first one is being served.
        let other = server.open("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
        assert!(rest(other).await.ends_with("now"));
        server.closing.send_replace(true);
        server.later.notify_one();
        assert!(rest(busy).await.ends_with("later"));
        tokio::time::timeout(PATIENCE, server.task).await.unwrap().unwrap();
    }
}
