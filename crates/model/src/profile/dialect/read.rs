//! Wire values in canonical form. A near miss is read as what it was meant to be, and marked.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Dialect;
use super::form::{Form, taken};
use super::inferred::{Inferred, Miss};
use super::paths::{put, without_nulls};
use super::reading::{Reading, Site};
use crate::profile::shape::{Field, Move, Shape, Variants};
use crate::wire::json::pointer;

impl Dialect {
    /// A wire value of the named canonical type in canonical form.
    pub fn from_wire(&self, kind: &str, wire: Value) -> Reading {
        let mut reading = Reading::default();
        let place = Place { canonical: String::new(), wire: String::new() };
        let value = self.read_value(kind, &wire, &place, &mut reading);
        let wire = Arc::new(wire);
        let value = if value == *wire { Arc::clone(&wire) } else { Arc::new(value) };
        reading.moved.shrink_to_fit();
        reading.sites.shrink_to_fit();
        Reading { wire, value, ..reading }
    }

    fn read_value(&self, kind: &str, value: &Value, place: &Place, reading: &mut Reading) -> Value {
        if place.canonical != place.wire {
            reading.moved.push((place.canonical.clone(), place.wire.clone()));
        }
        let forms = self.types.get(kind).map_or(&[][..], |shape| &shape.forms);
        // What fits none is blamed by the schema of the first.
        let form = forms.iter().position(|form| self.fits(form, value)).unwrap_or_default();
        reading.sites.push(Site { kind: kind.to_owned(), pointer: place.wire.clone(), form });
        let Some(shape) = forms.get(form).or_else(|| self.types.get(kind)) else {
            return self.read_word(kind, value, place, reading).unwrap_or_else(|| self.read_unnamed(value));
        };
        if let Some(values) = &shape.values {
            let text = value.as_str().unwrap_or_default();
            let known = values.iter().find(|(_, wire)| *wire == text).map(|(name, _)| name);
            let also =
                || shape.also.iter().find(|(_, others)| others.iter().any(|wire| wire == text)).map(|(name, _)| name);
            let known = known.or_else(also).map(|name| Value::String(name.clone()));
            return known.or_else(|| self.read_word(kind, value, place, reading)).unwrap_or_else(|| value.clone());
        }
        if let (Some(list), Value::Array(items)) = (&shape.bare_list, value) {
            let inner = Place { canonical: place.canonical_child(&list.member), wire: place.wire.clone() };
            reading.moved.push((inner.canonical.clone(), inner.wire.clone()));
            let items = self.read_list(&list.of, items, &inner, reading);
            return Value::Object(Map::from_iter([(list.member.clone(), items)]));
        }
        if let Some(list) = &shape.bare_list {
            let items = value.get(&list.member).and_then(Value::as_array).filter(|_| self.is_judged(kind));
            let Some(items) = items else {
                // What came instead is at the place of the list.
                reading.moved.push((place.canonical_child(&list.member), place.wire.clone()));
                return unread(value);
            };
            self.infer(reading, kind, place, Miss::Wrapped(list.member.clone()));
            let items = self.read_parts(&list.of, items, &place.child(&list.member), reading);
            return Value::Object(Map::from_iter([(list.member.clone(), items)]));
        }
        let only_list = Self::only_list(shape).filter(|_| self.is_judged(kind));
        if let (Some((member, of)), Value::Array(items)) = (only_list, value) {
            self.infer(reading, kind, place, Miss::Bare(member.to_owned()));
            let inner = Place { canonical: place.canonical_child(member), wire: place.wire.clone() };
            reading.moved.push((inner.canonical.clone(), inner.wire.clone()));
            let items = self.read_parts(of, items, &inner, reading);
            return Value::Object(Map::from_iter([(member.to_owned(), items)]));
        }
        let Value::Object(members) = value else { return value.clone() };
        let mut members = match self.nulls_absent {
            true => Cow::Owned(without_nulls(members, shape.insides())),
            false => Cow::Borrowed(members),
        };
        if let Some(variants) = &shape.variants {
            return match variants.detect(&members, |kind| self.is_tagged(kind, &members)) {
                Some((member, kind)) => {
                    let inner = Place { canonical: place.canonical_child(member), wire: place.wire.clone() };
                    let value = self.read_value(kind, value, &inner, reading);
                    Value::Object(Map::from_iter([(member.to_owned(), value)]))
                }
                None => self.read_meant(kind, shape, value, place, reading).unwrap_or_else(|| unread(value)),
            };
        }
        if let Some(meant) = self.read_meant(kind, shape, value, place, reading) {
            return meant;
        }
        let moved = taken(&mut members, &shape.moves, |moved| &moved.to);
        let told = shape.form_on_wire(&members);
        let Some(mut form) = told.or_else(|| self.meant_form(kind, shape, &members, place, reading)) else {
            return value.clone();
        };
        let is_plain = shape.choices.is_none() && self.is_judged(kind);
        if let Some(around) = form.lacks_around(&members).filter(|_| is_plain) {
            self.infer(reading, kind, place, Miss::Bare(around.to_owned()));
            form.inside = None;
        }
        let mut canonical = Map::new();
        self.read_level(&form, "", &members, place, reading, &mut canonical);
        for (moved, value) in moved {
            self.read_moved(moved, &value, place, reading, &mut canonical);
        }
        let unset = form.fields.iter().filter_map(|(name, field)| Some((name, field.absent.as_ref()?)));
        for (name, meant) in unset {
            if !canonical.contains_key(name) {
                reading.moved.push((place.canonical_child(name), place.wire.clone()));
                canonical.insert(name.clone(), meant.clone());
            }
        }
        Value::Object(canonical)
    }

    /// An object that does not have the form of its type, as what it was meant to be.
    fn read_meant(
        &self,
        kind: &str,
        shape: &Shape,
        value: &Value,
        place: &Place,
        reading: &mut Reading,
    ) -> Option<Value> {
        let meant = self.meant(kind, shape, value.as_object()?).filter(|_| self.is_judged(kind))?;
        self.infer(reading, kind, place, meant.miss);
        let value = meant.within.map_or(Some(value), |within| value.get(within))?;
        let wire = meant.within.map_or_else(|| place.wire.clone(), |within| place.wire_child(within));
        let canonical = meant.member.map_or_else(|| place.canonical.clone(), |member| place.canonical_child(member));
        let first = reading.sites.len();
        let value = self.read_value(meant.kind, value, &Place { canonical, wire }, reading);
        reading.parts.push(first..reading.sites.len());
        Some(match meant.member {
            Some(member) => Value::Object(Map::from_iter([(member.to_owned(), value)])),
            None => value,
        })
    }

    /// The items of a list that does not have the form of its type.
    fn read_parts(&self, kind: &str, items: &[Value], place: &Place, reading: &mut Reading) -> Value {
        let read = items.iter().enumerate().map(|(index, item)| {
            let first = reading.sites.len();
            let value = self.read_value(kind, item, &place.child(&index.to_string()), reading);
            reading.parts.push(first..reading.sites.len());
            value
        });
        read.collect()
    }

    /// The form of an object that lacks the discriminator of it, and has its member.
    fn meant_form<'a>(
        &self,
        kind: &str,
        shape: &'a Shape,
        members: &Map<String, Value>,
        place: &Place,
        reading: &mut Reading,
    ) -> Option<Form<'a>> {
        let mut choices = shape.choices.iter().flatten().filter(|_| self.is_judged(kind));
        let choice = choices.find(|choice| choice.has_its_member(members))?;
        self.infer(reading, kind, place, Miss::Untagged(choice.member.clone()));
        Some(choice.form())
    }

    /// A value of an enumeration that is spelled otherwise.
    fn read_word(&self, kind: &str, value: &Value, place: &Place, reading: &mut Reading) -> Option<Value> {
        let text = value.as_str()?;
        let word = self.meant_word(kind, text).filter(|_| self.is_judged(kind))?;
        self.infer(reading, kind, place, Miss::Spelling(text.to_owned()));
        Some(Value::String(word))
    }

    /// Whether a schema tells of what a value of this type misses: else nobody would, and nothing is inferred.
    fn is_judged(&self, kind: &str) -> bool {
        self.schemas.has(self.wire_type(kind))
    }

    fn infer(&self, reading: &mut Reading, kind: &str, place: &Place, miss: Miss) {
        reading.inferred.push(Inferred { pointer: place.wire.clone(), kind: kind.to_owned(), miss });
    }

    /// Whether a wire value has a form: that of a list, of a union that can be told, of an object with its inner object, or
    /// of an object of any other kind.
    fn fits(&self, form: &Shape, wire: &Value) -> bool {
        let Value::Object(members) = wire else { return form.bare_list.is_some() && wire.is_array() };
        let is_told = |variants: &Variants| variants.detect(members, |kind| self.is_tagged(kind, members)).is_some();
        let is_there = |path: &str| members.get(path.split('/').next().unwrap_or(path)).is_some_and(Value::is_object);
        form.bare_list.is_none()
            && form.variants.as_ref().is_none_or(is_told)
            && form.inside.as_deref().is_none_or(is_there)
    }

    /// Whether an object has the tag of a type.
    fn is_tagged(&self, kind: &str, members: &Map<String, Value>) -> bool {
        self.types.get(kind).and_then(|shape| shape.tag.as_ref()).is_some_and(|tag| tag.is_on(members))
    }

    /// A value of a type of which no more is known than its name.
    fn read_unnamed(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) if self.nulls_absent => Value::Object(without_nulls(members, std::iter::empty())),
            other => other.clone(),
        }
    }

    /// Puts a member back that the wire has elsewhere.
    fn read_moved(
        &self,
        moved: &Move,
        value: &Value,
        place: &Place,
        reading: &mut Reading,
        canonical: &mut Map<String, Value>,
    ) {
        if self.nulls_absent && value.is_null() {
            return;
        }
        // What holds it here and not there came from the object itself.
        let mut holder = Some(&*canonical);
        for (end, _) in moved.from.match_indices('/') {
            let name = moved.from[..end].rsplit('/').next().unwrap_or_default();
            holder = holder.and_then(|holder| holder.get(name)).and_then(Value::as_object);
            if holder.is_none() {
                reading.moved.push((descendant(&place.canonical, &moved.from[..end]), place.wire.clone()));
            }
        }
        let inner =
            Place { canonical: descendant(&place.canonical, &moved.from), wire: descendant(&place.wire, &moved.to) };
        let value = match &moved.kind {
            Some(kind) => self.read_value(kind, value, &inner, reading),
            None => value.clone(),
        };
        reading.moved.push((inner.canonical, inner.wire));
        if let Some(value) = put(canonical, &moved.from, value) {
            put(canonical, &moved.to, value);
        }
    }

    /// Reads the members at one depth of a form: those at `path` below its outermost object.
    fn read_level(
        &self,
        form: &Form<'_>,
        path: &str,
        members: &Map<String, Value>,
        place: &Place,
        reading: &mut Reading,
        canonical: &mut Map<String, Value>,
    ) {
        let is_innermost = form.inside.is_none_or(|inside| inside == path);
        for (name, value) in members {
            if path.is_empty() && form.tag.is_some_and(|tag| tag.name == *name && tag.is_on(members)) {
                continue;
            }
            let here = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            if let Some(parts) = form.names.get(&here).and_then(|template| template.parse(value.as_str()?)) {
                for (member, text) in parts {
                    // Where a member is sent twice, its own place says what it is.
                    if form.fields.contains_key(member) || canonical.contains_key(member) {
                        canonical.entry(member.to_owned()).or_insert(Value::String(text));
                        continue;
                    }
                    reading.moved.push((place.canonical_child(member), place.wire_child(name)));
                    canonical.insert(member.to_owned(), Value::String(text));
                }
                continue;
            }
            let leads_inside = form
                .inside
                .and_then(|inside| inside.strip_prefix(here.as_str()))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            match value {
                Value::Object(inner) if leads_inside => {
                    let place = Place { canonical: place.canonical.clone(), wire: place.wire_child(name) };
                    self.read_level(form, &here, inner, &place, reading, canonical);
                }
                _ if is_innermost => self.read_member(form, name, value, place, reading, canonical),
                _ => {
                    canonical.insert(name.clone(), value.clone());
                }
            }
        }
    }

    fn read_member(
        &self,
        form: &Form<'_>,
        wire_name: &str,
        value: &Value,
        place: &Place,
        reading: &mut Reading,
        canonical: &mut Map<String, Value>,
    ) {
        let known = form.fields.iter().find(|(name, field)| field.wire_name(name) == wire_name);
        let name = known.map_or(wire_name, |(name, _)| name.as_str());
        let place = Place { canonical: place.canonical_child(name), wire: place.wire_child(wire_name) };
        let value = match known {
            Some((_, field)) => self.read_field(field, value, &place, reading),
            None => {
                if place.canonical != place.wire {
                    reading.moved.push((place.canonical.clone(), place.wire.clone()));
                }
                value.clone()
            }
        };
        canonical.insert(name.to_owned(), value);
    }

    fn read_field(&self, field: &Field, value: &Value, place: &Place, reading: &mut Reading) -> Value {
        if place.canonical != place.wire {
            reading.moved.push((place.canonical.clone(), place.wire.clone()));
        }
        if field.negated {
            return value.as_bool().map_or_else(|| value.clone(), |is| Value::Bool(!is));
        }
        if field.number {
            return value.as_i64().map_or_else(|| value.clone(), |number| Value::String(number.to_string()));
        }
        if let Some(epoch) = field.epoch {
            return epoch.timestamp(value);
        }
        match (field.single, &field.kind, &field.list, value) {
            (true, _, _, Value::Array(items)) if items.len() == 1 => items.first().cloned().unwrap_or_default(),
            (false, Some(kind), _, _) => self.read_value(kind, value, place, reading),
            (false, _, Some(kind), Value::Array(items)) => self.read_list(kind, items, place, reading),
            _ => value.clone(),
        }
    }

    fn read_list(&self, kind: &str, items: &[Value], place: &Place, reading: &mut Reading) -> Value {
        let read = items.iter().enumerate().map(|(index, item)| {
            let index = index.to_string();
            self.read_value(kind, item, &place.child(&index), reading)
        });
        read.collect()
    }
}

/// What is not of the expected form is kept as it is, where nobody takes its insides for canonical ones.
fn unread(value: &Value) -> Value {
    Value::Object(Map::from_iter([("unread".to_owned(), value.clone())]))
}

/// Where the reader stands, in both forms.
struct Place {
    canonical: String,
    wire: String,
}

impl Place {
    /// What has the same name in both forms.
    fn child(&self, name: &str) -> Self {
        Self { canonical: self.canonical_child(name), wire: self.wire_child(name) }
    }

    fn canonical_child(&self, name: &str) -> String {
        child(&self.canonical, name)
    }

    fn wire_child(&self, name: &str) -> String {
        child(&self.wire, name)
    }
}

pub(super) fn child(parent: &str, name: &str) -> String {
    let mut path = parent.to_owned();
    pointer::push(&mut path, name);
    path
}

/// The pointer of what stands at a path of members below `parent`.
fn descendant(parent: &str, path: &str) -> String {
    path.split('/').fold(parent.to_owned(), |parent, name| child(&parent, name))
}
