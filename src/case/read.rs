//! One case file: from its text to its cases, with everything that is wrong in it.

use serde::Deserialize as _;
use serde_json::Value;

use super::convert::{Converter, inner};
use super::file::{CaseEntry, CaseFile};
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
    let entries: Vec<_> = entries
        .into_iter()
        .map(|entry| (CaseEntry::deserialize(&entry).map_err(|error| error.to_string()), entry))
        .collect();
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
            CaseEntry::deserialize(&entry)
        });
        found.cases.extend(read.ok().map(|entry| converter.case(entry, at)));
    }
    found.mistakes.append(&mut converter.mistakes);
    found
}
