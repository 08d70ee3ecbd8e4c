//! What was read: a wire value in canonical form, and the way back to the bytes.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::Dialect;
use super::inferred::{Inferred, Part};
use crate::profile::schema::Violation;
use crate::wire::json::pointer;

/// A wire value in canonical form, with the way back to the bytes.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The value as it is on the wire.
    pub wire: Arc<Value>,
    /// The canonical value; the same tree where it is spelled alike on the wire.
    pub value: Arc<Value>,
    /// Canonical pointer to wire pointer, for every place where the two differ; see [`Reading::origin`].
    pub(super) moved: Vec<(String, String)>,
    /// Every place in the wire value whose type the profile knows.
    pub sites: Vec<Site>,
    /// Every place that was read as what it was meant to be, since it does not have the form of its type.
    pub inferred: Vec<Inferred>,
    /// What was inferred has a form of its own, of which the schema of the whole does not know.
    pub(super) parts: Vec<Part>,
    /// In what the wire value breaks its schema, once somebody has asked.
    pub(super) violations: OnceLock<Vec<Broken>>,
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
    pub fn plain(value: Value) -> Self {
        let value = Arc::new(value);
        Self { wire: Arc::clone(&value), value, ..Self::default() }
    }

    /// What stands at a place whose type is known.
    pub fn at(&self, site: &Site) -> Option<&Value> {
        pointer::find(&self.wire, &site.pointer)
    }

    /// Everything in which the wire value breaks the schema of its type; where a part of it was inferred, also the part.
    pub fn violations(&self, dialect: &Dialect) -> &[Broken] {
        self.violations.get_or_init(|| self.find_violations(dialect))
    }

    /// The wire pointer of a canonical pointer: the longest known prefix is replaced, the rest kept.
    pub fn origin(&self, canonical: &str) -> String {
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

    /// The canonical pointer of a wire pointer: [`Self::origin`] the other way.
    pub fn destination(&self, wire: &str) -> String {
        let is_within = |to: &str| wire.strip_prefix(to).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let known = self.moved.iter().filter(|(_, to)| is_within(to)).max_by_key(|(from, to)| (to.len(), from.len()));
        known.map_or_else(|| wire.to_owned(), |(from, to)| format!("{from}{}", &wire[to.len()..]))
    }
}
