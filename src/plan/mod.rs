//! Which cases run against what: a pure function of cases, profiles, interfaces and flags.
//!
//! Enters: the [`Library`] of cases, the agent's interfaces and capabilities, the user's selection. Leaves: a
//! [`Plan`] of [`Trial`]s, each runnable or skipped with its reason. Does nothing.

mod select;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use select::{NothingMatches, Selection};

use crate::case::{Action, Case, Level, Library, Requirement};
use crate::profile::{Binding, Capability, Profile};

/// An interface that can be checked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The version that it speaks.
    pub profile: Arc<Profile>,
    /// How.
    pub binding: Binding,
    /// Where.
    pub url: String,
    /// The tenant that its requests must name.
    pub tenant: Option<String>,
}

/// What is to be done.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The trials: those that talk first, those that judge the whole run last.
    pub trials: Vec<Arc<Trial>>,
}

/// One case over one binding in one profile.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The case.
    pub case: Arc<Case>,
    /// The requirements that it checks here.
    pub requirements: Vec<Requirement>,
    /// Its level here: the highest of those requirements.
    pub level: Level,
    /// Where it runs: an index into the endpoints that the plan was made for.
    pub endpoint: usize,
    /// Name of the profile.
    pub profile: String,
    /// The binding.
    pub binding: Binding,
    /// Why it does not run, if it does not.
    pub skipped: Option<String>,
}

impl Trial {
    /// The sections of its requirements, each once.
    pub fn sections(&self) -> String {
        let mut seen = BTreeSet::new();
        let parts: Vec<&str> = self
            .requirements
            .iter()
            .flat_map(|requirement| requirement.section.split(','))
            .map(str::trim)
            .filter(|section| seen.insert(*section))
            .collect();
        parts.join(", ")
    }

    /// Whether it judges the whole run instead of talking.
    pub fn observes(&self) -> bool {
        matches!(self.case.action, Action::Observe(_))
    }
}

/// Makes the plan.
///
/// `capabilities` are those that the card declares, by profile.
///
/// # Errors
/// A selection pattern that matches nothing.
pub fn make(
    library: &Library,
    endpoints: &[Endpoint],
    capabilities: &BTreeMap<String, BTreeSet<Capability>>,
    selection: &Selection,
) -> Result<Plan, NothingMatches> {
    let mut trials = Vec::new();
    let mut candidates = Vec::new();
    for (index, endpoint) in endpoints.iter().enumerate() {
        let declared = capabilities.get(endpoint.profile.name()).cloned().unwrap_or_default();
        for (case, requirements) in applicable(library, endpoint.profile.name()) {
            if !case.bindings.is_empty() && !case.bindings.contains(&endpoint.binding) {
                continue;
            }
            candidates.push((case.id.clone(), requirements.clone()));
            if !selection.picks(case, &requirements) {
                continue;
            }
            trials.push(Arc::new(Trial {
                level: level(case, &requirements),
                skipped: reason_to_skip(case, &declared),
                case: Arc::new(case.clone()),
                requirements,
                endpoint: index,
                profile: endpoint.profile.name().to_owned(),
                binding: endpoint.binding,
            }));
        }
    }
    selection.check(&candidates)?;
    trials.sort_by_key(|trial| trial.observes());
    Ok(Plan { trials })
}

/// The cases of a profile with the requirements that name them, in the order of their ids.
fn applicable<'a>(library: &'a Library, profile: &str) -> Vec<(&'a Case, Vec<Requirement>)> {
    let mut named: BTreeMap<&str, Vec<Requirement>> = BTreeMap::new();
    for check in library.checks(profile) {
        named.entry(check.case.id.as_str()).or_default().push(check.requirement.clone());
    }
    let own = library.cases.values().filter(|case| {
        let applies =
            |own: &crate::case::Own| own.profiles.is_empty() || own.profiles.iter().any(|name| name == profile);
        case.own.as_ref().is_some_and(applies)
    });
    for case in own {
        named.entry(case.id.as_str()).or_default().extend(Requirement::of_own_case(case));
    }
    named.into_iter().filter_map(|(id, requirements)| Some((library.cases.get(id)?, requirements))).collect()
}

fn level(case: &Case, requirements: &[Requirement]) -> Level {
    let own = case.own.as_ref().map(|own| own.level);
    own.or_else(|| requirements.iter().map(|requirement| requirement.level).min()).unwrap_or(Level::May)
}

fn reason_to_skip(case: &Case, declared: &BTreeSet<Capability>) -> Option<String> {
    if let Some(missing) = case.needs.iter().find(|capability| !declared.contains(capability)) {
        return Some(format!("the card does not declare {missing}"));
    }
    let present = case.without.iter().find(|capability| declared.contains(capability))?;
    Some(format!("the card declares {present}, and this tests its refusal"))
}
