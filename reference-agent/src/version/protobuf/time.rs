//! Moments: `google.protobuf.Timestamp`.

use prost_types::Timestamp as ProtoTimestamp;

use crate::core::Violation;
use crate::model::Timestamp;
use crate::version::field::Checked;

const NANOSECONDS: i128 = 1_000_000_000;

/// Reads a moment of the years 1 to 9999.
pub fn read_timestamp(timestamp: ProtoTimestamp) -> Checked<Timestamp> {
    let ProtoTimestamp { seconds, nanos } = timestamp;
    let is_normal = (0..1_000_000_000).contains(&nanos);
    Timestamp::from_nanoseconds(i128::from(seconds) * NANOSECONDS + i128::from(nanos))
        .filter(|_| is_normal)
        .ok_or_else(|| Violation::new("", "must be a moment between the years 1 and 9999"))
}

/// Writes a moment.
pub fn write_timestamp(timestamp: Timestamp) -> ProtoTimestamp {
    let nanoseconds = timestamp.nanoseconds();
    ProtoTimestamp {
        seconds: i64::try_from(nanoseconds.div_euclid(NANOSECONDS)).unwrap_or_default(),
        nanos: i32::try_from(nanoseconds.rem_euclid(NANOSECONDS)).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    const CALENDAR: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

    proptest! {
        #[test]
        fn moments_come_back(seconds in CALENDAR, nanos in 0..1_000_000_000_i32) {
            let timestamp = ProtoTimestamp { seconds, nanos };
            prop_assert_eq!(read_timestamp(timestamp).map(write_timestamp), Ok(timestamp));
        }
    }

    #[test]
    fn the_first_and_the_last_moment_are_read() {
        for (seconds, nanos) in [(*CALENDAR.start(), 0), (*CALENDAR.end(), 999_999_999)] {
            let timestamp = ProtoTimestamp { seconds, nanos };
            assert_eq!(read_timestamp(timestamp).map(write_timestamp), Ok(timestamp));
        }
    }

    #[test]
    fn moments_beyond_the_calendar_are_refused() {
        for (seconds, nanos) in [
            (CALENDAR.start() - 1, 999_999_999),
            (CALENDAR.end() + 1, 0),
            (i64::MIN, 0),
            (i64::MAX, 0),
            (0, -1),
            (0, 1_000_000_000),
            (0, i32::MIN),
        ] {
            assert!(read_timestamp(ProtoTimestamp { seconds, nanos }).is_err(), "{seconds} s {nanos} ns");
        }
    }
}
