//! `a2aspec list`: cases, or requirements.

use std::collections::BTreeMap;

use super::args::ListArgs;
use super::fail::{Failure, library, profile_names};
use crate::case::Case;
use crate::coverage::State;
use crate::diagnostic::words;
use crate::verdict::Level;

/// The list.
pub(super) fn run(args: &ListArgs) -> Result<String, Failure> {
    let library = library(args.cases.as_deref())?;
    let wanted = profile_names(args.profile.as_deref())?;
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
