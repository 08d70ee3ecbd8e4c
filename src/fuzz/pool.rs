//! What others have said: values that the cases of a version send, and parts that the agent has answered, by where they stand. A
//! mutation puts them beside each other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::case::{Act, Call, Library};
use crate::profile::Operation;

/// The most values that are kept for one place, and the longest of them as text: what is long stands among the boundaries.
const MOST: usize = 64;
const LONGEST: usize = 2_000;
/// What a hunt gives values to: other references are those of a case's own steps.
const KNOWN: [&str; 3] = ["${done.", "${unique}", "${unknown-id}"];
/// Whole messages, and their ids, are used up.
const LEFT_ALONE: [&str; 2] = ["/message", "/message/messageId"];
/// Addresses are somebody's.
const ADDRESS: &str = "/configuration/taskPushNotificationConfig";

/// Values by operation and place; indices are 0.
#[derive(Debug, Default)]
pub(super) struct Pool(BTreeMap<(Operation, String), Vec<Value>>);

impl Pool {
    /// What the cases of a version send.
    pub fn of_cases(library: &Library, profile: &str) -> Self {
        let requirements = library.requirements(profile);
        let named: BTreeSet<&str> =
            requirements.iter().flat_map(|one| &one.cases).map(|check| check.value.case.as_str()).collect();
        let mut pool = Self::default();
        for case in library.cases.values().filter(|case| named.contains(case.id.as_str())) {
            for step in case.all_steps() {
                if let Act::Call(Call { operation, with, .. }) | Act::Stream(Call { operation, with, .. }) = &step.act {
                    pool.add(*operation, String::new(), with);
                }
            }
        }
        pool
    }

    /// Adds the parts, the metadata and the generation of a task that the agent has answered with: it may be sent what it said.
    pub fn hear(&mut self, task: &Value) {
        if let Some(generation) = task.get("generation") {
            self.add(Operation::GetTask, "/currentGeneration".to_owned(), generation);
            self.add(Operation::SendMessage, "/configuration/ifGenerationMatch".to_owned(), generation);
        }
        let of = |name: &str| task.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let said = of("artifacts").into_iter().chain(of("history"));
        for holder in said.chain(task.pointer("/status/message").cloned()) {
            for (name, place) in [("parts", "/message/parts"), ("metadata", "/message/metadata")] {
                if let Some(value) = holder.get(name) {
                    self.add(Operation::SendMessage, place.to_owned(), value);
                }
            }
        }
    }

    /// The values of a place.
    pub fn at(&self, operation: Operation, place: &str) -> &[Value] {
        let operation = if operation.sends_a_message() { Operation::SendMessage } else { operation };
        self.0.get(&(operation, place.to_owned())).map(Vec::as_slice).unwrap_or_default()
    }

    fn add(&mut self, operation: Operation, place: String, value: &Value) {
        let operation = match operation {
            Operation::SendMessage | Operation::SendStreamingMessage => Operation::SendMessage,
            Operation::GetTask | Operation::ListTasks | Operation::CancelTask => operation,
            _ => return,
        };
        if place.starts_with(ADDRESS) {
            return;
        }
        match value {
            Value::Object(members) => members.iter().for_each(|(name, member)| {
                self.add(operation, format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), member);
            }),
            Value::Array(items) => items.iter().for_each(|item| self.add(operation, format!("{place}/0"), item)),
            _ => {}
        }
        if place.is_empty() || LEFT_ALONE.contains(&place.as_str()) || !can_be_said(value) {
            return;
        }
        let kept = self.0.entry((operation, place)).or_default();
        if kept.len() < MOST && !kept.contains(value) {
            kept.push(value.clone());
        }
    }
}

/// Whether a value is short, and every reference in it has a value in a hunt.
fn can_be_said(value: &Value) -> bool {
    let text = value.to_string();
    let is_known = |(at, _): (usize, &str)| KNOWN.iter().any(|known| text[at..].starts_with(known));
    text.len() <= LONGEST && text.match_indices("${").all(is_known)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::judge::oracle;
    use crate::profile;

    #[test]
    fn what_cases_send_is_there_by_its_place() {
        let profiles = profile::bundled().unwrap();
        let all: Vec<_> = profiles.iter().map(AsRef::as_ref).collect();
        let library = Library::load(None, &all, &oracle::all()).unwrap();
        let pool = Pool::of_cases(&library, "1.0");
        let parts = pool.at(Operation::SendStreamingMessage, "/message/parts/0");
        assert!(parts.iter().any(|part| part.get("data").is_some()), "{parts:#?}");
        assert!(pool.at(Operation::SendMessage, "/message/metadata").len() > 1);
        assert!(pool.at(Operation::ListTasks, "/pageSize").contains(&json!(0)));
        assert!(pool.at(Operation::SendMessage, "/message").is_empty());
        let texts = pool.0.values().flatten().map(ToString::to_string);
        assert!(texts.into_iter().all(|text| !text.contains("${webhook") && !text.contains("${times")));
        // Each version has its own.
        let mut newest = Pool::of_cases(&library, "1.1-draft");
        newest.hear(&json!({ "id": "t", "generation": "7" }));
        for (operation, place) in
            [(Operation::GetTask, "/currentGeneration"), (Operation::SendMessage, "/configuration/ifGenerationMatch")]
        {
            let generations = newest.at(operation, place);
            assert!(generations.len() > 1 && generations.contains(&json!("7")), "{place}: {generations:?}");
        }
        let old = Pool::of_cases(&library, "0.1");
        assert!(!old.0.is_empty() && old.0.len() < pool.0.len());
    }

    #[test]
    fn what_the_agent_said_is_said_back() {
        let mut pool = Pool::default();
        let parts = json!([{ "text": "a" }, { "data": { "b": 1 } }]);
        pool.hear(&json!({ "artifacts": [{ "parts": parts, "metadata": { "c": 2 } }], "history": [{ "parts": [{ "text": "a" }] }] }));
        let send = Operation::SendMessage;
        assert_eq!(pool.at(send, "/message/parts/0"), [json!({ "text": "a" }), json!({ "data": { "b": 1 } })]);
        assert_eq!(pool.at(send, "/message/parts/0/data"), [json!({ "b": 1 })]);
        assert_eq!(pool.at(send, "/message/metadata"), [json!({ "c": 2 })]);
    }
}
