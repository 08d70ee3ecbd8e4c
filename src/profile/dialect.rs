//! Canonical values to one wire form of a version, and back.
//!
//! Both directions are total: what does not fit the expected shape passes unchanged (a union or a list whose members could
//! be taken for translated ones, under a name of its own), since it is for the schema and the cases to say what is wrong
//! with it, not for the translation.

mod inferred;
mod paths;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::Schemas;
use super::schema::Violation;
use super::shape::{Choice, Field, Move, Shape, Tag, Template, Variants};
use crate::wire::json::pointer;
pub use inferred::{Inferred, Miss};
use paths::{put, take, without_nulls};

/// One wire form of a version's objects.
#[derive(Debug)]
pub struct Dialect {
    /// Its name in the profile.
    pub name: String,
    /// Canonical types whose wire form differs, or that hold such types.
    pub types: BTreeMap<String, Shape>,
    /// The JSON Schemas of its objects.
    pub schemas: Arc<Schemas>,
    /// Whether a member that is null is none. Beneath members of no known type nothing is touched.
    pub nulls_absent: bool,
}

/// A wire value in canonical form, with the way back to the bytes.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The value as it is on the wire.
    pub wire: Arc<Value>,
    /// The canonical value; the same tree where it is spelled alike on the wire.
    pub value: Arc<Value>,
    /// Canonical pointer to wire pointer, for every place where the two differ; see [`Reading::origin`].
    moved: Vec<(String, String)>,
    /// Every place in the wire value whose type the profile knows.
    pub sites: Vec<Site>,
    /// Every place that was read as what it was meant to be, since it does not have the form of its type.
    pub inferred: Vec<Inferred>,
    /// What was inferred has a form of its own, of which the schema of the whole does not know.
    parts: Vec<inferred::Part>,
    /// In what the wire value breaks its schema, once somebody has asked.
    violations: OnceLock<Vec<Broken>>,
}

/// A place in a wire value that holds a value of a known type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Canonical name of the type.
    pub kind: String,
    /// Pointer into the wire value.
    pub pointer: String,
    /// Which of its type's forms it has, where there are several.
    pub form: usize,
}

/// A violation of a schema, and to which place it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The innermost typed place around it: its index among the sites.
    pub site: usize,
    /// In what it is broken; its pointer is one into the wire value.
    pub violation: Violation,
}

impl Reading {
    /// A value that is its own canonical form, and of no known type.
    pub(crate) fn plain(value: Value) -> Self {
        let value = Arc::new(value);
        Self { wire: Arc::clone(&value), value, ..Self::default() }
    }

    /// Everything in which the wire value breaks the schema of its type; where a part of it was inferred, also the part.
    pub(crate) fn violations(&self, dialect: &Dialect) -> &[Broken] {
        self.violations.get_or_init(|| self.find_violations(dialect))
    }

    /// The wire pointer of a canonical pointer: the longest known prefix is replaced, the rest kept.
    pub(crate) fn origin(&self, canonical: &str) -> String {
        let known = self
            .moved
            .iter()
            .filter(|(from, _)| {
                canonical.strip_prefix(from.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
            .max_by_key(|(from, _)| from.len());
        match known {
            Some((from, to)) => format!("{to}{}", &canonical[from.len()..]),
            None => canonical.to_owned(),
        }
    }
}

impl Reading {
    /// The canonical pointer of a wire pointer: [`Self::origin`] the other way.
    pub(crate) fn destination(&self, wire: &str) -> String {
        let is_within = |to: &str| wire.strip_prefix(to).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let known = self.moved.iter().filter(|(_, to)| is_within(to)).max_by_key(|(from, to)| (to.len(), from.len()));
        known.map_or_else(|| wire.to_owned(), |(from, to)| format!("{from}{}", &wire[to.len()..]))
    }
}

impl Dialect {
    /// Everything in which a wire value breaks the schema of a canonical type.
    pub(crate) fn violations(&self, kind: &str, wire: &Value) -> Vec<Violation> {
        self.schemas.violations(self.wire_type(kind), wire)
    }

    /// Name of a canonical type in the schemas, in the form in which it is written.
    pub fn wire_type<'a>(&'a self, canonical: &'a str) -> &'a str {
        self.schema_name(canonical, 0)
    }

    /// Name in the schemas of what stands at a place.
    pub(crate) fn wire_type_at<'a>(&'a self, site: &'a Site) -> &'a str {
        self.schema_name(&site.kind, site.form)
    }

    fn schema_name<'a>(&'a self, canonical: &'a str, form: usize) -> &'a str {
        let Some(shape) = self.types.get(canonical) else { return canonical };
        let of_form = shape.forms.get(form).and_then(|form| form.schema.as_deref());
        of_form.or(shape.schema.as_deref()).unwrap_or(canonical)
    }

    /// A member of a canonical value for which its type has no place on the wire.
    pub(crate) fn without_place(&self, kind: &str, value: &Value) -> Option<&str> {
        let lacks = self.types.get(kind).map_or(&[][..], |shape| shape.written().lacks.as_slice());
        lacks.iter().map(String::as_str).find(|name| value.get(name).is_some())
    }

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

    /// The same for an agent with this card, whose own lists take the place of the defaults that name one; `None` where
    /// the card has none to take.
    pub(crate) fn for_card(&self, card: &Value) -> Option<Self> {
        let mut types = self.types.clone();
        let fields = types.values_mut().flat_map(|shape| shape.fields.values_mut());
        let mut found = false;
        for field in fields {
            let own = field.default_from.as_deref().and_then(|place| card.pointer(place));
            if let Some(own) = own.filter(|own| own.as_array().is_some_and(|list| list.iter().any(Value::is_string))) {
                field.default = Some(own.clone());
                found = true;
            }
        }
        found.then(|| Self { name: self.name.clone(), types, schemas: Arc::clone(&self.schemas), ..*self })
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
            let Some(items) = items else { return unread(value) };
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

fn child(parent: &str, name: &str) -> String {
    let mut path = parent.to_owned();
    pointer::push(&mut path, name);
    path
}

/// The pointer of what stands at a path of members below `parent`.
fn descendant(parent: &str, path: &str) -> String {
    path.split('/').fold(parent.to_owned(), |parent, name| child(&parent, name))
}

/// Takes the members that stand elsewhere out of an object, each from the place that `at` names.
fn taken<'a>(
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

/// The form that an object takes: its shape's own, or that of the choice that fits.
struct Form<'a> {
    tag: Option<&'a Tag>,
    inside: Option<&'a str>,
    names: &'a BTreeMap<String, Template>,
    lacks: &'a [String],
    drops: &'a [String],
    fields: &'a BTreeMap<String, Field>,
}

impl Form<'_> {
    /// Whether a canonical member is part of a composed one.
    fn composes(&self, member: &str) -> bool {
        self.names.values().any(|template| template.members().any(|name| name == member))
    }

    /// Whether the version has no place for a canonical member.
    fn has_no_place_for(&self, member: &String) -> bool {
        self.lacks.contains(member) || self.drops.contains(member)
    }
}

/// No composed members.
static NO_NAMES: BTreeMap<String, Template> = BTreeMap::new();

impl Shape {
    fn form_of(&self, members: &Map<String, Value>) -> Option<Form<'_>> {
        match &self.choices {
            Some(choices) => choices.iter().find(|choice| members.contains_key(&choice.member)).map(Choice::form),
            None => Some(self.form()),
        }
    }

    fn form_on_wire(&self, members: &Map<String, Value>) -> Option<Form<'_>> {
        match &self.choices {
            Some(choices) => choices.iter().find(|choice| choice.is_on(members)).map(Choice::form),
            None => Some(self.form()),
        }
    }

    fn form(&self) -> Form<'_> {
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
    fn lacks_around(&self, members: &Map<String, Value>) -> Option<&'a str> {
        let around = self.inside?.split('/').next()?;
        let is_outside = || self.fields.iter().any(|(name, field)| members.contains_key(field.wire_name(name)));
        (!members.contains_key(around) && is_outside()).then_some(around)
    }
}

impl Choice {
    fn form(&self) -> Form<'_> {
        let inside = self.inside.as_deref();
        Form { tag: self.tag.as_ref(), inside, names: &NO_NAMES, lacks: &[], drops: &[], fields: &self.fields }
    }

    fn is_on(&self, members: &Map<String, Value>) -> bool {
        self.tag.as_ref().is_none_or(|tag| tag.is_on(members)) && self.has_its_member(members)
    }

    fn has_its_member(&self, members: &Map<String, Value>) -> bool {
        let holder = match &self.inside {
            Some(inside) => members.get(inside).and_then(Value::as_object),
            None => Some(members),
        };
        let name = self.fields.get(&self.member).map_or(self.member.as_str(), |field| field.wire_name(&self.member));
        holder.is_some_and(|holder| holder.contains_key(name))
    }
}

impl Tag {
    fn is_on(&self, members: &Map<String, Value>) -> bool {
        members.get(&self.name).and_then(Value::as_str) == Some(self.value.as_str())
    }
}

#[cfg(test)]
mod tests;
