//! Answers that a fault gives in place of the agent's.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode};
use bytes::{Bytes, BytesMut};
use serde_json::{Value, json};

use super::asked::{Asked, Binding};
use super::carrier::grpc;
use super::carrier::whole::frames;
use super::data::Fault;
use super::edit::fill;
use super::errors;
use crate::version::Version;

/// What a fault says in place of the agent, if it does.
pub fn answer(fault: &Fault, asked: &Asked) -> Option<Response<Body>> {
    let fill = |value: &Value| fill(value, &Value::Null, asked);
    if let Some(name) = &fault.error {
        return Some(errors::write(name, asked));
    }
    if let Some(result) = &fault.result {
        return Some(whole(&fill(result), asked));
    }
    fault.stream.as_ref().map(|events| stream(&events.iter().map(fill).collect::<Vec<Value>>(), asked))
}

fn whole(result: &Value, asked: &Asked) -> Response<Body> {
    match asked.binding {
        Some(Binding::Grpc) => messages(std::slice::from_ref(result), asked),
        Some(Binding::HttpJson) => {
            let media_type = match asked.version {
                Version::V1_0 | Version::V1_1Draft => "application/a2a+json",
                _ => "application/json",
            };
            errors::plain(StatusCode::OK, media_type, result.to_string())
        }
        Some(Binding::JsonRpc) => {
            errors::plain(StatusCode::OK, "application/json", envelope(result, asked).to_string())
        }
        None => errors::plain(StatusCode::OK, "application/json", result.to_string()),
    }
}

fn stream(events: &[Value], asked: &Asked) -> Response<Body> {
    let text = |event: &Value| match asked.binding {
        Some(Binding::JsonRpc) => format!("data: {}\n\n", envelope(event, asked)),
        _ => format!("data: {event}\n\n"),
    };
    match asked.binding {
        Some(Binding::Grpc) => messages(events, asked),
        _ => errors::plain(StatusCode::OK, "text/event-stream", events.iter().map(text).collect()),
    }
}

fn envelope(result: &Value, asked: &Asked) -> Value {
    json!({ "jsonrpc": "2.0", "id": asked.id, "result": result })
}

/// Messages of gRPC, and that all is well.
fn messages(values: &[Value], asked: &Asked) -> Response<Body> {
    let rpc = asked.rpc();
    let mut body = BytesMut::new();
    for message in values.iter().filter_map(|value| rpc.as_ref()?.write_answer(value)) {
        body.extend_from_slice(&grpc::frame(0, &message));
    }
    let mut trailers = axum::http::HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let data = Some(body.freeze()).filter(|body: &Bytes| !body.is_empty()).map(http_body::Frame::data);
    let all = data.into_iter().chain([http_body::Frame::trailers(trailers)]).map(Ok);
    let mut response = Response::new(frames(futures_util::stream::iter(all)));
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    response
}
