//! The form that an object takes among those that its shape has.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::paths::take;
use crate::profile::shape::{Choice, Field, Move, Shape, Tag, Template};

/// The form that an object takes: its shape's own, or that of the choice that fits.
pub(super) struct Form<'a> {
    pub tag: Option<&'a Tag>,
    pub inside: Option<&'a str>,
    pub names: &'a BTreeMap<String, Template>,
    pub lacks: &'a [String],
    pub drops: &'a [String],
    pub fields: &'a BTreeMap<String, Field>,
}

impl Form<'_> {
    /// Whether a canonical member is part of a composed one.
    pub(super) fn composes(&self, member: &str) -> bool {
        self.names.values().any(|template| template.members().any(|name| name == member))
    }

    /// Whether the version has no place for a canonical member.
    pub(super) fn has_no_place_for(&self, member: &String) -> bool {
        self.lacks.contains(member) || self.drops.contains(member)
    }
}

/// No composed members.
static NO_NAMES: BTreeMap<String, Template> = BTreeMap::new();

impl Shape {
    pub(super) fn form_of(&self, members: &Map<String, Value>) -> Option<Form<'_>> {
        match &self.choices {
            Some(choices) => choices.iter().find(|choice| members.contains_key(&choice.member)).map(Choice::form),
            None => Some(self.form()),
        }
    }

    pub(super) fn form_on_wire(&self, members: &Map<String, Value>) -> Option<Form<'_>> {
        match &self.choices {
            Some(choices) => choices.iter().find(|choice| choice.is_on(members)).map(Choice::form),
            None => Some(self.form()),
        }
    }

    pub(super) fn form(&self) -> Form<'_> {
        Form {
            tag: self.tag.as_ref(),
            inside: self.inside.as_deref(),
            names: &self.names,
            lacks: &self.lacks,
            drops: &self.drops,
            fields: &self.fields,
        }
    }
}

impl<'a> Form<'a> {
    /// The member that is missing around what belongs in it, where that stands outside.
    pub(super) fn lacks_around(&self, members: &Map<String, Value>) -> Option<&'a str> {
        let around = self.inside?.split('/').next()?;
        let is_outside = || self.fields.iter().any(|(name, field)| members.contains_key(field.wire_name(name)));
        (!members.contains_key(around) && is_outside()).then_some(around)
    }
}

impl Choice {
    pub(super) fn form(&self) -> Form<'_> {
        let inside = self.inside.as_deref();
        Form { tag: self.tag.as_ref(), inside, names: &NO_NAMES, lacks: &[], drops: &[], fields: &self.fields }
    }

    pub(super) fn is_on(&self, members: &Map<String, Value>) -> bool {
        self.tag.as_ref().is_none_or(|tag| tag.is_on(members)) && self.has_its_member(members)
    }

    pub(super) fn has_its_member(&self, members: &Map<String, Value>) -> bool {
        let holder = match &self.inside {
            Some(inside) => members.get(inside).and_then(Value::as_object),
            None => Some(members),
        };
        let name = self.fields.get(&self.member).map_or(self.member.as_str(), |field| field.wire_name(&self.member));
        holder.is_some_and(|holder| holder.contains_key(name))
    }
}

impl Tag {
    pub(super) fn is_on(&self, members: &Map<String, Value>) -> bool {
        members.get(&self.name).and_then(Value::as_str) == Some(self.value.as_str())
    }
}

/// Takes the members that stand elsewhere out of an object, each from the place that `at` names.
pub(super) fn taken<'a>(
    members: &mut Cow<'_, Map<String, Value>>,
    moves: &'a [Move],
    at: impl Fn(&Move) -> &str,
) -> Vec<(&'a Move, Value)> {
    if moves.is_empty() {
        return Vec::new();
    }
    let members = members.to_mut();
    moves.iter().filter_map(|moved| Some((moved, take(members, at(moved))?))).collect()
}
