//! Which cases are run for which versions and bindings of a client.

use std::sync::Arc;

use super::{ClientError, Wanted};
use crate::case::Library;
use crate::case::visit::{Behind, Visit};
use crate::interface::{ClientInfo, InterfaceInfo, TargetInfo};
use crate::plan::{self, NothingMatches, Plan, Selection};
use crate::profile::{Binding, Profile};
use crate::wrapper::Hello;

/// The version that is served by default.
const DEFAULT_VERSION: &str = "1.0";

/// What the user says that a client speaks, where the client does not say it itself.
pub(crate) struct Speaks {
    /// The versions; empty: 1.0.
    pub profiles: Vec<String>,
    /// The bindings; empty: JSON-RPC.
    pub bindings: Vec<Binding>,
}

/// A version that a client speaks, and how.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub profile: Arc<Profile>,
    pub binding: Binding,
    /// How the client names the binding.
    pub named: String,
}

/// What a client is to speak that does not say it itself: the versions and bindings that the user names, or A2A 1.0 over JSON-RPC.
///
/// # Errors
/// A version without cases, or without such a binding.
pub(super) fn named(profiles: &[Arc<Profile>], library: &Library, wanted: &Speaks) -> Result<Vec<Pair>, ClientError> {
    let versions = if wanted.profiles.is_empty() { vec![DEFAULT_VERSION.to_owned()] } else { wanted.profiles.clone() };
    let bindings = if wanted.bindings.is_empty() { vec![Binding::Jsonrpc] } else { wanted.bindings.clone() };
    let mut pairs = Vec::new();
    for version in &versions {
        let profile = profiles.iter().find(|profile| profile.name() == version);
        let Some(profile) = profile.filter(|_| !library.applicable_to_clients(version).is_empty()) else {
            return Err(ClientError::NotServed(format!("there is no case about clients of A2A {version}")));
        };
        for binding in &bindings {
            let facts = profile.facts.bindings.get(binding).filter(|_| *binding != Binding::Grpc);
            let Some(facts) = facts else {
                return Err(ClientError::NotServed(format!("no agent of A2A {version} is served over {binding}")));
            };
            pairs.push(Pair { profile: Arc::clone(profile), binding: *binding, named: facts.declared_as.clone() });
        }
    }
    Ok(pairs)
}

/// What a client speaks and the user wants, in the order of the client.
///
/// # Errors
/// Nothing is left.
pub(super) fn pairs(profiles: &[Arc<Profile>], hello: &Hello, wanted: &Wanted) -> Result<Vec<Pair>, ClientError> {
    let mut pairs: Vec<Pair> = Vec::new();
    for version in &hello.versions {
        let of_version = profiles.iter().filter(|profile| profile.is_declared_as(version));
        let of_version = of_version
            .filter(|profile| wanted.profiles.is_empty() || wanted.profiles.iter().any(|name| name == profile.name()));
        // Nothing is checked in a version without cases.
        let Some(profile) =
            of_version.rev().find(|profile| !wanted.library.applicable_to_clients(profile.name()).is_empty())
        else {
            continue;
        };
        for named in &hello.bindings {
            let is_it = |binding: &Binding| {
                let facts = profile.facts.bindings.get(binding);
                facts.is_some_and(|facts| facts.declared_as == *named)
            };
            // Over gRPC nothing is served yet.
            let Some(binding) = [Binding::Jsonrpc, Binding::HttpJson].into_iter().find(is_it) else { continue };
            let is_new = !pairs.iter().any(|pair| pair.profile.name() == profile.name() && pair.binding == binding);
            if is_new && (wanted.bindings.is_empty() || wanted.bindings.contains(&binding)) {
                pairs.push(Pair { profile: Arc::clone(profile), binding, named: named.clone() });
            }
        }
    }
    if pairs.is_empty() {
        let said = format!(
            "the wrapper names the versions {} and the bindings {}",
            hello.versions.join(", "),
            hello.bindings.join(", ")
        );
        return Err(ClientError::Nothing(format!(
            "{said}, of which none is checked here; there is A2A 1.0 over JSONRPC and HTTP+JSON, as far as --profile and \
             --binding let it"
        )));
    }
    Ok(pairs)
}

/// A binding of the version over which the agent of a case is served, and which the client does not speak.
pub(super) fn unspoken(visit: &Visit, pair: &Pair, spoken: &[String]) -> Option<String> {
    let served = visit.agent.interfaces.iter().filter(|offered| offered.is == Behind::Served);
    let mut named = served.filter_map(|offered| offered.binding.as_ref());
    let is_known = |name: &String| pair.profile.facts.bindings.values().any(|facts| facts.declared_as == *name);
    named.find(|name| is_known(name) && !spoken.contains(*name)).cloned()
}

/// The trials: each case over each pair to which it applies.
///
/// # Errors
/// A selection that selects nothing.
pub(super) fn make(library: &Library, pairs: &[Pair], selection: &Selection) -> Result<Plan, NothingMatches> {
    let mut trials = Vec::new();
    let mut unmatched = selection.unmatched();
    for (interface, pair) in pairs.iter().enumerate() {
        let place = (pair.profile.name(), pair.binding, interface);
        trials.extend(plan::of_clients(library, place, selection, &mut unmatched));
    }
    unmatched.check(&library.areas(), library.ids())?;
    selection.leaves(trials.len())?;
    Ok(Plan { trials })
}

/// The client, as reports have it.
pub(super) fn target(pairs: &[Pair], hello: &Hello, url: &str) -> TargetInfo {
    TargetInfo {
        url: hello.title(),
        client: Some(ClientInfo { name: hello.name.clone(), version: hello.version.clone() }),
        interfaces: interfaces(pairs, url),
        ..TargetInfo::default()
    }
}

/// What is served to a client, as reports have it.
pub(super) fn interfaces(pairs: &[Pair], url: &str) -> Vec<InterfaceInfo> {
    let interface = |pair: &Pair| InterfaceInfo {
        url: url.to_owned(),
        binding: pair.named.clone(),
        version: pair.profile.name().to_owned(),
        tenant: None,
        profile: Some(pair.profile.name().to_owned()),
        skipped: None,
        note: None,
        dialect: None,
        lost: None,
    };
    pairs.iter().map(interface).collect()
}
