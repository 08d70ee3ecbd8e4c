//! Whether the agent is there, and whether it is still what it was: a look that costs it next to nothing.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use super::builder::SuiteBuilder;
use super::error::SuiteError;
use crate::discovery::find::Lookup;
use crate::transcript::Ended;
use crate::transport::http::Http;

/// How soon the agent is looked at again, at first and at most: each look that shows nothing new makes the next one later.
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LAST_LOOK: Duration = Duration::from_secs(1);

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

    /// Ends when the agent has come back, or what is at its cards is another than what was seen there; `gone` is called when the
    /// agent is no longer there.
    pub async fn changed(&self, seen: Option<u64>, mut gone: impl FnMut()) {
        let mut was_there = seen.is_some();
        let mut pause = FIRST_LOOK;
        loop {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST_LOOK);
            match self.look().await {
                None if was_there => {
                    gone();
                    (was_there, pause) = (false, FIRST_LOOK);
                }
                None => {}
                now if !was_there || now != seen => return,
                Some(_) => {}
            }
        }
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
