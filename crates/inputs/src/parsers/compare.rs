//! Whether a parser read what it should have.

use serde_json::{Map, Value};

use crate::corpus::Kind;
use crate::wire::base64;
use crate::wire::json::pointer;
use crate::wire::timestamp;

/// The first place where what was read is not what should have been; `None` where it is.
///
/// JSON is the same value, numbers as doubles, their last digits left out. Of an event those members count that the adapter gives,
/// and its data always. An object of A2A may have further members, its times and its base64 may be written otherwise, and what is
/// null or a default may be missing: many languages cannot tell.
pub(super) fn difference(kind: Kind, expected: &Value, read: &Value) -> Option<String> {
    let mut found = None;
    let mut place = String::new();
    match kind {
        Kind::Json | Kind::Grpc => same(expected, read, &mut place, &mut found),
        Kind::Sse => events(expected, read, &mut found),
        Kind::Envelope | Kind::Request => members(expected, read, &mut place, &mut found, &same),
        Kind::Card | Kind::Task | Kind::Message | Kind::Event | Kind::ProtoJson => {
            object(expected, read, &mut place, &mut found)
        }
    }
    found
}

type Compare = dyn Fn(&Value, &Value, &mut String, &mut Option<String>);

/// The same JSON value.
fn same(expected: &Value, read: &Value, place: &mut String, found: &mut Option<String>) {
    let is_same = match (expected, read) {
        (Value::Object(one), Value::Object(other)) => {
            let further = other.keys().find(|name| !one.contains_key(*name));
            match one.keys().find(|name| !other.contains_key(*name)).or(further) {
                Some(odd) => within(place, odd, |place| note(place, found)),
                None => members(expected, read, place, found, &same),
            }
            return;
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            items(one, other, place, found, &same);
            return;
        }
        (Value::Number(one), Value::Number(other)) => one == other || is_near(one.as_f64(), other.as_f64()),
        (one, other) => one == other,
    };
    if !is_same {
        note(place, found);
    }
}

/// Whether two numbers are the same but for the last digits of a double: readers may limit the precision of what they read (RFC 8259,
/// section 6).
fn is_near(one: Option<f64>, other: Option<f64>) -> bool {
    const PRECISION: f64 = 8.0 * f64::EPSILON;
    let near = |one: f64, other: f64| one == other || (one - other).abs() <= one.abs() * PRECISION;
    one.zip(other).is_some_and(|(one, other)| near(one, other))
}

/// An object of A2A.
fn object(expected: &Value, read: &Value, place: &mut String, found: &mut Option<String>) {
    match (expected, read) {
        (Value::Object(_), Value::Object(_)) => members(expected, read, place, found, &object),
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            items(one, other, place, found, &object)
        }
        (Value::String(one), Value::String(other)) if one != other => {
            let instant = |text: &str| timestamp::rfc3339(text).ok().map(|time| time.instant);
            let bytes = |text: &str| base64::decode(text).ok().filter(|_| holds_bytes(place));
            let is_time = instant(one).is_some() && instant(one) == instant(other);
            let is_bytes = bytes(one).is_some() && bytes(one) == bytes(other);
            if !is_time && !is_bytes {
                note(place, found);
            }
        }
        (one, other) if is_default(one) && is_default(other) => {}
        (one, other) => same(one, other, place, found),
    }
}

/// Every member of the first, as the second has it; one that is a default may be missing.
fn members(expected: &Value, read: &Value, place: &mut String, found: &mut Option<String>, compare: &Compare) {
    let (Value::Object(expected), Value::Object(read)) = (expected, read) else { return note(place, found) };
    for (name, value) in expected {
        within(place, name, |place| match read.get(name) {
            Some(other) => compare(value, other, place, found),
            None if is_default(value) => {}
            None => note(place, found),
        });
    }
}

fn items(expected: &[Value], read: &[Value], place: &mut String, found: &mut Option<String>, compare: &Compare) {
    for (index, (value, other)) in expected.iter().zip(read).enumerate() {
        within(place, &index.to_string(), |place| compare(value, other, place, found));
    }
}

fn events(expected: &Value, read: &Value, found: &mut Option<String>) {
    let (Some(expected), Some(read)) = (expected.as_array(), read.as_array()) else { return note("", found) };
    // One event more or less moves all that follow.
    if expected.len() != read.len() {
        return note("", found);
    }
    let none = Map::new();
    for (index, (event, other)) in expected.iter().zip(read).enumerate() {
        for (name, value) in event.as_object().unwrap_or(&none) {
            let is_wrong = match other.get(name) {
                Some(Value::Null) | None => name == "data",
                Some(other) => other != value,
            };
            if is_wrong {
                note(&format!("/{index}/{name}"), found);
            }
        }
    }
}

/// Whether a text there is base64 in every version that has it there.
fn holds_bytes(place: &str) -> bool {
    ["/raw", "/bytes", "/fileWithBytes"].iter().any(|name| place.ends_with(name))
}

/// Whether a value is what many languages take for nothing.
fn is_default(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is) => !is,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_default),
    }
}

fn within(place: &mut String, token: &str, inside: impl FnOnce(&mut String)) {
    let length = place.len();
    pointer::push(place, token);
    inside(place);
    place.truncate(length);
}

fn note(place: &str, found: &mut Option<String>) {
    found.get_or_insert_with(|| place.to_owned());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(kind: Kind, expected: Value, read: Value) -> Option<String> {
        difference(kind, &expected, &read)
    }

    #[test]
    fn json_is_the_same_value() {
        assert_eq!(at(Kind::Json, json!({ "a": [1, 2.0] }), json!({ "a": [1.0, 2] })), None);
        assert_eq!(at(Kind::Json, json!({ "a": [1, 2] }), json!({ "a": [1, 3] })), Some("/a/1".to_owned()));
        assert_eq!(at(Kind::Json, json!(1.253161597573163e-304), json!(1.2531615975731631e-304)), None);
        assert_eq!(at(Kind::Json, json!(0.1), json!(0.1_f32)), Some(String::new()));
        assert_eq!(at(Kind::Json, json!({ "a": null }), json!({})), Some("/a".to_owned()));
        assert_eq!(at(Kind::Json, json!({}), json!({ "b/c": 1 })), Some("/b~1c".to_owned()));
        assert_eq!(at(Kind::Json, json!([1]), json!([1, 2])), Some(String::new()));
    }

    #[test]
    fn events_are_compared_by_what_the_adapter_gives() {
        let event = json!([{ "event": "message", "data": "a", "id": "1", "retry": null }]);
        assert_eq!(at(Kind::Sse, event.clone(), json!([{ "data": "a" }])), None);
        assert_eq!(at(Kind::Sse, event.clone(), json!([{ "data": "a", "id": "" }])), Some("/0/id".to_owned()));
        assert_eq!(at(Kind::Sse, event.clone(), json!([])), Some(String::new()));
        assert_eq!(at(Kind::Sse, event, json!([{ "data": "a" }, { "data": "b" }])), Some(String::new()));
    }

    #[test]
    fn objects_may_be_written_otherwise() {
        let task =
            json!({ "id": "a", "artifacts": [], "status": { "state": "s", "timestamp": "2025-01-02T03:04:05Z" } });
        let read =
            json!({ "id": "a", "status": { "state": "s", "timestamp": "2025-01-02T03:04:05.000+00:00" }, "x": 1 });
        assert_eq!(at(Kind::Task, task.clone(), read), None);
        let part = |raw: &str| json!({ "parts": [{ "raw": raw }] });
        assert_eq!(at(Kind::Message, part("aGVsbG8"), part("aGVsbG8=")), None);
        assert_eq!(at(Kind::Message, part("aGVsbG8"), part("aGVsbGE=")), Some("/parts/0/raw".to_owned()));
        let text = |text: &str| json!({ "parts": [{ "text": text }] });
        assert_eq!(at(Kind::Message, text("YQ"), text("YQ==")), Some("/parts/0/text".to_owned()));
        let read = json!({ "id": "a", "status": { "state": "t" } });
        assert_eq!(at(Kind::Task, task, read), Some("/status/state".to_owned()));
        assert_eq!(at(Kind::Envelope, json!({ "id": 1, "result": null }), json!({ "id": 1, "error": null })), None);
    }
}
