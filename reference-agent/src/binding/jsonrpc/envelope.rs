//! The envelope of JSON-RPC 2.0.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Number, Value};

use crate::version::{ErrorObject, Json};

/// The most calls in one batch.
const LARGEST_BATCH: usize = 1000;

/// The id of a call, given back as it came.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Id {
    /// None, or none that could be read.
    Null,
    /// A number.
    Number(Number),
    /// A string.
    String(String),
}

/// A well-formed call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Where the answer belongs; a call without one is a notification and gets no answer.
    pub id: Option<Id>,
    /// What to do.
    pub method: String,
    /// With what.
    pub params: Option<Value>,
}

/// Something in the place of a call that is none. It is answered even without an id (section 5 of JSON-RPC).
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// The id, if it could be read.
    pub id: Id,
    /// What is wrong.
    pub fault: Fault,
}

/// What JSON-RPC itself, rather than the agent, has against a request (section 9.5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The body is not JSON.
    #[error("Invalid JSON payload")]
    NotJson,
    /// The body is JSON, but no call; the reason.
    #[error("Request payload validation error: {0}")]
    InvalidRequest(Cow<'static, str>),
    /// There is no such method.
    #[error("Method not found")]
    MethodNotFound,
}

impl From<&Fault> for ErrorObject {
    fn from(fault: &Fault) -> Self {
        let code = match fault {
            Fault::NotJson => -32700,
            Fault::InvalidRequest(_) => -32600,
            Fault::MethodNotFound => -32601,
        };
        Self { code, message: fault.to_string(), data: None }
    }
}

/// A request body.
#[derive(Debug, PartialEq)]
pub enum Payload {
    /// One call.
    Single(Result<Call, Invalid>),
    /// Several calls.
    Batch(Vec<Result<Call, Invalid>>),
}

/// Reads a request body. Of members that are there twice the last one counts.
pub fn read(body: &[u8]) -> Payload {
    let refuse = |fault| Payload::Single(Err(Invalid { id: Id::Null, fault }));
    match serde_json::from_slice(body) {
        Err(_) => refuse(Fault::NotJson),
        Ok(Value::Array(calls)) if calls.is_empty() => refuse(Fault::InvalidRequest("the batch is empty".into())),
        Ok(Value::Array(calls)) if calls.len() > LARGEST_BATCH => {
            refuse(Fault::InvalidRequest("the batch is too large".into()))
        }
        Ok(Value::Array(calls)) => Payload::Batch(calls.into_iter().map(read_call).collect()),
        Ok(call) => Payload::Single(read_call(call)),
    }
}

fn read_call(call: Value) -> Result<Call, Invalid> {
    let refuse = |id: Option<Id>, why: &'static str| {
        let fault = Fault::InvalidRequest(why.into());
        Invalid { id: id.unwrap_or(Id::Null), fault }
    };
    let Value::Object(mut members) = call else {
        return Err(refuse(None, "a call must be an object"));
    };
    let id = match members.remove("id") {
        None => None,
        Some(Value::Null) => Some(Id::Null),
        Some(Value::Number(number)) => Some(Id::Number(number)),
        Some(Value::String(string)) => Some(Id::String(string)),
        Some(_) => return Err(refuse(None, "id must be a string, a number or null")),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refuse(id, "jsonrpc must be \"2.0\""));
    }
    match members.remove("method") {
        Some(Value::String(method)) => Ok(Call { id, method, params: members.remove("params") }),
        _ => Err(refuse(id, "method must be a string")),
    }
}

/// The answer to a call.
///
/// # Errors
/// None that the parts can cause; serde's interface asks for it.
pub fn result(id: &Id, result: &Json) -> serde_json::Result<String> {
    Ok(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, Json::of(id)?))
}

/// The refusal of a call.
///
/// # Errors
/// As [`result`].
pub fn error(id: &Id, error: &ErrorObject) -> serde_json::Result<String> {
    Ok(format!(r#"{{"jsonrpc":"2.0","id":{},"error":{}}}"#, Json::of(id)?, Json::of(error)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn single(body: &str) -> Result<Call, Invalid> {
        match read(body.as_bytes()) {
            Payload::Single(call) => call,
            Payload::Batch(calls) => panic!("{calls:?}"),
        }
    }

    #[test]
    fn ids_are_kept() {
        for (written, id) in [
            ("\"a\"", Some(Id::String("a".to_owned()))),
            ("\"\"", Some(Id::String(String::new()))),
            ("null", Some(Id::Null)),
            ("0", Some(Id::Number(0.into()))),
            ("9007199254740993", Some(Id::Number(9_007_199_254_740_993_u64.into()))),
        ] {
            let call = single(&format!(r#"{{"jsonrpc":"2.0","id":{written},"method":"m"}}"#)).unwrap();
            assert_eq!(call.id, id);
            assert_eq!(serde_json::to_string(&id).unwrap(), written);
        }
        assert_eq!(single(r#"{"jsonrpc":"2.0","method":"m"}"#).unwrap().id, None);
    }

    #[test]
    fn what_is_no_call_is_told_apart() {
        let null = || json!(null);
        for (body, code, id) in [
            ("", -32700, null()),
            ("{", -32700, null()),
            ("true", -32600, null()),
            ("{}", -32600, null()),
            ("[]", -32600, null()),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, -32600, null()),
            (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, -32600, null()),
            (r#"{"id":1,"method":"m"}"#, -32600, json!(1)),
            (r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, -32600, json!(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, -32600, json!(1)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600, json!(1)),
        ] {
            let invalid = single(body).unwrap_err();
            assert_eq!(ErrorObject::from(&invalid.fault).code, code, "{body}");
            assert_eq!(serde_json::to_value(invalid.id).unwrap(), id, "{body}");
        }
        assert_eq!(single(&"[".repeat(100_000)).unwrap_err().fault, Fault::NotJson);
        assert!(matches!(read(b"{\"a\":\"\xff\"}"), Payload::Single(Err(invalid)) if invalid.fault == Fault::NotJson));
    }

    #[test]
    fn batches_hold_what_they_hold() {
        let Payload::Batch(calls) = read(br#"[{"jsonrpc":"2.0","id":1,"method":"m"}, [], 5]"#) else { panic!() };
        assert!(calls[0].is_ok());
        assert!(calls[1].is_err() && calls[2].is_err());
    }

    #[test]
    fn responses_have_one_outcome() {
        assert_eq!(
            result(&Id::String("\"".to_owned()), &Json::null()).unwrap(),
            r#"{"jsonrpc":"2.0","id":"\"","result":null}"#,
        );
        assert_eq!(
            error(&Id::Number(1.into()), &(&Fault::MethodNotFound).into()).unwrap(),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
        );
    }
}
