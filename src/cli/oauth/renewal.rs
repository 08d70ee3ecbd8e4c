//! The next token, got while a run goes on: without a person, who may have left by then.

use std::sync::{Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::cache::Cache;
use super::{Given, Grant, OAuth, OAuthError, grant, issuer};
use crate::auth::token::{self, NotRenewed, Renew};
use crate::cli::print;
use crate::transport::http::Http;

/// Who gets it.
pub(super) struct Renewal {
    oauth: OAuth,
    http: Http,
    /// What gets the next one; an issuer may give another each time.
    refresh: Mutex<Option<String>>,
}

impl Renewal {
    pub fn new(oauth: OAuth, http: Http, refresh: Option<String>) -> Self {
        Self { oauth, http, refresh: Mutex::new(refresh) }
    }

    async fn next(&self) -> Result<token::Grant, OAuthError> {
        let (http, oauth) = (&self.http, &self.oauth);
        let refresh = self.refresh.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_for_program = oauth.entry.grant == Grant::ClientCredentials;
        if refresh.is_none() && !is_for_program {
            return Err(OAuthError::NobodyThere);
        }
        let endpoints = issuer::endpoints(http, &oauth.entry).await?;
        let refreshed = match refresh {
            Some(refresh) => Some(grant::refresh(http, oauth, &endpoints, &refresh).await),
            None => None,
        };
        let given = match refreshed {
            None => grant::for_program(http, oauth, &endpoints).await?,
            Some(Err(OAuthError::Refused(_))) if is_for_program => grant::for_program(http, oauth, &endpoints).await?,
            Some(given) => given?,
        };
        self.refresh.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&given.refresh);
        self.keep(&given);
        Ok(given.grant())
    }

    /// Keeps it for the next run. This one goes on without that, too.
    fn keep(&self, given: &Given) {
        if !self.oauth.entry.cache {
            return;
        }
        // Another identity may have kept its own since.
        let kept = Cache::read(&self.oauth).and_then(|mut cache| cache.keep(given));
        if let Err(error) = kept {
            let text = format!("the new token of the identity `{}` is for this run alone: {error}", self.oauth.name);
            print::warn(&self.oauth.secrets(), &text);
        }
    }
}

impl Renew for Renewal {
    fn renew(&self) -> BoxFuture<'_, Result<token::Grant, NotRenewed>> {
        async {
            self.next().await.map_err(|error| {
                let why = self.oauth.secrets().mask(&error.to_string());
                match error {
                    OAuthError::NoAnswer { .. } | OAuthError::Status { .. } => NotRenewed::Yet(why),
                    _ => NotRenewed::Ever(why),
                }
            })
        }
        .boxed()
    }
}
