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

/// The request with this number, and its id.
pub(crate) fn request(operation: &Operation, number: u64, params: &Value) -> (Value, Value) {
    let mut request = json!({ "jsonrpc": "2.0", "id": number, "method": operation.name, "params": params });
    spoil(&mut request, operation, number);
    let id = request["id"].clone();
    (if deviates("rpc/batch") { json!([request]) } else { request }, id)
}

/// What clients get wrong about a request.
fn spoil(request: &mut Value, operation: &Operation, number: u64) {
    if deviates("rpc/null-id") {
        request["id"] = Value::Null;
    }
    if deviates("rpc/fraction-id") {
        request["id"] = json!(format!("{number}.5").parse::<f64>().unwrap_or_default());
    }
    if deviates("rpc/boolean-id") {
        request["id"] = json!(true);
    }
    let old = OLD.iter().find(|(new, _)| *new == operation.name);
    if let Some((_, old)) = old.filter(|_| deviates("rpc/old-method-names")) {
        request["method"] = json!(old);
    }
    if deviates("rpc/version-as-a-number") {
        request["jsonrpc"] = json!(2.0);
    }
    if deviates("rpc/params-in-an-array") {
        request["params"] = json!([request["params"]]);
    }
    let Some(members) = request.as_object_mut() else { return };
    if deviates("rpc/no-version") {
        members.shift_remove("jsonrpc");
    }
    if operation.streams && deviates("rpc/streams-without-id") {
        members.shift_remove("id");
    }
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
