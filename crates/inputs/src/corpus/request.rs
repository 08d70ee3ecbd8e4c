//! JSON-RPC requests, as a server reads them.

use serde_json::{Map, Value, json};

use super::Verdict::{Accept, Either, Reject};
use super::{Fixed, Input};
use crate::generate::{Choices, json, number, text};
use crate::verdict::Level::{May, Must};

const REQUEST: &str = "JSON-RPC 2.0 section 4";
const PARAMS: &str = "JSON-RPC 2.0 section 4.2";
const BATCH: &str = "JSON-RPC 2.0 section 6";

const fn yes(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Accept, level: Must, section, reason }
}

const fn no(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Reject, level: Must, section, reason }
}

const fn either(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Either, level: May, section, reason }
}

/// A server answers what is no request by -32600 (section 5.1), so it must tell.
pub(super) const CLASSES: &[Fixed] = &[
    yes("call", REQUEST, "a method, parameters by name, an id"),
    yes("by-position", PARAMS, "parameters as an array"),
    yes("no-params", PARAMS, "params may be left out"),
    yes("id-string", REQUEST, "an id may be any string"),
    yes("id-number", REQUEST, "an id may be any whole number"),
    yes("notification", "JSON-RPC 2.0 section 4.1", "a request without an id is not answered"),
    either("batch", BATCH, "an array of requests; A2A does not say that agents take it"),
    either("id-null", REQUEST, "null as an id should not be sent, and is none of a notification"),
    either("id-fraction", REQUEST, "a number as an id should have no fraction"),
    either("unknown-member", REQUEST, "no section forbids further members"),
    no("version-missing", REQUEST, "jsonrpc must be there"),
    no("version-wrong", REQUEST, "jsonrpc must be the string \"2.0\""),
    no("method-missing", REQUEST, "a request names a method"),
    no("method-no-string", REQUEST, "a method is a string"),
    no("params-no-structure", PARAMS, "params are an object or an array"),
    no("id-of-wrong-type", REQUEST, "an id is a string, a number or null"),
    no("no-object", REQUEST, "a request is an object"),
    no("empty-batch", BATCH, "an empty array is an invalid request"),
    no("other-case", REQUEST, "names are case-sensitive"),
];

pub(super) fn make(class: &str, choices: &mut Choices<'_>) -> Option<Input> {
    let params = Value::Object(json::object(2, choices));
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    set("jsonrpc", json!("2.0"));
    set("id", json!(1));
    set("method", json!(method(choices)));
    set("params", params);
    let wrong = |choices: &mut Choices<'_>, all: &[Value]| choices.pick(all).cloned().unwrap_or_default();
    match class {
        "call" => {}
        "by-position" => drop(set("params", (0..choices.below(4)).map(|_| json::any(1, choices)).collect())),
        "id-string" => drop(set("id", json!(text::any(choices)))),
        "id-number" => {
            const MOST: i64 = 9_007_199_254_740_991;
            set("id", json!(number::integer(-MOST, MOST, choices)));
        }
        "id-null" => drop(set("id", Value::Null)),
        "id-fraction" => drop(set("id", json!(1.5))),
        "unknown-member" => drop(set("x", json::any(1, choices))),
        "version-wrong" => {
            set("jsonrpc", wrong(choices, &[json!(2.0), json!("2"), json!("1.0"), json!(null), json!("2.0 ")]));
        }
        "method-no-string" => drop(set("method", wrong(choices, &[json!(1), json!(null), json!({}), json!(["a"])]))),
        "params-no-structure" => drop(set("params", wrong(choices, &[json!("a"), json!(1), json!(true), json!(0.5)]))),
        "id-of-wrong-type" => drop(set("id", wrong(choices, &[json!(true), json!([]), json!({}), json!([1])]))),
        "no-object" => {
            let all = ["null", "1", "\"a\"", "true"];
            return Some(Input::new(choices.pick(&all).copied()?, Reject, None));
        }
        "empty-batch" => return Some(Input::new("[]", Reject, None)),
        _ => {}
    }
    let left_out = match class {
        "no-params" => Some("params"),
        "notification" => Some("id"),
        "version-missing" => Some("jsonrpc"),
        "method-missing" => Some("method"),
        "other-case" => Some("method"),
        _ => None,
    };
    if let Some(value) = left_out.and_then(|name| members.shift_remove(name))
        && class == "other-case"
    {
        members.insert("Method".to_owned(), value);
    }
    if class == "batch" {
        let several: Vec<Value> = (0..1 + choices.below(3)).map(|_| Value::Object(members.clone())).collect();
        return Some(Input::new(Value::Array(several).to_string(), Either, None));
    }
    let value: Value = members
        .iter()
        .filter(|(name, _)| *name != "jsonrpc")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let is_right = CLASSES.iter().any(|known| known.name == class && known.verdict == Accept);
    Some(Input::new(Value::Object(members).to_string(), Accept, is_right.then_some(value)))
}

fn method(choices: &mut Choices<'_>) -> String {
    const ALL: [&str; 4] = ["SendMessage", "message/send", "GetTask", "tasks/get"];
    match choices.below(6) {
        5 => text::any(choices),
        place => ALL.get(place).copied().unwrap_or("SendMessage").to_owned(),
    }
}
