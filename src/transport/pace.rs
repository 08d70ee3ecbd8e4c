//! The pace of a run: how many requests go to the agent in a second, where the user says how many may.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// When requests may go.
#[derive(Debug, Default)]
pub(super) struct Pace(Option<Turns>);

#[derive(Debug)]
struct Turns {
    between: Duration,
    /// When the next request may go.
    next: Mutex<Instant>,
}

impl Pace {
    /// At most `rate` requests a second; as fast as they come where it is nothing, or no number above 0.
    pub(super) fn new(rate: Option<f64>) -> Self {
        let between = rate.and_then(|rate| crate::clock::seconds(1.0 / rate));
        Self(between.map(|between| Turns { between, next: Mutex::new(Instant::now()) }))
    }

    /// Waits for the turn of one more request: where none is to be waited for, not even as long as a clock's tick.
    pub(super) async fn turn(&self) {
        let Some(turns) = &self.0 else { return };
        let turn = {
            let mut next = turns.next.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = (*next).max(Instant::now());
            *next = turn + turns.between;
            turn
        };
        tokio::time::sleep_until(turn).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_go_at_the_pace_that_is_said_and_what_was_not_used_is_not_made_up_for() {
        let began = Instant::now();
        let paces = [(None, 0), (Some(4.0), 500), (Some(0.5), 4_000), (Some(f64::INFINITY), 0), (Some(-1.0), 0)];
        for (rate, milliseconds) in paces {
            let (pace, began) = (Pace::new(rate), Instant::now());
            futures_util::future::join_all((0..3).map(|_| pace.turn())).await;
            assert_eq!(began.elapsed().as_millis(), milliseconds, "{rate:?}");
        }
        let pace = Pace::new(Some(1.0));
        pace.turn().await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let later = Instant::now();
        futures_util::future::join_all((0..3).map(|_| pace.turn())).await;
        assert_eq!(later.elapsed(), Duration::from_secs(2));
        assert!(began.elapsed() > Duration::from_secs(5));
    }
}
