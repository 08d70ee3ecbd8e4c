//! Agents scripted for tests of clients: many at one port, each below a path of its own, `/c/NAME/`. A name may have slashes.
//!
//! A [`Stage`] is one of them: a right agent with tasks of its own, and a [`Script`], which sees each request first. The script
//! answers itself, hands the request to the agent, or closes the connection, and hears what was answered. Stages know nothing of
//! one another, so that cases run side by side in one process.

mod recorded;

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use self::recorded::Recorded;
use crate::config::Config;
use crate::core::Users;
use crate::fault::{self, Faults};
use crate::server::{Cards, routes};

/// The longest body of a request that is read.
const LONGEST: usize = 16 << 20;
/// How long a client may take for the headers of a request.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(30);
/// What stands before the name of a stage in a path.
const BELOW: &str = "/c/";

/// What decides the answers of one agent.
pub trait Script: Send + Sync {
    /// What becomes of a request.
    fn turn(&self, request: &Asked) -> Turn;
    /// A request was answered, or its client has left.
    fn answered(&self, request: &Asked, answer: Answered);
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its number at this port, in the order in which requests were complete.
    pub number: u64,
    /// The method.
    pub method: String,
    /// The path with the query, as it came.
    pub target: String,
    /// The part of the path below that of the stage, with its slash and without the query.
    pub path: String,
    /// The query.
    pub query: Option<String>,
    /// The header fields in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// When it was complete.
    pub at: Instant,
}

impl Asked {
    /// The first field of this name, which is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The path of a stage of this name, at the port of all stages.
#[must_use]
pub fn path_of(name: &str) -> String {
    format!("{BELOW}{name}")
}

/// What becomes of a request.
#[derive(Debug, Clone)]
pub enum Turn {
    /// The agent answers; it takes the request for one to this path.
    Agent(String),
    /// This is answered.
    Reply(Reply),
    /// The connection is closed without an answer.
    Close,
}

/// An answer that was written beforehand.
#[derive(Debug, Clone)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Header fields.
    pub headers: Vec<(String, String)>,
    /// The pieces of the body, each after this pause.
    pub pieces: Vec<(Duration, Bytes)>,
    /// How it ends.
    pub end: End,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// In good order.
    Complete,
    /// In the middle: the connection is closed.
    Cut,
    /// Not before the client leaves.
    Open,
}

/// What a request was answered with.
#[derive(Debug, Clone)]
pub struct Answered {
    /// HTTP status; nothing where the connection was closed.
    pub status: Option<u16>,
    /// The header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as far as it was sent and room was left.
    pub body: Bytes,
    /// Whether the client left before the end.
    pub has_left: bool,
    /// When it was over.
    pub at: Instant,
}

/// The port of all stages.
pub struct Scripted {
    url: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    stages: Mutex<HashMap<String, Arc<Agent>>>,
    /// What answers requests to no stage.
    front: Option<Arc<dyn Front>>,
    numbers: AtomicU64,
}

/// What answers requests to no stage, in place of HTTP 404.
pub trait Front: Send + Sync {
    /// The answer to a request; [`Asked::path`] is the whole path.
    fn reply(&self, request: &Asked) -> Reply;
}

struct Agent {
    script: Arc<dyn Script>,
    routes: Router,
    users: Arc<Users>,
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.users.close();
    }
}

/// An agent at work. It is gone when this is dropped.
pub struct Stage {
    name: String,
    url: String,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Scripted").field("url", &self.url).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stage").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Shared {
    fn stages(&self) -> MutexGuard<'_, HashMap<String, Arc<Agent>>> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stage that a path leads to, and the rest of the path below it.
    fn stage<'p>(&self, path: &'p str) -> Option<(Arc<Agent>, &'p str)> {
        let below = path.strip_prefix(BELOW)?;
        let stages = self.stages();
        let ends = below.match_indices('/').map(|(at, _)| at).chain([below.len()]);
        let mut names = ends.map(|end| below.split_at(end));
        names.find_map(|(name, rest)| Some((Arc::clone(stages.get(name)?), rest)))
    }
}

impl Scripted {
    /// Listens on a free port of the loopback interface, with no stage yet.
    ///
    /// # Errors
    /// The system's.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let url = format!("http://{}", listener.local_addr()?);
        Ok(Self::at(listener, url, None))
    }

    /// Serves at a socket whose clients find it at `url`, which has no slash at its end.
    #[must_use]
    pub fn at(listener: TcpListener, url: String, front: Option<Arc<dyn Front>>) -> Self {
        let shared = Arc::new(Shared { front, ..Shared::default() });
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Self { url, shared, server }
    }

    /// Where it is, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The URL that a stage of this name has.
    #[must_use]
    pub fn url_of(&self, name: &str) -> String {
        format!("{}{}", self.url, path_of(name))
    }

    /// Puts an agent below a path of its own.
    ///
    /// # Errors
    /// A configuration that does not make an agent.
    pub fn stage(&self, name: &str, config: &Config, script: Arc<dyn Script>) -> io::Result<Stage> {
        config.check_schemes()?;
        let url = self.url_of(name);
        let cards = Cards::new(config, &url);
        let users = Users::new(config.clone(), cards.extended()).map_err(io::Error::other)?;
        let mut own = routes::all(config, &users, &cards)?;
        if let Some(faults) = Faults::new(config) {
            own = own.layer(from_fn_with_state(faults, fault::apply));
        }
        let agent = Arc::new(Agent { script, routes: own, users });
        self.shared.stages().insert(name.to_owned(), agent);
        Ok(Stage { name: name.to_owned(), url, shared: Arc::clone(&self.shared) })
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Stage {
    /// The URL of the agent, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.shared.stages().remove(&self.name);
    }
}

/// The public card of an agent whose clients find it at `url`, unsigned.
///
/// # Errors
/// None that a configuration can cause.
pub fn card(config: &Config, url: &str) -> io::Result<Value> {
    Ok(serde_json::to_value(Cards::new(config, url).unsigned())?)
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    // Dropping the set ends the connections.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let _unchanged = stream.set_nodelay(true);
                    connections.spawn(converse(stream, Arc::clone(&shared)));
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            },
            Some(_ended) = connections.join_next() => {}
        }
    }
}

/// The connection is to be closed.
#[derive(Debug, thiserror::Error)]
#[error("closed as the script says")]
struct Hangup;

async fn converse(stream: TcpStream, shared: Arc<Shared>) {
    let service = service_fn(move |request| answer(request, Arc::clone(&shared)));
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADERS_TIMEOUT);
    // What breaks a connection is nobody else's business.
    let _ended = pin!(builder.serve_connection(TokioIo::new(stream), service)).await;
}

async fn answer(
    request: hyper::Request<hyper::body::Incoming>,
    shared: Arc<Shared>,
) -> Result<hyper::Response<Recorded>, Hangup> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let (agent, rest) = shared.stage(path).map_or((None, path), |(agent, rest)| (Some(agent), rest));
    if agent.is_none() && shared.front.is_none() {
        return Ok(Recorded::of_nobody(404));
    }
    let Ok(body) = Limited::new(body, LONGEST).collect().await else { return Ok(Recorded::of_nobody(413)) };
    let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let asked = Asked {
        number: shared.numbers.fetch_add(1, Ordering::Relaxed),
        method: parts.method.to_string(),
        target: parts.uri.path_and_query().map_or_else(|| path.to_owned(), ToString::to_string),
        path: rest.to_owned(),
        query: parts.uri.query().map(str::to_owned),
        headers: parts.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        body: body.to_bytes(),
        at: Instant::now(),
    };
    let Some(agent) = agent else {
        let reply = shared.front.as_ref().map(|front| front.reply(&asked));
        return Ok(reply.map_or_else(|| Recorded::of_nobody(404), Recorded::of_front));
    };
    match agent.script.turn(&asked) {
        Turn::Close => {
            let (headers, body) = (Vec::new(), Bytes::new());
            let answered = Answered { status: None, headers, body, has_left: false, at: Instant::now() };
            agent.script.answered(&asked, answered);
            Err(Hangup)
        }
        Turn::Reply(reply) => Ok(Recorded::scripted(&agent.script, asked, reply)),
        Turn::Agent(path) => {
            let response = ask(&agent.routes, parts, &path, asked.body.clone()).await;
            Ok(Recorded::of_agent(&agent.script, asked, response))
        }
    }
}

/// Asks the right agent, as if the request had come to it at this path.
async fn ask(routes: &Router, mut parts: hyper::http::request::Parts, path: &str, body: Bytes) -> Response {
    let target = match parts.uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    match target.parse() {
        Ok(uri) => parts.uri = uri,
        Err(_) => return hyper::StatusCode::BAD_REQUEST.into_response(),
    }
    let request = hyper::Request::from_parts(parts, Full::new(body));
    let answered: Result<Response, Infallible> = TowerToHyperService::new(routes.clone()).call(request).await;
    answered.unwrap_or_else(|never| match never {})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script that keeps what came.
    #[derive(Default)]
    struct Keeps {
        asked: Mutex<Vec<(String, Option<u16>)>>,
    }

    impl Script for Keeps {
        fn turn(&self, request: &Asked) -> Turn {
            let reply = |body: &'static str| Reply {
                status: 418,
                headers: vec![("x-own".to_owned(), "1".to_owned())],
                pieces: vec![(Duration::ZERO, Bytes::from_static(body.as_bytes()))],
                end: End::Complete,
            };
            match request.path.as_str() {
                "/own" => Turn::Reply(reply("own")),
                "/close" => Turn::Close,
                path => Turn::Agent(path.to_owned()),
            }
        }

        fn answered(&self, request: &Asked, answer: Answered) {
            self.asked.lock().unwrap().push((request.path.clone(), answer.status));
        }
    }

    #[tokio::test]
    async fn stages_answer_below_paths_of_their_own_and_know_what_came() {
        let agents = Scripted::start().await.unwrap();
        let (one, two) = (Arc::new(Keeps::default()), Arc::new(Keeps::default()));
        let config = Config { only: Some(crate::Version::V1_0), ..Config::default() };
        let first = agents.stage("one", &config, Arc::<Keeps>::clone(&one)).unwrap();
        let second = agents.stage("two", &config, Arc::<Keeps>::clone(&two)).unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let get = |url: String| client.get(url).send();
        let card = get(format!("{}/.well-known/agent-card.json", first.url())).await.unwrap();
        assert_eq!(card.status(), 200);
        let card: Value = serde_json::from_slice(&card.bytes().await.unwrap()).unwrap();
        assert!(card["supportedInterfaces"][0]["url"].as_str().unwrap().starts_with(first.url()), "{card}");
        let own = get(format!("{}/own", second.url())).await.unwrap();
        assert_eq!((own.status().as_u16(), own.headers()["x-own"].to_str().unwrap()), (418, "1"));
        assert_eq!(own.text().await.unwrap(), "own");
        assert!(get(format!("{}/close", second.url())).await.is_err());
        assert_eq!(get(agents.url_of("three")).await.unwrap().status(), 404);
        drop(second);
        assert_eq!(get(agents.url_of("two")).await.unwrap().status(), 404);
        assert_eq!(*one.asked.lock().unwrap(), [("/.well-known/agent-card.json".to_owned(), Some(200))]);
        let seen = two.asked.lock().unwrap().clone();
        assert_eq!(seen, [("/own".to_owned(), Some(418)), ("/close".to_owned(), None)]);
    }
}
