//! Who asks the agent, and what of the schemes in its card that is.

use crate::auth::{Caller, Credentials, Header, Parameter};
use crate::discovery::find::Discovered;
use crate::discovery::reach;
use crate::interface::scheme::Brought;
use crate::interface::{Agent, SchemeInfo};
use crate::profile::Binding;
use crate::report::security::IdentityInfo;
use crate::transport::http::Http;

/// The schemes of the cards, each with whether the identity of the run brings it to the interfaces of its version.
pub(super) fn schemes(found: &Discovered, http: &Http) -> Vec<SchemeInfo> {
    let mut all: Vec<SchemeInfo> = Vec::new();
    for (profile, scheme) in &found.schemes {
        let interfaces = found.agent.checked().map(|(_, interface)| interface);
        let addresses: Vec<(Binding, String)> = interfaces
            .filter(|interface| interface.profile.name() == profile)
            .map(|interface| (interface.binding, reach::address(interface)))
            .collect();
        if addresses.is_empty() {
            continue;
        }
        let headers: Vec<Header> =
            addresses.iter().flat_map(|(_, address)| http.credentials().headers_for(address)).collect();
        // Requests of gRPC have no query.
        let with_query = addresses.iter().filter(|(binding, _)| *binding != Binding::Grpc);
        let parameters: Vec<&Parameter> =
            with_query.flat_map(|(_, address)| http.credentials().parameters_for(address)).collect();
        let brought = Brought { headers: &headers, parameters: &parameters, has_certificate: http.has_certificate() };
        let info = scheme.info(profile, brought);
        if !all.iter_mut().any(|known| known.take(&info)) {
            all.push(info);
        }
    }
    all
}

/// Whether a card takes certificates for credentials, and every caller shows the same: then nobody asks without any.
pub(super) fn lets_in_by_certificate(found: &Discovered, http: &Http) -> bool {
    let is_shown_by_all = http.in_the_name_of(Caller::Nobody).has_certificate();
    is_shown_by_all && found.schemes.iter().any(|(_, scheme)| scheme.is_mutual_tls())
}

/// The identities that bring something to an interface.
pub(super) fn identities(agent: &Agent, credentials: &Credentials) -> Vec<IdentityInfo> {
    let brings = |caller: Caller| {
        let credentials = credentials.of(caller);
        let mut all: Vec<String> = Vec::new();
        for (_, interface) in agent.checked() {
            let new = credentials.shown_for(&reach::address(interface));
            all.extend(new.into_iter().filter(|name| !all.contains(name)).collect::<Vec<_>>());
        }
        all
    };
    Caller::GIVEN
        .into_iter()
        .map(|caller| IdentityInfo { caller: caller.name().to_owned(), brings: brings(caller) })
        .filter(|identity| !identity.brings.is_empty())
        .collect()
}
