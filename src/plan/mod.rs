//! Which cases run against what: a pure function of cases, profiles, interfaces and flags.
//!
//! Enters: the [`Library`] of cases, the agent's interfaces and capabilities, the user's selection. Leaves: a
//! [`Plan`] of [`Trial`]s, each runnable or skipped with its reason. Does nothing.

mod clients;
mod cost;
mod means;
mod public;
mod sample;
mod select;
mod shard;
mod trial;
#[cfg(test)]
pub(crate) mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) use clients::of_clients;
pub use means::Means;
use means::{is_of_the_release, not_of_the_release, reason_to_skip};
pub(crate) use sample::{Need, Sample};
use select::Unmatched;
pub use select::{NothingMatches, Selection};
pub(crate) use select::{level, names};
pub use shard::Shard;
pub use trial::Trial;

use crate::auth::Credentials;
use crate::case::{Case, Library, Requirement, Side, Step, Visit};
use crate::interface::{Interface, Listed};
use crate::profile::{Binding, Capability};

/// What is to be done.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The trials: those that talk first, those that judge the whole run last.
    pub trials: Vec<Arc<Trial>>,
}

/// Makes the plan.
///
/// `capabilities` are those that the card declares, by profile; of a profile without an entry no card says anything.
///
/// # Errors
/// A selection pattern that matches nothing, or an area without cases.
pub fn make(
    library: &Library,
    interfaces: &[Listed],
    capabilities: &BTreeMap<String, BTreeSet<Capability>>,
    selection: &Selection,
    means: Means<'_>,
) -> Result<Plan, NothingMatches> {
    let mut unmatched = selection.unmatched();
    let trials = of_agents(library, interfaces, capabilities, selection, means, &mut unmatched);
    checked(trials, library, selection, &unmatched)
}

/// Makes the plan for traffic that others made: everything that judges an agent or its clients by what is seen, and sends nothing.
///
/// # Errors
/// Those of [`make`].
pub(crate) fn of_traffic(
    library: &Library,
    interfaces: &[Listed],
    capabilities: &BTreeMap<String, BTreeSet<Capability>>,
    selection: &Selection,
) -> Result<Plan, NothingMatches> {
    let mut unmatched = selection.unmatched();
    let credentials = Credentials::default();
    let means = Means { has_webhooks: false, lets_in_by_certificate: false, credentials: &credentials };
    let mut trials = of_agents(library, interfaces, capabilities, selection, means, &mut unmatched);
    trials.retain(|trial| trial.observes());
    for (index, listed) in interfaces.iter().enumerate() {
        let Some(interface) = &listed.interface else { continue };
        let place = (interface.profile.name(), interface.binding, index);
        let of_clients = of_clients(library, place, selection, &mut unmatched);
        let holds_always = |trial: &Arc<Trial>| trial.case.visit().is_some_and(Visit::holds_always);
        trials.extend(of_clients.into_iter().filter(holds_always));
    }
    checked(trials, library, selection, &unmatched)
}

/// The plan with these trials, if it is what the user has selected.
fn checked(
    trials: Vec<Arc<Trial>>,
    library: &Library,
    selection: &Selection,
    unmatched: &Unmatched<'_>,
) -> Result<Plan, NothingMatches> {
    unmatched.check(&library.areas(), library.ids())?;
    selection.leaves(trials.len())?;
    Ok(Plan { trials })
}

/// The trials of the cases about agents.
fn of_agents(
    library: &Library,
    interfaces: &[Listed],
    capabilities: &BTreeMap<String, BTreeSet<Capability>>,
    selection: &Selection,
    means: Means<'_>,
    unmatched: &mut Unmatched<'_>,
) -> Vec<Arc<Trial>> {
    let mut trials = Vec::new();
    let unasked = library.unasked();
    let listed = interfaces;
    let interfaces: Vec<(usize, &Interface)> =
        interfaces.iter().enumerate().filter_map(|(index, listed)| Some((index, listed.interface.as_ref()?))).collect();
    let names: BTreeSet<&str> = interfaces.iter().map(|(_, interface)| interface.profile.name()).collect();
    let by_profile: BTreeMap<&str, _> = names.into_iter().map(|name| (name, library.applicable(name))).collect();
    for &(index, interface) in &interfaces {
        let declared = capabilities.get(interface.profile.name());
        let is_claimed = listed.get(index).is_some_and(|listed| listed.info.declares(interface));
        // The card is one, whatever the bindings: cases that fetch nothing else run over the first.
        let is_before =
            |(other, known): &(usize, &Interface)| *other < index && known.profile.name() == interface.profile.name();
        let is_first = !interfaces.iter().any(is_before);
        for (case, requirements) in by_profile.get(interface.profile.name()).into_iter().flat_map(|cases| cases.iter())
        {
            if !is_first && case.is_about_the_card() {
                continue;
            }
            if interface.speaks.is_some() && !case.claim {
                continue;
            }
            let runs_unasked = unasked.contains(case.id.as_str());
            for second in seconds(case, (index, interface), &interfaces) {
                let other = second.map(|(_, other)| other);
                let bindings: Vec<Binding> = std::iter::once(interface).chain(other).map(|one| one.binding).collect();
                let binds = |it: &&Arc<Requirement>| it.speaks_of(&bindings) && is_of_the_release(it, interface);
                let requirements: Vec<Arc<Requirement>> = requirements.iter().filter(binds).cloned().collect();
                if requirements.is_empty() || !runs_over(case, interface, other) {
                    continue;
                }
                unmatched.meet(case, &requirements);
                if !selection.picks(case, &requirements, runs_unasked) || (case.claim && !is_claimed) {
                    continue;
                }
                trials.push(Arc::new(Trial {
                    level: level(case, &requirements),
                    skipped: reason_to_skip(case, declared, interface)
                        .or_else(|| not_of_the_release(case, (interface, other)))
                        .or_else(|| means.lack(case, interface)),
                    case: Arc::clone(case),
                    requirements,
                    interface: index,
                    second: second.map(|(index, _)| index),
                    profile: interface.profile.name().to_owned(),
                    binding: interface.binding,
                    other: other.map(|other| other.binding),
                }));
            }
        }
    }
    // Those that wait for the agent's work begin first over their interface, so that the others fill the time.
    trials.sort_by_cached_key(|trial| {
        let turn = (!trial.observes()).then(|| (trial.interface, !trial.case.waits_for_work()));
        (trial.observes(), turn)
    });
    trials
}

/// The second interfaces with which a case runs over a first: none but itself, unless it runs across two.
fn seconds<'a>(
    case: &Case,
    first: (usize, &Interface),
    interfaces: &[(usize, &'a Interface)],
) -> Vec<Option<(usize, &'a Interface)>> {
    if !case.across {
        return vec![None];
    }
    let is_pair =
        |(index, other): &&(usize, &Interface)| *index != first.0 && first.1.profile.name() == other.profile.name();
    interfaces.iter().filter(is_pair).copied().map(Some).collect()
}

/// Whether a case can run over these bindings: it is not confined to others, and each of its operations exists where
/// it is called.
fn runs_over(case: &Case, first: &Interface, second: Option<&Interface>) -> bool {
    let is_allowed = |interface: &Interface| case.bindings.is_empty() || case.bindings.contains(&interface.binding);
    let offers = |step: &Step| {
        let interface = if step.over == Side::Second { second.unwrap_or(first) } else { first };
        step.act.operation().is_none_or(|operation| interface.profile.offers(operation, interface.binding))
    };
    is_allowed(first) && second.is_none_or(is_allowed) && case.all_steps().into_iter().all(offers)
}
