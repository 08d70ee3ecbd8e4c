//! Tokens that are kept for the next run: in a file of the user's settings that nobody else may read.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Given, OAuth, OAuthEntry, OAuthError};
use crate::auth::given::why_unusable;
use crate::cli::private;
use crate::clock;

/// How long a token must hold to be worth a run.
const MARGIN: Duration = Duration::from_secs(60);

/// What is kept for one identity.
#[derive(Deserialize, Serialize)]
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
            Ok(text) => usable(&text).map_err(|error| unreadable(&error))?,
            Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(unreadable(&error)),
        };
        Ok(Self { key: key(oauth), path, all })
    }

    /// A token that still holds, and for how long.
    pub fn token(&self) -> Option<Given> {
        let kept = self.all.get(&self.key)?;
        let lifetime = Duration::from_secs(kept.expires_at?).checked_sub(now())?;
        // What no header can carry, and what holds longer than anything does, was not kept by this program: it is got anew.
        let can_be = MARGIN < lifetime && clock::bounded(lifetime) == lifetime;
        let access = kept.access_token.clone().filter(|access| can_be && why_unusable(access).is_none())?;
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

/// The entries of the file that can be read. The others are dropped: a token can be got anew.
fn usable(text: &[u8]) -> serde_json::Result<BTreeMap<String, Kept>> {
    let all: BTreeMap<String, Value> = serde_json::from_slice(text)?;
    Ok(all.into_iter().filter_map(|(key, kept)| Some((key, serde_json::from_value(kept).ok()?))).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn token(access: &str, expires_at: u64) -> Option<Given> {
        let kept = Kept { access_token: Some(access.to_owned()), expires_at: Some(expires_at), refresh_token: None };
        Cache { path: PathBuf::new(), key: "me".to_owned(), all: BTreeMap::from([("me".to_owned(), kept)]) }.token()
    }

    #[test]
    fn what_cannot_be_used_is_got_anew() {
        let hour = now().as_secs() + 3_600;
        assert!(token("t", hour).is_some_and(|given| given.access == "t" && given.lifetime > Some(MARGIN)));
        for (access, expires_at) in
            [("t", u64::MAX), ("t", 1 << 62), ("t", 0), ("t", now().as_secs() + 10), ("", hour), ("a\nb", hour)]
        {
            assert!(token(access, expires_at).is_none(), "{access:?} until {expires_at}");
        }
        let file = r#"{"a":{"access_token":"t","expires_at":18446744073709551616},"b":7,"c":{"refresh_token":"r"}}"#;
        assert_eq!(usable(file.as_bytes()).unwrap().into_keys().collect::<Vec<_>>(), ["c"]);
        assert!(usable(b"{").is_err());
    }
}
