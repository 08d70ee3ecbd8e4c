//! What ends a run before its plan does: the user, the time that it was given, a token that has ended, or its first failure.
//!
//! The first three drop everything that is under way. After a failure only nothing new begins: what has begun goes on to its end,
//! and what was seen by then is judged.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::auth::Credentials;
use crate::auth::token::Over;
use crate::event::Stopped;
use crate::reason::Reason;
use crate::session::stop::stopped;
use crate::verdict::TrialResult;

/// When a run is to be over.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Instant,
    limit: Duration,
}

impl Deadline {
    /// So long from now on.
    pub fn after(limit: Duration) -> Self {
        Self { at: Instant::now() + limit, limit }
    }

    /// Waits for one, if there is any; says how long there was, in seconds.
    pub async fn over(deadline: Option<Self>) -> String {
        let Some(Self { at, limit }) = deadline else { return std::future::pending().await };
        tokio::time::sleep_until(at).await;
        limit.as_secs_f64().to_string()
    }
}

/// Which results end a run.
#[derive(Clone)]
pub struct FailFast(Arc<dyn Fn(&TrialResult) -> bool + Send + Sync>);

impl FailFast {
    /// Those for which this is so.
    pub fn at(is_failure: impl Fn(&TrialResult) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_failure))
    }
}

impl fmt::Debug for FailFast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FailFast")
    }
}

/// Waits for the user, and for the end of a token that is not renewed: what an agent says from then on is said to nobody that it
/// knows.
pub(crate) async fn ended(user: &watch::Receiver<bool>, credentials: &Credentials) -> Stopped {
    tokio::select! {
        biased;
        () = stopped(user) => Stopped::Interrupted,
        Over { identity, why } = credentials.over() => Stopped::TokenOver { why, identity },
    }
}

/// What has ended a run, if anything has.
#[derive(Debug)]
pub(super) struct Ending {
    fail_fast: Option<FailFast>,
    /// The case that failed first.
    first_failure: OnceLock<String>,
    /// What drops everything that is under way.
    dropped: OnceLock<Stopped>,
}

impl Ending {
    pub fn new(fail_fast: Option<FailFast>) -> Self {
        Self { fail_fast, first_failure: OnceLock::new(), dropped: OnceLock::new() }
    }

    /// Waits for the user, for the deadline and for the end of a token that is not renewed, and then lets `stop` turn true. Never
    /// ends by itself.
    pub async fn watch(
        &self,
        user: &watch::Receiver<bool>,
        deadline: Option<Deadline>,
        credentials: &Credentials,
        stop: &watch::Sender<bool>,
    ) {
        let why = tokio::select! {
            biased;
            why = ended(user, credentials) => why,
            limit = Deadline::over(deadline) => Stopped::TimeOver { limit },
        };
        let _ = self.dropped.set(why);
        stop.send_replace(true);
        std::future::pending().await
    }

    /// Takes how a trial came out.
    pub fn see(&self, result: &TrialResult) {
        if self.fail_fast.as_ref().is_some_and(|FailFast(is_failure)| is_failure(result)) {
            let _ = self.first_failure.set(result.case.clone());
        }
    }

    /// Why nothing goes on.
    pub fn dropped(&self) -> Option<Reason> {
        self.dropped.get().map(|why| match why {
            Stopped::TimeOver { limit } => Reason::TimeOver { limit: limit.clone() },
            Stopped::TokenOver { why, identity } => Reason::TokenOver { why: why.clone(), identity: identity.clone() },
            _ => Reason::Interrupted,
        })
    }

    /// Why nothing new begins.
    pub fn begins_nothing(&self) -> Option<Reason> {
        let failed = || self.first_failure.get().map(|case| Reason::FirstFailure { case: case.clone() });
        self.dropped().or_else(failed)
    }

    /// What the report says of it.
    pub fn stopped(&self) -> Option<Stopped> {
        let failed = || self.first_failure.get().map(|case| Stopped::FirstFailure { case: case.clone() });
        self.dropped.get().cloned().or_else(failed)
    }
}
