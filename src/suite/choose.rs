//! Which of the interfaces that were found are checked.

use super::builder::SuiteBuilder;
use super::error::SuiteError;
use crate::discovery::find::OTHER_TENANT;
use crate::interface::{Agent, Interface};

/// Why an interface is not checked when others are wanted.
const LEFT_OUT: &str = "--profile and --binding leave it out";

/// Whether the user's own flags leave an interface out, for this reason.
pub fn is_unwanted(reason: &str) -> bool {
    [LEFT_OUT, OTHER_TENANT].contains(&reason)
}

/// Leaves out the interfaces of the versions and bindings that are not wanted.
pub(super) fn choose(agent: &mut Agent, settings: &SuiteBuilder) -> Result<(), SuiteError> {
    let wants = |interface: &Interface| {
        let profile =
            settings.profiles.is_empty() || settings.profiles.iter().any(|name| name == interface.profile.name());
        profile && (settings.bindings.is_empty() || settings.bindings.contains(&interface.binding))
    };
    let offered: Vec<String> = agent.checked().map(|(_, interface)| offered(interface)).collect();
    for listed in &mut agent.interfaces {
        if listed.interface.as_ref().is_some_and(|interface| !wants(interface)) {
            listed.skip(LEFT_OUT);
        }
    }
    if agent.checked().next().is_some() {
        return Ok(());
    }
    if !offered.is_empty() {
        return Err(SuiteError::NotDeclared { offered });
    }
    let reasons = agent.interfaces.iter().map(|listed| {
        let reason = listed.info.skipped.as_deref().unwrap_or("not usable");
        format!("{}: {reason}", listed.info.title())
    });
    Err(SuiteError::NoInterface { reasons: reasons.collect() })
}

fn offered(interface: &Interface) -> String {
    format!("A2A {} over {}", interface.profile.name(), interface.binding)
}
