use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::Timestamp;

/// How far the clock may run ahead of the time of day, in milliseconds: as many changes of state as a burst of clients
/// makes at once, each with a time of its own.
const MOST_AHEAD: i64 = 1000;

/// The agent's clock. It never goes back, and two readings differ as long as that does not take it too far ahead of
/// the time of day; so the order of status timestamps is the order of events (section 3.1.4 sorts by them).
#[derive(Debug, Default)]
pub struct Clock {
    last: i64,
}

impl Clock {
    /// The time now.
    pub fn now(&mut self) -> Timestamp {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.tick(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }

    fn tick(&mut self, time_of_day: i64) -> Timestamp {
        self.last = time_of_day.max(self.last.max((self.last + 1).min(time_of_day + MOST_AHEAD)));
        // A whole second would look like the time of a clock that knows no parts of one.
        if self.last % 1000 == 0 {
            self.last += 1;
        }
        Timestamp::from_milliseconds(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_differ_and_never_go_back() {
        let mut clock = Clock::default();
        let readings: Vec<i64> =
            [1000, 1000, 1000, 990, 1010].into_iter().map(|now| clock.tick(now).milliseconds()).collect();
        assert_eq!(readings, [1001, 1002, 1003, 1004, 1010]);
    }

    #[test]
    fn a_burst_does_not_leave_the_present() {
        let mut clock = Clock::default();
        for _ in 0..1000 {
            clock.tick(5000);
        }
        assert_eq!(clock.tick(5000).milliseconds(), 5001 + MOST_AHEAD);
        assert_eq!(clock.tick(4000).milliseconds(), 5001 + MOST_AHEAD);
    }
}
