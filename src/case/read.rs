//! One case file: from its text to its cases, with everything that is wrong in it.

use serde::Deserialize as _;

use super::Case;
use super::convert::{Converter, inner};
use super::file::{CaseEntry, CaseFile};
use crate::yaml::tree::Part;
use crate::yaml::{Mistake, Tree};

/// The cases of a file that can be read. Those with mistakes in their shape are left out.
pub(super) fn cases(file: &str, tree: &Tree, mistakes: &mut Vec<Mistake>) -> Vec<Case> {
    mistakes.extend(tree.duplicates());
    let entries = match CaseFile::deserialize(tree.value()) {
        Ok(file) => file.cases,
        Err(error) => {
            mistakes.push(tree.mistake("", &Part::Value, &error.to_string()));
            return Vec::new();
        }
    };
    let mut converter = Converter { file, tree, mistakes: Vec::new() };
    let mut cases = Vec::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let at = inner("/cases", index);
        match CaseEntry::deserialize(&entry) {
            Ok(entry) => cases.push(converter.case(entry, at)),
            Err(error) => mistakes.push(tree.mistake(&at, &Part::Value, &error.to_string())),
        }
    }
    mistakes.append(&mut converter.mistakes);
    cases
}
