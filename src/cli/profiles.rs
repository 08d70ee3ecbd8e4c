//! `a2aspec profiles` and `a2aspec diff-spec`: the versions that the suite knows, and what changes between them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Exit;
use super::args::DiffSpecArgs;
use super::fail::{Failure, library, profile, profiles};
use crate::case::{Level, Library};
use crate::compare;
use crate::diagnostic::words;
use crate::profile::Profile;

/// Prints every version, the newest first, and in which matters it differs from the one before.
pub(super) fn list() -> Result<Exit, Failure> {
    let library = library(None)?;
    let profiles = profiles()?;
    for (place, profile) in profiles.iter().enumerate().rev() {
        let before = place.checked_sub(1).and_then(|before| profiles.get(before));
        show(profile, before, &library);
    }
    Ok(Exit::Holds)
}

fn show(profile: &Profile, before: Option<&Arc<Profile>>, library: &Library) {
    let facts = &profile.facts;
    let bindings: Vec<String> = facts.bindings.keys().map(ToString::to_string).collect();
    let statements = library.requirements(profile.name());
    let counts = Level::ALL.map(|level| {
        let number = statements.iter().filter(|requirement| requirement.level == level).count();
        format!("{number} {level}")
    });
    let cases: BTreeSet<&str> = library.checks(profile.name()).iter().map(|check| check.case.id.as_str()).collect();
    anstream::println!("{:<12} {}, {}", profile.name(), facts.title, facts.specification);
    anstream::println!("  card       {}", facts.card.well_known.join(", "));
    anstream::println!("  bindings   {}", bindings.join(", "));
    anstream::println!("  operations {}", facts.operations.len());
    anstream::println!("  statements {}, with those of the standards below it", counts.join(", "));
    anstream::println!("  cases      {}", cases.len());
    if let Some(before) = before {
        let comparison = compare::between(before, profile, library);
        let topics = comparison.topics.iter().map(|topic| format!("{} ({})", topic.title, topic.changes.len()));
        let topics = topics.collect::<Vec<_>>().join(", ");
        let text = format!("{topics}: a2aspec diff-spec {} {}", before.name(), profile.name());
        for (line, text) in words::wrap(&text, 84).into_iter().enumerate() {
            let head = if line == 0 { "changes" } else { "" };
            anstream::println!("  {head:<10} {text}");
        }
    }
}

/// Prints what changes from one version to another.
pub(super) fn diff(args: &DiffSpecArgs) -> Result<Exit, Failure> {
    let library = library(None)?;
    anstream::print!("{}", compare::between(&*profile(&args.from)?, &*profile(&args.to)?, &library));
    Ok(Exit::Holds)
}
