//! Unions whose member is named here and whose object is bare on the wire: how the wire tells which member it is.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The members of such a union, in the order in which the wire is held against them.
#[derive(Debug, Clone, Default)]
pub struct Variants(Vec<(String, Variant)>);

/// What one member of a union holds, and how a bare object is known to be it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Variant {
    /// The canonical type, whose tag tells.
    Tagged(String),
    /// The canonical type, told by the members that are there and those that are not.
    Discriminator(Discriminator),
}

/// A variant that no tag tells. `has` names what sets it apart and not what it requires: a task without its id is a task.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discriminator {
    /// The canonical type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Wire members, all of which are there.
    #[serde(default)]
    pub has: Vec<String>,
    /// Wire members, none of which is.
    #[serde(default)]
    pub lacks: Vec<String>,
}

impl Variants {
    /// The canonical members with what they hold, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Variant)> {
        self.0.iter().map(|(member, variant)| (member.as_str(), variant))
    }

    /// The first member, with its type, that a bare object may be; `is_tagged` tells whether the object has the tag of a
    /// type.
    pub fn detect(&self, wire: &Map<String, Value>, is_tagged: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
        let chosen = self.iter().find(|(_, variant)| match variant {
            Variant::Tagged(kind) => is_tagged(kind),
            Variant::Discriminator(untagged) => untagged.is(wire),
        });
        chosen.map(|(member, variant)| (member, variant.kind()))
    }

    /// A member that is never told, since whatever is of it is also of one before it: a mistake in the file.
    pub fn hidden(&self) -> Option<(&str, &str)> {
        let untagged: Vec<(&str, &Discriminator)> =
            self.iter().filter_map(|(member, variant)| Some((member, variant.as_discriminator()?))).collect();
        untagged.iter().enumerate().find_map(|(index, (member, later))| {
            let before = untagged.iter().take(index).find(|(_, earlier)| earlier.hides(later));
            before.map(|(earlier, _)| (*member, *earlier))
        })
    }
}

impl Variant {
    /// The canonical type.
    pub fn kind(&self) -> &str {
        match self {
            Self::Tagged(kind) | Self::Discriminator(Discriminator { kind, .. }) => kind,
        }
    }

    fn as_discriminator(&self) -> Option<&Discriminator> {
        match self {
            Self::Tagged(_) => None,
            Self::Discriminator(untagged) => Some(untagged),
        }
    }
}

impl Discriminator {
    fn is(&self, wire: &Map<String, Value>) -> bool {
        self.has.iter().all(|name| wire.contains_key(name)) && !self.lacks.iter().any(|name| wire.contains_key(name))
    }

    /// Whether all that is of another variant is of this one, too.
    fn hides(&self, later: &Self) -> bool {
        self.has.iter().all(|name| later.has.contains(name)) && self.lacks.iter().all(|name| later.lacks.contains(name))
    }
}

impl<'de> Deserialize<'de> for Variants {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Variants;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the members of a union with their types")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Variants, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(Variants(all))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl<'de> Deserialize<'de> for Variant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrSigns;
        impl<'de> Visitor<'de> for NameOrSigns {
            type Value = Variant;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a type, or `type` with `has` and `lacks`")
            }

            fn visit_str<E: de::Error>(self, kind: &str) -> Result<Variant, E> {
                Ok(Variant::Tagged(kind.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Variant, A::Error> {
                Discriminator::deserialize(MapAccessDeserializer::new(map)).map(Variant::Discriminator)
            }
        }
        deserializer.deserialize_any(NameOrSigns)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const EVENTS: &str = "
        task: { type: Task, has: [status], lacks: [taskId] }
        statusUpdate: { type: TaskStatusUpdateEvent, has: [status, taskId] }
        tagged: Card";

    fn read(text: &str) -> Variants {
        crate::yaml::read("variants", text).unwrap()
    }

    #[test]
    fn the_first_whose_signs_are_there_is_told() {
        let events = read(EVENTS);
        let untagged = |wire: Value| {
            events
                .detect(wire.as_object().unwrap(), |kind| kind == "Card" && wire["kind"] == "card")
                .map(|(member, _)| member)
        };
        assert_eq!(untagged(json!({ "status": {} })), Some("task"));
        assert_eq!(untagged(json!({ "status": {}, "id": "t", "kind": "card" })), Some("task"));
        assert_eq!(untagged(json!({ "status": {}, "taskId": null })), Some("statusUpdate"));
        assert_eq!(untagged(json!({ "kind": "card" })), Some("tagged"));
        assert_eq!(untagged(json!({ "taskId": "t" })), None);
        assert_eq!(
            events.iter().map(|(_, variant)| variant.kind()).collect::<Vec<_>>(),
            ["Task", "TaskStatusUpdateEvent", "Card"]
        );
    }

    #[test]
    fn a_variant_that_is_never_told_is_found() {
        assert_eq!(read(EVENTS).hidden(), None);
        let hidden = read("task: { type: Task, has: [status] }\nstatusUpdate: { type: Update, has: [status, taskId] }");
        assert_eq!(hidden.hidden(), Some(("statusUpdate", "task")));
        let in_order =
            read("statusUpdate: { type: Update, has: [status, taskId] }\ntask: { type: Task, has: [status] }");
        assert_eq!(in_order.hidden(), None);
    }
}
