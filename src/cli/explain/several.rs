//! What is told of several cases or requirements at once: of an area, of a section.

use std::sync::Arc;

use super::{Library, Requirement, sentence};
use crate::case::{Case, Visible};

/// The cases of an area, with what each is about; nothing where there is no such area.
pub(super) fn area(library: &Library, name: &str) -> Option<String> {
    let cases: Vec<&Case> = library.cases.values().map(AsRef::as_ref).filter(|case| case.area() == name).collect();
    let lines: String = cases.iter().map(|case| format!("\n{}\n  {}\n", case.id, sentence(&case.title))).collect();
    (!cases.is_empty()).then(|| {
        format!("{name}: an area of {} cases\n{lines}\nRun it with\n  a2aspec check URL --area {name}\n", cases.len())
    })
}

/// What a section demands in each version, or in one; nothing where no requirement is of it.
pub(super) fn section(library: &Library, name: &str, profile: Option<&str>) -> Option<String> {
    let mut out = String::new();
    let catalogues = library.catalogues.values().filter(|one| profile.is_none_or(|wanted| one.catalogue == wanted));
    for catalogue in catalogues {
        let of_it = |requirement: &&Arc<Requirement>| requirement.named_sections().any(|section| section == name);
        let requirements: Vec<_> = catalogue.current_requirements().filter(of_it).collect();
        let Some(first) = requirements.first() else { continue };
        let place = first.links.iter().find(|link| link.section == name);
        let place = place.map(|link| format!("  {}\n", link.url)).unwrap_or_default();
        let gap = if out.is_empty() { "" } else { "\n" };
        out.push_str(&format!("{gap}{}, section {name}\n{place}", catalogue.title));
        for requirement in requirements {
            let checked = match (requirement.visible, requirement.case_ids().as_slice()) {
                (Visible::No, _) => "cannot be seen from outside".to_owned(),
                (_, []) => "no case yet".to_owned(),
                (_, cases) => cases.join(", "),
            };
            let (id, level) = (&requirement.id.value, requirement.level);
            out.push_str(&format!("\n  {id} ({level})\n    {}\n    {checked}\n", sentence(&requirement.text)));
        }
    }
    (!out.is_empty()).then_some(out)
}
