//! Which of the interfaces that were found are checked.

use super::builder::SuiteBuilder;
use super::error::SuiteError;
use crate::discovery::find::Discovered;
use crate::interface::Endpoint;

/// Why an interface is not checked when others are wanted.
pub const LEFT_OUT: &str = "--profile and --binding leave it out";

/// Keeps the endpoints of the versions and bindings that are wanted.
pub(super) fn choose(found: &mut Discovered, settings: &SuiteBuilder) -> Result<(), SuiteError> {
    let wants = |endpoint: &Endpoint| {
        let profile =
            settings.profiles.is_empty() || settings.profiles.iter().any(|name| name == endpoint.profile.name());
        profile && (settings.bindings.is_empty() || settings.bindings.contains(&endpoint.binding))
    };
    let offered = offered(&found.endpoints);
    // Every interface that is not skipped has its endpoint, in the same order.
    let usable = found.info.interfaces.iter_mut().filter(|interface| interface.skipped.is_none());
    for (interface, _) in usable.zip(&found.endpoints).filter(|(_, endpoint)| !wants(endpoint)) {
        interface.skipped = Some(LEFT_OUT.to_owned());
    }
    found.endpoints.retain(wants);
    if !found.endpoints.is_empty() {
        return Ok(());
    }
    if !offered.is_empty() {
        return Err(SuiteError::NotDeclared { offered });
    }
    let interfaces = found.info.interfaces.iter();
    let reasons = interfaces.map(|interface| {
        let reason = interface.skipped.as_deref().unwrap_or("not usable");
        format!("{}: {reason}", interface.title())
    });
    Err(SuiteError::NoInterface { reasons: reasons.collect() })
}

fn offered(endpoints: &[Endpoint]) -> Vec<String> {
    endpoints.iter().map(|endpoint| format!("A2A {} over {}", endpoint.profile.name(), endpoint.binding)).collect()
}
