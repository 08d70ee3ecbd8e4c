//! `a2aspec list`: cases, or requirements.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::args::{Form, ListArgs};
use super::fail::{Failure, library, profile_names};
use super::print::Reader;
use super::{Exit, print, sets};
use crate::case::{Case, Library, Requirement, RequirementSet, SectionLink, Sets};
use crate::coverage::State;
use crate::diagnostic::words;
use crate::plan::Selection;
use crate::report::json;
use crate::suite::SuiteError;
use crate::verdict::Level;

/// The list.
pub(super) fn run(args: &ListArgs) -> Result<Exit, Failure> {
    let text = render(args)?;
    print::to(Reader::programs_if(args.format == Form::Json), &text)?;
    Ok(Exit::Holds)
}

fn render(args: &ListArgs) -> Result<String, Failure> {
    let library = library(args.cases.as_deref())?;
    let wanted = profile_names(args.profile.as_deref())?;
    let selection =
        Selection { areas: args.area.clone(), levels: args.level.clone(), only: args.only.clone(), skip: Vec::new() };
    let mut selected = Selected::of(&library, &wanted, &selection, args.extension.as_deref())?;
    if let Some(set) = sets::named(args.set.as_deref(), &library)? {
        selected.retain(&library, &wanted, &set);
    }
    Ok(match (args.requirements, args.format) {
        (true, Form::Json) => json::indented(&requirements_as_data(&selected)),
        (false, Form::Json) => json::indented(&cases_as_data(&library, &sets::all(&library)?, &wanted, &selected)),
        (true, Form::Terminal) => requirements_as_text(&selected),
        (false, Form::Terminal) => cases_as_text(&library, &wanted, &selected, args.extension.is_some()),
    })
}

/// What of a library is listed.
struct Selected<'a> {
    cases: Vec<&'a Case>,
    /// Each with its version.
    requirements: Vec<(&'a str, &'a Arc<Requirement>)>,
}

impl<'a> Selected<'a> {
    /// What is selected in at least one of the versions.
    fn of(
        library: &'a Library,
        wanted: &'a [String],
        selection: &Selection,
        extension: Option<&str>,
    ) -> Result<Self, Failure> {
        let mut unmatched = selection.unmatched();
        let mut cases: BTreeMap<&str, &Case> = BTreeMap::new();
        let mut requirements = Vec::new();
        let own = library.cases.values().filter(|case| case.own.is_some()).map(|case| (case.as_ref(), Vec::new()));
        let checked = wanted.iter().flat_map(|profile| by_case(library, profile));
        for (case, requirements) in own.chain(checked) {
            unmatched.meet(case, &requirements);
            if selection.picks(case, &requirements, true) && is_about(case, extension) {
                cases.insert(&case.id, case);
            }
        }
        for profile in wanted {
            let of_profile = library.requirements(profile).into_iter();
            let picked = of_profile.filter(|requirement| selection.picks_requirement(requirement));
            requirements.extend(picked.map(|requirement| (profile.as_str(), requirement)));
        }
        if cases.is_empty() && requirements.is_empty() {
            unmatched.check(&library.areas(), library.ids()).map_err(SuiteError::from)?;
        }
        if let Some(uri) = extension.filter(|_| cases.is_empty()) {
            let message = format!("no case is about the extension `{uri}`");
            let help = "`a2aspec list --extension` lists the cases about all extensions";
            return Err(Failure::new(Exit::Usage, &message, Some(help)));
        }
        Ok(Self { cases: cases.into_values().collect(), requirements })
    }

    /// Only keeps what counts in a set, as a user's own cases always do.
    fn retain(&mut self, library: &Library, wanted: &[String], set: &RequirementSet) {
        let checks = wanted.iter().flat_map(|profile| library.checks(profile));
        let counts = checks.filter(|check| set.later(&check.requirement.id.value, &check.case.id).is_none());
        let counting: BTreeSet<&str> = counts.map(|check| check.case.id.as_str()).collect();
        self.cases.retain(|case| case.own.is_some() || counting.contains(case.id.as_str()));
        self.requirements.retain(|(_, requirement)| set.has(&requirement.id.value));
    }
}

/// Whether a case is about an extension of this URI, or whose URI has this part, where one is wanted.
fn is_about(case: &Case, extension: Option<&str>) -> bool {
    extension.is_none_or(|wanted| case.extension.iter().any(|uri| uri.contains(wanted)))
}

/// The cases of a version, each with the requirements that it checks.
fn by_case<'a>(library: &'a Library, profile: &str) -> Vec<(&'a Case, Vec<Arc<Requirement>>)> {
    let mut cases: BTreeMap<&str, (&Case, Vec<Arc<Requirement>>)> = BTreeMap::new();
    for check in library.checks(profile) {
        let entry = cases.entry(&check.case.id).or_insert_with(|| (check.case, Vec::new()));
        entry.1.push(Arc::clone(check.requirement));
    }
    cases.into_values().collect()
}

fn requirements_as_text(selected: &Selected<'_>) -> String {
    let mut out = String::new();
    for (_, requirement) in &selected.requirements {
        let cases: Vec<String> = requirement.cases.iter().map(|check| check.value.to_string()).collect();
        let checked = match State::of(requirement) {
            State::CannotBeSeen => "cannot be seen from outside".to_owned(),
            State::NotChecked => "not checked yet".to_owned(),
            State::NeedsEquipment => format!("needs {}", words::join(&requirement.needs)),
            State::Checked | State::Partly => cases.join(", "),
        };
        let (id, level, text) = (&requirement.id.value, requirement.level, &requirement.text);
        out.push_str(&format!("{id:<18} {level:<6} {text}\n{:<18} {:<6} {checked}\n", "", ""));
    }
    out
}

fn cases_as_text(library: &Library, wanted: &[String], selected: &Selected<'_>, shows_extensions: bool) -> String {
    let mut out = String::new();
    let unasked = library.unasked();
    let applies: Vec<_> = wanted.iter().map(|profile| (profile.as_str(), library.levels(profile))).collect();
    let mut rows: Vec<(&Case, String)> = Vec::new();
    for case in &selected.cases {
        let level = |levels: &BTreeMap<&str, Level>| levels.get(case.id.as_str()).copied();
        let known: Vec<(&str, Option<Level>)> =
            applies.iter().map(|(profile, levels)| (*profile, level(levels))).collect();
        let mut levels = levels(&known);
        if let Some(own) = &case.own {
            levels.push(format!("own {}", own.level));
        }
        if !levels.is_empty() {
            rows.push((case, levels.join(", ")));
        }
    }
    let width = rows.iter().map(|(_, levels)| levels.len()).max().unwrap_or_default();
    for (case, levels) in rows {
        let asked = match unasked.contains(case.id.as_str()) {
            true => String::new(),
            false => format!(" (--area {})", case.area()),
        };
        out.push_str(&format!("{:<42} {levels:<width$} {}{asked}\n", case.id, case.title));
        if let Some(uri) = case.extension.first().filter(|_| shows_extensions) {
            out.push_str(&format!("{:<42} {uri}\n", ""));
        }
    }
    out
}

/// A case, for programs.
#[derive(Serialize)]
struct CaseEntry<'a> {
    id: &'a str,
    area: &'a str,
    title: &'a str,
    /// By version.
    levels: BTreeMap<&'a str, Level>,
    /// The URIs of the extension that it is about.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    extension: &'a [String],
    /// Its level where it is a user's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<Level>,
    /// Whether it runs where nobody asks for it.
    is_default: bool,
    /// The first set of requirements that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<&'a str>,
}

fn cases_as_data<'a>(
    library: &'a Library,
    sets: &'a Sets,
    wanted: &'a [String],
    selected: &Selected<'a>,
) -> Vec<CaseEntry<'a>> {
    let unasked = library.unasked();
    let applies: Vec<_> = wanted.iter().map(|profile| (profile.as_str(), library.levels(profile))).collect();
    let entry = |case: &&'a Case| CaseEntry {
        id: &case.id,
        area: case.area(),
        title: &case.title,
        levels: applies.iter().filter_map(|(name, levels)| Some((*name, *levels.get(case.id.as_str())?))).collect(),
        extension: &case.extension,
        own: case.own.as_ref().map(|own| own.level),
        is_default: unasked.contains(case.id.as_str()),
        since: sets.first(&case.id),
    };
    let entries = selected.cases.iter().map(entry);
    entries.filter(|entry| !entry.levels.is_empty() || entry.own.is_some()).collect()
}

/// A requirement of a version, for programs.
#[derive(Serialize)]
struct RequirementEntry<'a> {
    profile: &'a str,
    id: &'a str,
    level: Level,
    section: &'a str,
    links: &'a [SectionLink],
    text: &'a str,
    visible: bool,
    checks: Vec<String>,
}

fn requirements_as_data<'a>(selected: &Selected<'a>) -> Vec<RequirementEntry<'a>> {
    let entry = |(profile, requirement): &(&'a str, &'a Arc<Requirement>)| RequirementEntry {
        profile,
        id: &requirement.id.value,
        level: requirement.level,
        section: &requirement.section,
        links: &requirement.links,
        text: &requirement.text,
        visible: !matches!(State::of(requirement), State::CannotBeSeen),
        checks: requirement.cases.iter().map(|check| check.value.to_string()).collect(),
    };
    selected.requirements.iter().map(entry).collect()
}

/// The levels in some profiles, neighbours of one level together: `0.2.1 to 0.3 SHOULD`, `1.0 MUST`.
fn levels(known: &[(&str, Option<Level>)]) -> Vec<String> {
    let groups = known.chunk_by(|(_, one), (_, other)| one == other);
    let spelled = groups.filter_map(|group| match group {
        [(first, Some(level)), .., (last, _)] => Some(format!("{first} to {last} {level}")),
        [(only, Some(level))] => Some(format!("{only} {level}")),
        _ => None,
    });
    spelled.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_level_are_told_together() {
        let (must, may) = (Some(Level::Must), Some(Level::May));
        let all = [("0.1", must), ("0.2", must), ("0.3", None), ("0.4", may), ("1.0", must)];
        assert_eq!(levels(&all), ["0.1 to 0.2 MUST", "0.4 MAY", "1.0 MUST"]);
        assert!(levels(&[("0.1", None)]).is_empty());
    }
}
