//! JSON-RPC 2.0 (section 9): requests, and what comes back.

use serde_json::{Value, json};

use crate::deviation::deviates;
use crate::failure::{Failure, name_of_code};
use crate::operation::Operation;

/// The names of methods before 1.0.
const OLD: [(&str, &str); 5] = [
    ("SendMessage", "message/send"),
    ("SendStreamingMessage", "message/stream"),
    ("GetTask", "tasks/get"),
    ("CancelTask", "tasks/cancel"),
    ("SubscribeToTask", "tasks/resubscribe"),
];

/// The request with this id.
pub(crate) fn request(operation: &Operation, id: u64, params: &Value) -> (Value, Value) {
    let id = match id {
        _ if deviates("rpc/null-id") => Value::Null,
        id if deviates("rpc/fraction-id") => json!(format!("{id}.5").parse::<f64>().unwrap_or_default()),
        _ if deviates("rpc/boolean-id") => json!(true),
        id => json!(id),
    };
    let old = OLD.iter().find(|(new, _)| *new == operation.name).filter(|_| deviates("rpc/old-method-names"));
    let method = old.map_or(operation.name, |(_, old)| old);
    let mut body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    if deviates("rpc/no-version") {
        body = json!({ "id": id, "method": method, "params": params });
    }
    if deviates("rpc/version-as-a-number") {
        body["jsonrpc"] = json!(2.0);
    }
    if deviates("rpc/params-in-an-array") {
        body["params"] = json!([params]);
    }
    if deviates("rpc/batch") {
        body = json!([body]);
    }
    if operation.streams && deviates("rpc/streams-without-id") {
        body = json!({ "jsonrpc": "2.0", "method": method, "params": params });
    }
    (body, id)
}

/// What a response says.
///
/// # Errors
/// That of the agent, or that it is no response to the request of this id.
pub(crate) fn response(body: &[u8], id: &Value) -> Result<Value, Failure> {
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let mut response: Value = serde_json::from_slice(body).map_err(|error| Failure::unreadable(error.to_string()))?;
    if response["jsonrpc"] != "2.0" {
        return Err(Failure::unreadable("no JSON-RPC 2.0"));
    }
    if deviates("rpc/further-members-refused") && response.as_object().is_some_and(|members| members.len() > 3) {
        return Err(Failure::unreadable("an unknown member"));
    }
    let error = response.get("error").filter(|error| !error.is_null()).cloned();
    // Who could not read the id answers with null.
    let same = response["id"] == *id
        || (error.is_some() && response["id"].is_null() && !deviates("rpc/error-with-null-id-refused"))
        || deviates("rpc/another-id-taken");
    if !same {
        return Err(Failure::unreadable(format!("a response with the id {}, not {id}", response["id"])));
    }
    let result = response.get_mut("result").map(Value::take);
    match (result, error) {
        (Some(result), Some(_)) if deviates("rpc/result-beside-an-error-taken") => Ok(result),
        (Some(result), Some(_)) if !result.is_null() => Err(Failure::unreadable("a result and an error")),
        (_, Some(error)) => Err(of_error(&error)),
        (Some(result), None) => Ok(result),
        (None, None) => Err(Failure::unreadable("neither a result nor an error")),
    }
}

fn of_error(error: &Value) -> Failure {
    let Some(code) = error["code"].as_i64() else { return Failure::unreadable("an error without a code") };
    let message = error["message"].as_str().unwrap_or_default();
    if deviates("errors/data-needed") && !error["data"].is_array() {
        return Failure::unreadable("an error without data");
    }
    let name = name_of_code(code);
    if name.is_none() && deviates("errors/unknown-code-refused") {
        return Failure::unreadable(format!("the code {code}"));
    }
    Failure::agent(json!(code), name.filter(|_| !deviates("errors/all-alike-over-json-rpc")), message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Kind;

    fn told(body: Value) -> Result<Value, (Kind, Option<&'static str>)> {
        response(body.to_string().as_bytes(), &json!(7)).map_err(|failure| (failure.kind, failure.name))
    }

    #[test]
    fn results_and_errors_are_told_apart() {
        let error = json!({ "code": -32001, "message": "no" });
        assert_eq!(told(json!({ "result": {}, "id": 7, "jsonrpc": "2.0", "more": 1 })), Ok(json!({})));
        let not_found = Err((Kind::Agent, Some("TaskNotFoundError")));
        assert_eq!(told(json!({ "jsonrpc": "2.0", "id": 7, "error": error })), not_found);
        assert_eq!(told(json!({ "jsonrpc": "2.0", "id": null, "error": error })), not_found);
        let unreadable = Err((Kind::Unreadable, None));
        assert_eq!(told(json!({ "jsonrpc": "2.0", "id": "7", "result": {} })), unreadable);
        assert_eq!(told(json!({ "jsonrpc": "2.0", "id": 7, "result": {}, "error": error })), unreadable);
        assert_eq!(told(json!({ "jsonrpc": "2.0", "id": 7 })), unreadable);
    }
}
