//! An agent that is starting: it is looked for again and again, for as long as the user has said.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use super::builder::SuiteBuilder;
use super::error::SuiteError;
use super::find::find;
use super::notice::Notice;
use crate::discovery::DiscoveryError;
use crate::discovery::find::Discovered;
use crate::profile::Profile;
use crate::transport::http::Http;

/// How long until the agent is looked for again. Nobody tells when somebody begins to listen.
const PAUSE: Duration = Duration::from_millis(250);

/// What the agent's card leads to, as soon as there is one.
pub(super) async fn find_when_up(
    http: &Arc<Http>,
    url: &Url,
    settings: &SuiteBuilder,
    profiles: &[Arc<Profile>],
) -> Result<Discovered, SuiteError> {
    let began = Instant::now();
    let mut is_told = false;
    loop {
        let error = match find(http, url, settings, profiles).await {
            Err(SuiteError::Discovery(error)) if may_pass(&error) && began.elapsed() + PAUSE <= settings.wait => error,
            found => return found,
        };
        if !is_told {
            settings.tell(&Notice::Waiting { error: &error, limit: settings.wait });
            is_told = true;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Whether it may be that the agent, or what it stands behind, is only starting. A card that is there and wrong stays wrong.
fn may_pass(error: &DiscoveryError) -> bool {
    matches!(error, DiscoveryError::Unreachable { .. } | DiscoveryError::NoCard { .. })
}
