//! Webhooks of a case: addresses that it gives the agent, and what it waits for there.

use std::collections::BTreeMap;

use serde::Deserialize;

/// An address that the agent is given: `${webhook.NAME}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Webhook {
    /// What deliveries are answered with, one after the other; the last goes on. Empty: 200.
    pub answer: Vec<HookAnswer>,
    /// Whether it is at another origin than the webhooks that do not say so.
    pub elsewhere: bool,
}

/// What a delivery is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAnswer {
    /// This HTTP status, with these headers.
    Status(u16, BTreeMap<String, String>),
    /// A redirect of this status to the webhook of this name.
    Redirect(u16, String),
    /// Nothing until the case releases the webhook, and 200 from then on.
    Held,
    /// The connection is closed.
    Close,
    /// Nothing ever comes.
    Silence,
}

impl HookAnswer {
    /// The words for answers without a status.
    pub const WORDS: [&str; 3] = ["held", "close", "silence"];

    /// The webhook to which it redirects.
    pub fn redirects_to(&self) -> Option<&str> {
        match self {
            Self::Redirect(_, to) => Some(to),
            Self::Status(..) | Self::Held | Self::Close | Self::Silence => None,
        }
    }
}

/// An answer that is written with more than a status or a word.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AnswerEntry {
    #[serde(default)]
    pub status: Option<u16>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub redirect: Option<String>,
}

/// A wait for deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deliveries {
    /// The name of the webhook.
    pub to: String,
    /// How many are enough.
    pub enough: Enough,
}

/// How many deliveries are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enough {
    /// So many.
    Count(usize),
    /// As many as it takes until one shows that the task has ended.
    Ended,
    /// The same, or what has come when the time limit is over.
    EndedOrNot,
    /// Whatever comes in a moment, be it nothing.
    Quiet,
}

/// What is waited for besides a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Awaited {
    /// A delivery that shows a terminal state.
    Terminal,
    /// The same, or what has come when the time limit is over.
    TerminalOrNot,
    /// A moment.
    Quiet,
}
