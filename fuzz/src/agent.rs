//! The readers of the reference agent, against those of the suite.

use a2a_reference_agent::{Version, reads, reads_over_grpc, reads_over_http};
use a2aspec::wire::json::{self, Limits};
use a2aspec::wire::jsonrpc;

use super::profiles;

/// What the reference agent reads as calls, in any version, is calls to the suite, too. Of members that stand twice readers may take
/// either, or none (RFC 8259, section 4).
pub fn json_rpc(bytes: &[u8]) {
    if json::parse(bytes, &Limits::default()).is_ok_and(|document| !document.duplicates().is_empty()) {
        return;
    }
    let is_call = |request: &jsonrpc::Request| {
        matches!(request, jsonrpc::Request::Call(_) | jsonrpc::Request::Notification { .. })
    };
    let is_right = match jsonrpc::classify(bytes) {
        jsonrpc::Request::Batch(calls) => calls.iter().all(is_call),
        request => is_call(&request),
    };
    for version in Version::ALL {
        assert!(!reads(version, bytes) || is_right, "{version} reads it, and it is no call");
    }
}

/// What the reference agent reads over HTTP+JSON, in any version, has an address that the version gives to an operation, and a JSON
/// object or nothing as its body. The first line is the method and the address, the rest is the body.
pub fn http_json(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (line, body) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let Some((method, address)) = std::str::from_utf8(line).ok().and_then(|line| line.split_once(' ')) else { return };
    let is_object = json::parse(body, &Limits::default()).is_ok_and(|body| body.value().is_object());
    for version in Version::ALL {
        if reads_over_http(version, method, address, body) {
            assert!(method != "POST" || body.is_empty() || is_object, "{version} reads a body that is no object");
            assert!(
                address.starts_with('/') || address.contains("://"),
                "{version} reads {address}, which is no address"
            );
        }
    }
}

/// What the reference agent reads over gRPC, in any version, is a message to the suite, too; and what the suite reads, it writes as it
/// was read. The first byte chooses the operation.
pub fn grpc(bytes: &[u8]) {
    let Some((choice, message)) = bytes.split_first() else { return };
    for profile in profiles() {
        let operations = &profile.facts.operations;
        let Some((&operation, facts)) = operations.iter().cycle().nth(usize::from(*choice)) else { continue };
        let read = profile.read_message(operation, message);
        let rpc = facts.rpc.clone().unwrap_or_else(|| operation.to_string());
        let version: Option<Version> = profile.name().parse().ok();
        let is_read = version.is_some_and(|version| reads_over_grpc(version, &rpc, message));
        assert!(!is_read || read.is_ok(), "{} {operation}: the agent reads it, but {read:?}", profile.name());
        let Ok(Some(params)) = read else { continue };
        let again = profile.write_message(operation, &params).unwrap_or_else(|error| panic!("{params}: {error}"));
        assert_eq!(profile.read_message(operation, &again), Ok(Some(params)), "{} {operation}", profile.name());
    }
}
