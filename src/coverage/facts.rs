//! By what a row of the page can be found: its versions, sections, levels and states.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::matrix::{Coverage, Part};
use crate::page::escape;
use crate::verdict::Level;

/// What a row is about. A case is about as much as its requirements are.
#[derive(Debug, Default)]
pub(super) struct Facts {
    versions: BTreeSet<String>,
    sections: BTreeSet<String>,
    levels: BTreeSet<Level>,
    states: BTreeSet<&'static str>,
}

impl Facts {
    /// Those of a requirement.
    pub(super) fn of(part: &Part, sections: &str, level: Level, state: &'static str) -> Self {
        Self {
            versions: [part.catalogue.clone()].into(),
            sections: sections.split(',').map(|section| section.trim().to_owned()).collect(),
            levels: [level].into(),
            states: [state].into(),
        }
    }

    /// Those of each case that a requirement names.
    pub(super) fn of_cases(coverage: &Coverage) -> BTreeMap<&str, Self> {
        let mut facts: BTreeMap<&str, Self> = BTreeMap::new();
        for part in &coverage.parts {
            for row in &part.requirements {
                for case in &row.cases {
                    facts.entry(case).or_default().add(Self::of(part, &row.section, row.level, row.state.title()));
                }
            }
        }
        facts
    }

    fn add(&mut self, other: Self) {
        self.versions.extend(other.versions);
        self.sections.extend(other.sections);
        self.levels.extend(other.levels);
        self.states.extend(other.states);
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.versions.is_empty() {
            // It is found by nothing, and never hidden.
            return Ok(());
        }
        let joined = |values: Vec<String>| escape(&values.join("|"));
        let versions = joined(self.versions.iter().cloned().collect());
        let sections = joined(self.sections.iter().cloned().collect());
        let levels = joined(self.levels.iter().map(Level::to_string).collect());
        let states = joined(self.states.iter().map(|&state| state.to_owned()).collect());
        write!(
            f,
            " data-version=\"{versions}\" data-section=\"{sections}\" data-level=\"{levels}\" data-state=\"{states}\""
        )
    }
}
