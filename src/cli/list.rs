//! `a2aspec list`: cases, or requirements.

use std::collections::BTreeMap;

use serde::Serialize;

use super::args::{Form, ListArgs};
use super::fail::{Failure, library, profile_names};
use super::print::Reader;
use super::{Exit, print};
use crate::case::{Case, Library, SectionLink};
use crate::coverage::State;
use crate::diagnostic::words;
use crate::report::json;
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
    if args.format == Form::Json {
        return Ok(match args.requirements {
            true => json::indented(&requirements_as_data(&library, &wanted)),
            false => json::indented(&cases_as_data(&library, &wanted)),
        });
    }
    let mut out = String::new();
    if args.requirements {
        for profile in wanted {
            for requirement in library.requirements(&profile) {
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
        }
        return Ok(out);
    }
    let unasked = library.unasked();
    let applies: Vec<_> = wanted.iter().map(|profile| (profile.as_str(), library.levels(profile))).collect();
    let mut rows: Vec<(&Case, String)> = Vec::new();
    for case in library.cases.values() {
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
    }
    Ok(out)
}

/// A case, for programs.
#[derive(Serialize)]
struct CaseEntry<'a> {
    id: &'a str,
    area: &'a str,
    title: &'a str,
    /// By version.
    levels: BTreeMap<&'a str, Level>,
    /// Its level where it is a user's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<Level>,
    /// Whether it runs where nobody asks for it.
    is_default: bool,
}

fn cases_as_data<'a>(library: &'a Library, wanted: &'a [String]) -> Vec<CaseEntry<'a>> {
    let unasked = library.unasked();
    let applies: Vec<_> = wanted.iter().map(|profile| (profile.as_str(), library.levels(profile))).collect();
    let entry = |case: &'a std::sync::Arc<Case>| CaseEntry {
        id: &case.id,
        area: case.area(),
        title: &case.title,
        levels: applies.iter().filter_map(|(name, levels)| Some((*name, *levels.get(case.id.as_str())?))).collect(),
        own: case.own.as_ref().map(|own| own.level),
        is_default: unasked.contains(case.id.as_str()),
    };
    let entries = library.cases.values().map(entry);
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

fn requirements_as_data<'a>(library: &'a Library, wanted: &'a [String]) -> Vec<RequirementEntry<'a>> {
    let of_profile = |profile: &'a String| {
        library.requirements(profile).into_iter().map(move |requirement| RequirementEntry {
            profile,
            id: &requirement.id.value,
            level: requirement.level,
            section: &requirement.section,
            links: &requirement.links,
            text: &requirement.text,
            visible: !matches!(State::of(requirement), State::CannotBeSeen),
            checks: requirement.cases.iter().map(|check| check.value.to_string()).collect(),
        })
    };
    wanted.iter().flat_map(of_profile).collect()
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
