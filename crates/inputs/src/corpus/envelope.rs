//! JSON-RPC responses.

use serde_json::{Map, Value, json};

use super::Verdict::{Accept, Either, Reject};
use super::{Fixed, Input};
use crate::generate::{Choices, json, number, text};
use crate::verdict::Level::{May, Must};

const RESPONSE: &str = "JSON-RPC 2.0 section 5";
const ERROR: &str = "JSON-RPC 2.0 section 5.1";

const fn yes(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Accept, level: Must, section, reason }
}

const fn no(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Reject, level: May, section, reason }
}

const fn either(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Either, level: May, section, reason }
}

/// The demands of section 5 are on who sends a response. What its reader does with one that breaks them, it does not say.
pub(super) const CLASSES: &[Fixed] = &[
    yes("result", RESPONSE, "a result of any type"),
    yes("result-null", RESPONSE, "null is a result"),
    yes("error", ERROR, "an error with code and message"),
    yes("error-with-data", ERROR, "data of any type"),
    yes("id-null", RESPONSE, "an error for a request whose id could not be read"),
    yes("id-string", RESPONSE, "an id may be any string"),
    yes("id-number", RESPONSE, "an id may be any whole number"),
    yes("members-in-any-order", "RFC 8259 section 4", "the order of members means nothing"),
    either("unknown-member", RESPONSE, "no section forbids further members"),
    either("reserved-code", ERROR, "codes from -32768 to -32000 are reserved"),
    either("code-spelled-otherwise", ERROR, "-32601.0 is a whole number, and readers differ on it"),
    either("id-fraction", "JSON-RPC 2.0 section 4", "numbers as ids should have no fraction"),
    either("batch", "JSON-RPC 2.0 section 6", "an array answers a batch only"),
    no("result-and-error", RESPONSE, "both result and error"),
    no("result-and-null-error", RESPONSE, "error must not exist where there was none, not even as null"),
    no("neither", RESPONSE, "neither result nor error"),
    no("version-missing", RESPONSE, "jsonrpc must be there"),
    no("version-wrong", RESPONSE, "jsonrpc must be the string \"2.0\""),
    no("id-missing", RESPONSE, "id must be there"),
    no("id-of-wrong-type", RESPONSE, "an id is a string, a number or null"),
    no("error-no-object", ERROR, "an error is an object"),
    no("code-missing", ERROR, "code must be there"),
    no("code-no-integer", ERROR, "a code is an integer"),
    no("message-missing", ERROR, "message must be there"),
    no("message-no-string", ERROR, "a message is a string"),
    no("no-object", RESPONSE, "a response is an object"),
    no("request", RESPONSE, "a request is no response"),
    no("other-case", "JSON-RPC 2.0 section 4", "names are case-sensitive"),
];

pub(super) fn make(class: &str, choices: &mut Choices<'_>) -> Option<Input> {
    let id = json!(1);
    let with = |outcome: &str, value: Value, id: Value| {
        let mut members = Map::new();
        members.insert("jsonrpc".to_owned(), json!("2.0"));
        members.insert("id".to_owned(), id);
        members.insert(outcome.to_owned(), value);
        members
    };
    let mut members = match class {
        "result" => with("result", result(choices), id),
        "result-null" => with("result", Value::Null, id),
        "error" => with("error", error(choices), id),
        "error-with-data" => {
            let mut members = with("error", error(choices), id);
            members.get_mut("error")?.as_object_mut()?.insert("data".to_owned(), json::any(2, choices));
            members
        }
        "id-null" => with("error", error(choices), Value::Null),
        "id-string" => with("result", result(choices), json!(text::any(choices))),
        "id-number" => {
            const MOST: i64 = 9_007_199_254_740_991;
            with("result", result(choices), json!(number::integer(-MOST, MOST, choices)))
        }
        "members-in-any-order" => {
            let mut members = Map::new();
            members.insert("result".to_owned(), result(choices));
            members.insert("id".to_owned(), id);
            members.insert("jsonrpc".to_owned(), json!("2.0"));
            members
        }
        "unknown-member" => {
            let mut members = with("result", result(choices), id);
            members.insert(pick(choices, &["x", "params", "meta", "__proto__"]), json::any(1, choices));
            members
        }
        "reserved-code" => {
            let code = -32_768 + i64::try_from(choices.below(68)).ok()?;
            with("error", json!({ "code": code, "message": "a" }), id)
        }
        "code-spelled-otherwise" => {
            let text = pick(choices, &["-32601.0", "-3.2601e4", "-326010e-1"]);
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{text},"message":"a"}}}}"#);
            return Some(Input::new(text, Either, None));
        }
        "id-fraction" => with("result", result(choices), json!(1.5)),
        "batch" => {
            let one = Value::Object(with("result", result(choices), id));
            return Some(Input::new(json!([one]).to_string(), Either, None));
        }
        "result-and-error" => {
            let mut members = with("result", result(choices), id);
            members.insert("error".to_owned(), error(choices));
            members
        }
        "result-and-null-error" => {
            let mut members = with("result", result(choices), id);
            members.insert("error".to_owned(), Value::Null);
            members
        }
        "neither" => {
            let mut members = with("result", result(choices), id);
            members.shift_remove("result");
            members
        }
        "version-missing" | "version-wrong" => {
            let mut members = with("result", result(choices), id);
            members.shift_remove("jsonrpc");
            if class == "version-wrong" {
                let all =
                    [json!(2.0), json!("2"), json!("1.0"), json!("2.0 "), json!(null), json!("2.00"), json!(["2.0"])];
                members.insert("jsonrpc".to_owned(), choices.pick(&all)?.clone());
            }
            members
        }
        "id-missing" => {
            let mut members = with("result", result(choices), id);
            members.shift_remove("id");
            members
        }
        "id-of-wrong-type" => {
            let all = [json!(true), json!([1]), json!({ "id": 1 }), json!(false), json!([])];
            with("result", result(choices), choices.pick(&all)?.clone())
        }
        "error-no-object" => {
            let all = [json!("boom"), json!(null), json!([]), json!(-32_601), json!(true)];
            with("error", choices.pick(&all)?.clone(), id)
        }
        "code-missing" | "message-missing" => {
            let mut members = with("error", error(choices), id);
            let name = if class == "code-missing" { "code" } else { "message" };
            members.get_mut("error")?.as_object_mut()?.shift_remove(name);
            members
        }
        "code-no-integer" => {
            let all = [json!("-32601"), json!(1.5), json!(null), json!(true), json!([1])];
            with("error", json!({ "code": choices.pick(&all)?, "message": "a" }), id)
        }
        "message-no-string" => {
            let all = [json!(null), json!(7), json!({}), json!(["a"]), json!(true)];
            with("error", json!({ "code": -32_601, "message": choices.pick(&all)? }), id)
        }
        "no-object" => {
            let all = ["[]", "null", "1", "\"a\"", "true"];
            return Some(Input::new(pick(choices, &all), Reject, None));
        }
        "request" => {
            let method = text::any(choices);
            let mut members = with("params", json!({}), id);
            members.insert("method".to_owned(), json!(method));
            members
        }
        "other-case" => {
            let name = pick(choices, &["Result", "RESULT", "results"]);
            with(&name, result(choices), id)
        }
        _ => return None,
    };
    // What is read: the id, and the result or the error.
    let is_right = CLASSES.iter().any(|known| known.name == class && known.verdict == Accept);
    let read = members.iter().filter(|(name, _)| *name != "jsonrpc");
    let value = is_right.then(|| read.map(|(name, value)| (name.clone(), value.clone())).collect());
    if choices.one_in(4) {
        members = members.into_iter().rev().collect();
    }
    Some(Input::new(Value::Object(members).to_string(), Accept, value))
}

fn result(choices: &mut Choices<'_>) -> Value {
    json::any(2, choices)
}

fn error(choices: &mut Choices<'_>) -> Value {
    const CODES: [i64; 12] =
        [-32_601, -32_700, -32_600, -32_602, -32_603, -32_001, -32_002, -32_007, -32_000, 0, 1, -1];
    json!({ "code": choices.pick(&CODES).copied().unwrap_or_default(), "message": text::any(choices) })
}

fn pick(choices: &mut Choices<'_>, all: &[&str]) -> String {
    choices.pick(all).copied().unwrap_or_default().to_owned()
}
