//! A proxy in front of the reference agent that has one bug, and knows when the bug was met and shown.
//!
//! It passes on what it does not change byte by byte, over one connection to the agent for each of a client.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::apply::{self, Answer};
use crate::bug::{Bug, Effect, Place};
use crate::call::{Call, Facts, JSONRPC};
use crate::hold;
use crate::memory::Memory;
use crate::stream;

/// An error of a connection: it is closed.
pub type Broken = Box<dyn std::error::Error + Send + Sync>;
/// The body of an answer.
pub type Body = UnsyncBoxBody<Bytes, std::io::Error>;

/// The path of deliveries that the proxy takes in the place of a webhook.
const DELIVERIES: &str = "/.drawn/";

/// What the proxy saw.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
pub struct Tally {
    /// Requests.
    pub requests: u64,
    /// Calls for which all conditions held.
    pub met: u64,
    /// Answers that the bug changed.
    pub shown: u64,
    /// Calls of the operation for which the first, the first two and the first three conditions held.
    pub steps: [u64; 3],
    /// Calls of the operation over a binding that has the bug.
    pub calls: u64,
    /// Requests whose answer has not begun.
    pub in_flight: u64,
    /// When the bug was met first, and after how many requests.
    pub first_met: Option<(Duration, u64)>,
}

/// A proxy that listens.
#[derive(Debug)]
pub struct Proxy {
    /// Its address.
    pub address: SocketAddr,
    state: Arc<State>,
    tasks: JoinSet<()>,
}

/// What all connections share.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) bug: Option<Bug>,
    agent: SocketAddr,
    own: SocketAddr,
    pub(crate) memory: Mutex<Memory>,
    tally: watch::Sender<Tally>,
    hooks: Mutex<Vec<String>>,
    /// The webhooks that the proxy stands for, by number.
    taken: Mutex<HashMap<usize, String>>,
    began: Instant,
}

/// What one connection has.
#[derive(Debug, Default)]
struct Connection {
    requests: AtomicU64,
    is_behind_refusal: AtomicBool,
    upstream: tokio::sync::Mutex<Option<SendRequest<Full<Bytes>>>>,
}

/// Counts a request until its answer begins.
struct InFlight(Arc<State>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.tally.send_modify(|tally| tally.in_flight -= 1);
    }
}

/// What a mutex guards, also if somebody panicked with it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Proxy {
    /// Listens on a free port, in front of an agent.
    ///
    /// # Errors
    /// That of the port.
    pub async fn start(agent: SocketAddr, bug: Option<Bug>) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            bug,
            agent,
            own: address,
            memory: Mutex::default(),
            tally: watch::Sender::new(Tally::default()),
            hooks: Mutex::default(),
            taken: Mutex::default(),
            began: Instant::now(),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::clone(&state)));
        Ok(Self { address, state, tasks })
    }

    /// What it saw so far.
    #[must_use]
    pub fn tally(&self) -> Tally {
        *self.state.tally.borrow()
    }

    /// Waits until `is_it` holds for what it saw.
    pub async fn wait(&self, is_it: impl FnMut(&Tally) -> bool) {
        // The sender is in the state, and cannot be gone.
        let mut tally = self.state.tally.subscribe();
        let _ended = tally.wait_for(is_it).await;
    }

    /// How many calls of an operation it saw.
    #[must_use]
    pub fn calls(&self, operation: &str) -> u64 {
        lock(&self.state.memory).calls(operation)
    }

    /// Ends it, with its connections.
    pub async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        // Small answers must not wait for acknowledgements.
        let _is_set = stream.set_nodelay(true);
        let (state, connection) = (Arc::clone(&state), Arc::new(Connection::default()));
        connections.spawn(async move {
            let service = service_fn(move |request| {
                let (state, connection) = (Arc::clone(&state), Arc::clone(&connection));
                async move { state.serve(&connection, request).await.map_err(std::io::Error::other) }
            });
            let _closed =
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

impl State {
    pub(crate) fn shown(&self) {
        self.tally.send_modify(|tally| tally.shown += 1);
    }

    fn met(&self) {
        let now = self.began.elapsed();
        self.tally.send_modify(|tally| {
            tally.met += 1;
            tally.first_met.get_or_insert((now, tally.requests));
        });
    }

    async fn serve(
        self: &Arc<Self>,
        connection: &Connection,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, Broken> {
        let (parts, body) = request.into_parts();
        if parts.uri.path().starts_with(DELIVERIES) {
            let body = body.collect().await?.to_bytes();
            return self.deliver(Request::from_parts(parts, Full::new(body))).await;
        }
        self.tally.send_modify(|tally| {
            tally.requests += 1;
            tally.in_flight += 1;
        });
        let guard = InFlight(Arc::clone(self));
        let nth_on_connection = connection.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let body = body.collect().await?.to_bytes();
        let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default());
        let Some(call) = Call::read(&parts.method, path, query, &parts.headers, &body) else {
            let response = self.ask(connection, Request::from_parts(parts, Full::new(body))).await?;
            connection.is_behind_refusal.store(response.status().as_u16() >= 400, Ordering::Relaxed);
            return Ok(response.map(|body| body.map_err(std::io::Error::other).boxed_unsync()));
        };
        let known = lock(&self.memory).note(&call);
        let mut facts = Facts {
            page: known.page,
            calls: known.calls,
            calls_on_task: known.calls_on_task,
            before: known.before,
            nth_on_connection,
            in_flight: self.tally.borrow().in_flight,
            is_behind_refusal: connection.is_behind_refusal.load(Ordering::Relaxed),
            ..Facts::default()
        };
        let (mut effect, mut hint) = (None, None);
        if let Some(bug) =
            self.bug.as_ref().filter(|bug| bug.operation == call.operation.name && bug.binding.has(call.is_jsonrpc))
        {
            self.complete(bug, &call, &mut facts).await?;
            let held = hold::count(&bug.conditions, &call, &facts);
            self.tally.send_modify(|tally| {
                tally.calls += 1;
                tally.steps.iter_mut().take(held).for_each(|step| *step += 1);
            });
            if held == bug.conditions.len() {
                self.met();
                effect = Some(bug.effect.clone());
            } else {
                hint = held.checked_sub(1).and_then(|at| bug.hints.get(at)).cloned();
            }
        }
        match &effect {
            Some(Effect::InternalError) => {
                self.shown();
                connection.is_behind_refusal.store(true, Ordering::Relaxed);
                return internal_error(&call);
            }
            Some(Effect::Status(status)) => {
                self.shown();
                connection.is_behind_refusal.store(true, Ordering::Relaxed);
                let response = Response::builder().status(StatusCode::from_u16(*status)?);
                let response = response.header(header::CONTENT_TYPE, "text/plain");
                return Ok(whole_body(response.body(Bytes::from_static(b"upstream failure"))?));
            }
            Some(Effect::Hang) if !call.operation.is_stream => {
                self.shown();
                // Until the client goes.
                std::future::pending::<Infallible>().await;
            }
            Some(Effect::Close { is_inside: false }) => {
                self.shown();
                return Err("the bug closes the connection".into());
            }
            _ => {}
        }
        let request = self.take_webhook(&call, effect.as_ref(), Request::from_parts(parts, body))?;
        let response = self.ask(connection, request.map(Full::new)).await?;
        if is_events(&response) {
            drop(guard);
            connection.is_behind_refusal.store(false, Ordering::Relaxed);
            return Ok(match (effect, hint) {
                (None, None) => response.map(|body| body.map_err(std::io::Error::other).boxed_unsync()),
                (effect, hint) => stream::change(Arc::clone(self), call, response, effect, hint),
            });
        }
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        let response = Response::from_parts(head, body);
        let (is_refusal, response) = self.finish(&call, facts.page, response, effect.as_ref(), hint.as_deref())?;
        connection.is_behind_refusal.store(is_refusal, Ordering::Relaxed);
        drop(guard);
        Ok(response)
    }

    /// Looks up what the conditions need to know beside the call.
    async fn complete(&self, bug: &Bug, call: &Call, facts: &mut Facts) -> Result<(), Broken> {
        let looks_at = |is_it: fn(&Place) -> bool| bug.conditions.iter().any(|condition| is_it(&condition.place));
        if bug.conditions.iter().any(|condition| condition.relation == crate::bug::Relation::OneOff) {
            facts.given.clone_from(&lock(&self.memory).given);
        }
        let Some(task) = call.task().map(str::to_owned) else { return Ok(()) };
        if looks_at(|place| matches!(place, Place::State | Place::Messages)) {
            let task = self.look("GetTask", json!({ "id": task })).await?;
            facts.state = task["status"]["state"].as_str().map(str::to_owned);
            facts.messages = task["history"].as_array().map(|history| history.len() as u64);
        }
        if looks_at(|place| *place == Place::Webhooks) {
            let webhooks = self.look("ListTaskPushNotificationConfigs", json!({ "taskId": task })).await?;
            facts.webhooks = webhooks["configs"].as_array().map(|webhooks| webhooks.len() as u64);
        }
        Ok(())
    }

    /// Asks the agent something of the proxy's own.
    async fn look(&self, method: &str, params: Value) -> Result<Value, Broken> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let request = Request::post(JSONRPC).header(header::HOST, self.agent.to_string());
        let request = request.header(header::CONTENT_TYPE, "application/json").header("A2A-Version", "1.0");
        let response = send(self.agent, request.body(Full::new(Bytes::from(body)))?).await?;
        let mut answer: Value = serde_json::from_slice(&response.into_body().collect().await?.to_bytes())?;
        Ok(answer.get_mut("result").map(Value::take).unwrap_or_default())
    }

    /// Asks the agent, over the connection that belongs to the client's.
    async fn ask(&self, connection: &Connection, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Broken> {
        let mut upstream = connection.upstream.lock().await;
        let is_ready = match upstream.as_mut() {
            Some(sender) => sender.ready().await.is_ok(),
            None => false,
        };
        if !is_ready {
            *upstream = Some(connect(self.agent).await?);
        }
        let sender = upstream.as_mut().ok_or("there is a connection")?;
        Ok(sender.send_request(request).await?)
    }

    /// Remembers an answer that is not a stream, and changes it as the bug says.
    fn finish(
        &self,
        call: &Call,
        page: Option<u64>,
        response: Response<Bytes>,
        effect: Option<&Effect>,
        hint: Option<&str>,
    ) -> Result<(bool, Response<Body>), Broken> {
        let mut response = response;
        let mut whole: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        // With its webhooks as the client knows them.
        if let Some(text) = self.with_own_webhooks(response.body()) {
            *response.body_mut() = text;
            response.headers_mut().remove(header::CONTENT_LENGTH);
            whole = serde_json::from_slice(response.body()).unwrap_or_default();
        }
        let is_refusal = response.status().as_u16() >= 400 || whole.get("error").is_some();
        let at = match (call.is_jsonrpc, is_refusal) {
            (true, false) => "/result",
            (_, true) => "/error",
            (false, false) => "",
        };
        let Some(payload) = whole.pointer(at).cloned() else { return Ok((is_refusal, whole_body(response))) };
        let mut answer = Answer { is_refusal, payload, head: Vec::new() };
        if let Some(effect) = effect.filter(|effect| !effect.is_delivery()) {
            let is_shown = match effect {
                Effect::Close { is_inside: true } => {
                    self.shown();
                    return Ok((is_refusal, cut_short(response)));
                }
                _ => apply::apply(effect, call, &mut answer, &lock(&self.memory)),
            };
            if is_shown {
                self.shown();
                let is_stale = *effect == Effect::Stale;
                response = written(call, response, &whole, &answer, is_stale)?;
            }
        } else if let Some(hint) = hint {
            apply::hint(hint, &mut answer);
            response = written(call, response, &whole, &answer, false)?;
        }
        if !is_refusal {
            let payload = whole.pointer(at).cloned().unwrap_or_default();
            lock(&self.memory).keep(call, &payload, page);
        }
        Ok((is_refusal, whole_body(response)))
    }

    /// Takes the place of a webhook, if the bug is about its deliveries.
    fn take_webhook(
        &self,
        call: &Call,
        effect: Option<&Effect>,
        mut request: Request<Bytes>,
    ) -> Result<Request<Bytes>, Broken> {
        let at = match call.operation.name.as_str() {
            "CreateTaskPushNotificationConfig" => "/url",
            "SendMessage" | "SendStreamingMessage" => "/configuration/taskPushNotificationConfig/url",
            _ => return Ok(request),
        };
        let Some(url) = call.params.pointer(at).and_then(Value::as_str) else { return Ok(request) };
        lock(&self.hooks).push(url.to_owned());
        if !effect.is_some_and(Effect::is_delivery) || !url.starts_with("http://") {
            return Ok(request);
        }
        let number = {
            let mut taken = lock(&self.taken);
            let number = taken.len();
            taken.insert(number, url.to_owned());
            number
        };
        let mut body: Value = serde_json::from_slice(request.body())?;
        let at = if call.is_jsonrpc { format!("/params{at}") } else { at.to_owned() };
        if let Some(url) = body.pointer_mut(&at) {
            *url = Value::String(self.stand_in(number));
        }
        *request.body_mut() = Bytes::from(body.to_string());
        request.headers_mut().remove(header::TRANSFER_ENCODING);
        let length = HeaderValue::from(request.body().len());
        request.headers_mut().insert(header::CONTENT_LENGTH, length);
        Ok(request)
    }

    fn stand_in(&self, number: usize) -> String {
        format!("http://{}{DELIVERIES}{number}", self.own)
    }

    /// A text with the client's own webhooks in the place of those that the proxy stands for.
    fn with_own_webhooks(&self, body: &Bytes) -> Option<Bytes> {
        let taken = lock(&self.taken);
        let text = std::str::from_utf8(body).ok().filter(|text| !taken.is_empty() && text.contains(DELIVERIES))?;
        // Each ends in a quotation mark, so that no number is the beginning of another.
        let own = |text: String, (number, url): (&usize, &String)| {
            text.replace(&format!("\"{}\"", self.stand_in(*number)), &Value::String(url.clone()).to_string())
        };
        Some(Bytes::from(taken.iter().fold(text.to_owned(), own)))
    }

    /// Passes a delivery on as the bug says.
    async fn deliver(&self, request: Request<Full<Bytes>>) -> Result<Response<Body>, Broken> {
        let (mut parts, body) = request.into_parts();
        let number = parts.uri.path().trim_start_matches(DELIVERIES).parse()?;
        let url = lock(&self.taken).get(&number).cloned().ok_or("nobody made this webhook")?;
        let body = body.collect().await?.to_bytes();
        let effect = self.bug.as_ref().map(|bug| &bug.effect);
        let mut urls = match effect {
            Some(Effect::DeliveryNone) => Vec::new(),
            Some(Effect::DeliveryTwice) => vec![url.clone(), url.clone()],
            _ => vec![url.clone()],
        };
        if effect == Some(&Effect::DeliveryForeign) {
            let Some(other) = lock(&self.hooks).iter().rev().find(|other| **other != url).cloned() else {
                // Nobody else can get it.
                return forward(&url, &mut parts, &body).await;
            };
            urls.push(other);
        }
        let mut response = whole_body(Response::new(Bytes::new()));
        for url in urls {
            // A webhook that is gone does not keep the next from its delivery.
            if let Ok(answer) = forward(&url, &mut parts, &body).await {
                response = answer;
            }
        }
        self.shown();
        Ok(response)
    }
}

/// Posts a delivery to a webhook.
async fn forward(url: &str, parts: &mut http::request::Parts, body: &Bytes) -> Result<Response<Body>, Broken> {
    let url: http::Uri = url.parse()?;
    let authority = url.authority().ok_or("a webhook has a host")?;
    let address = format!("{}:{}", authority.host(), authority.port_u16().unwrap_or(80));
    let stream = TcpStream::connect(&address).await?;
    let path = url.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    let mut request = Request::builder().method(parts.method.clone()).uri(path).body(Full::new(body.clone()))?;
    *request.headers_mut() = parts.headers.clone();
    request.headers_mut().insert(header::HOST, HeaderValue::from_str(authority.as_str())?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = body.collect().await?.to_bytes();
    Ok(whole_body(Response::from_parts(head, body)))
}

async fn connect(agent: SocketAddr) -> Result<SendRequest<Full<Bytes>>, Broken> {
    let stream = TcpStream::connect(agent).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn send(agent: SocketAddr, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Broken> {
    Ok(connect(agent).await?.send_request(request).await?)
}

fn is_events(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

fn whole_body(response: Response<Bytes>) -> Response<Body> {
    response.map(|body| Full::new(body).map_err(|never| match never {}).boxed_unsync())
}

/// Half of the body, and then the connection is closed.
fn cut_short(response: Response<Bytes>) -> Response<Body> {
    response.map(|body| {
        let half = Ok(Frame::data(body.slice(..body.len() / 2)));
        let frames = futures_util::stream::iter([half, Err(std::io::Error::other("the bug closes the connection"))]);
        StreamBody::new(frames).boxed_unsync()
    })
}

/// An answer with another payload.
fn written(
    call: &Call,
    response: Response<Bytes>,
    whole: &Value,
    answer: &Answer,
    is_success: bool,
) -> Result<Response<Bytes>, Broken> {
    let (mut head, _) = response.into_parts();
    let (mut whole, was_refusal) = (whole.clone(), whole.get("error").is_some());
    if call.is_jsonrpc {
        let id = whole.get("id").cloned().unwrap_or_default();
        let member = if answer.is_refusal { "error" } else { "result" };
        whole = json!({ "jsonrpc": "2.0", "id": id, member: answer.payload });
    } else if answer.is_refusal {
        whole["error"] = answer.payload.clone();
    } else {
        whole = answer.payload.clone();
    }
    if is_success && was_refusal && !call.is_jsonrpc {
        head.status = StatusCode::OK;
    }
    head.headers.remove(header::CONTENT_LENGTH);
    for (name, value) in &answer.head {
        head.headers.insert(http::HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value)?);
    }
    Ok(Response::from_parts(head, Bytes::from(whole.to_string())))
}

fn internal_error(call: &Call) -> Result<Response<Body>, Broken> {
    let (status, kind, body) = if call.is_jsonrpc {
        let error = json!({ "code": -32603, "message": "internal error" });
        (200, "application/json", json!({ "jsonrpc": "2.0", "id": call.id, "error": error }))
    } else {
        let error = json!({ "code": 500, "status": "INTERNAL", "message": "internal error", "details": [] });
        (500, "application/json", json!({ "error": error }))
    };
    let response = Response::builder().status(status).header(header::CONTENT_TYPE, kind);
    Ok(whole_body(response.body(Bytes::from(body.to_string()))?))
}
