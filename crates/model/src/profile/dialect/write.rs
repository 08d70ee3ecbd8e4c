//! Canonical values in the wire form of a version.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Dialect;
use super::form::{Form, taken};
use super::paths::put;
use crate::profile::shape::{Field, Shape};

impl Dialect {
    /// A canonical value of the named type in its wire form.
    pub fn to_wire(&self, kind: &str, value: &Value) -> Value {
        let Some(shape) = self.types.get(kind).map(Shape::written) else { return value.clone() };
        if let Some(values) = &shape.values {
            return match value.as_str().and_then(|name| values.get(name)) {
                Some(wire) => Value::String(wire.clone()),
                None => value.clone(),
            };
        }
        let Value::Object(members) = value else { return value.clone() };
        if let Some(variants) = &shape.variants {
            let chosen = variants.iter().find_map(|(member, variant)| Some((variant.kind(), members.get(member)?)));
            return chosen.map_or_else(|| value.clone(), |(kind, value)| self.to_wire(kind, value));
        }
        if let Some(list) = &shape.bare_list {
            return match members.get(&list.member) {
                Some(Value::Array(items)) => items.iter().map(|item| self.to_wire(&list.of, item)).collect(),
                _ => value.clone(),
            };
        }
        let mut rest = Cow::Borrowed(members);
        let moved = taken(&mut rest, &shape.moves, |moved| &moved.from);
        let Some(form) = shape.form_of(&rest) else { return value.clone() };
        let mut wire = self.members_to_wire(&form, &rest);
        for (moved, value) in moved {
            let value = moved.kind.as_ref().map_or_else(|| value.clone(), |kind| self.to_wire(kind, &value));
            put(&mut wire, &moved.to, value);
        }
        Value::Object(wire)
    }

    fn members_to_wire(&self, form: &Form<'_>, members: &Map<String, Value>) -> Map<String, Value> {
        let mut outer = Map::new();
        let mut inner = Map::new();
        if let Some(tag) = form.tag {
            outer.insert(tag.name.clone(), Value::String(tag.value.clone()));
        }
        for (name, value) in members {
            match form.fields.get(name) {
                Some(field) => {
                    let target = if form.inside.is_some() { &mut inner } else { &mut outer };
                    target.insert(field.wire_name(name).to_owned(), self.field_to_wire(field, value));
                }
                None if form.composes(name) || form.has_no_place_for(name) => {}
                None => {
                    outer.insert(name.clone(), value.clone());
                }
            }
        }
        let unset = form.fields.iter().filter(|(name, _)| !members.contains_key(*name));
        for (name, value) in unset.filter_map(|(name, field)| Some((field.wire_name(name), field.default.as_ref()?))) {
            let target = if form.inside.is_some() { &mut inner } else { &mut outer };
            target.insert(name.to_owned(), value.clone());
        }
        if let Some(inside) = form.inside {
            put(&mut outer, inside, Value::Object(inner));
        }
        for (path, template) in form.names {
            let text = template.fill(members, str::to_owned).map(Value::String);
            // What is no text cannot be composed: alone it is sent as it is, for the agent to refuse.
            if let Some(value) = text.or_else(|| members.get(template.only_member()?).cloned()) {
                put(&mut outer, path, value);
            }
        }
        outer
    }

    fn field_to_wire(&self, field: &Field, value: &Value) -> Value {
        if field.negated {
            return value.as_bool().map_or_else(|| value.clone(), |is| Value::Bool(!is));
        }
        if field.single {
            return Value::Array(vec![value.clone()]);
        }
        if field.number {
            let number = value.as_str().and_then(|text| Some((text, text.parse::<i64>().ok()?)));
            let number = number.filter(|(text, number)| number.to_string() == *text);
            return number.map_or_else(|| value.clone(), |(_, number)| Value::from(number));
        }
        if let Some(epoch) = field.epoch {
            return epoch.number(value);
        }
        match (&field.kind, &field.list, value) {
            (Some(kind), _, _) => self.to_wire(kind, value),
            (_, Some(kind), Value::Array(items)) => items.iter().map(|item| self.to_wire(kind, item)).collect(),
            _ => value.clone(),
        }
    }
}
