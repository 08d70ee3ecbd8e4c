mod answers;
mod edits;
mod file;
mod places;
mod requests;

use axum::body::Body;
use axum::http::Request;
use serde_json::Value;

use super::asked::Asked;
use super::data::Fault;

/// A fault of these lines.
fn fault(lines: &str) -> &'static Fault {
    let text = format!("id: a/b\nbreaks: x\nrequirements: []\n{lines}");
    Box::leak(Box::new(serde_saphyr::from_str(&text).unwrap()))
}

/// A request that was looked into.
fn asked(method: &str, uri: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Asked {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body.into()).unwrap();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(Asked::read(request))
}

/// A call over JSON-RPC at the address of a version.
fn call(version: &str, method: &str, params: Value) -> Asked {
    let body = serde_json::json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    asked("POST", &format!("/{version}"), &[("content-type", "application/json")], body.to_string())
}

/// A call over JSON-RPC below the base of a version.
fn call_below(version: &str, method: &str, params: Value) -> Asked {
    call(&format!("{version}/a2a"), method, params)
}

/// A call over gRPC of the draft.
fn draft_rpc(name: &str, message: &[u8]) -> Asked {
    let headers = [("content-type", "application/grpc"), ("a2a-version", "1.0")];
    asked("POST", &format!("/a2a.v1.A2AService/{name}"), &headers, super::carrier::grpc::frame(0, message))
}

/// A call over gRPC of 1.0.
fn rpc(name: &str, message: &[u8]) -> Asked {
    let body = super::carrier::grpc::frame(0, message);
    asked("POST", &format!("/lf.a2a.v1.A2AService/{name}"), &[("content-type", "application/grpc")], body)
}
