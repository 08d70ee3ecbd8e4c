//! Canonical values to one wire form of a version, and back.
//!
//! Both directions are total: what does not fit the expected shape passes unchanged (a union or a list whose members could
//! be taken for translated ones, under a name of its own), since it is for the schema and the cases to say what is wrong
//! with it, not for the translation.

mod form;
mod inferred;
mod paths;
mod read;
mod reading;
mod words;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::Schemas;
use super::schema::Violation;
use super::shape::Shape;
pub use inferred::{Inferred, Miss};
pub use reading::{Broken, Reading, Site};

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

impl Dialect {
    /// Everything in which a wire value breaks the schema of a canonical type.
    pub fn violations(&self, kind: &str, wire: &Value) -> Vec<Violation> {
        self.schemas.violations(self.wire_type(kind), wire)
    }

    /// Name of a canonical type in the schemas, in the form in which it is written.
    pub fn wire_type<'a>(&'a self, canonical: &'a str) -> &'a str {
        self.schema_name(canonical, 0)
    }

    /// Name in the schemas of what stands at a place.
    pub fn wire_type_at<'a>(&'a self, site: &'a Site) -> &'a str {
        self.schema_name(&site.kind, site.form)
    }

    fn schema_name<'a>(&'a self, canonical: &'a str, form: usize) -> &'a str {
        let Some(shape) = self.types.get(canonical) else { return canonical };
        let of_form = shape.forms.get(form).and_then(|form| form.schema.as_deref());
        of_form.or(shape.schema.as_deref()).unwrap_or(canonical)
    }

    /// A member of a canonical value for which its type has no place on the wire.
    pub fn without_place(&self, kind: &str, value: &Value) -> Option<&str> {
        let lacks = self.types.get(kind).map_or(&[][..], |shape| shape.written().lacks.as_slice());
        lacks.iter().map(String::as_str).find(|name| value.get(name).is_some())
    }

    /// What the wire calls a member of a canonical type.
    pub fn wire_name<'a>(&'a self, kind: &str, member: &'a str) -> &'a str {
        let field = self.types.get(kind).and_then(|shape| shape.written().fields.get(member));
        field.and_then(|field| field.name.as_deref()).unwrap_or(member)
    }

    /// The same for an agent with this card, whose own lists take the place of the defaults that name one; `None` where
    /// the card has none to take.
    pub fn for_card(&self, card: &Value) -> Option<Self> {
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
}

#[cfg(test)]
mod tests;
