//! Events of a stream as ProtoJSON: the message `StreamResponse` of a version that has a proto, in the spellings that the JSON of
//! protocol buffers has beside the one that is written, and in some that it does not have.

use std::sync::Arc;

use prost_reflect::{FieldDescriptor, Kind as Type, MessageDescriptor};
use serde_json::{Value, json};

use super::Verdict::{Accept, Either, Reject};
use super::{Fixed, Input, Kind, NoSuchKind, Verdict};
use crate::generate::{self, Choices, Values};
use crate::profile::{Binding, Profile};
use crate::verdict::Level::{May, Must};
use crate::wire::base64;
use crate::wire::json::pointer;

/// The canonical name of what a stream consists of.
const EVENT: &str = "StreamResponse";

const fn yes(name: &'static str, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict: Accept, level: Must, section, reason }
}

const fn may(name: &'static str, verdict: Verdict, section: &'static str, reason: &'static str) -> Fixed {
    Fixed { name, verdict, level: May, section, reason }
}

/// What a reader must take stands in so many words in the text; what it must refuse, only for some of it.
pub(super) const CLASSES: &[Fixed] = &[
    yes("simplest", "ProtoJSON", "only what must be there"),
    yes("valid", "ProtoJSON", "any members, with any values that the version allows"),
    yes(
        "proto-names",
        "ProtoJSON, Field names",
        "names as the proto has them, which readers take beside those in camelCase",
    ),
    yes("null-member", "ProtoJSON, Null values", "null for a member that is not set"),
    yes("enum-number", "ProtoJSON, Enums", "the number of an enum value, which readers take beside its name"),
    yes("base64-url-safe", "ProtoJSON, Bytes", "base64 of the alphabet with - and _"),
    yes("base64-unpadded", "ProtoJSON, Bytes", "base64 without padding"),
    yes("timestamp-offset", "ProtoJSON, Timestamps", "a time with another offset than Z"),
    yes("timestamp-digits", "ProtoJSON, Timestamps", "a time with 1 to 9 digits after the point"),
    may("unknown-member", Either, "ProtoJSON, Unknown fields", "a member that the message does not have"),
    may("unknown-enum-value", Either, "ProtoJSON, Enums", "a name that the enum does not have"),
    may("both-names", Either, "ProtoJSON, Field names", "one member by both of its names"),
    may("enum-other-case", Reject, "ProtoJSON, Enums", "an enum value in lower case"),
    may("two-of-oneof", Reject, "ProtoJSON, Oneof", "two members of which one may be set"),
    may("bool-as-string", Reject, "ProtoJSON, Representation of each type", "a string for true or false"),
    may("message-as-string", Reject, "ProtoJSON, Representation of each type", "a string for a message"),
    may(
        "list-as-message",
        Reject,
        "ProtoJSON, Representation of each type",
        "the only item of a list in place of the list",
    ),
    may("no-base64", Reject, "ProtoJSON, Bytes", "bytes that are no base64"),
    may("timestamp-without-zone", Reject, "ProtoJSON, Timestamps", "a time that does not say in which zone"),
    may("timestamp-beyond", Reject, "ProtoJSON, Timestamps", "a time behind the year 9999"),
    may("not-an-object", Reject, "ProtoJSON, Representation of each type", "a list around the message"),
];

/// Makes the events of a version.
#[derive(Debug)]
pub(super) struct Events {
    values: Values,
    wire_type: String,
    message: MessageDescriptor,
}

/// A member of a message in a value.
struct Site {
    /// The message.
    parent: String,
    field: FieldDescriptor,
    /// The member, or an item of it.
    pointer: String,
}

impl Events {
    pub fn new(profile: &Arc<Profile>) -> Result<Self, NoSuchKind> {
        let none = || NoSuchKind { kind: Kind::ProtoJson, profile: Some(profile.name().to_owned()) };
        let dialect = profile.dialects_over(Binding::Grpc).next().ok_or_else(none)?;
        let wire_type = dialect.wire_type(EVENT).to_owned();
        let message = profile.descriptors.as_ref().and_then(|all| all.message(&wire_type)).ok_or_else(none)?;
        Ok(Self { values: Values::new(Arc::clone(&dialect.schemas)), wire_type, message })
    }

    pub fn make(&self, class: &str, choices: &mut Choices<'_>) -> Option<Input> {
        let mut value = match class {
            "simplest" => self.values.valid(&self.wire_type, &mut Choices::new(&[])),
            _ => self.values.valid(&self.wire_type, choices),
        };
        let mut sites = Vec::new();
        find(&value, &self.message, "", &mut sites);
        let mut written = value.clone();
        let at = match class {
            "simplest" | "valid" => None,
            "not-an-object" => {
                written = json!([written]);
                Some(String::new())
            }
            "proto-names" => {
                rename(&mut written, &self.message).then_some(())?;
                None
            }
            "null-member" | "unknown-member" | "two-of-oneof" => {
                Some(self.add(class, &value, &mut written, choices)?)
            }
            _ => {
                let fitting: Vec<(&Site, Value)> = sites
                    .iter()
                    .filter_map(|site| Some((site, replaced(class, site, value.pointer(&site.pointer)?)?)))
                    .collect();
                let (site, other) = choices.pick(&fitting)?;
                if let Some((meant, _)) = spelled(class) {
                    *value.pointer_mut(&site.pointer)? = json!(meant);
                }
                if class == "both-names" {
                    let parent = written.pointer_mut(&site.parent)?.as_object_mut()?;
                    parent.insert(site.field.name().to_owned(), other.clone());
                } else {
                    *written.pointer_mut(&site.pointer)? = other.clone();
                }
                Some(site.pointer.clone())
            }
        };
        let is_right = CLASSES.iter().any(|known| known.name == class && known.verdict == Accept);
        Some(Input {
            bytes: written.to_string().into_bytes(),
            verdict: Accept,
            value: is_right.then_some(value),
            place: at,
        })
    }

    /// Adds a member to one of the messages, and says where.
    fn add(&self, class: &str, value: &Value, written: &mut Value, choices: &mut Choices<'_>) -> Option<String> {
        let mut messages = Vec::new();
        within(value, &self.message, "", &mut messages);
        let member = |at: &str, field: &FieldDescriptor| value.pointer(at)?.get(field.json_name());
        // Readers differ about null for a member that may be any JSON: a value, or nothing.
        let is_set = |at: &str, field: &FieldDescriptor| member(at, field).is_some_and(|member| !member.is_null());
        let mut added: Vec<(String, String, Value)> = Vec::new();
        for (at, message) in &messages {
            for field in message.fields().filter(|field| member(at, field).is_none()) {
                let in_one_of = field.containing_oneof().filter(|one_of| !one_of.is_synthetic());
                let other = match class {
                    // What null is for a member of several is another matter.
                    "null-member" if in_one_of.is_none() && !is_any_json(&field) => Some(Value::Null),
                    "two-of-oneof" if in_one_of.is_some_and(|all| all.fields().any(|field| is_set(at, &field))) => {
                        sample(&field)
                    }
                    _ => None,
                };
                added.extend(other.map(|other| (at.clone(), field.json_name().to_owned(), other)));
            }
            if class == "unknown-member" {
                added.push((at.clone(), "unknownMember".to_owned(), generate::json::any(1, choices)));
            }
        }
        let (at, name, other) = choices.pick(&added)?.clone();
        written.pointer_mut(&at)?.as_object_mut()?.insert(name.clone(), other);
        let mut place = at;
        pointer::push(&mut place, &name);
        Some(place)
    }
}

/// What stands in the place of a member in the inputs of a class; nothing where the class is not about such members.
fn replaced(class: &str, site: &Site, value: &Value) -> Option<Value> {
    let kind = site.field.kind();
    let text = value.as_str();
    let is = |name: &str| matches!(&kind, Type::Message(message) if message.full_name() == name);
    let time = || text.filter(|_| is("google.protobuf.Timestamp"));
    let bytes = || text.filter(|_| kind == Type::Bytes);
    let other = match (class, &kind) {
        ("enum-number", Type::Enum(all)) => json!(all.get_value_by_name(text?)?.number()),
        ("unknown-enum-value", Type::Enum(_)) => json!(format!("{}_", text?)),
        ("enum-other-case", Type::Enum(_)) => json!(text?.to_lowercase()),
        ("bool-as-string", Type::Bool) => json!(value.as_bool()?.to_string()),
        ("both-names", _) => value.clone(),
        ("message-as-string", Type::Message(message)) if is_own(message) && value.is_object() => json!("a"),
        ("list-as-message", _) => match value.as_array()?.as_slice() {
            [one] if site.field.is_list() => one.clone(),
            _ => return None,
        },
        ("base64-url-safe" | "base64-unpadded", _) => json!(bytes().and(spelled(class))?.1),
        ("no-base64", _) => json!(format!("{}@", bytes()?)),
        // The same time, an hour and a half to the east.
        ("timestamp-offset", _) => json!(eastwards(time()?)?),
        ("timestamp-digits", _) => json!(with_digits(time()?)?),
        ("timestamp-without-zone", _) => json!(time()?.strip_suffix('Z')?),
        ("timestamp-beyond", _) => json!(time().map(|_| "10000-01-01T00:00:00Z")?),
        _ => return None,
    };
    let is_named_twice = class != "both-names" || site.field.name() != site.field.json_name();
    let is_changed = class == "both-names" || spelled(class).is_some() || other != *value;
    // An item is the member, but for what is about lists.
    let is_whole =
        class != "list-as-message" && class != "both-names" || !site.pointer.ends_with(|c: char| c.is_ascii_digit());
    (is_named_twice && is_changed && is_whole).then_some(other)
}

/// Bytes that have another spelling, and that spelling.
fn spelled(class: &str) -> Option<(&'static str, &'static str)> {
    match class {
        "base64-url-safe" => Some(("+/+/", "-_-_")),
        "base64-unpadded" => Some(("YWI=", "YWI")),
        _ => None,
    }
}

/// `2025-01-02T03:04:05Z` as `2025-01-02T04:34:05+01:30`, where that is the same day.
fn eastwards(time: &str) -> Option<String> {
    let rest = time.strip_suffix('Z')?;
    let number = |range: std::ops::Range<usize>| rest.get(range)?.parse::<u32>().ok();
    let minutes = number(11..13)? * 60 + number(14..16)? + 90;
    let (day, seconds) = (rest.get(..11)?, rest.get(16..)?);
    (minutes < 24 * 60).then(|| format!("{day}{:02}:{:02}{seconds}+01:30", minutes / 60, minutes % 60))
}

/// `2025-01-02T03:04:05Z` as `2025-01-02T03:04:05.0Z`, and `05.123Z` as `05.1230Z`.
fn with_digits(time: &str) -> Option<String> {
    const MOST: usize = 9;
    let rest = time.strip_suffix('Z')?;
    match rest.split_once('.') {
        None => Some(format!("{rest}.0Z")),
        Some((_, digits)) => (digits.len() < MOST).then(|| format!("{rest}0Z")),
    }
}

/// A value of a field, for a member that should not be there.
fn sample(field: &FieldDescriptor) -> Option<Value> {
    Some(match field.kind() {
        Type::String => json!("a"),
        Type::Bytes => json!(base64::encode(b"a")),
        Type::Bool => json!(true),
        Type::Message(_) => json!({}),
        _ => return None,
    })
}

/// Whether a message is one of A2A, whose JSON is an object with its fields.
fn is_own(message: &MessageDescriptor) -> bool {
    !message.full_name().starts_with("google.protobuf.")
}

/// Whether a member may be JSON of any kind.
fn is_any_json(field: &FieldDescriptor) -> bool {
    matches!(field.kind(), Type::Message(message) if message.full_name() == "google.protobuf.Value")
}

/// Every message of A2A in a value, with its place.
fn within(value: &Value, message: &MessageDescriptor, at: &str, found: &mut Vec<(String, MessageDescriptor)>) {
    let mut sites = Vec::new();
    find(value, message, at, &mut sites);
    found.push((at.to_owned(), message.clone()));
    for site in sites {
        if let (Type::Message(message), Some(_)) = (site.field.kind(), site.pointer.get(1..))
            && is_own(&message)
            && !site.field.is_map()
        {
            found.push((site.pointer, message));
        }
    }
}

/// Every member of every message of A2A in a value; of a list its items, too.
fn find(value: &Value, message: &MessageDescriptor, at: &str, found: &mut Vec<Site>) {
    for field in message.fields() {
        let Some(member) = value.get(field.json_name()) else { continue };
        let mut place = at.to_owned();
        pointer::push(&mut place, field.json_name());
        let site = |pointer: String| Site { parent: at.to_owned(), field: field.clone(), pointer };
        let mut below: Vec<(String, &Value)> = Vec::new();
        match member {
            _ if field.is_map() => {}
            Value::Array(items) if field.is_list() => {
                below.extend(items.iter().enumerate().map(|(index, item)| (format!("{place}/{index}"), item)));
                found.push(site(place));
            }
            member => below.push((place, member)),
        }
        for (place, member) in below {
            found.push(site(place.clone()));
            match field.kind() {
                Type::Message(inner) if is_own(&inner) => find(member, &inner, &place, found),
                _ => {}
            }
        }
    }
}

/// Gives every member the name that the proto has for it; says whether any has another now.
fn rename(value: &mut Value, message: &MessageDescriptor) -> bool {
    let Some(members) = value.as_object_mut() else { return false };
    let mut is_changed = false;
    let renamed = std::mem::take(members).into_iter().map(|(name, mut value)| {
        let Some(field) = message.get_field_by_json_name(&name) else { return (name, value) };
        if let Type::Message(inner) = field.kind()
            && is_own(&inner)
            && !field.is_map()
        {
            match &mut value {
                Value::Array(items) => items.iter_mut().for_each(|item| is_changed |= rename(item, &inner)),
                one => is_changed |= rename(one, &inner),
            }
        }
        is_changed |= field.name() != name;
        (field.name().to_owned(), value)
    });
    *members = renamed.collect();
    is_changed
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use prost_reflect::DynamicMessage;

    use super::*;
    use crate::generate::seeded;
    use crate::profile;

    /// Inputs of each class, and how often one is tried to be made.
    const EACH: usize = 40;
    const TRIES: u64 = 3000;

    fn read(message: &MessageDescriptor, text: &[u8]) -> Result<DynamicMessage, String> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        let read = DynamicMessage::deserialize(message.clone(), &mut reader).map_err(|error| error.to_string())?;
        reader.end().map_err(|error| error.to_string())?;
        Ok(read)
    }

    /// What must be read is read by prost-reflect, as what was meant; what must be refused is refused.
    #[test]
    fn events_are_what_a_library_of_protocol_buffers_says() {
        let mut versions = 0;
        for profile in profile::bundled().unwrap() {
            let Ok(events) = Events::new(&profile) else { continue };
            versions += 1;
            for class in CLASSES {
                let made =
                    (0..TRIES).filter_map(|number| events.make(class.name, &mut Choices::new(&seeded(5, number, 256))));
                let made: Vec<Input> = made.take(EACH).collect();
                assert!(!made.is_empty(), "{} {}", profile.name(), class.name);
                for input in made {
                    let text = String::from_utf8_lossy(&input.bytes);
                    let theirs = read(&events.message, &input.bytes);
                    let context = || format!("{} {}: {text}", profile.name(), class.name);
                    match class.verdict {
                        Accept => {
                            let meant = read(&events.message, input.value.unwrap().to_string().as_bytes());
                            assert_eq!(theirs.as_ref(), meant.as_ref(), "{}", context());
                            assert!(theirs.is_ok(), "{} {theirs:?}", context());
                        }
                        Reject => assert!(theirs.is_err(), "{}", context()),
                        Either => {}
                    }
                    let is_there = input.place.is_none_or(|place| {
                        place.is_empty() || {
                            serde_json::from_slice::<Value>(&input.bytes).unwrap().pointer(&place).is_some()
                        }
                    });
                    assert!(is_there, "{}", context());
                }
            }
        }
        assert_eq!(versions, 4);
    }

    #[test]
    fn times_are_written_otherwise() {
        assert_eq!(eastwards("2025-01-02T03:04:05.6Z").as_deref(), Some("2025-01-02T04:34:05.6+01:30"));
        assert_eq!(eastwards("2025-01-02T23:04:05Z"), None);
        assert_eq!(with_digits("2025-01-02T03:04:05Z").as_deref(), Some("2025-01-02T03:04:05.0Z"));
        assert_eq!(with_digits("2025-01-02T03:04:05.123Z").as_deref(), Some("2025-01-02T03:04:05.1230Z"));
        assert_eq!(with_digits("2025-01-02T03:04:05.123456789Z"), None);
    }
}
