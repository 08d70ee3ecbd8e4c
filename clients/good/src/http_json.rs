//! HTTP+JSON (section 11): paths, queries and bodies, and the errors that come back.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::deviation::deviates;
use crate::failure::{Failure, name_of_reason};
use crate::operation::Operation;

/// What a path or a query cannot have as it is: all but the unreserved characters of RFC 3986 section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The URL and the body of a request below a base. The tenant stands in the path (`additional_bindings` of a2a.proto).
///
/// # Errors
/// An id cannot stand in a path.
pub(crate) fn request(
    operation: &Operation,
    base: &str,
    tenant: Option<&str>,
    params: &Value,
) -> Result<(String, Option<Value>), Failure> {
    let mut rest: Map<String, Value> = params.as_object().cloned().unwrap_or_default();
    let base = if deviates("interface/slashes-doubled") { base } else { base.trim_end_matches('/') };
    let mut path = match base.split_once("://") {
        Some((scheme, after)) if deviates("interface/path-dropped") => {
            format!("{scheme}://{}", after.split('/').next().unwrap_or_default())
        }
        _ => base.to_owned(),
    };
    if deviates("rest/v1-in-front") {
        path.push_str("/v1");
    }
    if let Some(tenant) = tenant {
        path.push('/');
        path.push_str(&segment(tenant)?);
    }
    let mut pieces = operation.path.split(['{', '}']);
    path.push_str(pieces.next().unwrap_or_default());
    while let (Some(name), Some(literal)) = (pieces.next(), pieces.next()) {
        let id = rest.remove(name).unwrap_or_default();
        let id = id.as_str().filter(|id| !id.is_empty());
        path.push_str(&segment(id.ok_or_else(|| Failure::usage(format!("{name} is missing")))?)?);
        path.push_str(literal);
    }
    if operation.method == "POST" {
        return Ok((path, Some(Value::Object(rest))));
    }
    let pairs: Vec<String> = rest.iter().flat_map(|(name, value)| pair(name, value)).collect();
    if !pairs.is_empty() {
        path = format!("{path}?{}", pairs.join("&"));
    }
    Ok((path, None))
}

fn segment(id: &str) -> Result<String, Failure> {
    // What reads URLs takes these for the folder and the one above, however they are encoded.
    if matches!(id, "." | "..") {
        return Err(Failure::refused(format!("{id:?} cannot stand in a path")));
    }
    if deviates("rest/path-unencoded") {
        return Ok(id.to_owned());
    }
    let encoded = utf8_percent_encode(id, RESERVED).to_string();
    if deviates("rest/path-encoded-twice") {
        return Ok(utf8_percent_encode(&encoded, RESERVED).to_string());
    }
    if deviates("rest/slash-in-a-path-unencoded") {
        return Ok(encoded.replace("%2F", "/"));
    }
    Ok(if deviates("rest/plus-in-a-path") { encoded.replace("%20", "+") } else { encoded })
}

/// One parameter of a query. A default that is written is sent: presence can matter.
fn pair(name: &str, value: &Value) -> Vec<String> {
    let name = if deviates("rest/query-in-snake-case") { snake(name) } else { name.to_owned() };
    let written = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let encoded = |text: String| match text {
        text if deviates("rest/query-unencoded") => text,
        text => utf8_percent_encode(&text, RESERVED).to_string(),
    };
    match value {
        Value::Array(items) => items.iter().map(|item| format!("{name}={}", encoded(written(item)))).collect(),
        Value::Number(zero) if zero.as_i64() == Some(0) && deviates("rest/zero-left-out") => Vec::new(),
        value => vec![format!("{name}={}", encoded(written(value)))],
    }
}

fn snake(name: &str) -> String {
    name.chars()
        .flat_map(|letter| [letter.is_ascii_uppercase().then_some('_'), Some(letter.to_ascii_lowercase())])
        .flatten()
        .collect()
}

/// What an answer says.
///
/// # Errors
/// That of the agent, or that there is no answer of the protocol.
pub(crate) fn response(status: u16, media_type: &str, body: &[u8]) -> Result<Value, Failure> {
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    if (200..300).contains(&status) {
        if deviates("http/media-type-of-1.0-needed") && media_type != "application/a2a+json" {
            return Err(Failure::unreadable(format!("the media type {media_type}")));
        }
        if body.is_empty() {
            return Ok(json!({}));
        }
        return serde_json::from_slice(body).map_err(|error| Failure::unreadable(error.to_string()));
    }
    let read = serde_json::from_slice(body).ok();
    Err(read.and_then(|body| of_error(status, media_type, &body)).unwrap_or_else(|| Failure::status(status)))
}

/// The error of the agent in the body of an answer: `google.rpc.Status`, or problem details as in section 6.4 of 1.0.0.
pub(crate) fn of_error(status: u16, media_type: &str, body: &Value) -> Option<Failure> {
    let error = &body["error"];
    if media_type == "application/problem+json" && !error.is_object() {
        if deviates("errors/problem-json-refused") {
            return Some(Failure::unreadable("no google.rpc.Status"));
        }
        let kind = body["type"].as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        let reason = kind.to_ascii_uppercase().replace('-', "_");
        let message = body["detail"].as_str().or_else(|| body["title"].as_str()).unwrap_or_default();
        return Some(Failure::agent(json!(status), name_of_reason(&reason), message));
    }
    if !error.is_object() || !(error["message"].is_string() || error["code"].is_number() || error["status"].is_string())
    {
        return None;
    }
    let details = error["details"].as_array().map(Vec::as_slice).unwrap_or_default();
    if details.len() > 1 && deviates("errors/further-details-refused") {
        return Some(Failure::unreadable("more than one detail"));
    }
    let info = details.iter().find(|detail| detail["@type"] == "type.googleapis.com/google.rpc.ErrorInfo");
    let name = match info {
        Some(info) => info["reason"].as_str().and_then(name_of_reason),
        // Section 5.4 has 404 for one error alone.
        None if error["status"] == "NOT_FOUND" => Some("TaskNotFoundError"),
        None => None,
    };
    let name = match status {
        400 if deviates("errors/by-status-alone") => Some("UnsupportedOperationError"),
        _ => name.filter(|_| !deviates("errors/all-alike-over-http-json")),
    };
    Some(Failure::agent(json!(status), name, error["message"].as_str().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::named;

    fn asked(operation: &str, params: Value) -> String {
        request(named(operation).unwrap(), "http://agent/a/", Some("te nant"), &params).unwrap().0
    }

    #[test]
    fn ids_and_values_are_encoded() {
        assert_eq!(
            asked("CancelTask", json!({ "id": "a/b?c:d" })),
            "http://agent/a/te%20nant/tasks/a%2Fb%3Fc%3Ad:cancel"
        );
        let listed = asked("ListTasks", json!({ "pageToken": "a&b=+", "pageSize": 2, "includeArtifacts": false }));
        assert_eq!(listed, "http://agent/a/te%20nant/tasks?pageToken=a%26b%3D%2B&pageSize=2&includeArtifacts=false");
        let hook = asked("GetTaskPushNotificationConfig", json!({ "taskId": "t", "id": "h" }));
        assert_eq!(hook, "http://agent/a/te%20nant/tasks/t/pushNotificationConfigs/h");
    }

    #[test]
    fn errors_have_their_names_from_the_reason() {
        let info = json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_CANCELABLE" }]);
        let body = json!({ "error": { "code": 400, "message": "no", "details": info } }).to_string();
        let failure = response(400, "application/json", body.as_bytes()).unwrap_err();
        assert_eq!((failure.name, failure.code), (Some("TaskNotCancelableError"), json!(400)));
        assert_eq!(response(502, "text/html", b"<html>").unwrap_err().kind, crate::failure::Kind::Transport);
    }
}
