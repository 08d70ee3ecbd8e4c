//! Places for requests: what `--jobs` bounds.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::load::Load;

/// How long an unanswered request holds its place. An agent that takes longer is at work on a task, as a rule, and not on
/// the request: that costs it no more than the task does, and the other cases need not wait for it.
const HOLDS: Duration = Duration::from_millis(250);
/// The least of that where it is learned, and how many times the usual time of an answer it is then.
const LEAST_HELD: Duration = Duration::from_millis(10);
const TIMES_AS_USUAL: u32 = 4;
/// By which part of itself the usual time follows each answer.
const STEP: u32 = 16;
/// How many cases wait for the agent's work, for each request that may be in flight beside the first.
const WAITING: usize = 6;

/// The places of a run, which all its sessions share.
#[derive(Debug, Clone)]
pub struct Places {
    free: Arc<Semaphore>,
    all: usize,
    /// How many microseconds an answer usually takes, where that is learned.
    usual: Option<Arc<AtomicU64>>,
    load: Load,
}

impl Places {
    /// So many places, one at least.
    pub fn new(jobs: usize) -> Self {
        let all = jobs.clamp(1, Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(all)), all, usual: None, load: Load::default() }
    }

    /// Places that are given away by what takes much longer than usual: where an agent answers in milliseconds, those that wait for
    /// its work would keep others from asking.
    pub(crate) fn that_learn(jobs: usize) -> Self {
        let usual = AtomicU64::new(micros(HOLDS / TIMES_AS_USUAL));
        Self { usual: Some(Arc::new(usual)), ..Self::new(jobs) }
    }

    /// How many cases may be under way: with one place one, so that everything has an order.
    pub fn cases(&self) -> usize {
        if self.load.is_one_by_one() { 1 } else { (self.all - 1).saturating_mul(WAITING) + 1 }
    }

    /// What is under way in them.
    pub(crate) fn load(&self) -> &Load {
        &self.load
    }

    /// Makes a request in a place of its own, as soon as there is one.
    pub async fn take<T>(&self, request: impl Future<Output = T>) -> T {
        self.place().await.hold(request).await
    }

    /// Waits for a place.
    pub(crate) async fn place(&self) -> Place {
        // Nobody closes them.
        Place { permit: Arc::clone(&self.free).acquire_owned().await.ok(), of: self.clone() }
    }

    /// How long a request holds its place.
    fn holds(&self) -> Duration {
        let times_as_usual = |usual: &Arc<AtomicU64>| usual_of(usual) * TIMES_AS_USUAL;
        self.usual.as_ref().map_or(HOLDS, times_as_usual).clamp(LEAST_HELD, HOLDS)
    }

    /// Learns from an answer, or from its being late. The median is followed: however long some wait, it is the others that count;
    /// where most become slower, they hold their places longer again.
    fn learn(&self, took: Duration) {
        let Some(usual) = &self.usual else { return };
        let before = usual_of(usual);
        let now = if took > before { before + before / STEP } else { before - before / STEP };
        let now = now.clamp(LEAST_HELD / TIMES_AS_USUAL, HOLDS / TIMES_AS_USUAL);
        usual.store(micros(now), Ordering::Relaxed);
    }
}

fn usual_of(usual: &AtomicU64) -> Duration {
    Duration::from_micros(usual.load(Ordering::Relaxed))
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// A place that somebody has.
pub(crate) struct Place {
    of: Places,
    permit: Option<OwnedSemaphorePermit>,
}

impl Place {
    /// Makes a request in it, which goes on without a place once it has taken long.
    pub(crate) async fn hold<T>(self, request: impl Future<Output = T>) -> T {
        let Self { of, permit } = self;
        let _under_way = of.load.request();
        let began = Instant::now();
        let mut request = pin!(request);
        let answer = tokio::time::timeout(of.holds(), &mut request).await;
        of.learn(began.elapsed());
        drop(permit);
        match answer {
            Ok(answer) => answer,
            Err(_) => request.await,
        }
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
        places.load().go_one_by_one();
        assert_eq!(places.cases(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_much_longer_than_usual_gives_its_place_away_once_that_is_learned() {
        let places = Places::that_learn(1);
        let answer = |time| places.take(tokio::time::sleep(Duration::from_millis(time)));
        assert_eq!(places.holds(), HOLDS);
        for _ in 0..100 {
            answer(5).await;
        }
        let fast = places.holds();
        assert!(fast >= Duration::from_millis(18) && fast < Duration::from_millis(22), "{fast:?}");
        // Some that wait for the agent's work change little; where most are slower, each holds its place longer again.
        for number in 0..100 {
            answer(if number % 3 == 0 { 2_000 } else { 5 }).await;
        }
        assert!(places.holds() < fast * 3 / 2, "{:?}", places.holds());
        for _ in 0..100 {
            answer(100).await;
        }
        assert_eq!(places.holds(), HOLDS);
        let fixed = Places::new(1);
        for _ in 0..100 {
            fixed.take(async {}).await;
        }
        assert_eq!(fixed.holds(), HOLDS);
    }
}
