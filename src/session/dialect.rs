//! Which dialect an agent speaks, where a version leaves that open.
//!
//! A2A 0.3 does not say whether bodies over REST follow its JSON Schema or its proto (section 3.2.3). An agent that knows
//! one dialect refuses a message in the other: the first in which it takes one is the dialect of the run.

use std::sync::Arc;

use tokio::sync::watch;

use super::stop::until_stopped;
use super::{Options, Session, Understanding};
use crate::event::EventSink;
use crate::interface::Interface;
use crate::transport::Connection;
use crate::transport::http::Http;

/// An interface whose dialect is known.
pub(crate) struct DetectedDialect {
    /// The agent over it.
    pub session: Arc<Session>,
    /// Its name, where there was a choice.
    pub dialect: Option<String>,
}

impl DetectedDialect {
    /// How many messages were sent over the interface.
    pub fn messages_sent(&self) -> u64 {
        self.session.tried().iter().chain([&self.session]).map(|session| session.messages_sent()).sum()
    }
}

/// How much is to be found out about the dialects of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    /// Nothing: no case talks over it, and the likeliest dialect is as good as any.
    None,
    /// The first in which the agent speaks.
    First,
    /// In which of all it takes messages, and what it then says of their tasks.
    All,
}

/// Finds the dialect of an interface.
pub(crate) async fn detect_dialect(
    interface: Interface,
    search: Search,
    http: &Arc<Http>,
    options: &Options,
    tell: &EventSink,
    stop: &watch::Receiver<bool>,
) -> DetectedDialect {
    let over = |interface: Interface| {
        Arc::new(Session::new(
            Connection::new(interface, Arc::clone(http)),
            Arc::clone(http),
            options.clone(),
            tell.clone(),
        ))
    };
    let dialects: Vec<_> = interface.profile.dialects_over(interface.binding).cloned().collect();
    if dialects.len() < 2 || search == Search::None {
        return DetectedDialect { session: over(interface), dialect: None };
    }
    let mut tried: Vec<(Understanding, Arc<Session>)> = Vec::new();
    for dialect in dialects {
        let session = over(Interface { dialect, ..interface.clone() });
        let understood = until_stopped(session.understands(), stop).await.unwrap_or(Understanding::Nothing);
        let is_known = understood == Understanding::Everything && search == Search::First;
        let is_settled = is_known || session.heard_nothing();
        tried.push((understood, session));
        if is_settled {
            break;
        }
    }
    // Of those that it understands equally well, or not at all, the likeliest.
    let best = tried.iter().map(|(understood, _)| *understood).max().unwrap_or(Understanding::Nothing);
    let place = tried.iter().position(|(understood, _)| *understood == best).unwrap_or_default();
    let (understood, session) = tried.remove(place);
    let dialect = (understood > Understanding::Nothing).then(|| session.connection.interface.dialect.name.clone());
    session.keep_tried(tried.into_iter().map(|(_, session)| session).collect());
    DetectedDialect { session, dialect }
}
