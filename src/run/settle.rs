//! Which form an agent speaks, where a version leaves that open.
//!
//! A2A 0.3 does not say whether bodies over REST follow its JSON Schema or its proto (section 3.2.3). An agent that knows
//! one form refuses a message in the other: the first in which it takes one is the form of the run.

use std::sync::Arc;

use tokio::sync::watch;

use super::agent::Agent;
use super::{Options, Teller, until_stopped};
use crate::binding::Connection;
use crate::binding::http::Http;
use crate::plan::Endpoint;

/// An interface whose form is known.
pub(super) struct Settled {
    /// The agent over it.
    pub agent: Arc<Agent>,
    /// The form, where there was a choice.
    pub form: Option<String>,
    /// The agent in the forms that it did not understand.
    tried: Vec<Arc<Agent>>,
}

impl Settled {
    /// How many messages were sent over the interface.
    pub fn messages_sent(&self) -> u64 {
        self.tried.iter().chain([&self.agent]).map(|agent| agent.messages_sent()).sum()
    }
}

/// Finds the form of an interface; of one that no case talks over, the likeliest is as good as any.
pub(super) async fn settle(
    endpoint: Endpoint,
    is_used: bool,
    http: &Arc<Http>,
    options: &Options,
    tell: &Teller,
    stop: &watch::Receiver<bool>,
) -> Settled {
    let over = |endpoint: Endpoint| {
        Arc::new(Agent::new(
            Connection::new(endpoint, Arc::clone(http)),
            Arc::clone(http),
            options.clone(),
            tell.clone(),
        ))
    };
    let dialects: Vec<_> = endpoint.profile.dialects_over(endpoint.binding).cloned().collect();
    if dialects.len() < 2 || !is_used {
        return Settled { agent: over(endpoint), form: None, tried: Vec::new() };
    }
    let mut tried = Vec::new();
    for dialect in dialects {
        let form = dialect.name.clone();
        let agent = over(Endpoint { dialect, ..endpoint.clone() });
        if until_stopped(agent.understands(), stop).await == Some(true) {
            return Settled { agent, form: Some(form), tried };
        }
        tried.push(agent);
    }
    // It understood none: that is for the cases to say, in the likeliest form.
    let agent = tried.remove(0);
    Settled { agent, form: None, tried }
}
