//! Why a case does not run: what the card, the interface or the user lacks.

use std::collections::BTreeSet;

use url::Url;

use super::public;
use crate::auth::{Caller, Credentials};
use crate::case::{Act, Beyond, Case, Requirement, Side};
use crate::discovery::reach;
use crate::interface::{Interface, is_public};
use crate::profile::{Binding, Capability, Operation};
use crate::reason::Reason;

/// What the user has given for cases that need more than an agent.
#[derive(Debug, Clone, Copy)]
pub struct Means<'a> {
    /// Whether the user has said how an agent gets to a webhook here, wherever it is.
    pub has_webhooks: bool,
    /// Whether every caller shows the same certificate, which the agent may accept.
    pub lets_in_by_certificate: bool,
    /// What is sent along, and where it goes.
    pub credentials: &'a Credentials,
}

impl Means<'_> {
    /// What is missing for a case over an interface.
    pub(super) fn lack(&self, case: &Case, interface: &Interface) -> Option<Reason> {
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

/// Whether a requirement is in the text of the agent's release, too.
pub(super) fn is_of_the_release(requirement: &Requirement, interface: &Interface) -> bool {
    let is_of_the_version =
        requirement.id.value.strip_prefix(interface.profile.name()).is_some_and(|rest| rest.starts_with('-'));
    !is_of_the_version || !requirement.section.split(", ").all(|section| interface.is_without(section))
}

/// That a case is about what the agent's release, or its card, need not have.
pub(super) fn not_of_the_release(case: &Case, (first, second): (&Interface, Option<&Interface>)) -> Option<Reason> {
    if first.is_recognised && case.is_about_the_card() {
        return Some(Reason::CardOfAnotherVersion { version: first.profile.name().to_owned() });
    }
    let called = case.all_steps().into_iter().find_map(|step| {
        let interface = if step.over == Side::Second { second.unwrap_or(first) } else { first };
        let operation = match &step.act {
            Act::Card(card) if card.extended => Some(Operation::GetExtendedAgentCard),
            act => act.operation(),
        };
        operation.filter(|operation| interface.lacks.contains(operation))
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

/// That the user gave no identity for this caller; nothing where the caller needs none.
fn no_identity(caller: Caller) -> Option<Reason> {
    let role = || caller.name().to_owned();
    match caller {
        Caller::Other => Some(Reason::NoOtherIdentity),
        Caller::Expired | Caller::WrongAudience | Caller::Narrow => Some(Reason::NoIdentity { role: role() }),
        Caller::Own | Caller::Nobody | Caller::Stranger => None,
    }
}

/// What of a case the card does not declare, or declares although the case is about agents without it.
pub(super) fn reason_to_skip(
    case: &Case,
    declared: Option<&BTreeSet<Capability>>,
    interface: &Interface,
) -> Option<Reason> {
    if let Some(Beyond { mistake, place }) = case.beyond.first() {
        return Some(Reason::NotExpressed { what: mistake.message.clone(), place: place.clone() });
    }
    if let Some(uri) = case.extension.first().filter(|_| case.extension_of(&interface.extensions).is_none()) {
        let capability = format!("the extension {uri}");
        return Some(match declared {
            Some(_) => Reason::NotDeclared { capability },
            None => Reason::CardSilent { capability },
        });
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
    use std::collections::BTreeMap;

    use super::*;
    use crate::auth::Identity;
    use crate::case::Library;
    use crate::interface::{CardPlace, Listed};
    use crate::plan::{Selection, make};
    use crate::profile::{self, Profile};

    /// Why a case of 1.0 does not run against an agent with this card at this URL, if it does not.
    fn skipped(case: &str, url: &str, card: &str, has_webhooks: bool) -> Option<Reason> {
        skipped_over(case, means(has_webhooks, &Credentials::default()), at(url, card))
    }

    /// The means of a user without a certificate that every caller shows.
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
}
