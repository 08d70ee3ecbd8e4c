//! Makes a request for which a condition holds.

use http::HeaderValue;
use serde_json::{Map, Value, json};

use crate::bug::{Condition, Place, Relation, Sort};
use crate::client::Ask;
use crate::schema::MemberKind;
use crate::{pointer, time};

/// Changes a request so that a condition on its members, head, query, body or envelope holds. `given` is an id that the agent
/// gave. Says whether the condition was of that kind.
pub fn satisfy(ask: &mut Ask, condition: &Condition, given: &str) -> bool {
    let relation = &condition.relation;
    match &condition.place {
        Place::Member(at) => {
            let kind =
                ask.operation.asked.iter().find(|member| member.pointer == *at).map(|member| member.kind.clone());
            let old = pointer::at(&ask.params, at).first().map(|value| (*value).clone());
            let new = value(relation, &kind.unwrap_or(MemberKind::Text), old, given, at);
            put(ask, at, new);
            true
        }
        Place::Ratio(left, right) => {
            let Relation::Times(times) = relation else { return false };
            let kind_of =
                |at: &str| ask.operation.asked.iter().find(|member| member.pointer == at).map(|one| one.kind.clone());
            let (left_kind, right_kind) = (kind_of(left), kind_of(right));
            let old = pointer::at(&ask.params, right).first().map(|value| (*value).clone());
            // An id that leads to something has to stay.
            let (size, right_value) = match (right_kind, old) {
                (Some(MemberKind::Text), Some(Value::String(text))) if !text.is_empty() => (text.len(), None),
                (Some(MemberKind::List), Some(Value::Array(items))) if !items.is_empty() => (items.len(), None),
                (Some(MemberKind::Int), _) => (1, Some(json!(1))),
                (Some(MemberKind::List), _) => (1, Some(json!(["a"]))),
                _ => (1, Some(json!("a"))),
            };
            let wanted = size * usize::try_from(*times).unwrap_or(usize::MAX);
            if let Some(value) = right_value {
                put(ask, right, value);
            }
            let old = pointer::at(&ask.params, left).first().map(|value| (*value).clone());
            let left_value = match left_kind {
                Some(MemberKind::Int) => json!(wanted),
                Some(MemberKind::List) => value(&Relation::Items(wanted), &MemberKind::List, old, given, left),
                _ => value(&Relation::LongerThan(wanted), &MemberKind::Text, old, given, left),
            };
            put(ask, left, left_value);
            true
        }
        Place::Header(name) => {
            let usual = match name.as_str() {
                "a2a-version" => "1.0",
                "a2a-extensions" => "urn:a2aspec:echo:v1",
                "accept" | "content-type" => "application/json",
                "accept-encoding" => "identity",
                "authorization" => "Bearer drawn",
                _ => "drawn",
            };
            let more = match relation {
                Relation::LongerThan(most) => "a".repeat(*most + 1),
                Relation::Contains(text) => text.clone(),
                _ => String::new(),
            };
            let text = match (name.as_str(), more.is_empty()) {
                (_, true) => usual.to_owned(),
                ("accept" | "content-type", _) => {
                    format!("{usual}; a=\"{}\"", more.replace('\\', "\\\\").replace('"', "\\\""))
                }
                ("authorization" | "user-agent", _) => format!("{usual}{more}"),
                ("accept-encoding" | "a2a-extensions", _) => format!("{usual}, {more}"),
                _ => format!("{usual}{more}"),
            };
            if let (Ok(name), Ok(text)) = (http::HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&text))
            {
                ask.head.insert(name, text);
            }
            true
        }
        Place::Head => {
            let (fields, length) = match relation {
                Relation::Items(least) => (*least, 1),
                // The server takes a field of any length that it takes at all.
                Relation::LongerThan(most) => (1 + most / 4000, 4000.min(*most)),
                _ => (0, 0),
            };
            for number in 0..fields {
                let value = HeaderValue::from_str(&"a".repeat(length.max(1)));
                if let (Ok(name), Ok(value)) = (http::HeaderName::try_from(format!("x-more-{number}")), value) {
                    ask.head.insert(name, value);
                }
            }
            true
        }
        Place::Query => {
            match relation {
                Relation::Twice => ask.query.extend(["zz=1".to_owned(), "zz=1".to_owned()]),
                Relation::Items(least) => ask.query.extend((0..*least).map(|number| format!("z{number}=1"))),
                Relation::LongerThan(most) => ask.query.push(format!("zz={}", "a".repeat(*most))),
                Relation::Contains(text) => ask.query.push(format!("zz={text}")),
                _ => {}
            }
            true
        }
        Place::Body => {
            match relation {
                Relation::LongerThan(most) => ask.padding = *most + 1,
                Relation::Contains(text) => pointer::put(&mut ask.params, "/zz", json!(text)),
                Relation::Range(first, _) => pointer::put(&mut ask.params, "/zz", json!(first)),
                _ => {}
            }
            true
        }
        Place::Envelope => {
            ask.id = value(relation, &MemberKind::Free(false), None, given, "/id");
            if matches!(relation, Relation::LongerThan(_) | Relation::Holds(Sort::Text)) && !ask.id.is_string() {
                ask.id = json!("a");
            }
            if let Relation::LongerThan(most) = relation {
                ask.id = json!("a".repeat(*most + 1));
            }
            true
        }
        _ => false,
    }
}

/// Puts a value, and takes away what excludes it: a part has one content.
fn put(ask: &mut Ask, at: &str, value: Value) {
    const CONTENTS: [&str; 4] = ["text", "raw", "url", "data"];
    if let Some((part, content)) = at.rsplit_once('/')
        && part == "/message/parts/*"
        && CONTENTS.contains(&content)
    {
        // The part behind the first, whose text says what the agent has to do; unless it is the text itself that matters.
        let part = json!({ content: value });
        if content == "text" {
            pointer::put(&mut ask.params, at, part[content].clone());
        } else if let Some(Value::Array(parts)) = ask.params.pointer_mut("/message/parts") {
            parts.push(part);
        }
        return;
    }
    if let (Some(list), Value::String(_)) = (at.strip_suffix("/*"), &value) {
        pointer::put(&mut ask.params, list, json!([value]));
        return;
    }
    pointer::put(&mut ask.params, at, value);
    // A webhook in a message has to have a URL.
    let config = "/configuration/taskPushNotificationConfig";
    if at.starts_with(config) && ask.params.pointer(&format!("{config}/url")).is_none() {
        pointer::put(&mut ask.params, &format!("{config}/url"), json!("http://127.0.0.1:9/"));
    }
    let authentication = at.rfind("/authentication/").map(|end| &at[..end + "/authentication".len()]);
    if let Some(authentication) = authentication
        && ask.params.pointer(&format!("{authentication}/scheme")).is_none()
    {
        pointer::put(&mut ask.params, &format!("{authentication}/scheme"), json!("Bearer"));
    }
}

/// A text that goes on with another.
fn longer(old: &str, more: &str) -> String {
    if old.is_empty() { more.to_owned() } else { format!("{old} {more}") }
}

/// A value for which a relation holds, as near to the old one as can be.
fn value(relation: &Relation, kind: &MemberKind, old: Option<Value>, given: &str, at: &str) -> Value {
    let text = old.as_ref().and_then(|old| old.as_str()).unwrap_or_default().to_owned();
    let is_free = matches!(kind, MemberKind::Free(_));
    let inside = |value: Value| {
        let mut object = old.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        object.insert("zz".to_owned(), value);
        Value::Object(object)
    };
    let more = |more: String| if is_free { inside(json!(more)) } else { json!(longer(&text, &more)) };
    match relation {
        Relation::Equals(value) => value.clone(),
        Relation::AtLeast(number) | Relation::AtMost(number) => json!(nearest(relation, *number)),
        Relation::Remainder { by, rest } if *kind == MemberKind::Int || is_free => {
            json!(if *rest == 0 { *by } else { *rest })
        }
        Relation::Remainder { by, rest } => {
            let by = usize::try_from(*by).unwrap_or(1);
            let rest = usize::try_from(*rest).unwrap_or_default();
            let padding = if *kind == MemberKind::Bytes { "A" } else { "a" };
            let missing = (rest + by - text.len() % by) % by;
            let missing = if text.is_empty() && missing == 0 { by } else { missing };
            json!(format!("{text}{}", padding.repeat(missing)))
        }
        Relation::LongerThan(most) if *kind == MemberKind::Bytes => json!("A".repeat((most / 4 + 1) * 4)),
        Relation::LongerThan(most) => more("a".repeat(*most + 1)),
        Relation::Contains(text) => more(text.clone()),
        Relation::Range(first, _) => more(first.to_string()),
        Relation::OneOff => {
            let mut near = given.to_owned();
            let last = near.pop();
            near.push(if last == Some('~') { '-' } else { '~' });
            json!(near)
        }
        Relation::Before(seconds) => json!(time::write(*seconds - 1, 0, None)),
        Relation::After(seconds) => json!(time::write(*seconds + 1, 0, None)),
        Relation::Digits(digits) => json!(time::write(0, *digits, None)),
        Relation::Offset => json!(time::write(0, 0, Some(2))),
        Relation::Items(least) => items(at, old, *least),
        Relation::Twice => {
            let mut list = items(at, old, 1);
            if let Value::Array(items) = &mut list {
                items.push(items[0].clone());
            }
            list
        }
        Relation::Deep(depth) => {
            let wrap = |value: Value, _| json!({ "z": value });
            (0..*depth).fold(json!(1), wrap)
        }
        Relation::Wide(wide) => {
            let members: Map<String, Value> = (0..*wide).map(|number| (format!("z{number}"), json!(1))).collect();
            Value::Object(members)
        }
        Relation::Holds(sort) => {
            let value = match sort {
                Sort::Null => Value::Null,
                Sort::Flag => json!(true),
                Sort::Text => json!("a"),
                Sort::Negative => json!(-1),
                Sort::Fraction => json!(0.5),
                Sort::Large => json!(1_099_511_627_776_i64),
                Sort::Empty => json!({}),
            };
            if *kind == MemberKind::Free(true) || (is_free && at != "/id") { inside(value) } else { value }
        }
        Relation::Present | Relation::Times(_) => match (old, kind) {
            (Some(old), _) if !old.is_null() => old,
            (_, MemberKind::Int) => json!(1),
            (_, MemberKind::Bytes) => json!("AAAA"),
            (_, MemberKind::Object) if at.ends_with("/authentication") => json!({ "scheme": "Bearer" }),
            (_, MemberKind::Object) if at == "/configuration/taskPushNotificationConfig" => {
                json!({ "url": "http://127.0.0.1:9/" })
            }
            (_, MemberKind::Object) => json!({}),
            _ if at.ends_with("/url") => json!("http://127.0.0.1:9/"),
            _ => json!("a"),
        },
    }
}

/// The number for which the relation holds that an agent would most likely take.
fn nearest(relation: &Relation, number: i64) -> i64 {
    match relation {
        Relation::AtLeast(_) => number.max(1),
        _ => number.min(1),
    }
}

/// A list with at least so many items.
fn items(at: &str, old: Option<Value>, least: usize) -> Value {
    let mut items = old.and_then(|old| old.as_array().cloned()).unwrap_or_default();
    for number in items.len()..least.max(1) {
        items.push(if at.ends_with("/parts") {
            json!({ "text": format!("p{number}") })
        } else {
            json!(format!("urn:z{number}"))
        });
    }
    Value::Array(items)
}
