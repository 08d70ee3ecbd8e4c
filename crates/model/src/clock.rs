//! The time of day, of a machine whose clock may be anywhere.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;

/// The longest time that anybody waits for anything, or that a token holds: what outsiders say of times is cut to it, so that no
/// moment is beyond what clocks can say. A hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A length of time, at most the longest.
pub fn bounded(time: Duration) -> Duration {
    time.min(LONGEST)
}

/// So many seconds, at most the longest time; nothing where that is no length of time.
pub fn seconds(seconds: f64) -> Option<Duration> {
    if seconds > LONGEST.as_secs_f64() { Some(LONGEST) } else { Duration::try_from_secs_f64(seconds).ok() }
}

/// So many milliseconds, which a report may have from anywhere.
pub fn milliseconds(number: f64) -> Duration {
    seconds(number / 1e3).unwrap_or_default()
}

/// The clock is beyond the year 9999, where dates have no form any more (RFC 3339 section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the clock of this machine is beyond the year 9999")]
pub struct BeyondDates;

/// The time now, or the last that has a form.
pub fn now() -> Timestamp {
    read(SystemTime::now()).unwrap_or(Timestamp::MAX)
}

/// The time now.
///
/// # Errors
/// It has no form.
pub fn check() -> Result<(), BeyondDates> {
    read(SystemTime::now()).map(drop)
}

fn read(time: SystemTime) -> Result<Timestamp, BeyondDates> {
    // A day of a time zone later is still to be a date.
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let after = time.checked_add(DAY).ok_or(BeyondDates)?;
    Timestamp::try_from(after).and(Timestamp::try_from(time)).map_err(|_| BeyondDates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_longer_than_the_longest() {
        assert_eq!([Duration::MAX, Duration::from_secs(1)].map(bounded), [LONGEST, Duration::from_secs(1)]);
        for (number, time) in
            [(1.5, Some(Duration::from_millis(1_500))), (1e300, Some(LONGEST)), (f64::INFINITY, Some(LONGEST))]
        {
            assert_eq!(seconds(number), time);
        }
        assert_eq!([seconds(f64::NAN), seconds(-1.0)], [None; 2]);
    }

    #[test]
    fn a_clock_beyond_dates_is_told() {
        let at = |seconds| read(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), Ok(Timestamp::UNIX_EPOCH));
        assert!(at(4_102_444_800).is_ok(), "the year 2100");
        assert_eq!(at(253_402_300_800), Err(BeyondDates), "the year 10000");
        assert_eq!(at(1 << 55), Err(BeyondDates));
    }
}
