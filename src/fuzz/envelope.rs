//! The envelope of JSON-RPC: ids of every kind that the standard allows, and methods that there are not.

use serde_json::{Value, json};

use super::aim::Aim;
use super::probe::{Body, Probe};
use crate::generate::{Choices, free};
use crate::profile::{Binding, Operation};

/// How long an id is at most: a client chooses it, and keeps it.
const LONGEST_ID: usize = 5_000;

/// A right request under another id, or to a method of another name.
pub(super) fn enveloped(aim: &Aim, operation: Operation, is_rich: bool, choices: &mut Choices<'_>) -> Option<Probe> {
    if aim.session.connection.interface.binding != Binding::Jsonrpc {
        return None;
    }
    let request = aim.base(operation, is_rich)?.text(aim, operation)?.clone();
    let mut envelope: Value = serde_json::from_str(&request.body).ok()?;
    let members = envelope.as_object_mut()?;
    let learned = &aim.learned;
    if choices.below(3) < 2 {
        members.insert("id".to_owned(), id(&learned.numbers(), choices));
    } else {
        let method = members.get("method")?.as_str()?.to_owned();
        members.insert("method".to_owned(), json!(other_method(&method, choices)));
    }
    Some(request.with_body(operation, "changed-text", Body::Text(envelope.to_string())))
}

/// An id: a string, or a number without a fraction (JSON-RPC 2.0, section 4).
pub(super) fn id(numbers: &[i64], choices: &mut Choices<'_>) -> Value {
    match choices.below(4) {
        0 => json!(free::text(choices, LONGEST_ID)),
        // A text that looks like a number is none.
        1 => json!(free::number(choices, numbers).to_string()),
        // Doubles hold so many digits (RFC 8259, section 6).
        _ => {
            let number = free::number(choices, numbers);
            let is_held = |number: &i64| number.unsigned_abs() < 1 << 53;
            json!(number.as_i64().filter(is_held).unwrap_or_default())
        }
    }
}

/// A method that is not quite this one.
fn other_method(method: &str, choices: &mut Choices<'_>) -> String {
    match choices.below(6) {
        0 => method.to_uppercase(),
        1 => format!("{method} "),
        2 => format!("rpc.{method}"),
        3 => format!("{method}\0"),
        4 => method.chars().skip(1).collect(),
        _ => free::text(choices, 1_000),
    }
}
