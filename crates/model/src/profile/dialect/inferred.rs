//! What a wire value was meant to be that does not have the form of its type.
//!
//! The suite drives leniently and judges strictly. An agent whose tasks lack their discriminator still has tasks, and all that
//! is to be said about them should be said. So the reader takes a near miss for what it was meant to be, and marks the place.
//! What is wrong with it is for the JSON Schema of the type, which never sees anything but the wire.

use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};

use super::{Broken, Dialect, Reading};
use crate::profile::schema::Violation;
use crate::profile::shape::Shape;
use crate::profile::types::Type;

/// A place at which a wire value does not have the form of its type, and was read as what it was meant to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inferred {
    /// Pointer into the wire value.
    pub pointer: String,
    /// Canonical name of the type.
    pub kind: String,
    /// What was made of it.
    pub miss: Miss,
}

/// How a value misses its form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Miss {
    /// It lacks the member around it that says what it is.
    Bare(String),
    /// It stands in a member that its version does not put around it.
    Wrapped(String),
    /// It lacks the discriminator that says that it is this.
    Untagged(String),
    /// It is spelled otherwise.
    Spelling(String),
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bare(member) => write!(f, "it lacks the member `{member}` around it"),
            Self::Wrapped(member) => write!(f, "it stands in a member `{member}`"),
            Self::Untagged(member) => write!(f, "nothing on it says that it is a `{member}`"),
            Self::Spelling(word) => write!(f, "it is spelled {word:?}"),
        }
    }
}

/// A part of a value that was inferred, and has a form of its own: the sites in it, of which the first is the part itself.
pub(super) type Part = Range<usize>;

impl Reading {
    pub(super) fn find_violations(&self, dialect: &Dialect) -> Vec<Broken> {
        let mut all: Vec<Broken> = Vec::new();
        for part in std::iter::once(&(0..self.sites.len())).chain(&self.parts) {
            let Some(site) = self.sites.get(part.start) else { continue };
            let Some(value) = self.at(site) else { continue };
            for violation in dialect.schemas.violations(dialect.wire_type_at(site), value) {
                let pointer = format!("{}{}", site.pointer, violation.pointer);
                let broken = Broken { site: self.owner(part, &pointer), violation: Violation { pointer, ..violation } };
                // The discriminator is missing from the union, and from what it would tell: that is told once.
                if !all.iter().any(|known| known.violation.lacks_the_same(&broken.violation)) {
                    all.push(broken);
                }
            }
        }
        all
    }

    /// The innermost site of a part around a wire pointer; the parts within it have their own.
    fn owner(&self, part: &Part, pointer: &str) -> usize {
        let inner: Vec<&Part> = self.parts.iter().filter(|other| other.start > part.start).collect();
        let is_around = |index: &usize| {
            let place = self.sites.get(*index).and_then(|site| pointer.strip_prefix(site.pointer.as_str()));
            place.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let own = part.clone().filter(|index| !inner.iter().any(|inner| inner.contains(index)));
        let length = |index: &usize| self.sites.get(*index).map_or(0, |site| site.pointer.len());
        own.filter(is_around).max_by_key(|index| (length(index), *index)).unwrap_or(part.start)
    }
}

/// What an object was meant to be.
pub(super) struct Meant<'a> {
    /// The canonical member that it would be, where its type is a union.
    pub member: Option<&'a str>,
    /// Its canonical type.
    pub kind: &'a str,
    /// The wire member in which it stands, where it does not stand here itself.
    pub within: Option<&'a str>,
    pub miss: Miss,
}

/// The members of unions, with what sets each apart on any wire of any version: members that are there, and those that are not.
/// The first that fits is meant.
const SIGNS: &[(&str, &[&str], &[&str])] = &[
    ("artifactUpdate", &["artifact"], &["status"]),
    ("statusUpdate", &["status", "taskId"], &[]),
    ("task", &["status"], &["taskId"]),
    ("message", &["parts", "role"], &["status"]),
    ("message", &["content", "role"], &["status"]),
];

/// The types that are unions of such members in the vocabulary of the cases.
const UNIONS: &[&str] = &["SendMessageResponse", "StreamResponse"];

/// The enumerations whose values may be spelled otherwise, with what their canonical values begin with.
const ENUMERATIONS: &[(&str, &str)] = &[("TaskState", "TASK_STATE_"), ("Role", "ROLE_")];

impl Dialect {
    /// What an object was meant to be that does not have the form of its type.
    pub(super) fn meant<'a>(&self, kind: &str, shape: &'a Shape, members: &Map<String, Value>) -> Option<Meant<'a>> {
        if kind == "Task" {
            let is_wrapped = !members.contains_key("status") && members.get("task").is_some_and(is_task);
            let miss = Miss::Wrapped("task".to_owned());
            return is_wrapped.then_some(Meant { member: None, kind: "Task", within: Some("task"), miss });
        }
        if !UNIONS.contains(&kind) {
            return None;
        }
        let known = |name: &str| shape.alternative(name);
        if shape.variants.is_none() {
            if shape.alternatives().any(|member| members.contains_key(member)) {
                return None;
            }
            let (member, kind) = signed(members).and_then(known)?;
            return Some(Meant { member: Some(member), kind, within: None, miss: Miss::Bare(member.to_owned()) });
        }
        let mut wrapped = shape.alternatives().filter(|member| members.get(*member).is_some_and(Value::is_object));
        if let (Some(name), None) = (wrapped.next(), wrapped.next()) {
            let (member, kind) = known(name)?;
            let miss = Miss::Wrapped(member.to_owned());
            return Some(Meant { member: Some(member), kind, within: Some(member), miss });
        }
        let (member, kind) = signed(members).and_then(known)?;
        Some(Meant { member: Some(member), kind, within: None, miss: Miss::Untagged(member.to_owned()) })
    }

    /// The canonical value of an enumeration that a text was meant to be: it differs in case, separators, prefix, or in the
    /// number of `l` in "canceled".
    pub(super) fn meant_word(&self, kind: &str, text: &str) -> Option<String> {
        let (_, prefix) = ENUMERATIONS.iter().find(|(name, _)| *name == kind)?;
        let values = Type::Named(self, kind).values();
        if values.iter().any(|value| value == text) {
            return None;
        }
        let plain = plain(text, prefix);
        values.into_iter().find(|value| !plain.is_empty() && self::plain(value, prefix) == plain)
    }

    /// The member that holds the list of a type which is an object around one list, here and on the wire.
    pub(super) fn only_list(shape: &Shape) -> Option<(&str, &str)> {
        let mut lists = shape.fields.iter().filter_map(|(name, field)| Some((name.as_str(), field.list.as_deref()?)));
        match (lists.next(), lists.next()) {
            (Some(only), None) if shape.fields.len() == 1 && shape.inside.is_none() => Some(only),
            _ => None,
        }
    }
}

/// The member of a union that an object has the signs of.
fn signed(members: &Map<String, Value>) -> Option<&'static str> {
    let is = |(_, has, lacks): &&(&str, &[&str], &[&str])| {
        has.iter().all(|name| members.contains_key(*name)) && !lacks.iter().any(|name| members.contains_key(*name))
    };
    SIGNS.iter().find(is).map(|(member, ..)| *member)
}

fn is_task(value: &Value) -> bool {
    value.as_object().and_then(signed) == Some("task")
}

/// A value of an enumeration without what spellings differ in.
fn plain(text: &str, prefix: &str) -> String {
    let letters = |text: &str| -> String {
        text.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
    };
    let whole = letters(text);
    let bare = whole.strip_prefix(&letters(prefix)).unwrap_or(&whole);
    if bare == "cancelled" { "canceled".to_owned() } else { bare.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::profile::bundled;

    /// What a near miss is read as, how it misses its form, and to what its schema says no: the places, each with the type to
    /// which it belongs.
    fn read(version: &str, dialect: &str, kind: &str, wire: Value) -> (Value, Vec<String>, Vec<String>) {
        let profiles = bundled().unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == version).unwrap();
        let dialect = &profile.dialects[dialect];
        let reading = dialect.from_wire(kind, wire);
        let misses = reading.inferred.iter().map(|inferred| format!("{} {:?}", inferred.kind, inferred.miss));
        let broken = reading.violations(dialect).iter();
        let broken = broken.map(|broken| format!("{}:{}", reading.sites[broken.site].kind, broken.violation.place()));
        ((*reading.value).clone(), misses.collect(), broken.collect())
    }

    #[test]
    fn a_near_miss_is_read_as_it_was_meant_and_breaks_its_schema() {
        let task = json!({ "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" } });
        let own = json!({ "id": "t", "contextId": "c", "status": { "state": "completed" } });
        let message = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "a" }] });
        let small = json!({ "id": "t", "contextId": "c", "status": { "state": "Input-Required" } });
        let asking = json!({ "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_INPUT_REQUIRED" } });
        let update = json!({ "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } });
        let tagged = json!({ "kind": "task", "id": "t", "contextId": "c", "status": { "state": "completed" } });
        let rows = [
            (
                ("1.0", "SendMessageResponse", task.clone()),
                json!({ "task": task }),
                "Bare(\"task\")",
                "SendMessageResponse:",
            ),
            (
                ("1.0", "SendMessageResponse", message.clone()),
                json!({ "message": message }),
                "Bare(\"message\")",
                "SendMessageResponse:",
            ),
            (
                ("1.0", "StreamResponse", update.clone()),
                json!({ "statusUpdate": update }),
                "Bare(\"statusUpdate\")",
                "StreamResponse:",
            ),
            (
                ("1.0", "ListTasksResponse", json!([task])),
                json!({ "tasks": [task] }),
                "Bare(\"tasks\")",
                "ListTasksResponse:",
            ),
            (("1.0", "Task", json!({ "task": task })), task.clone(), "Wrapped(\"task\")", "Task:/id Task:/status"),
            (("1.0", "Task", small), asking, "Spelling(\"Input-Required\")", "TaskState:/status/state"),
            (
                ("0.3", "SendMessageResponse", own),
                json!({ "task": task }),
                "Untagged(\"task\")",
                "SendMessageResponse:/kind",
            ),
            (
                ("0.3", "SendMessageResponse", json!({ "task": tagged })),
                json!({ "task": task }),
                "Wrapped(\"task\")",
                "SendMessageResponse:/kind",
            ),
        ];
        for ((version, kind, wire), meant, miss, broken) in rows {
            let (value, misses, violations) = read(version, "json", kind, wire.clone());
            assert_eq!(value, meant, "{version} {kind} {wire}");
            assert_eq!(
                misses.join(" "),
                format!("{} {miss}", if miss.starts_with("Spelling") { "TaskState" } else { kind })
            );
            assert_eq!(violations.join(" "), broken, "{version} {kind} {wire}");
        }
    }

    /// What the part itself breaks belongs to it, and what is around it to what is around it.
    #[test]
    fn a_part_that_was_inferred_is_held_against_its_own_schema() {
        let (_, _, broken) = read("1.0", "json", "SendMessageResponse", json!({ "status": {} }));
        assert_eq!(broken, ["SendMessageResponse:", "Task:/id", "TaskStatus:/status/state"]);
        let (_, _, broken) = read("1.0", "json", "ListTasksResponse", json!([{ "id": 1, "status": {} }]));
        assert_eq!(broken, ["ListTasksResponse:", "Task:/0/id", "TaskStatus:/0/status/state"]);
    }

    /// A push configuration that is bare, as some agents of 0.3 have it over REST.
    #[test]
    fn what_lacks_the_object_around_it_is_read_as_if_it_had_it() {
        for dialect in ["json", "rest", "proto"] {
            let wire = json!({ "id": "c", "url": "https://a/", "authentication": { "schemes": ["Bearer"] } });
            let meant = json!({ "id": "c", "url": "https://a/", "authentication": { "scheme": "Bearer" } });
            let (value, misses, broken) = read("0.3", dialect, "TaskPushNotificationConfig", wire);
            assert_eq!(value, meant, "{dialect}");
            assert_eq!(misses, ["TaskPushNotificationConfig Bare(\"pushNotificationConfig\")"], "{dialect}");
            assert!(broken.contains(&"TaskPushNotificationConfig:/pushNotificationConfig".to_owned()), "{broken:?}");
        }
    }

    /// A type without a schema has nobody who would tell.
    #[test]
    fn nothing_is_inferred_of_what_no_schema_judges() {
        let wire = json!({ "configs": [] });
        let (value, misses, broken) = read("0.3", "json", "ListTaskPushNotificationConfigsResponse", wire.clone());
        assert_eq!((value, misses, broken), (json!({ "unread": wire }), vec![], vec![]));
    }

    #[test]
    fn what_has_no_signs_is_nothing_known() {
        for wire in [json!({}), json!({ "id": "t" }), json!({ "task": 1 }), json!([]), json!({ "kind": "task" })] {
            for (version, kind) in [("1.0", "SendMessageResponse"), ("0.3", "StreamResponse"), ("1.0", "Task")] {
                let (_, misses, _) = read(version, "json", kind, wire.clone());
                assert!(
                    misses.is_empty() || wire.is_array() || wire["kind"] == "task",
                    "{version} {kind} {wire} {misses:?}"
                );
            }
        }
        for word in ["", "done", "TASK_STATE_", "task", "7"] {
            let (_, misses, _) = read("1.0", "json", "TaskState", json!(word));
            assert!(misses.is_empty(), "{word}");
        }
    }
}
