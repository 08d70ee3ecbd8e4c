//! Which cases about clients apply over an interface.

use std::sync::Arc;

use super::select::Unmatched;
use super::{Selection, Trial, level};
use crate::case::visit::runs_over;
use crate::case::{Library, Requirement};
use crate::profile::Binding;

/// Each selected case about clients in a version over a binding, at the interface with this place.
pub(crate) fn of_clients(
    library: &Library,
    (profile, binding, interface): (&str, Binding, usize),
    selection: &Selection,
    unmatched: &mut Unmatched<'_>,
) -> Vec<Arc<Trial>> {
    let mut trials = Vec::new();
    for (case, requirements) in library.applicable_to_clients(profile).iter() {
        if !runs_over(&case.bindings, binding) {
            continue;
        }
        let requirements: Vec<Arc<Requirement>> =
            requirements.iter().filter(|requirement| requirement.speaks_of(&[binding])).cloned().collect();
        if requirements.is_empty() {
            continue;
        }
        unmatched.meet(case, &requirements);
        if !selection.picks(case, &requirements, library.unasked().contains(case.id.as_str())) {
            continue;
        }
        let level = level(case, &requirements);
        trials.push(Arc::new(Trial {
            case: Arc::clone(case),
            requirements,
            level,
            interface,
            second: None,
            profile: profile.to_owned(),
            binding,
            other: None,
            skipped: None,
        }));
    }
    trials
}
