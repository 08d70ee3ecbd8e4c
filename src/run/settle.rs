//! Which form an agent speaks, where a version leaves that open.
//!
//! A2A 0.3 does not say whether bodies over REST follow its JSON Schema or its proto (section 3.2.3). An agent that knows
//! one form refuses a message in the other: the first in which it takes one is the form of the run.

use std::sync::Arc;

use tokio::sync::watch;

use super::agent::{Agent, Understanding};
use super::{Options, Teller, until_stopped};
use crate::binding::Connection;
use crate::binding::http::Http;
use crate::interface::Endpoint;

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
    let mut tried: Vec<(Understanding, Arc<Agent>)> = Vec::new();
    for dialect in dialects {
        let agent = over(Endpoint { dialect, ..endpoint.clone() });
        let understood = until_stopped(agent.understands(), stop).await.unwrap_or(Understanding::Nothing);
        let is_settled = understood == Understanding::Everything || agent.heard_nothing();
        tried.push((understood, agent));
        if is_settled {
            break;
        }
    }
    // Of those that it understands equally well, or not at all, the likeliest.
    let best = tried.iter().map(|(understood, _)| *understood).max().unwrap_or(Understanding::Nothing);
    let place = tried.iter().position(|(understood, _)| *understood == best).unwrap_or_default();
    let (understood, agent) = tried.remove(place);
    let form = (understood > Understanding::Nothing).then(|| agent.connection.endpoint.dialect.name.clone());
    Settled { agent, form, tried: tried.into_iter().map(|(_, agent)| agent).collect() }
}
