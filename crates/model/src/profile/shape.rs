//! The kinds of difference between a canonical object and its wire form.
//!
//! These are all there are: a version that differs in none but these ways is data and no Rust.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

pub use super::template::Template;
pub use super::variants::Variants;

/// How one canonical type looks on the wire.
///
/// At most one of `values`, `variants`, `choices`, `bare_list` and `forms` is set; without any it is an object whose unnamed
/// members pass unchanged.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Shape {
    /// Name of the wire type in the schemas, where it is not the canonical one.
    #[serde(default)]
    pub schema: Option<String>,
    /// An enumeration: canonical value to wire value.
    #[serde(default, rename = "enum")]
    pub values: Option<BTreeMap<String, String>>,
    /// Of an enumeration: further spellings of canonical values, which are read and never written.
    #[serde(default)]
    pub also: BTreeMap<String, Vec<String>>,
    /// A union that names its member here and carries the bare object there, told apart by its [`Tag`] or by its members.
    #[serde(default)]
    pub variants: Option<Variants>,
    /// An object whose wire form depends on which of several members is set.
    #[serde(default)]
    pub choices: Option<Vec<Choice>>,
    /// An object around a list here, the list itself there.
    #[serde(default)]
    pub bare_list: Option<BareList>,
    /// Several wire forms, where texts differ about a result: the first is written, and each is read. Beside them stands
    /// `schema` alone, for the forms that have none of their own.
    #[serde(default)]
    pub forms: Vec<Shape>,
    /// A discriminator that the wire has and the canonical object has not.
    #[serde(default)]
    pub tag: Option<Tag>,
    /// The wire nests the named `fields` inside this member, or along this path of members, such as `config/push`.
    #[serde(default)]
    pub inside: Option<String>,
    /// Wire members (by path) that are composed of canonical ones: `name: tasks/{id}`. What stands in braces is sent
    /// nowhere else, unless it is also one of the `fields`.
    #[serde(default)]
    pub names: BTreeMap<String, Template>,
    /// Canonical members for which this version has no place: they are not sent, and a case that sends one is wrong.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Canonical members that every case may send and this version has no place for: they are left out without a word.
    #[serde(default)]
    pub drops: Vec<String>,
    /// Members that stand at another depth on the wire.
    #[serde(default)]
    pub moves: Vec<Move>,
    /// Members that differ, or whose value has a shape of its own.
    #[serde(default)]
    pub fields: BTreeMap<String, Field>,
}

/// A member that stands elsewhere on the wire: deeper, or further out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Its path below the canonical object, such as `message/taskId`.
    pub from: String,
    /// Its path below the wire object.
    pub to: String,
    /// Canonical type of its value.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
}

/// A discriminator member.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    /// Its name, such as `kind`.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// One wire form of an object with [`Shape::choices`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Choice {
    /// The canonical member whose presence chooses this form.
    pub member: String,
    /// The discriminator of this form; without it the member itself tells.
    #[serde(default)]
    pub tag: Option<Tag>,
    /// The wire nests the named `fields` inside this member.
    #[serde(default)]
    pub inside: Option<String>,
    /// Members that differ.
    #[serde(default)]
    pub fields: BTreeMap<String, Field>,
}

/// A canonical object around one list that the wire sends bare.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BareList {
    /// The canonical member that holds the list.
    pub member: String,
    /// Canonical type of its items.
    pub of: String,
}

/// One member of an object.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Field {
    /// Its name on the wire, where it differs.
    #[serde(default, rename = "as")]
    pub name: Option<String>,
    /// Canonical type of its value.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Canonical type of each item of its list.
    #[serde(default)]
    pub list: Option<String>,
    /// A boolean with the opposite sense on the wire.
    #[serde(default)]
    pub negated: bool,
    /// One value here, a list of one on the wire.
    #[serde(default)]
    pub single: bool,
    /// A text here, a whole number on the wire.
    #[serde(default)]
    pub number: bool,
    /// The canonical value that is meant where the wire has no such member.
    #[serde(default)]
    pub absent: Option<Value>,
    /// A timestamp here, a number of this unit since 1970 on the wire.
    #[serde(default)]
    pub epoch: Option<Epoch>,
    /// What the wire gets where the canonical object has no such member, since the version demands one; see
    /// [`Field::default_from`].
    #[serde(default)]
    pub default: Option<Value>,
    /// Where in the agent's card the list stands that is better than `default`, as a pointer: what this agent takes.
    #[serde(default)]
    pub default_from: Option<String>,
}

/// The unit in which the wire counts time since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Epoch {
    /// A timestamp is cut to it, so that what happens at the time itself is not before it.
    Milliseconds,
}

impl Epoch {
    /// The number of a timestamp (RFC 3339); what is none passes unchanged.
    pub fn number(self, value: &Value) -> Value {
        let time = value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
        time.map_or_else(|| value.clone(), |time| Value::from(time.as_millisecond()))
    }

    /// The timestamp of a number, which ProtoJSON may write as text; what is none passes unchanged.
    pub fn timestamp(self, value: &Value) -> Value {
        let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
        let time = number.and_then(|number| jiff::Timestamp::from_millisecond(number).ok());
        time.map_or_else(|| value.clone(), |time| Value::from(time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()))
    }
}

impl Shape {
    /// The shape in which values are written: its first form, where it has several.
    pub fn written(&self) -> &Self {
        self.forms.first().unwrap_or(self)
    }

    /// The canonical members of which a value has one, where it is a union: what is in each has a shape of its own.
    pub fn alternatives(&self) -> impl Iterator<Item = &str> {
        let written = self.written();
        let bare = written.variants.iter().flat_map(|variants| variants.iter().map(|(member, _)| member));
        bare.chain(written.fields.keys().map(String::as_str))
    }

    /// One of these members, with its canonical type.
    pub fn alternative(&self, name: &str) -> Option<(&str, &str)> {
        let written = self.written();
        let bare = written.variants.iter().flat_map(Variants::iter).map(|(member, variant)| (member, variant.kind()));
        let named = written.fields.iter().filter_map(|(member, field)| Some((member.as_str(), field.kind.as_deref()?)));
        bare.chain(named).find(|(member, _)| *member == name)
    }

    /// The paths of wire members that hold others of this object.
    pub fn insides(&self) -> impl Iterator<Item = &str> {
        let of_choices = self.choices.iter().flatten().filter_map(|choice| choice.inside.as_deref());
        self.inside.as_deref().into_iter().chain(of_choices)
    }
}

impl Field {
    /// Its name on the wire, given its canonical name.
    pub fn wire_name<'a>(&'a self, canonical: &'a str) -> &'a str {
        self.name.as_deref().unwrap_or(canonical)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_is_a_number_of_milliseconds() {
        let epoch = Epoch::Milliseconds;
        for text in ["2026-01-31T12:00:00.123456Z", "2026-01-31T12:00:00.123Z", "2026-01-31T13:00:00.123+01:00"] {
            assert_eq!(epoch.number(&json!(text)), json!(1_769_860_800_123_i64), "{text}");
        }
        for wire in [json!(1_769_860_800_123_i64), json!("1769860800123")] {
            assert_eq!(epoch.timestamp(&wire), json!("2026-01-31T12:00:00.123Z"), "{wire}");
        }
        for other in [json!("yesterday"), json!(null), json!({}), json!(1.5)] {
            assert_eq!(epoch.number(&other), other);
            assert_eq!(epoch.timestamp(&other), other);
        }
    }
}
