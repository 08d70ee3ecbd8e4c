//! A gateway before an agent, which passes everything on as it is, but for one fault.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::response::IntoResponse as _;
use futures_util::StreamExt as _;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::common::agent::Agent;

/// The longest body that passes.
const LONGEST: usize = 8 << 20;

/// What a gateway does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It collects streams.
    BuffersStreams,
    /// It drops a header of requests.
    DropsRequestHeader(&'static str),
    /// It drops a header of responses.
    DropsResponseHeader(&'static str),
    /// It drops headers of the card.
    DropsCacheHeaders,
    /// It writes media types in capitals, with a parameter.
    SpellsMediaTypes,
    /// It names another media type.
    OtherMediaType,
    /// It puts its own address into the card.
    RewritesCard,
    /// It changes the name in the card.
    ChangesCard,
    /// It has a page for 404.
    PageFor404,
    /// It has a body of its own for 400.
    BodyFor400,
    /// It turns errors into successes.
    HidesErrors,
    /// It takes no bodies above so many bytes.
    BodyLimit(usize),
    /// It takes no headers above so many bytes.
    HeaderLimit(usize),
    /// It waits no longer for a response.
    TimeLimit(Duration),
    /// It cuts streams after so many pieces.
    CutsStreams(usize),
    /// It leaves out comments of streams.
    DropsComments,
    /// It compresses unasked.
    Compresses,
    /// It sends each POST twice.
    SendsTwice,
    /// It decodes escapes in paths.
    DecodesPaths,
    /// It drops queries.
    DropsQueries,
    /// It refuses DELETE.
    RefusesDelete,
    /// It loses the last bytes of bodies.
    LosesEnds,
    /// It loses trailers.
    LosesTrailers,
    /// It adds headers of its own.
    AddsHeaders,
    /// It answers for an agent that it does not reach.
    Unreachable,
}

type Clients = [Client<HttpConnector, Body>; 2];

/// A gateway before the agent at `target`, whose address is that of the returned agent.
pub fn before(target: impl Fn() -> String + Send + 'static, fault: Fault) -> Agent {
    Agent::serve(async move |url| {
        let one = Client::builder(TokioExecutor::new()).build_http();
        let two = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
        let clients: Clients = [one, two];
        let target = std::sync::Arc::new(std::sync::Mutex::new(target));
        Router::new().fallback(move |request: Request| {
            let (clients, url, target) = (clients.clone(), url.clone(), target.lock().unwrap()());
            async move { pass(&clients, &target, &url, fault, request).await }
        })
    })
}

async fn pass(clients: &Clients, target: &str, own: &str, fault: Fault, request: Request) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let is_grpc = kind(&head.headers).starts_with("application/grpc");
    let Ok(body) = to_bytes(body, LONGEST).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    if let Some(refusal) = refusal(fault, &head, &body) {
        return refusal;
    }
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let path = match fault {
        Fault::DropsQueries => head.uri.path().to_owned(),
        Fault::DecodesPaths => path.replace("%2F", "/").replace("%2f", "/"),
        _ => path,
    };
    if let Fault::DropsRequestHeader(name) = fault {
        head.headers.remove(name);
    }
    head.headers.remove(header::HOST);
    let uri: Uri = format!("{target}{path}").parse().unwrap();
    let client = if is_grpc { &clients[1] } else { &clients[0] };
    let send = async || {
        let mut request =
            Request::builder().method(head.method.clone()).uri(uri.clone()).body(Body::from(body.clone())).unwrap();
        request.headers_mut().extend(head.headers.clone());
        client.request(request).await
    };
    if fault == Fault::SendsTwice && head.method == Method::POST {
        // The first answer is thrown away.
        if let Ok(first) = send().await {
            tokio::spawn(async move { to_bytes(Body::new(first.into_body()), LONGEST).await });
        }
    }
    let sent = match fault {
        Fault::TimeLimit(limit) => match tokio::time::timeout(limit, send()).await {
            Ok(sent) => sent,
            Err(_) => return (StatusCode::GATEWAY_TIMEOUT, "upstream request timeout").into_response(),
        },
        _ => send().await,
    };
    let Ok(answer) = sent else { return (StatusCode::BAD_GATEWAY, "bad gateway").into_response() };
    let (parts, body) = answer.into_parts();
    let answer = Response::from_parts(parts, Body::new(body));
    spoiled(fault, own, target, &head, answer, is_grpc).await
}

fn kind(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default()
}

/// What it says in place of the agent.
fn refusal(fault: Fault, head: &Parts, body: &Bytes) -> Option<Response<Body>> {
    let longest = head.headers.values().map(|value| value.len()).max().unwrap_or_default();
    let status = match fault {
        Fault::BodyLimit(limit) if body.len() > limit => StatusCode::PAYLOAD_TOO_LARGE,
        Fault::HeaderLimit(limit) if longest > limit => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        Fault::RefusesDelete if head.method == Method::DELETE => StatusCode::METHOD_NOT_ALLOWED,
        Fault::Unreachable if !head.uri.path().starts_with("/.well-known") => StatusCode::BAD_GATEWAY,
        _ => return None,
    };
    Some((status, [(header::CONTENT_TYPE, "text/html")], format!("<html>{status}</html>")).into_response())
}

async fn spoiled(
    fault: Fault,
    own: &str,
    target: &str,
    head: &Parts,
    answer: Response<Body>,
    is_grpc: bool,
) -> Response<Body> {
    let is_card = head.uri.path().contains("/.well-known/");
    let is_stream = kind(answer.headers()).starts_with("text/event-stream");
    let (mut parts, body) = answer.into_parts();
    match fault {
        Fault::DropsResponseHeader(name) => drop(parts.headers.remove(name)),
        Fault::DropsCacheHeaders if is_card => {
            ["etag", "cache-control"].into_iter().for_each(|name| drop(parts.headers.remove(name)));
        }
        Fault::AddsHeaders => {
            parts.headers.insert("via", HeaderValue::from_static("1.1 gateway"));
            parts.headers.insert("x-request-id", HeaderValue::from_static("7"));
        }
        Fault::SpellsMediaTypes if !is_grpc => {
            let spelled = format!("{}; charset=UTF-8", kind(&parts.headers).to_ascii_uppercase());
            parts.headers.insert(header::CONTENT_TYPE, spelled.parse().unwrap());
        }
        Fault::OtherMediaType if !is_grpc && !is_stream && !is_card => {
            parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        }
        Fault::HidesErrors if !is_grpc && parts.status.is_client_error() => parts.status = StatusCode::OK,
        Fault::PageFor404 if parts.status == StatusCode::NOT_FOUND => {
            return (parts.status, [(header::CONTENT_TYPE, "text/html")], "<html>not found</html>").into_response();
        }
        Fault::BodyFor400 if parts.status == StatusCode::BAD_REQUEST => {
            return (parts.status, [(header::CONTENT_TYPE, "application/json")], r#"{"message":"bad request"}"#)
                .into_response();
        }
        Fault::BuffersStreams if is_stream => {
            parts.headers.remove(header::TRANSFER_ENCODING);
            return Response::from_parts(parts, Body::from(to_bytes(body, LONGEST).await.unwrap()));
        }
        Fault::CutsStreams(pieces) if is_stream => {
            let stream = body.into_data_stream().take(pieces);
            return Response::from_parts(parts, Body::from_stream(stream));
        }
        Fault::DropsComments if is_stream => {
            let stream = body.into_data_stream().map(|piece| piece.map(without_comments));
            return Response::from_parts(parts, Body::from_stream(stream));
        }
        Fault::LosesTrailers if is_grpc => {
            return Response::from_parts(parts, Body::from_stream(body.into_data_stream()));
        }
        Fault::RewritesCard | Fault::ChangesCard | Fault::Compresses | Fault::LosesEnds if !is_grpc && !is_stream => {
            let bytes = to_bytes(body, LONGEST).await.unwrap();
            return whole(fault, own, target, is_card, parts, &bytes);
        }
        _ => {}
    }
    Response::from_parts(parts, body)
}

fn without_comments(piece: Bytes) -> Bytes {
    let text = String::from_utf8_lossy(&piece).into_owned();
    text.split_inclusive('\n').filter(|line| !line.starts_with(':')).collect::<String>().into()
}

fn whole(
    fault: Fault,
    own: &str,
    target: &str,
    is_card: bool,
    mut parts: axum::http::response::Parts,
    bytes: &Bytes,
) -> Response<Body> {
    let text = || String::from_utf8_lossy(bytes).into_owned();
    parts.headers.remove(header::CONTENT_LENGTH);
    let bare = |url: &str| url.trim_start_matches("http://").to_owned();
    let body = match fault {
        Fault::RewritesCard if is_card => Bytes::from(text().replace(&bare(target), &bare(own))),
        Fault::ChangesCard if is_card => {
            Bytes::from(text().replacen("\"description\":", "\"description\":\"Changed. \",\"x-was\":", 1))
        }
        Fault::Compresses if !is_card => {
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Bytes::from([&[0x1f, 0x8b, 8, 0], &bytes[..]].concat())
        }
        Fault::LosesEnds if !is_card => bytes.slice(..bytes.len().saturating_sub(9)),
        _ => bytes.clone(),
    };
    Response::from_parts(parts, Body::from(body))
}
