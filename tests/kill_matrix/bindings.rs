//! Over which bindings a case must be seen to fail: over each by itself, unless it is listed as not proven yet.

use std::collections::{BTreeMap, BTreeSet};

use a2aspec::plan::Trial;

/// By case and version, the bindings over which it must turn red.
pub type Bindings = BTreeMap<(String, String), BTreeSet<String>>;

/// What no fault turns red yet: a line for each, with version, case and binding. It may only get shorter.
const NOT_PROVEN: &str = include_str!("not-proven.txt");

/// The bindings of all these trials. The pairs of bindings are many, and alike; the card is the same over each.
pub fn wanted<'a>(trials: impl Iterator<Item = &'a Trial>) -> Bindings {
    let mut all = Bindings::new();
    for trial in trials.filter(|trial| trial.other.is_none() && !trial.case.is_about_the_card()) {
        all.entry((trial.case.id.clone(), trial.profile.clone())).or_default().insert(trial.bindings());
    }
    all
}

/// Whether it is listed that no fault turns a case red in a version over a binding.
pub fn is_listed(case: &str, profile: &str, binding: &str) -> bool {
    NOT_PROVEN.lines().any(|line| line.split(' ').eq([profile, case, binding]))
}
