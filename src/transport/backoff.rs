//! Waiting because an agent asks for it (RFC 6585 section 4, RFC 9110 section 10.2.3).

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How much of its time a run gives to agents that ask it to wait: a budget for the whole run, since a wait for each of
/// its requests would have no end.
#[derive(Debug)]
pub(super) struct Backoff {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    left: Duration,
    /// Until when nothing is to be sent.
    until: Instant,
}

impl Backoff {
    /// A budget of so much time.
    pub(crate) fn new(budget: Duration) -> Self {
        Self { inner: Mutex::new(Inner { left: budget, until: Instant::now() }) }
    }

    /// Waits until requests are welcome, as far as is known.
    pub(crate) async fn pass(&self) {
        let until = self.inner.lock().unwrap_or_else(PoisonError::into_inner).until;
        tokio::time::sleep_until(until).await;
    }

    /// Asks all requests to wait for so long from `now` on; `false` where that is more than is left of the budget. Waits
    /// that overlap are one.
    pub(crate) fn ask(&self, now: Instant, wait: Duration) -> bool {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        // More than any clock can say is more than there is.
        let Some(until) = now.checked_add(wait) else { return false };
        let longer = until.saturating_duration_since(inner.until.max(now));
        let Some(left) = inner.left.checked_sub(longer) else { return false };
        inner.left = left;
        inner.until = inner.until.max(until);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waits_that_overlap_count_once_and_end_with_the_budget() {
        let backoff = Backoff::new(SECOND * 5);
        let now = Instant::now();
        let until = || backoff.inner.lock().unwrap().until;
        assert!(until() <= now, "nothing is to be waited for");
        assert!(backoff.ask(now, SECOND * 2) && backoff.ask(now, SECOND * 2) && backoff.ask(now + SECOND, SECOND));
        assert_eq!(until(), now + SECOND * 2);
        assert!(!backoff.ask(now + SECOND * 2, SECOND * 4), "three seconds are left");
        assert!(!backoff.ask(now, Duration::MAX));
        assert!(backoff.ask(now + SECOND * 9, SECOND * 3));
        assert_eq!(until(), now + SECOND * 12);
        assert!(!backoff.ask(now + SECOND * 12, SECOND));
    }
}
