//! Which cases run against what: a pure function of cases, profiles, interfaces and flags.
//!
//! Enters: the [`Library`] of cases, the agent's interfaces and capabilities, the user's selection. Leaves: a
//! [`Plan`] of [`Trial`]s, each runnable or skipped with its reason. Does nothing.

mod cost;
mod public;
mod sample;
mod select;
mod shard;
#[cfg(test)]
pub(crate) mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) use sample::{Need, Sample};
pub use select::{NothingMatches, Selection};
pub(crate) use select::{level, names};
pub use shard::Shard;
use url::Url;

use crate::auth::{Caller, Credentials};
use crate::case::{Action, Beyond, Case, FUZZED, Input, Library, Requirement, Side, Step};
use crate::discovery::reach;
use crate::finding::Finding;
use crate::interface::{Interface, Listed, is_public};
use crate::profile::{Binding, Capability};
use crate::reason::Reason;
use crate::verdict::{Level, TrialResult, Verdict};

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
    pub requirements: Vec<Arc<Requirement>>,
    /// Its level here: the highest of those requirements.
    pub level: Level,
    /// Where it runs: an index into the interfaces that the plan was made for.
    pub interface: usize,
    /// Where the steps over the second binding run, in a case that runs across two.
    pub second: Option<usize>,
    /// Name of the profile.
    pub profile: String,
    /// The binding.
    pub binding: Binding,
    /// The other binding of a case that runs across two.
    pub other: Option<Binding>,
    /// Why it does not run, if it does not.
    pub skipped: Option<Reason>,
}

impl Trial {
    /// The sections of its requirements, each once.
    pub(crate) fn sections(&self) -> String {
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

    /// The kind of input of one of its steps. Where the fuzzer has made its case, that is the requirement that it violates first of
    /// all.
    pub(crate) fn input(&self, step: &Step) -> Input {
        let first = self.requirements.iter().min_by_key(|requirement| requirement.weight());
        match (self.case.area(), first) {
            (FUZZED, Some(first)) => Input::named(&first.id.value),
            _ => Input::of_step(step, &self.case.id),
        }
    }

    /// Whether it talks to the agent over this interface.
    pub(crate) fn talks_over(&self, interface: usize) -> bool {
        self.skipped.is_none() && (self.interface == interface || self.second == Some(interface))
    }

    /// What it runs over: `jsonrpc`, or `jsonrpc+grpc` where it runs across two.
    pub fn bindings(&self) -> String {
        match self.other {
            Some(other) => format!("{}+{other}", self.binding),
            None => self.binding.to_string(),
        }
    }

    /// Its result, of which nothing has been seen yet.
    pub(crate) fn result(&self, verdict: Verdict, reason: Option<Reason>, findings: Vec<Finding>) -> TrialResult {
        TrialResult {
            case: self.case.id.clone(),
            title: self.case.title.clone(),
            requirements: self.requirements.iter().map(|requirement| requirement.id.value.clone()).collect(),
            level: self.level,
            section: self.sections(),
            profile: self.profile.clone(),
            binding: self.bindings(),
            verdict,
            reason,
            held: Vec::new(),
            violated: Vec::new(),
            findings,
            findings_left_out: 0,
            steps: Vec::new(),
            steps_left_out: 0,
            again: Vec::new(),
            foreign: self.case.foreign(),
            shards: BTreeMap::new(),
            times: None,
        }
    }

    /// Its result where it did not run, or not to its end.
    pub(crate) fn without_findings(&self, verdict: Verdict, reason: Reason) -> TrialResult {
        self.result(verdict, Some(reason), Vec::new())
    }

    /// How strongly what was violated is demanded, or the case where nothing was. An assertion is demanded by the strongest of
    /// the requirements that it decides, or as strongly as the case where it decides none.
    pub(crate) fn level_of(&self, violated: &[String]) -> Level {
        let level = |assertion: &String| {
            let decided = self.requirements.iter().filter(|one| one.is_violated_by(&self.case.id, assertion));
            decided.map(|requirement| requirement.weight()).min().unwrap_or(self.level)
        };
        violated.iter().map(level).min().unwrap_or(self.level)
    }

    /// Assertions by the names that the requirements use: of those below an oracle's own, which are as many as an answer has
    /// places, only what a requirement names, and for one that names the whole case the objects.
    /// What was violated above such a place keeps it from holding: a text in place of an object has no member that is right.
    pub(crate) fn as_named(&self, held: Vec<String>, violated: &[String]) -> Vec<String> {
        let known = self.case.assertions();
        // One of several allowed errors; the answer does not show which.
        let is_some_error = |name: &str| name == "error" || name.ends_with(".error");
        let (mut named, below): (Vec<String>, Vec<String>) =
            held.into_iter().partition(|name| known.contains(name) || is_some_error(name));
        for check in self.requirements.iter().flat_map(|requirement| requirement.checks_of(&self.case.id)) {
            let Some(name) = check.name() else {
                // Whatever held shows something of a case that decides as a whole: the objects are enough, without their members. An
                // object that is wrong itself does not hold, whatever its members are.
                let objects: BTreeSet<&str> = below.iter().filter_map(|name| name.split('/').next()).collect();
                let is_new = |object: &&str| named.iter().chain(violated).all(|known| known != object);
                let new: Vec<&str> = objects.into_iter().filter(is_new).collect();
                named.extend(new.into_iter().map(str::to_owned));
                continue;
            };
            let is_spoiled = violated.iter().any(|name| check.is_below(name));
            if !is_spoiled && below.iter().any(|name| check.covers(name)) && !named.iter().any(|known| known == name) {
                named.push(name.to_owned());
            }
        }
        named
    }

    /// Whether it is to judge the whole run by this oracle.
    pub(crate) fn judges_by(&self, oracle: &str) -> bool {
        self.skipped.is_none() && matches!(&self.case.action, Action::Observe(call) if call.name == oracle)
    }

    /// Whether it waits for something that the agent posts.
    pub fn receives(&self) -> bool {
        self.skipped.is_none() && !self.case.webhooks.is_empty()
    }

    /// Whether it judges the whole run instead of talking.
    pub fn observes(&self) -> bool {
        matches!(self.case.action, Action::Observe(_))
    }
}

/// What the user has given for cases that need more than an agent.
#[derive(Debug, Clone, Copy)]
pub struct Means<'a> {
    /// Whether the user has said how an agent gets to a webhook here, wherever it is.
    pub has_webhooks: bool,
    /// Whether every caller shows the same certificate, by which the agent may let it in.
    pub lets_in_by_certificate: bool,
    /// What is sent along, and where it goes.
    pub credentials: &'a Credentials,
}

impl Means<'_> {
    /// What is missing for a case over an interface.
    fn lack(&self, case: &Case, interface: &Interface) -> Option<Reason> {
        let has = |caller: Caller| {
            // The card may name a channel of gRPC without its scheme, and credentials belong to origins.
            let address = reach::address(interface);
            let credentials = self.credentials.of(caller);
            match interface.binding {
                // Its requests have no query.
                Binding::Grpc => {
                    !credentials.headers_for(&address).is_empty() || credentials.has_certificate_for(&address)
                }
                Binding::Jsonrpc | Binding::HttpJson => credentials.brings_to(&address),
            }
        };
        let asking = case.callers();
        let given = || Caller::GIVEN.into_iter().filter(|caller| *caller != Caller::Own && asking.contains(caller));
        // Who was not let in without credentials shows something only where others are let in with theirs.
        let compares = case.needs.contains(&Capability::Security)
            || asking.contains(&Caller::Stranger)
            || given().next().is_some();
        // Where a case is about webhooks of public agents, it is about those where they must not post.
        let is_of_strangers = !case.webhooks.is_empty() && case.needs.contains(&Capability::PublicAddress);
        let is = |wanted: fn(&Url) -> bool| public::place(case, interface).is_some_and(|url| wanted(&url));
        if let Some(reason) = lacks_tenants(case, interface) {
            Some(reason)
        } else if case.needs.contains(&Capability::Tls) && !is(|url| url.scheme() == "https") {
            Some(Reason::NotEncrypted)
        } else if case.needs.contains(&Capability::PublicAddress) && !is(is_public) {
            Some(Reason::NotPublic)
        } else if is_of_strangers && self.has_webhooks {
            Some(Reason::WebhookAllowed)
        } else if !case.webhooks.is_empty() && !is_of_strangers && !self.has_webhooks && !interface.is_on_this_machine()
        {
            Some(Reason::WebhookFarAway)
        } else if self.has_webhooks && case.has_webhooks_elsewhere() {
            Some(Reason::WebhooksAtOneOrigin)
        } else if compares && !has(Caller::Own) {
            Some(Reason::NoCredentials)
        } else if self.lets_in_by_certificate
            && asking.iter().any(|caller| !self.is_told_by_certificate(*caller, interface))
        {
            Some(Reason::CertificateOfAll)
        } else {
            given().find(|caller| !has(*caller)).and_then(no_identity)
        }
    }

    /// Whether a caller is the identity of the run, or shows a certificate of its own.
    fn is_told_by_certificate(&self, caller: Caller, interface: &Interface) -> bool {
        caller == Caller::Own || self.credentials.of(caller).has_certificate_for(&reach::address(interface))
    }
}

/// That a case is about what the agent's release, or its card, need not have.
fn not_of_the_release(case: &Case, (first, second): (&Interface, Option<&Interface>)) -> Option<Reason> {
    if first.is_recognised && case.is_about_the_card() {
        return Some(Reason::CardOfAnotherVersion { version: first.profile.name().to_owned() });
    }
    let called = case.all_steps().into_iter().find_map(|step| {
        let interface = if step.over == Side::Second { second.unwrap_or(first) } else { first };
        step.act.operation().filter(|operation| interface.lacks.contains(operation))
    });
    called.map(|operation| Reason::NotInRelease { operation: operation.to_string() })
}

/// That there are fewer tenants than a case is about.
fn lacks_tenants(case: &Case, interface: &Interface) -> Option<Reason> {
    let needs = |tenant: Capability| case.needs.contains(&tenant);
    match interface.tenants.len() {
        0 if needs(Capability::Tenant) || needs(Capability::SecondTenant) => Some(Reason::NoTenant),
        1 if needs(Capability::SecondTenant) => Some(Reason::NoSecondTenant),
        _ => None,
    }
}

/// That nobody was given who asks as this caller; nothing where no identity has to be.
fn no_identity(caller: Caller) -> Option<Reason> {
    let role = || caller.name().to_owned();
    match caller {
        Caller::Other => Some(Reason::NoOtherIdentity),
        Caller::Expired | Caller::WrongAudience | Caller::Narrow => Some(Reason::NoIdentity { role: role() }),
        Caller::Own | Caller::Nobody | Caller::Stranger => None,
    }
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
    let mut trials = Vec::new();
    let mut unmatched = selection.unmatched();
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
                let requirements: Vec<Arc<Requirement>> =
                    requirements.iter().filter(|requirement| requirement.speaks_of(&bindings)).cloned().collect();
                if requirements.is_empty() || !runs_over(case, interface, other) {
                    continue;
                }
                unmatched.meet(case, &requirements);
                if !selection.picks(case, &requirements, runs_unasked) || (case.claim && !is_claimed) {
                    continue;
                }
                trials.push(Arc::new(Trial {
                    level: level(case, &requirements),
                    skipped: reason_to_skip(case, declared)
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
    unmatched.check(&library.areas(), library.ids())?;
    selection.leaves(trials.len())?;
    // Those that wait for the agent's work begin first over their interface, so that the others fill the time.
    trials.sort_by_cached_key(|trial| {
        let turn = (!trial.observes()).then(|| (trial.interface, !trial.case.waits_for_work()));
        (trial.observes(), turn)
    });
    Ok(Plan { trials })
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

fn reason_to_skip(case: &Case, declared: Option<&BTreeSet<Capability>>) -> Option<Reason> {
    if let Some(Beyond { mistake, place }) = case.beyond.first() {
        return Some(Reason::NotExpressed { what: mistake.message.clone(), place: place.clone() });
    }
    let Some(declared) = declared else {
        // An agent that no card describes may have it or not: it owes neither the use nor the refusal.
        let capability = case.needs.iter().chain(&case.without).find(|needed| !needed.is_of_the_interface())?;
        return Some(Reason::CardSilent { capability: capability.to_string() });
    };
    if let Some(missing) = case.needs.iter().find(|needed| !needed.is_of_the_interface() && !declared.contains(needed))
    {
        return Some(Reason::NotDeclared { capability: missing.to_string() });
    }
    let present = case.without.iter().find(|capability| declared.contains(capability))?;
    Some(Reason::Declared { capability: present.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Identity;
    use crate::interface::CardPlace;
    use crate::profile::{self, Profile};

    /// A trial of a case of the program, with these requirements.
    fn trial(case: &str, requirements: &[(&str, &str)]) -> Trial {
        let profiles = profile::bundled().unwrap();
        let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
        let library = Library::load(None, &known, &[]).unwrap();
        let read = |(level, check): &(&str, &str)| {
            let entry = format!("{{ id: r-1, section: '1', level: {level}, text: it, cases: [{check:?}] }}");
            Arc::new(crate::yaml::read::<Requirement>("r.yaml", &entry).unwrap())
        };
        let requirements: Vec<Arc<Requirement>> = requirements.iter().map(read).collect();
        let case = Arc::clone(library.cases.get(case).unwrap());
        Trial {
            level: level(&case, &requirements),
            case,
            requirements,
            interface: 0,
            second: None,
            profile: "1.0".to_owned(),
            binding: Binding::Jsonrpc,
            other: None,
            skipped: None,
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// Why a case of 1.0 does not run against an agent with this card at this URL, if it does not.
    fn skipped(case: &str, url: &str, card: &str, has_webhooks: bool) -> Option<Reason> {
        skipped_over(case, means(has_webhooks, &Credentials::default()), at(url, card))
    }

    /// What there is where nobody is let in by a certificate.
    fn means(has_webhooks: bool, credentials: &Credentials) -> Means<'_> {
        Means { has_webhooks, lets_in_by_certificate: false, credentials }
    }

    fn at(url: &str, card: &str) -> impl Fn(Interface) -> Interface {
        |interface| Interface { card: CardPlace::Url(card.to_owned()), url: url.to_owned(), ..interface }
    }

    /// The same over an interface like this.
    fn skipped_over(case: &str, means: Means<'_>, like: impl Fn(Interface) -> Interface) -> Option<Reason> {
        let profiles = profile::bundled().unwrap();
        let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
        let library = Library::load(None, &known, &crate::judge::oracle::all()).unwrap();
        let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
        let selection = Selection { only: vec![case.to_owned()], ..Selection::default() };
        let declared =
            BTreeMap::from([("1.0".to_owned(), BTreeSet::from([Capability::PushNotifications, Capability::Security]))]);
        let interface = like(Interface::new(profile, Binding::Jsonrpc, String::new()).unwrap());
        let plan = make(&library, &[Listed::named(interface)], &declared, &selection, means).unwrap();
        let trial = &plan.trials[0];
        assert_eq!(trial.receives(), trial.skipped.is_none() && !trial.case.webhooks.is_empty());
        trial.skipped.clone()
    }

    #[test]
    fn cases_about_tenants_are_for_interfaces_that_have_them() {
        let over = |case: &str, tenants: &[&str]| {
            let tenants: Vec<String> = tenants.iter().map(|name| (*name).to_owned()).collect();
            let like = |interface| Interface { tenants: tenants.clone(), ..interface };
            skipped_over(case, means(false, &Credentials::default()), like)
        };
        let (one, two) = ("tenants/routed", "tenants/others-task");
        assert_eq!((over(one, &[]), over(two, &[])), (Some(Reason::NoTenant), Some(Reason::NoTenant)));
        assert_eq!((over(one, &["a"]), over(two, &["a"])), (None, Some(Reason::NoSecondTenant)));
        assert_eq!((over(one, &["a", "b"]), over(two, &["a", "b"])), (None, None));
    }

    #[test]
    fn what_the_release_or_the_card_need_not_have_is_not_asked_for() {
        let credentials = Credentials::default();
        let own = means(false, &credentials);
        let delete = profile::Operation::DeleteTaskPushNotificationConfig;
        let like = |interface| Interface { lacks: BTreeSet::from([delete]), ..interface };
        let lacking = Some(Reason::NotInRelease { operation: delete.to_string() });
        assert_eq!(skipped_over("push/deleted", own, like), lacking);
        assert_eq!(skipped_over("push/deleted", own, |interface| interface), None);
        let like = |interface| Interface { is_recognised: true, ..interface };
        let other = Some(Reason::CardOfAnotherVersion { version: "1.0".to_owned() });
        assert_eq!(skipped_over("card/camel-case", own, like), other);
        assert_eq!(skipped_over("get/unknown-id", own, like), None);
    }

    #[test]
    fn webhooks_are_for_agents_that_get_to_them() {
        let skipped = |url: &str, has_webhooks: bool| skipped("push/posted", url, url, has_webhooks);
        assert_eq!(skipped("http://127.0.0.1:1/", false), None);
        assert_eq!(skipped("https://agent.example/", false), Some(Reason::WebhookFarAway));
        assert_eq!(skipped("https://agent.example/", true), None);
    }

    #[test]
    fn who_shows_the_certificate_of_all_is_not_nobody() {
        let url = "https://agent.example/";
        let own = || Identity::at(url, "Bearer t0ken".to_owned()).unwrap();
        let certified = Credentials::new(Vec::new(), vec![own()]).beside(Caller::Other, own().with_certificate(true));
        let skipped = |case: &str, lets_in_by_certificate: bool| {
            let means = Means { has_webhooks: false, lets_in_by_certificate, credentials: &certified };
            skipped_over(case, means, at(url, url))
        };
        assert_eq!(skipped("security/no-credentials", false), None);
        assert_eq!(skipped("security/no-credentials", true), Some(Reason::CertificateOfAll));
        assert_eq!(skipped("security/others-task", true), None);
        assert_eq!(skipped("get/existing", true), None);
    }

    #[test]
    fn what_is_about_the_address_is_asked_of_agents_there() {
        let (local, secure) = ("http://127.0.0.1:1/", "https://127.0.0.1:1/");
        let (public, plain) = ("https://agent.example.com/", "http://agent.example.com/");
        for (case, url, card, reason) in [
            ("security/encrypted", local, public, Some(Reason::NotPublic)),
            ("security/encrypted", plain, local, None),
            ("security/encrypted", public, local, None),
            ("security/card-encrypted", public, local, Some(Reason::NotPublic)),
            ("security/card-encrypted", local, plain, None),
            ("security/old-tls", local, local, Some(Reason::NotEncrypted)),
            ("security/old-tls", plain, public, Some(Reason::NotEncrypted)),
            ("security/weak-ciphers", secure, local, None),
            ("security/hsts", secure, local, Some(Reason::NotPublic)),
            ("security/hsts", plain, public, Some(Reason::NotEncrypted)),
            ("security/hsts", public, public, None),
            ("push/private-webhook", local, local, Some(Reason::NotPublic)),
            ("push/private-webhook", public, public, None),
            ("card/oauth", public, public, Some(Reason::NotDeclared { capability: "oauth2".to_owned() })),
        ] {
            assert_eq!(skipped(case, url, card, false), reason, "{case} at {url}");
        }
        let allowed = skipped("push/private-webhook", public, public, true);
        assert_eq!(allowed, Some(Reason::WebhookAllowed));
        assert_eq!(skipped("security/redirected-webhook", public, public, true), Some(Reason::WebhooksAtOneOrigin));
        assert_eq!(skipped("security/redirected-webhook", local, local, false), None);
    }

    #[test]
    fn a_violation_counts_as_much_as_what_it_decides() {
        let one = trial("get/unknown-id", &[("MUST", "get/unknown-id#refused"), ("SHOULD", "get/unknown-id#error")]);
        assert_eq!(one.level, Level::Must);
        for (violated, level) in [
            (&["refused"][..], Level::Must),
            (&["error"], Level::Should),
            (&["error", "refused"], Level::Must),
            (&["of no requirement"], Level::Must),
            (&["error", "of no requirement"], Level::Must),
            (&[], Level::Must),
        ] {
            assert_eq!(one.level_of(&names(violated)), level, "{violated:?}");
        }
    }

    #[test]
    fn of_what_an_oracle_has_seen_only_what_requirements_name_is_told() {
        let named =
            [("MUST", "card/valid#card-valid:/skills/*/id"), ("MUST", "card/valid#card-valid:/securitySchemes")];
        let seen = names(&["card-valid:/skills", "card-valid:/skills/0/id", "card-valid:/skills/1/id", "card-valid:"]);
        assert_eq!(trial("card/valid", &named).as_named(seen.clone(), &[]), ["card-valid:/skills/*/id"]);
        let spoiled = names(&["card-valid:/skills/2"]);
        assert!(trial("card/valid", &named).as_named(seen, &spoiled).is_empty());
        let one = trial("get/unknown-id", &[("MUST", "get/unknown-id")]);
        let held = ["refused", "error:TaskNotFoundError"];
        assert_eq!(one.as_named(names(&held), &[]), held);
        let itself = trial("card/valid", &[("MUST", "card/valid#card-valid:/skills$")]);
        assert_eq!(
            itself.as_named(names(&["card-valid:/skills", "card-valid:/skills/0/id"]), &[]),
            ["card-valid:/skills"]
        );
    }
}
