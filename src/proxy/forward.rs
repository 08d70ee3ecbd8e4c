//! One request on its way to the agent, and the response on its way back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::uri::Authority;
use http::{Method, Request, Response, StatusCode, Uri, Version};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use jiff::Timestamp;

use super::address::Places;
use super::record::Sender;
use super::tap::{Keeping, Kept, Room, Tapped, kept};
use super::vary::{Answer, Error, Varied, Vary};
use crate::har::{self, Answered, Body, Entry, Own};
use crate::transport::relay::Relay;

/// The headers about one connection (RFC 9110 section 7.6.1), which end with it.
const OF_CONNECTIONS: [&str; 6] =
    ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "proxy-authenticate"];
/// How the paths of cards end, in every version.
const CARDS: [&str; 5] = [
    "/.well-known/agent-card.json",
    "/.well-known/agent.json",
    "/extendedAgentCard",
    "/v1/card",
    "/agent/authenticatedExtendedCard",
];
/// The methods of JSON-RPC for the extended card, in every version.
const METHODS: [&str; 2] = ["GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard"];
/// The most bytes of a card.
const LONGEST_CARD: usize = 4 << 20;

/// What all exchanges share.
pub(super) struct Shared {
    relay: Relay,
    places: Arc<Places>,
    sender: Sender,
    sample: f64,
    vary: Vary,
    keeps_card: bool,
    room: Room,
    random: Mutex<fastrand::Rng>,
    /// How many exchanges the sample leaves out.
    pub left_out: AtomicUsize,
}

impl Shared {
    pub fn new(
        relay: Relay,
        places: Arc<Places>,
        sender: Sender,
        (sample, vary): (f64, Vary),
        keeps_card: bool,
    ) -> Self {
        let random = Mutex::new(fastrand::Rng::with_seed(vary.seed));
        let (room, left_out) = (Room::default(), AtomicUsize::new(0));
        Self { relay, places, sender, sample, vary, keeps_card, room, random, left_out }
    }

    fn with_random<T>(&self, make: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        make(&mut self.random.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An exchange that is under way, as it is recorded.
struct Passage {
    began: Timestamp,
    started: Instant,
    method: Method,
    url: String,
    headers: Vec<(String, String)>,
    request: Keeping,
    sender: Sender,
}

impl Passage {
    /// Has the exchange judged, which ended like this.
    fn end(self, answer: Option<Answered>, ended: Option<&str>) {
        let request = kept(&self.request);
        let body = match (request.body(), request.is_whole) {
            (Body::Whole(bytes), false) => Body::Cut(bytes),
            (body, _) => body,
        };
        let own = Own { ended: ended.map(str::to_owned), ..Own::default() };
        self.sender.send(Entry {
            number: 0,
            began: Some(self.began),
            grain: Duration::ZERO,
            took: self.started.elapsed(),
            method: self.method.to_string(),
            url: self.url,
            headers: self.headers,
            body,
            answer,
            is_local: false,
            own: Some(own),
        });
    }
}

/// Headers as texts, with names in lower case.
pub(super) fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

/// Passes a request on to the origin with this place, and the response back.
pub(super) async fn pass(shared: Arc<Shared>, place: usize, request: Request<Incoming>) -> Response<Answer> {
    let (began, started) = (crate::clock::now(), Instant::now());
    let Some(origin) = shared.places.origin(place) else { return refused("nothing is proxied here") };
    if request.method() == Method::CONNECT {
        return refused("the proxy opens no tunnels");
    }
    if !has_host(&request) {
        return with_text(StatusCode::BAD_REQUEST, "a2aspec proxy: the request needs exactly one valid Host\n");
    }
    let host = host(&request).unwrap_or_default();
    let (mut head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let url = format!("{origin}{path}");
    let Ok(uri) = url.parse::<Uri>() else { return refused("the path is none that can be passed on") };
    let is_for_card = asks_for_card(&head, &path);
    let is_grpc = is_grpc(&head.headers);
    without_connection(&mut head.headers, is_grpc);
    address(&mut head, uri, is_grpc);
    if is_for_card && !shared.keeps_card {
        // What is compressed cannot be changed.
        head.headers.remove(header::ACCEPT_ENCODING);
    }
    let is_sampled = shared.sample >= 1.0 || shared.with_random(|random| random.f64() < shared.sample);
    let request = Arc::new(Mutex::new(Kept::new(&shared.room)));
    let passage = is_sampled.then(|| Passage {
        began,
        started,
        method: head.method.clone(),
        url,
        headers: texts(&head.headers),
        request: Arc::clone(&request),
        sender: shared.sender.clone(),
    });
    if !is_sampled {
        shared.left_out.fetch_add(1, Ordering::Relaxed);
    }
    let body = Tapped::new(body, Arc::clone(&request), |_| {});
    let sent = shared.relay.send(Request::from_parts(head, body.boxed_unsync())).await;
    let plan = shared.with_random(|random| shared.vary.plan(random));
    if !plan.delay.is_zero() {
        tokio::time::sleep(plan.delay).await;
    }
    let response = match sent {
        Ok(response) => response,
        Err(ended) => {
            let why = ended.to_string();
            if let Some(passage) = passage {
                passage.end(None, Some(&why));
            }
            return bad_gateway(&why);
        }
    };
    let (mut head, body) = response.into_parts();
    without_connection(&mut head.headers, is_grpc);
    let answer = Arc::new(Mutex::new(Kept::new(&shared.room)));
    let (status, headers, keeping) = (head.status.as_u16(), texts(&head.headers), Arc::clone(&answer));
    let tapped = Tapped::new(body, answer, move |ended| {
        let Some(passage) = passage else { return };
        let kept = kept(&keeping);
        let answered = Answered { status, headers, body: kept.body(), trailers: kept.trailers.clone() };
        drop(kept);
        passage.end(Some(answered), ended);
    });
    let has_card = || is_for_card || (is_json(&head.headers) && calls_for_card(&request));
    if !shared.keeps_card && !head.headers.contains_key(header::CONTENT_ENCODING) && has_card() {
        return rewritten(&shared, head, tapped, &host).await;
    }
    Response::from_parts(head, Varied::new(tapped, plan).boxed_unsync())
}

/// A card that leads to the proxy.
async fn rewritten(shared: &Shared, mut head: http::response::Parts, body: Tapped, host: &str) -> Response<Answer> {
    let whole = http_body_util::Limited::new(body, LONGEST_CARD).collect().await;
    let bytes = match whole {
        Ok(whole) => whole.to_bytes(),
        Err(error) => return bad_gateway(&format!("the card does not come to its end: {error}")),
    };
    let bytes = match std::str::from_utf8(&bytes) {
        Ok(text) => Bytes::from(shared.places.rewrite(text, host)),
        Err(_) => bytes,
    };
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Full::new(bytes).map_err(Error::from).boxed_unsync())
}

/// Whether a request asks for a card by its path.
fn asks_for_card(head: &Parts, path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    head.method == Method::GET && CARDS.iter().any(|card| path.ends_with(card))
}

/// Whether a request asks for a card by its method of JSON-RPC.
fn calls_for_card(request: &Keeping) -> bool {
    #[derive(serde::Deserialize)]
    struct Called {
        method: String,
    }
    let har::Body::Whole(body) = kept(request).body() else { return false };
    let called = serde_json::from_slice::<Called>(&body);
    called.is_ok_and(|called| METHODS.contains(&called.method.as_str()))
}

/// Whether the body of a response is JSON, by its media type.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.to_ascii_lowercase().contains("json")
}

fn is_grpc(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

/// Whether a request names its host, as it must (RFC 9112 section 3.2, RFC 9113 section 8.3.1).
fn has_host(request: &Request<Incoming>) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let is_valid = |host: &HeaderValue| {
        let authority = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
        authority.is_some_and(|authority| !authority.as_str().contains('@'))
    };
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_valid(host),
        (None, _) => request.uri().authority().is_some() || request.version() == Version::HTTP_10,
        (Some(_), Some(_)) => false,
    }
}

/// The host that a client came to.
fn host(request: &Request<Incoming>) -> Option<String> {
    let of_header = || request.headers().get(header::HOST)?.to_str().ok().map(str::to_owned);
    request.uri().authority().map(ToString::to_string).or_else(of_header)
}

/// Takes out the headers that are about the connection, and those that it names (RFC 9110 section 7.6.1).
fn without_connection(headers: &mut HeaderMap, is_grpc: bool) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    named.into_iter().for_each(|name| drop(headers.remove(name)));
    OF_CONNECTIONS.into_iter().for_each(|name| drop(headers.remove(name)));
    // Over HTTP/2 this is what gRPC requires of clients, and of what passes its calls on.
    if !is_grpc {
        headers.remove(header::TE);
    }
}

/// Leads a request to the agent: over HTTP/2 if it is one of gRPC, and else over HTTP/1.1, whatever it came by.
fn address(head: &mut Parts, uri: Uri, is_grpc: bool) {
    head.headers.remove(header::HOST);
    match (is_grpc, uri.authority().map(|authority| HeaderValue::from_str(authority.as_str()))) {
        (true, _) => head.version = Version::HTTP_2,
        (false, authority) => {
            head.version = Version::HTTP_11;
            if let Some(Ok(host)) = authority {
                head.headers.insert(header::HOST, host);
            }
        }
    }
    head.uri = uri;
}

/// The response for an agent that gives none (RFC 9110 section 15.6.3).
fn bad_gateway(why: &str) -> Response<Answer> {
    with_text(StatusCode::BAD_GATEWAY, &format!("a2aspec proxy: no response from the agent: {why}\n"))
}

/// The response to a request that cannot be passed on.
fn refused(why: &str) -> Response<Answer> {
    with_text(StatusCode::NOT_IMPLEMENTED, &format!("a2aspec proxy: {why}\n"))
}

fn with_text(status: StatusCode, text: &str) -> Response<Answer> {
    let body = Full::new(Bytes::from(text.to_owned())).map_err(Error::from).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
