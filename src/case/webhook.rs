//! Webhooks of a case: addresses that it gives the agent, and what it waits for there.

use serde::Deserialize;

/// An address that the agent is given: `${webhook.NAME}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Webhook {
    /// What deliveries are answered with, one after the other; the last goes on. Empty: 200.
    pub answer: Vec<HookAnswer>,
}

/// What a delivery is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookAnswer {
    /// This HTTP status.
    Status(u16),
    /// The connection is closed.
    Close,
    /// Nothing ever comes.
    Silence,
}

impl HookAnswer {
    /// The words for answers without a status.
    pub const WORDS: [&str; 2] = ["close", "silence"];
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
    /// Whatever comes in a moment, be it nothing.
    Quiet,
}

/// What is waited for besides a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Awaited {
    /// A delivery that shows a terminal state.
    Terminal,
    /// A moment.
    Quiet,
}
