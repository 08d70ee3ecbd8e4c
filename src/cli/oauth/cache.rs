//! Tokens that are kept for the next run: in a file of the user's settings that nobody else may read.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Given, OAuth, OAuthEntry, OAuthError};
use crate::cli::private;

/// How long a token must hold to be worth a run.
const MARGIN: Duration = Duration::from_secs(60);

/// What is kept for one identity.
#[derive(Clone, Deserialize, Serialize)]
struct Kept {
    access_token: Option<String>,
    /// Until when that holds, in seconds of Unix.
    expires_at: Option<u64>,
    refresh_token: Option<String>,
}

/// The file, and which of its tokens are meant.
pub(super) struct Cache {
    path: PathBuf,
    key: String,
    all: BTreeMap<String, Kept>,
}

impl Cache {
    /// Reads what is there; nothing is no mistake.
    pub fn read(oauth: &OAuth) -> Result<Self, OAuthError> {
        let path = private::path("tokens.json")
            .map_err(|error| OAuthError::Cache(format!("tokens have no place to be kept: {error}")))?;
        let unreadable = |error: &dyn std::fmt::Display| {
            OAuthError::Cache(format!("the kept tokens in {} cannot be read: {error}", path.display()))
        };
        let all = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| unreadable(&error))?,
            Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(unreadable(&error)),
        };
        Ok(Self { key: key(oauth), path, all })
    }

    /// A token that still holds, and for how long.
    pub fn token(&self) -> Option<Given> {
        let kept = self.all.get(&self.key)?;
        let lifetime = Duration::from_secs(kept.expires_at?).checked_sub(now())?;
        let access = kept.access_token.clone().filter(|_| lifetime > MARGIN)?;
        Some(Given { access, lifetime: Some(lifetime), refresh: kept.refresh_token.clone() })
    }

    /// What gets another one.
    pub fn refresh(&self) -> Option<String> {
        self.all.get(&self.key)?.refresh_token.clone()
    }

    /// Keeps what was given. Of a token that may hold for any time nobody knows when to get another: it is not kept.
    pub fn keep(&mut self, given: &Given) -> Result<(), OAuthError> {
        let kept = Kept {
            access_token: given.lifetime.map(|_| given.access.clone()),
            expires_at: given.lifetime.map(|lifetime| now().saturating_add(lifetime).as_secs()),
            refresh_token: given.refresh.clone(),
        };
        self.all.insert(self.key.clone(), kept);
        let text = serde_json::to_vec_pretty(&self.all).map_err(io::Error::from);
        text.and_then(|text| private::write(&self.path, &text))
            .map_err(|error| OAuthError::Cache(format!("tokens cannot be kept in {}: {error}", self.path.display())))
    }
}

/// What tells one token from another: for whom it is, for which agent, who gives it, to which client, how, and for what. Two people who
/// confirm at one issuer are told apart by their names alone. Who has another secret than before has to show that it is right:
/// of the secret itself nothing can be found in its digest, which is one of all of this.
fn key(oauth: &OAuth) -> String {
    let OAuthEntry { grant, issuer, token_endpoint, client_id, scopes, resource, .. } = &oauth.entry;
    let told = serde_json::json!([oauth.name, oauth.agent, grant, issuer, token_endpoint, client_id, scopes, resource]);
    let whole = serde_json::json!([told, oauth.secret]).to_string();
    let digest = Sha256::digest(whole).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("{told} {digest}")
}

fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}
