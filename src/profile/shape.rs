//! The kinds of difference between a canonical object and its wire form.
//!
//! These are all there are: a version that differs in none but these ways is data and no Rust.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

pub use super::template::Template;

/// How one canonical type looks on the wire.
///
/// At most one of `values`, `variants`, `choices` and `bare_list` is set; without any it is an object whose unnamed
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
    /// A union that names its member here and carries the bare object there, told apart by its [`Tag`].
    #[serde(default)]
    pub variants: Option<BTreeMap<String, String>>,
    /// An object whose wire form depends on which of several members is set.
    #[serde(default)]
    pub choices: Option<Vec<Choice>>,
    /// An object around a list here, the list itself there.
    #[serde(default)]
    pub bare_list: Option<BareList>,
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
    /// What the wire gets where the canonical object has no such member, since the version demands one; see
    /// [`Field::default_from`].
    #[serde(default)]
    pub default: Option<Value>,
    /// Where in the agent's card the list stands that is better than `default`, as a pointer: what this agent takes.
    #[serde(default)]
    pub default_from: Option<String>,
}

impl Shape {
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
