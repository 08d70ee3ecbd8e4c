//! `a2aspec list`: cases, or requirements.

use super::Exit;
use super::args::ListArgs;
use super::fail::{Failure, library, profile_names};
use crate::coverage::State;
use crate::diagnostic::words;

/// Prints the list.
pub(super) fn run(args: &ListArgs) -> Result<Exit, Failure> {
    let library = library(args.cases.as_deref())?;
    let wanted = profile_names(args.profile.as_deref())?;
    if args.requirements {
        for profile in wanted {
            for requirement in library.requirements(&profile) {
                let cases: Vec<&str> = requirement.cases.iter().map(|case| case.value.as_str()).collect();
                let checked = match State::of(requirement) {
                    State::CannotBeSeen => "cannot be seen from outside".to_owned(),
                    State::NotChecked => "not checked yet".to_owned(),
                    State::NeedsEquipment => format!("needs {}", words::join(&requirement.needs)),
                    State::Checked | State::Partly => cases.join(", "),
                };
                anstream::println!("{:<18} {:<6} {}", requirement.id.value, requirement.level, requirement.text);
                anstream::println!("{:<18} {:<6} {checked}", "", "");
            }
        }
        return Ok(Exit::Holds);
    }
    let unasked = library.unasked();
    for case in library.cases.values() {
        let mut levels: Vec<String> = wanted
            .iter()
            .filter_map(|profile| library.level(profile, &case.id).map(|level| format!("{profile} {level}")))
            .collect();
        if let Some(own) = &case.own {
            levels.push(format!("own {}", own.level));
        }
        if !levels.is_empty() {
            let asked = match unasked.contains(case.id.as_str()) {
                true => String::new(),
                false => format!(" (--area {})", case.area()),
            };
            anstream::println!("{:<42} {:<24} {}{asked}", case.id, levels.join(", "), case.title);
        }
    }
    Ok(Exit::Holds)
}
