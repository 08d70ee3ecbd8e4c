//! One case file: from its text to its cases, with everything that is wrong in it.

use serde::Deserialize as _;
use serde_json::Value;

use super::convert::{Converter, inner};
use super::file::{CaseEntry, CaseFile};
use super::visit::file::ClientCaseEntry;
use super::{Case, Oracle, shape};
use crate::yaml::tree::Part;
use crate::yaml::{Mistake, Tree};

/// What was read of a file.
#[derive(Default)]
pub(super) struct Found {
    /// The cases, those with mistakes in their shape as they were meant.
    pub cases: Vec<Case>,
    /// What is wrong with the meaning of their parts.
    pub mistakes: Vec<Mistake>,
    /// What is wrong with their shape. A mistake in the same place says more.
    pub misshapes: Vec<Mistake>,
}

/// The shape of a case.
enum Entry {
    OfAgent(Box<CaseEntry>),
    OfClient(Box<ClientCaseEntry>),
}

impl Entry {
    fn read(entry: &Value) -> Result<Self, String> {
        let is_of_client = entry.get("role").and_then(Value::as_str) == Some("client");
        match is_of_client {
            true => ClientCaseEntry::deserialize(entry).map(|entry| Self::OfClient(Box::new(entry))),
            false => CaseEntry::deserialize(entry).map(|entry| Self::OfAgent(Box::new(entry))),
        }
        .map_err(|error| error.to_string())
    }
}

/// Reads the cases of a file; of one that is known to be right without looking for mistakes.
pub(super) fn cases(file: &str, tree: &Tree, oracles: &[Oracle], is_linted: bool) -> Found {
    let mut found = Found::default();
    if is_linted {
        found.mistakes = tree.duplicates();
    }
    let read = CaseFile::deserialize(tree.value());
    let entries = match &read {
        Ok(file) => file.cases.clone(),
        Err(_) => tree.value().get("cases").and_then(Value::as_array).cloned().unwrap_or_default(),
    };
    let entries: Vec<_> = entries.into_iter().map(|entry| (Entry::read(&entry), entry)).collect();
    let refused = entries.iter().find_map(|(entry, _)| entry.as_ref().err().cloned());
    let refused = read.err().map(|error| error.to_string()).or(refused);
    let misshapes = if is_linted || refused.is_some() { shape::misshapes(tree.value()) } else { Vec::new() };
    found.misshapes = misshapes.iter().map(|one| one.mistake(tree)).collect();
    if let (Some(refused), true) = (refused, misshapes.is_empty()) {
        found.misshapes.push(tree.mistake("", &Part::Value, &refused));
    }
    let mut converter = Converter { file, tree, oracles, mistakes: Vec::new() };
    for (index, (read, mut entry)) in entries.into_iter().enumerate() {
        let at = inner("/cases", index);
        let read = read.or_else(|_| {
            misshapes.iter().for_each(|one| one.repair(&mut entry, &at));
            Entry::read(&entry)
        });
        found.cases.extend(read.ok().map(|entry| match entry {
            Entry::OfAgent(entry) => converter.case(*entry, at),
            Entry::OfClient(entry) => converter.client_case(*entry, at),
        }));
    }
    found.mistakes.append(&mut converter.mistakes);
    found
}
