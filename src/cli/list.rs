//! `a2aspec list`: cases, or requirements.

use super::Exit;
use super::args::ListArgs;
use super::fail::{Failure, library, profiles};
use crate::case::Visible;

/// Prints the list.
pub(super) fn run(args: &ListArgs) -> Result<Exit, Failure> {
    let library = library(args.cases.as_deref())?;
    let profiles = profiles()?;
    let names: Vec<&str> = profiles.iter().map(|profile| profile.name()).collect();
    if let Some(wanted) = &args.profile
        && !names.contains(&wanted.as_str())
    {
        return Err(Failure::usage(format!("there is no profile `{wanted}`; there is {}", names.join(", "))));
    }
    let wanted: Vec<&str> =
        names.into_iter().filter(|name| args.profile.as_deref().is_none_or(|wanted| wanted == *name)).collect();
    if args.requirements {
        for profile in wanted {
            for requirement in library.requirements(profile) {
                let cases: Vec<&str> = requirement.cases.iter().map(|case| case.value.as_str()).collect();
                let checked = match (cases.is_empty(), requirement.visible) {
                    (false, _) => cases.join(", "),
                    (true, Visible::No) => "cannot be seen from outside".to_owned(),
                    (true, _) => "not checked yet".to_owned(),
                };
                anstream::println!("{:<18} {:<6} {}", requirement.id.value, requirement.level, requirement.text);
                anstream::println!("{:<18} {:<6} {checked}", "", "");
            }
        }
        return Ok(Exit::Holds);
    }
    for case in library.cases.values() {
        let mut levels: Vec<String> = wanted
            .iter()
            .filter_map(|profile| library.level(profile, &case.id).map(|level| format!("{profile} {level}")))
            .collect();
        if let Some(own) = &case.own {
            levels.push(format!("own {}", own.level));
        }
        if !levels.is_empty() {
            let asked = if library.runs_unasked(case) { String::new() } else { format!(" (--area {})", case.area()) };
            anstream::println!("{:<42} {:<24} {}{asked}", case.id, levels.join(", "), case.title);
        }
    }
    Ok(Exit::Holds)
}
