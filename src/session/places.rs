//! Places for requests: what `--jobs` bounds.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;

/// How long an unanswered request holds its place. An agent that takes longer is at work on a task, as a rule, and not on
/// the request: that costs it no more than the task does, and the other cases need not wait for it.
const HOLDS: Duration = Duration::from_millis(250);
/// How many cases wait for the agent's work, for each request that may be in flight beside the first.
const WAITING: usize = 6;

/// The places of a run, which all its sessions share.
#[derive(Debug, Clone)]
pub struct Places {
    free: Arc<Semaphore>,
    all: Arc<AtomicUsize>,
}

impl Places {
    /// So many places, one at least.
    pub fn new(jobs: usize) -> Self {
        let all = jobs.clamp(1, Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(all)), all: Arc::new(AtomicUsize::new(all)) }
    }

    /// Leaves one place, before anything is in flight.
    pub fn leave_one(&self) {
        let all = self.all.swap(1, Ordering::Relaxed);
        self.free.forget_permits(all - 1);
    }

    /// How many cases may be under way: with one place one, so that everything has an order.
    pub fn cases(&self) -> usize {
        (self.all.load(Ordering::Relaxed) - 1).saturating_mul(WAITING) + 1
    }

    /// Makes a request in a place of its own, as soon as there is one.
    pub async fn take<T>(&self, request: impl Future<Output = T>) -> T {
        let place = self.free.acquire().await;
        let mut request = pin!(request);
        if let Ok(answer) = tokio::time::timeout(HOLDS, &mut request).await {
            return answer;
        }
        drop(place);
        request.await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_request_waits_for_a_place_and_not_for_the_work_of_others() {
        let places = Places::new(1);
        let (end, ended) = oneshot::channel::<()>();
        let working = tokio::spawn({
            let places = places.clone();
            async move { places.take(ended).await }
        });
        tokio::task::yield_now().await;
        let mut second = std::pin::pin!(places.take(async { 2 }));
        assert_eq!(second.as_mut().now_or_never(), None, "the first holds the only place");
        assert_eq!(second.await, 2);
        assert!(!working.is_finished());
        end.send(()).unwrap();
        assert_eq!(working.await.unwrap(), Ok(()));
        assert_eq!(places.free.available_permits(), 1);
    }

    #[test]
    fn one_place_is_for_one_case() {
        assert_eq!([0, 1, 2, 8].map(|jobs| Places::new(jobs).cases()), [1, 1, 7, 43]);
        let places = Places::new(8);
        places.leave_one();
        places.leave_one();
        assert_eq!((places.cases(), places.free.available_permits()), (1, 1));
    }
}
