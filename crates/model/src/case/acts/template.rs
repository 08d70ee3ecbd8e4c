//! Variables between double braces (8): filled in where their value is known, and else the reference of a case.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Reader;
use crate::case::convert::inner;
use crate::yaml::tree::Part;

/// How deep variables may stand in variables.
const DEEPEST: usize = 8;

/// What the steps before this one have captured: by step and variable, the reference to it.
#[derive(Debug, Default)]
pub(super) struct Captured(BTreeMap<String, BTreeMap<String, String>>);

impl Captured {
    /// Notes a step, so that later ones may name it.
    pub(super) fn step(&mut self, id: &str) {
        self.0.entry(id.to_owned()).or_default();
    }

    /// Whether there is such a step.
    pub(super) fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// Notes what a variable of a step refers to.
    pub(super) fn capture(&mut self, id: &str, variable: &str, reference: String) {
        self.0.entry(id.to_owned()).or_default().insert(variable.to_owned(), reference);
    }
}

impl Reader<'_> {
    /// A value with the variables of every string in it filled in.
    pub(super) fn filled(&mut self, value: &Value, at: &str, captured: &Captured) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text, at, captured, 0)),
            Value::Array(items) => {
                items.iter().enumerate().map(|(index, item)| self.filled(item, &inner(at, index), captured)).collect()
            }
            Value::Object(members) => members
                .iter()
                .map(|(name, member)| (name.clone(), self.filled(member, &inner(at, name), captured)))
                .collect(),
            other => other.clone(),
        }
    }

    /// A text with its variables filled in.
    pub(super) fn filled_text(&mut self, text: &str, at: &str, captured: &Captured) -> String {
        self.fill(text, at, captured, 0)
    }

    fn fill(&mut self, text: &str, at: &str, captured: &Captured, depth: usize) -> String {
        if text.contains("${") {
            self.beyond(at, &Part::Value, "the text has `${`, which begins a reference in cases");
        }
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else { break };
            filled.push_str(before);
            let value = self.value(name.trim(), at, captured, depth);
            filled.push_str(&value);
            rest = after;
        }
        filled.push_str(rest);
        filled
    }

    /// What stands for a variable, in the order of precedence of 12.2.
    fn value(&mut self, name: &str, at: &str, captured: &Captured, depth: usize) -> String {
        let of_step = name.split_once('.').and_then(|(step, variable)| captured.0.get(step)?.get(variable));
        if let Some(reference) = of_step {
            return format!("${{{reference}}}");
        }
        if let Some(written) = self.variables.get(name).cloned() {
            if depth < DEEPEST {
                return self.fill(&written, at, captured, depth + 1);
            }
            self.wrong(at, &Part::Value, format!("the variable `{name}` holds itself"));
            return String::new();
        }
        if let Some(variable) = name.strip_prefix("env.") {
            let value = (self.around.env)(variable);
            if value.is_none() {
                self.beyond(at, &Part::Value, format!("the environment variable {variable} is not set"));
            }
            return value.unwrap_or_default();
        }
        if name == "$uuid" {
            return "${unique}".to_owned();
        }
        let message = match name.split_once('.').filter(|(step, _)| captured.has(step)) {
            Some((step, variable)) => format!("the step `{step}` captures no `{variable}`"),
            None => format!("no earlier step, variable or environment has `{name}`"),
        };
        self.wrong(at, &Part::Value, message);
        String::new()
    }
}
