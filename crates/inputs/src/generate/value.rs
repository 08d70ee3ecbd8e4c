//! Values of the wire types of a version, made from its JSON Schemas.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::form::{ANYTHING, Form, Node, Type, Types};
use super::forms::Forms;
use super::wrong::{self, Class, Wrong};
use super::{Choices, json, number, text};
use crate::profile::Schemas;
use crate::wire::json::pointer;

/// Beyond this depth, objects have only what they must and arrays are as short as they may be.
const DEEPEST: usize = 12;

/// Deepest nesting of values of no known type.
const DEEPEST_JSON: usize = 3;

/// Makes values of the types that some schemas describe. To make one costs a look at every schema, so keep it.
#[derive(Debug)]
pub struct Values {
    pub(super) forms: Forms,
    pub(super) schemas: Arc<Schemas>,
}

/// A place in a value that was made: which node stood there.
#[derive(Debug)]
pub(super) struct Place {
    pub pointer: String,
    pub node: Node,
    pub form: usize,
    /// Whether nothing on the way to it, nor it itself, can have another form.
    pub is_plain: bool,
}

impl Values {
    /// The values of these schemas, such as those of a [`Dialect`](crate::profile::Dialect).
    pub fn new(schemas: Arc<Schemas>) -> Self {
        Self { forms: Forms::of(schemas.definitions()), schemas }
    }

    /// A value of a wire type, such as `Task`, that satisfies its schema. A type without a schema may be any JSON.
    pub fn valid(&self, kind: &str, choices: &mut Choices<'_>) -> Value {
        self.with_places(kind, choices, &mut None)
    }

    /// A value of a wire type with exactly one thing wrong, and what that is. `None` where nothing can be wrong with values
    /// of the type, or where these choices found nothing.
    pub fn wrong(&self, kind: &str, choices: &mut Choices<'_>) -> Option<(Value, Wrong)> {
        wrong::make(self, kind, None, choices)
    }

    /// The same with something wrong in this way. `None` also where nothing can be wrong so.
    pub fn wrong_in(&self, kind: &str, class: Class, choices: &mut Choices<'_>) -> Option<(Value, Wrong)> {
        wrong::make(self, kind, Some(class), choices)
    }

    /// A right value, and the pointers to the objects in it whose members are known.
    pub fn with_objects(&self, kind: &str, choices: &mut Choices<'_>) -> (Value, Vec<String>) {
        let mut places = Some(Vec::new());
        let value = self.with_places(kind, choices, &mut places);
        let has_members = |place: &Place| {
            self.forms.at(place.node).get(place.form).is_some_and(|form| !form.members.is_empty())
                && value.pointer(&place.pointer).is_some_and(Value::is_object)
        };
        let objects = places.unwrap_or_default().into_iter().filter(has_members).map(|place| place.pointer).collect();
        (value, objects)
    }

    /// A right value, and every place in it whose type is known.
    pub(super) fn with_places(&self, kind: &str, choices: &mut Choices<'_>, places: &mut Option<Vec<Place>>) -> Value {
        let node = self.forms.named(kind).unwrap_or(ANYTHING);
        let mut maker = Maker { forms: &self.forms, choices, places, pointer: String::new(), is_plain: true };
        maker.value(node, "", 0)
    }

    /// A value of one form.
    pub(super) fn of_form(&self, form: &Form, choices: &mut Choices<'_>) -> Value {
        let (places, pointer) = (&mut None, String::new());
        Maker { forms: &self.forms, choices, places, pointer, is_plain: true }.of_form(form, "", 0)
    }
}

struct Maker<'m, 'c> {
    forms: &'m Forms,
    choices: &'m mut Choices<'c>,
    places: &'m mut Option<Vec<Place>>,
    /// Where the value that is being made stands.
    pointer: String,
    /// Whether what is on the way to it can have no other form.
    is_plain: bool,
}

impl Maker<'_, '_> {
    /// A value of a node that stands in a member of this name.
    fn value(&mut self, node: Node, name: &str, depth: usize) -> Value {
        let forms = self.forms.at(node);
        let chosen = if depth > DEEPEST { 0 } else { self.choices.below(forms.len()) };
        let Some(form) = forms.get(chosen) else { return json::any(DEEPEST_JSON, self.choices) };
        let was_plain = self.is_plain;
        self.is_plain &= forms.len() == 1;
        if let Some(places) = self.places {
            places.push(Place { pointer: self.pointer.clone(), node, form: chosen, is_plain: self.is_plain });
        }
        let made = self.of_form(form, name, depth);
        self.is_plain = was_plain;
        made
    }

    fn of_form(&mut self, form: &Form, name: &str, depth: usize) -> Value {
        if let Some(values) = &form.values {
            return self.choices.pick(values).cloned().unwrap_or_default();
        }
        let made = match self.kind(form.types) {
            Type::Object => Value::Object(self.object(form, depth)),
            Type::Array => Value::Array(self.array(form, name, depth)),
            Type::String => Value::String(text::for_member(name, self.choices)),
            Type::Integer => self.integer(form),
            Type::Number if form.least.is_none() && form.most.is_none() => number::any(self.choices),
            Type::Number => self.integer(form),
            Type::Boolean => Value::Bool(!self.choices.one_in(2)),
            Type::Null => Value::Null,
        };
        match (form.not.contains(&made), made) {
            (true, Value::String(text)) => Value::String(text + "-other"),
            (_, made) => made,
        }
    }

    /// One of the types, as a rule the simplest.
    fn kind(&mut self, types: Types) -> Type {
        let mut all = types.iter();
        let first = all.next().unwrap_or(Type::Null);
        if !self.choices.one_in(8) {
            return first;
        }
        let others: Vec<Type> = all.collect();
        self.choices.pick(&others).copied().unwrap_or(first)
    }

    fn integer(&mut self, form: &Form) -> Value {
        number::integer(form.least.unwrap_or(i64::MIN), form.most.unwrap_or(i64::MAX), self.choices).into()
    }

    fn object(&mut self, form: &Form, depth: usize) -> Map<String, Value> {
        let mut object = Map::new();
        let mut room = form.most_members;
        for member in &form.members {
            let is_there = member.is_required || depth <= DEEPEST && room > 0 && self.choices.one_in(3);
            if is_there {
                let value = self.inside(&member.name, member.node, &member.name, depth);
                object.insert(member.name.clone(), value);
                room = room.saturating_sub(1);
            }
        }
        if !form.members.is_empty() {
            // Too few of those that need not be there, where some must.
            for member in &form.members {
                if object.len() < form.least_members && !object.contains_key(&member.name) {
                    let value = self.inside(&member.name, member.node, &member.name, depth);
                    object.insert(member.name.clone(), value);
                }
            }
            return object;
        }
        let most = form.most_members.min(if depth > DEEPEST { 0 } else { 3 });
        let count = self.choices.below(most + 1).max(form.least_members);
        for number in 0..count {
            let mut name = text::any(self.choices);
            if object.contains_key(&name) {
                name = format!("{name}-{number}");
            }
            let value = match form.rest {
                Some(node) => self.inside(&name, node, "", depth),
                None => json::any(DEEPEST_JSON - 1, self.choices),
            };
            object.insert(name, value);
        }
        object
    }

    fn array(&mut self, form: &Form, name: &str, depth: usize) -> Vec<Value> {
        let more = if depth > DEEPEST { 0 } else { self.choices.below(3) };
        // The shortest that must have an item has one, and the simplest that need have none has none.
        let count = form.least_items + more;
        (0..count).map(|index| self.inside(&index.to_string(), form.items, name, depth)).collect()
    }

    /// What stands one level deeper, under this token.
    fn inside(&mut self, token: &str, node: Node, name: &str, depth: usize) -> Value {
        let length = self.pointer.len();
        if self.places.is_some() {
            pointer::push(&mut self.pointer, token);
        }
        let value = self.value(node, name, depth + 1);
        self.pointer.truncate(length);
        value
    }
}
