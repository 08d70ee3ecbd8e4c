//! The parameters of a request (4.3), in the canonical vocabulary.

use serde_json::{Map, Value};

use super::Reader;
use crate::case::convert::inner;
use crate::profile::Operation;
use crate::yaml::tree::Part;

impl Reader<'_> {
    /// Parameters as cases have them; a message that asks for a behaviour leaves its text to the trigger.
    pub(super) fn request(&mut self, operation: Operation, with: Value, at: &str, is_trigger: bool) -> Value {
        let Value::Object(mut members) = with else { return with };
        if let Some(Value::Object(message)) = members.get_mut("message") {
            let parts = message.get("parts").and_then(Value::as_array).map_or(0, Vec::len);
            if is_trigger && parts == 1 {
                message.remove("parts");
            } else if is_trigger {
                let at = inner(&inner(at, "message"), "parts");
                self.beyond(&at, &Part::Name, "the message asks for a behaviour, and has more than one part");
            } else {
                message.entry("messageId").or_insert_with(|| "${unique}".into());
            }
            message.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten().for_each(flatten_part);
        }
        if let Some(cursor) = members.remove("cursor").filter(|_| operation == Operation::ListTasks) {
            members.insert("pageToken".to_owned(), cursor);
        }
        if let Some(Value::Object(config)) = members.remove("pushNotificationConfig") {
            members.extend(config);
        }
        Value::Object(members)
    }
}

/// `{file: {url, raw, mediaType, name}}` is flat in A2A 1.0, and a `name` is a `filename` there.
fn flatten_part(part: &mut Value) {
    let Value::Object(members) = part else { return };
    let Some(Value::Object(file)) = members.get("file").cloned() else { return };
    members.remove("file");
    let renamed =
        file.into_iter().map(|(name, value)| (if name == "name" { "filename".to_owned() } else { name }, value));
    members.extend(renamed.collect::<Map<String, Value>>());
}
