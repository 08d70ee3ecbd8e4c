//! `a2aspec profiles` and `a2aspec diff-spec`: the versions that the suite knows, and what changes between them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::args::DiffSpecArgs;
use super::fail::{Failure, library, profile, profiles};
use crate::case::Library;
use crate::diagnostic::words;
use crate::diff_spec;
use crate::profile::Profile;
use crate::verdict::Level;

/// Every version, the newest first, and in which matters it differs from the one before.
pub(super) fn list() -> Result<String, Failure> {
    let library = library(None)?;
    let mut out = String::new();
    let profiles = profiles()?;
    for (place, profile) in profiles.iter().enumerate().rev() {
        let before = place.checked_sub(1).and_then(|before| profiles.get(before));
        out.push_str(&about(profile, before, &library));
    }
    Ok(out)
}

fn about(profile: &Profile, before: Option<&Arc<Profile>>, library: &Library) -> String {
    let facts = &profile.facts;
    let bindings: Vec<String> = facts.bindings.keys().map(ToString::to_string).collect();
    let requirements = library.requirements(profile.name());
    let counts = Level::ALL.map(|level| {
        let number = requirements.iter().filter(|requirement| requirement.level == level).count();
        format!("{number} {level}")
    });
    let cases: BTreeSet<&str> = library.checks(profile.name()).iter().map(|check| check.case.id.as_str()).collect();
    let mut out = format!("{:<12} {}, {}\n", profile.name(), facts.title, facts.specification);
    let mut row = |label: &str, text: &str| out.push_str(&format!("  {label:<10} {text}\n"));
    row("card", &facts.card.well_known.join(", "));
    row("bindings", &bindings.join(", "));
    row("operations", &facts.operations.len().to_string());
    row("requirements", &format!("{}, with those of the standards below it", counts.join(", ")));
    row("cases", &cases.len().to_string());
    if let Some(before) = before {
        let comparison = diff_spec::between(before, profile, library);
        let topics = comparison.topics.iter().map(|topic| format!("{} ({})", topic.title, topic.changes.len()));
        let topics = topics.collect::<Vec<_>>().join(", ");
        let text = format!("{topics}: a2aspec diff-spec {} {}", before.name(), profile.name());
        for (line, text) in words::wrap(&text, 84).into_iter().enumerate() {
            let head = if line == 0 { "changes" } else { "" };
            row(head, &text);
        }
    }
    out
}

/// What changes from one version to another.
pub(super) fn diff(args: &DiffSpecArgs) -> Result<String, Failure> {
    let library = library(None)?;
    Ok(diff_spec::between(&*profile(&args.from)?, &*profile(&args.to)?, &library).to_string())
}
