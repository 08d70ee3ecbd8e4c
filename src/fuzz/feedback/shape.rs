//! The shape of an answer: everything about it but the values.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

use crate::fuzz::masked::masked;
use crate::profile::Operation;
use crate::transcript::{Answer, Content};

/// So many members of one value are looked at, and so deep.
const MOST_MEMBERS: usize = 256;
const DEEPEST: usize = 8;
/// Members whose inside a client, or anybody, makes up.
const FREE: [&str; 3] = ["metadata", "data", "params"];
/// So much of a body that cannot be read is looked at.
const LONGEST_BODY: usize = 256;

/// A short name of the shape of an answer to a request of an operation: its status, the names of its header fields, what it calls its
/// error, what that says without values, the names of its members, and about how many events and bytes it has.
pub(super) fn shape(operation: Operation, sent: &Value, answer: &Answer) -> u64 {
    let mut hasher = DefaultHasher::new();
    operation.hash(&mut hasher);
    if let Some(response) = &answer.exchange.response {
        response.status.hash(&mut hasher);
        let names: BTreeSet<&str> = response.headers.iter().map(|(name, _)| name.as_str()).collect();
        names.hash(&mut hasher);
        class(response.body.len()).hash(&mut hasher);
    } else {
        answer.ended_how().hash(&mut hasher);
    }
    for error in answer.errors() {
        error.label.hash(&mut hasher);
        let message = error.value.get("message").and_then(Value::as_str).unwrap_or_default();
        masked(message, sent).hash(&mut hasher);
        members(&error.value).hash(&mut hasher);
    }
    let payloads: BTreeSet<BTreeSet<String>> =
        answer.payloads().into_iter().map(|payload| members(&payload.reading.value)).collect();
    payloads.hash(&mut hasher);
    match &answer.content {
        Content::Stream(events) => events.len().checked_ilog2().hash(&mut hasher),
        Content::Unreadable(_) => {
            let body = answer.exchange.response.as_ref().map(|response| response.body.as_ref()).unwrap_or_default();
            let body = String::from_utf8_lossy(body.get(..LONGEST_BODY).unwrap_or(body));
            masked(&body, sent).hash(&mut hasher);
        }
        _ => {}
    }
    hasher.finish()
}

/// About how much it is: each class is sixteen times the one before.
fn class(bytes: usize) -> u32 {
    bytes.checked_ilog2().unwrap_or_default() / 4
}

/// The places of the members of a value, without the numbers of items.
fn members(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(value, "", DEEPEST, &mut found);
    found
}

fn collect(value: &Value, place: &str, left: usize, found: &mut BTreeSet<String>) {
    if left == 0 || found.len() >= MOST_MEMBERS {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let place = format!("{place}/{name}");
                if !FREE.contains(&name.as_str()) {
                    collect(member, &place, left - 1, found);
                }
                found.insert(place);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, place, left, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_count_and_values_do_not() {
        let one = json!({ "id": "a", "history": [{ "text": "x" }, { "text": "y", "metadata": { "any": 1 } }] });
        let two = json!({ "id": "b", "history": [{ "text": "z", "metadata": { "other": [{}] } }] });
        let of_a_third = json!({ "id": "b", "hint": 7, "history": [{ "text": "z", "metadata": {} }] });
        assert_eq!(members(&one), members(&two));
        assert_ne!(members(&two), members(&of_a_third));
        let names: Vec<String> = members(&one).into_iter().collect();
        assert_eq!(names, ["/history", "/history/metadata", "/history/text", "/id"]);
    }

    #[test]
    fn sizes_are_alike_within_a_class() {
        assert_eq!((class(0), class(300), class(4_000), class(5_000)), (0, 2, 2, 3));
    }
}
