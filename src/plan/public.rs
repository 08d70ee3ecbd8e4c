//! Trials about agents in the public internet, once it is known where the names of their hosts lead.

use std::collections::BTreeSet;
use std::sync::Arc;

use url::Url;

use super::{Plan, Trial};
use crate::case::Case;
use crate::discovery::reach;
use crate::interface::{CardPlace, Interface, Listed};
use crate::profile::Capability;
use crate::reason::Reason;

impl Plan {
    /// The names of the hosts whose trials take them for public ones.
    pub(crate) fn public_names(&self, interfaces: &[Listed]) -> BTreeSet<String> {
        self.trials.iter().filter(|trial| trial.skipped.is_none()).filter_map(|trial| name(trial, interfaces)).collect()
    }

    /// Skips these trials at hosts that turned out to be elsewhere: an agent in a private network may be one for tests.
    pub(crate) fn skip_private(&mut self, interfaces: &[Listed], hosts: &BTreeSet<String>) {
        let is_there = |trial: &Trial| name(trial, interfaces).is_some_and(|name| hosts.contains(&name));
        for trial in self.trials.iter_mut().filter(|trial| trial.skipped.is_none()) {
            if is_there(trial) {
                Arc::make_mut(trial).skipped = Some(Reason::NotPublic);
            }
        }
    }
}

/// The name of the host that a trial takes for a public one.
fn name(trial: &Trial, interfaces: &[Listed]) -> Option<String> {
    if !trial.case.needs.contains(&Capability::PublicAddress) {
        return None;
    }
    let interface = interfaces.get(trial.interface)?.interface.as_ref()?;
    place(&trial.case, interface)?.domain().map(str::to_owned)
}

/// What a case is about, in that it is somewhere: the card, or the interface.
pub(super) fn place(case: &Case, interface: &Interface) -> Option<Url> {
    match (&interface.card, case.is_about_the_card()) {
        (CardPlace::Url(url), true) => Url::parse(url).ok(),
        _ => Url::parse(&reach::address(interface)).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::whole::plan_at;

    fn of_public(plan: &Plan) -> Vec<&Arc<Trial>> {
        let trials = plan.trials.iter();
        trials
            .filter(|trial| trial.skipped.is_none() && trial.case.needs.contains(&Capability::PublicAddress))
            .collect()
    }

    #[test]
    fn an_agent_whose_name_leads_into_a_private_network_is_not_judged_as_a_public_one() {
        let (mut plan, interfaces) = plan_at("https://agent.default.svc/");
        assert!(!of_public(&plan).is_empty(), "the name alone does not tell");
        let names = plan.public_names(&interfaces);
        assert_eq!(names, BTreeSet::from(["agent.default.svc".to_owned()]));
        let all = plan.trials.iter().filter(|trial| trial.skipped.is_none()).count();
        let judged = of_public(&plan).len();
        plan.skip_private(&interfaces, &BTreeSet::from(["elsewhere.svc".to_owned()]));
        assert_eq!(of_public(&plan).len(), judged);
        plan.skip_private(&interfaces, &names);
        assert_eq!(of_public(&plan).len(), 0);
        let left = plan.trials.iter().filter(|trial| trial.skipped.is_none()).count();
        assert_eq!(left, all - judged, "all others run");
    }

    #[test]
    fn addresses_tell_by_themselves() {
        let (plan, interfaces) = plan_at("https://8.8.8.8/");
        assert!(!of_public(&plan).is_empty() && plan.public_names(&interfaces).is_empty());
    }
}
