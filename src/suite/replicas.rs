//! The replicas that the user names: where each has the interfaces, and whether it is there.

use std::collections::BTreeSet;

use url::Url;

use super::error::SuiteError;
use crate::discovery::replicas::Replicas;
use crate::interface::{Agent, Listed};
use crate::transport::http::Http;

/// Gives each interface that is checked its places at the replicas. Nothing is sent to them yet.
///
/// # Errors
/// It is not known where an interface is there, or nothing listens.
pub(super) async fn find(agent: &mut Agent, url: &Url, replicas: &Replicas, http: &Http) -> Result<(), SuiteError> {
    if replicas.are_none() {
        return Ok(());
    }
    let mut places = BTreeSet::new();
    for Listed { info, interface } in &mut agent.interfaces {
        let Some(interface) = interface else { continue };
        let binding = interface.binding;
        let no_replicas = || SuiteError::NoReplicas { binding, url: interface.url.clone() };
        interface.replicas = replicas.of(interface, url).ok_or_else(no_replicas)?;
        info.add_note(&format!("in turn with {}", interface.replicas.join(", ")));
        places.extend(interface.replicas.iter().cloned());
    }
    for place in places {
        let connected = tokio::time::timeout(http.timeout(), http.connects(&place)).await;
        let how = match connected {
            Ok(Ok(())) => continue,
            Ok(Err(ended)) => ended.to_string(),
            Err(_) => format!("no connection within {} s", http.timeout().as_secs()),
        };
        return Err(SuiteError::NoReplica { url: place, how });
    }
    Ok(())
}
