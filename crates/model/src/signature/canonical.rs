//! The form of a card that is signed: what RFC 8785 makes of it once the presence of its fields is settled (A2A 1.0 section
//! 8.4.1).

use std::fmt;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value};

use crate::profile::Descriptors;
use crate::wire::json::pointer;

/// What happens to members that the version does not know. The text does not say: who goes through the protocol buffer
/// definition loses them (5.7), who works on the JSON keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// They are signed.
    Kept,
    /// They are not.
    LeftOut,
}

/// How signers get the presence of fields wrong (A2A 1.0 section 8.4.1, rule 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slip {
    /// Members with default values stay that are neither REQUIRED nor `optional`.
    KeepsDefaults,
    /// REQUIRED members with default values go.
    DropsRequired,
    /// `optional` members go that were set to their default.
    DropsExplicit,
}

/// Why a member is in what is signed, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// It is REQUIRED.
    Required,
    /// Its field is `optional`, and it was set.
    Explicit,
    /// It is an object, which is set or not (proto3 messages).
    Message,
    /// It has another value than its default.
    Set,
    /// It is the entry of a map, or the item of an array.
    Entry,
    /// It has its default, and is neither REQUIRED nor `optional`.
    Default,
    /// It is null, which in ProtoJSON is as good as not there.
    Null,
    /// The version does not know it.
    Unknown,
    /// It is the list of signatures.
    Signatures,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Required => "required: always present (8.4.1, rule 1, required fields)",
            Self::Explicit => "optional and set: present, also with the default value (8.4.1, rule 1)",
            Self::Message => "an object that is set (5.7)",
            Self::Set => "set to another value than the default (8.4.1, rule 1)",
            Self::Entry => "an entry of a map or an array",
            Self::Default => {
                "has the default value and is neither required nor optional (8.4.1, rule 1, default values)"
            }
            Self::Null => "null, which is not set (ProtoJSON)",
            Self::Unknown => "unknown to the version; implementations differ (5.7 lets them be ignored)",
            Self::Signatures => "the signatures themselves (8.4.1, rule 3)",
        })
    }
}

/// What became of one member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Its place in the card.
    pub pointer: String,
    /// Whether it is signed.
    pub is_kept: bool,
    /// Why.
    pub rule: Rule,
}

/// What is signed of a card.
#[derive(Debug, Clone, PartialEq)]
pub struct Canonical {
    /// What is left of the card.
    pub content: Value,
    /// The same by RFC 8785: what is signed.
    pub bytes: Vec<u8>,
    /// Member by member, why.
    pub decisions: Vec<Decision>,
}

impl Canonical {
    /// The canonical form of a card by the protocol buffer definition of a version.
    #[must_use]
    pub fn by(descriptors: &Descriptors, card: &Value, unknown: Unknown) -> Option<Self> {
        Self::made(descriptors, card, unknown, &[])
    }

    /// The same, as a signer makes it that errs in these ways.
    #[must_use]
    pub fn with_slips(descriptors: &Descriptors, card: &Value, unknown: Unknown, slips: &[Slip]) -> Option<Self> {
        Self::made(descriptors, card, unknown, slips)
    }

    fn made(descriptors: &Descriptors, card: &Value, unknown: Unknown, slips: &[Slip]) -> Option<Self> {
        let message = descriptors.message("AgentCard")?;
        let mut work = Work { descriptors, unknown, slips, decisions: Vec::new() };
        let content = Value::Object(work.object(&message, card.as_object()?, ""));
        Some(Self { bytes: jcs(&content)?, content, decisions: work.decisions })
    }

    /// Whether a rule decided about any member.
    #[must_use]
    pub fn used(&self, rule: Rule) -> bool {
        self.decisions.iter().any(|decision| decision.rule == rule)
    }
}

/// A value by RFC 8785; `None` for what is no JSON.
#[must_use]
pub fn jcs(value: &Value) -> Option<Vec<u8>> {
    serde_json_canonicalizer::to_vec(value).ok()
}

struct Work<'a> {
    descriptors: &'a Descriptors,
    unknown: Unknown,
    slips: &'a [Slip],
    decisions: Vec<Decision>,
}

impl Work<'_> {
    fn object(&mut self, message: &MessageDescriptor, members: &Map<String, Value>, place: &str) -> Map<String, Value> {
        let mut kept = Map::new();
        for (name, value) in members {
            let mut pointer = place.to_owned();
            pointer::push(&mut pointer, name);
            let field = message.fields().find(|field| field.json_name() == name);
            let (is_kept, rule) = self.decide(field.as_ref(), value, &pointer);
            self.decisions.push(Decision { pointer: pointer.clone(), is_kept, rule });
            if !is_kept {
                continue;
            }
            let value = match &field {
                Some(field) => self.value(field, value, &pointer),
                None => value.clone(),
            };
            kept.insert(name.clone(), value);
        }
        kept
    }

    fn decide(&self, field: Option<&FieldDescriptor>, value: &Value, pointer: &str) -> (bool, Rule) {
        let Some(field) = field else { return (self.unknown == Unknown::Kept, Rule::Unknown) };
        if pointer == "/signatures" {
            return (false, Rule::Signatures);
        }
        let slips = |slip| self.slips.contains(&slip) && is_default(field, value);
        match value {
            Value::Null if !is_any_json(field) => (false, Rule::Null),
            _ if self.descriptors.is_required(field) => (!slips(Slip::DropsRequired), Rule::Required),
            _ if field.supports_presence() && matches!(field.kind(), Kind::Message(_)) => (true, Rule::Message),
            _ if field.supports_presence() => (!slips(Slip::DropsExplicit), Rule::Explicit),
            value if is_default(field, value) => (slips(Slip::KeepsDefaults), Rule::Default),
            _ => (true, Rule::Set),
        }
    }

    /// The content of a member that is kept.
    fn value(&mut self, field: &FieldDescriptor, value: &Value, place: &str) -> Value {
        let Kind::Message(message) = field.kind() else { return value.clone() };
        if is_any_json(field) {
            return value.clone();
        }
        let below = |name: &str| {
            let mut pointer = place.to_owned();
            pointer::push(&mut pointer, name);
            pointer
        };
        match value {
            Value::Object(entries) if field.is_map() => {
                let of = message.map_entry_value_field();
                let kept = entries.iter().map(|(name, entry)| (name.clone(), self.value(&of, entry, &below(name))));
                Value::Object(kept.collect())
            }
            Value::Object(members) => Value::Object(self.object(&message, members, place)),
            Value::Array(items) if field.is_list() => {
                let items = items.iter().enumerate().map(|(index, item)| match item {
                    Value::Object(members) => Value::Object(self.object(&message, members, &below(&index.to_string()))),
                    item => item.clone(),
                });
                Value::Array(items.collect())
            }
            other => other.clone(),
        }
    }
}

/// Whether a field holds JSON of any kind, to which no presence applies (`google.protobuf.Struct` and its like).
fn is_any_json(field: &FieldDescriptor) -> bool {
    let Kind::Message(message) = field.kind() else { return false };
    message.full_name().starts_with("google.protobuf.") && !field.is_map()
}

/// Whether a value is the one that a field has that was not set.
fn is_default(field: &FieldDescriptor, value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => field.is_map() && entries.is_empty(),
        Value::String(text) => match field.kind() {
            Kind::Enum(kind) => kind.get_value_by_name(text).is_some_and(|value| value.number() == 0),
            _ => text.is_empty(),
        },
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Null => true,
    }
}
