//! Cards, tasks, messages and events of a version, as JSON.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Verdict::{Accept, Either, Reject};
use super::{Class, Input, Kind, NoSuchKind, Verdict};
use crate::generate::{self, Choices, Values, seeded};
use crate::profile::{Binding, Profile};
use crate::verdict::Level;
use crate::wire::json::pointer;

/// Makes objects of one type.
#[derive(Debug)]
pub(super) struct Objects {
    values: Values,
    wire_type: String,
    /// The version and the section that describes the type.
    section: String,
    /// The ways in which they can be wrong.
    wrong: Vec<generate::Class>,
    /// Whether the JSON is that of protobuf, which has more than one spelling.
    is_protobuf: bool,
}

impl Objects {
    pub fn new(kind: Kind, profile: &Arc<Profile>) -> Result<Self, NoSuchKind> {
        let none = || NoSuchKind { kind, profile: Some(profile.name().to_owned()) };
        let dialect = profile.dialects.get(&profile.facts.card.dialect).ok_or_else(none)?;
        let wire_type = match kind {
            Kind::Card => profile.facts.card.kind.as_str(),
            Kind::Task => dialect.wire_type("Task"),
            Kind::Message => dialect.wire_type("Message"),
            _ => dialect.wire_type("StreamResponse"),
        };
        let schema = dialect.schemas.definitions().get(wire_type).ok_or_else(none)?;
        let described = schema.get("description").and_then(Value::as_str).and_then(|text| text.split_once(':'));
        let place = described.map(|(place, _)| place).filter(|place| place.starts_with("Section"));
        let title = &profile.facts.title;
        let section = place.map_or_else(|| title.clone(), |place| format!("{title} {}", lower_first(place)));
        let values = Values::new(Arc::clone(&dialect.schemas));
        let can_be = |class: &generate::Class| {
            (0..24)
                .any(|number| values.wrong_in(wire_type, *class, &mut Choices::new(&seeded(0, number, 256))).is_some())
        };
        let wrong = generate::Class::ALL.into_iter().filter(can_be).collect();
        let is_protobuf = profile.dialects_over(Binding::Grpc).any(|spoken| spoken.name == dialect.name);
        Ok(Self { wire_type: wire_type.to_owned(), section, wrong, is_protobuf, values })
    }

    pub fn classes(&self) -> Vec<Class> {
        let class = |name, verdict, level, section: &str, reason: &str| Class {
            name,
            verdict,
            level,
            section: section.to_owned(),
            reason: reason.to_owned(),
        };
        let own = |name, verdict: Verdict, level, reason: &str| class(name, verdict, level, &self.section, reason);
        let mut all = vec![
            own("simplest", Accept, Level::Must, "only what must be there"),
            own("valid", Accept, Level::Must, "any members, with any values that the version allows"),
            class("pretty", Accept, Level::Must, "RFC 8259 section 2", "white space between tokens means nothing"),
            class("other-order", Accept, Level::Must, "RFC 8259 section 4", "the order of members means nothing"),
            own("unknown-member", Accept, Level::Should, "a member that the version does not know should be ignored"),
        ];
        if self.is_protobuf {
            let section = "ProtoJSON, Field names";
            let reason = "names as the proto has them, which readers of ProtoJSON take and senders of A2A do not write";
            all.push(class("proto-names", Either, Level::May, section, reason));
        }
        all.extend(self.wrong.iter().map(|wrong| {
            let verdict = match wrong {
                // A later version may have more values; and no text says what null is where nothing may be null.
                generate::Class::UnknownEnumValue | generate::Class::Null => Either,
                _ => Reject,
            };
            own(wrong.name(), verdict, Level::May, wrong.reason())
        }));
        all
    }

    pub fn make(&self, class: &str, choices: &mut Choices<'_>) -> Option<Input> {
        if let Some(wrong) = self.wrong.iter().find(|wrong| wrong.name() == class) {
            let (value, wrong) = self.values.wrong_in(&self.wire_type, *wrong, choices)?;
            let place = Some(wrong.pointer);
            return Some(Input { bytes: value.to_string().into_bytes(), verdict: Reject, value: None, place });
        }
        let (value, objects) = match class {
            "simplest" => self.values.with_objects(&self.wire_type, &mut Choices::new(&[])),
            _ => self.values.with_objects(&self.wire_type, choices),
        };
        let mut written = value.clone();
        let mut place = None;
        let text = match class {
            "simplest" | "valid" => value.to_string(),
            "pretty" => format!(" {}\r\n", serde_json::to_string_pretty(&value).ok()?.replace("  ", "\t")),
            "other-order" => reversed(&value).to_string(),
            "unknown-member" => {
                let mut at = choices.pick(&objects)?.clone();
                let name = choices.pick(&["x-unknown", "unknown", "__proto__", "$schema", "future"])?;
                let further = generate::json::any(1, choices);
                written.pointer_mut(&at)?.as_object_mut()?.insert((*name).to_owned(), further);
                pointer::push(&mut at, name);
                place = Some(at);
                written.to_string()
            }
            "proto-names" => {
                let mut changed = false;
                // From the innermost object outwards, so that the pointers of those that follow still lead there.
                for at in objects.iter().rev() {
                    let members = written.pointer_mut(at)?.as_object_mut()?;
                    let renamed = std::mem::take(members).into_iter().map(|(name, value)| {
                        let snake = snake_case(&name);
                        changed |= snake != name;
                        (snake, value)
                    });
                    *members = renamed.collect();
                }
                if !changed {
                    return None;
                }
                written.to_string()
            }
            _ => return None,
        };
        Some(Input { bytes: text.into_bytes(), verdict: Accept, value: Some(value), place })
    }
}

/// The members of every object in the opposite order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().rev().map(|(name, value)| (name.clone(), reversed(value))).collect(),
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => json!(other),
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}
