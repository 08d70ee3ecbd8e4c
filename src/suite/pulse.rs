//! Whether the agent is there, and whether it is still what it was: a look that costs it next to nothing.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::builder::SuiteBuilder;
use super::error::SuiteError;
use crate::discovery::find::Lookup;
use crate::transcript::Ended;
use crate::transport::http::Http;

/// A way to look at an agent again and again.
pub(crate) struct Pulse {
    http: Http,
    places: Vec<String>,
}

impl Pulse {
    /// What is at its cards now, as a number that differs where these do; nothing where the agent, or one of them, is not there.
    pub async fn look(&self) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        for place in &self.places {
            let exchange = self.http.fetch("GET", place, &[], "watch").await;
            let response = exchange.response.as_ref().filter(|_| matches!(exchange.ended, Ended::Complete))?;
            (response.status, &response.body).hash(&mut hasher);
        }
        Some(hasher.finish())
    }
}

impl SuiteBuilder {
    /// A way to look at the agent: at its cards, where they are known, and else at where the user says that it is.
    ///
    /// # Errors
    /// What is wrong with the settings of the way to it.
    pub(crate) fn pulse(&self, cards: &[String]) -> Result<Pulse, SuiteError> {
        let url = self.url.as_ref().ok_or(SuiteError::NoAgent)?;
        let named = match &self.lookup {
            Lookup::Url(card) => card.to_string(),
            Lookup::WellKnown | Lookup::File(_) => url.to_string(),
        };
        let mut places: Vec<String> = cards.iter().filter(|card| card.contains("://")).cloned().collect();
        if places.is_empty() {
            places.push(named);
        }
        Ok(Pulse { http: self.http(url)?, places })
    }
}
