//! The `date-time` of RFC 3339 section 5.6.

use super::{Cursor, Instant, Timestamp, TimestampError, Why, Zone, calendar};

/// Reads an RFC 3339 `date-time`. `T` and `Z` may be in lower case; a space instead of `T` is refused, since the grammar
/// has none, and so is second 60 ([`Why::LeapSecond`], for whoever wants to forgive it).
///
/// # Errors
/// The first place where the text leaves the grammar or the calendar.
pub fn rfc3339(text: &str) -> Result<Timestamp, TimestampError> {
    let mut cursor = Cursor::new(text);
    let year = cursor.number(4, "four-digit year", 0..=9999)?;
    cursor.expect(&['-'], "'-'")?;
    let month = cursor.number(2, "two-digit month", 1..=12)?;
    cursor.expect(&['-'], "'-'")?;
    let day = cursor.number(2, "two-digit day", 1..=calendar::days_in_month(year, month))?;
    let separator = cursor.expect(&['T', 't'], "'T'")?;
    let hour = cursor.number(2, "two-digit hour", 0..=23)?;
    cursor.expect(&[':'], "':'")?;
    let minute = cursor.number(2, "two-digit minute", 0..=59)?;
    cursor.expect(&[':'], "':'")?;
    if cursor.rest().starts_with("60") {
        return Err(cursor.wrong(Why::LeapSecond));
    }
    let second = cursor.number(2, "two-digit second", 0..=59)?;
    let (fraction_digits, nanos) = match cursor.take(&['.']) {
        Some(_) => cursor.fraction()?,
        None => (0, 0),
    };
    let zone = match cursor.expect(&['Z', 'z', '+', '-'], "zone")? {
        'Z' => Zone::UpperZ,
        'z' => Zone::LowerZ,
        sign => {
            let hours = cursor.number(2, "two-digit offset hour", 0..=23)?;
            cursor.expect(&[':'], "':'")?;
            let minutes = cursor.number(2, "two-digit offset minute", 0..=59)?;
            Zone::east(sign == '+', hours, minutes)
        }
    };
    cursor.end()?;
    let seconds = calendar::day(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
    Ok(Timestamp { separator, fraction_digits, zone, instant: Instant { seconds: seconds - zone.seconds(), nanos } })
}

impl Zone {
    /// The zone of a signed difference.
    pub(super) fn east(is_east: bool, hours: u32, minutes: u32) -> Self {
        let length = i32::try_from(hours * 60 + minutes).unwrap_or(0);
        Self::Offset { minutes: if is_east { length } else { -length } }
    }

    /// How many seconds local time is ahead of UTC.
    pub(super) fn seconds(self) -> i64 {
        match self {
            Self::Offset { minutes } => i64::from(minutes) * 60,
            Self::UpperZ | Self::LowerZ | Self::Missing => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(text: &str) -> (i64, u32) {
        let Instant { seconds, nanos } = rfc3339(text).unwrap().instant;
        (seconds, nanos)
    }

    #[test]
    fn reads_the_examples_of_section_5_8() {
        assert_eq!(instant("1985-04-12T23:20:50.52Z"), (482_196_050, 520_000_000));
        assert_eq!(instant("1996-12-19T16:39:57-08:00"), instant("1996-12-20T00:39:57Z"));
        assert_eq!(instant("1937-01-01T12:00:27.87+00:20"), (-1_041_337_173, 870_000_000));
        assert_eq!(rfc3339("1990-12-31T23:59:60Z"), Err(TimestampError { at: 17, why: Why::LeapSecond }));
    }

    #[test]
    fn reads_the_first_and_the_last_year() {
        assert_eq!(instant("0000-01-01T00:00:00Z"), (-62_167_219_200, 0));
        assert_eq!(instant("9999-12-31T23:59:59Z"), (253_402_300_799, 0));
    }

    #[test]
    fn keeps_the_spelling() {
        let stamp = rfc3339("2025-10-28T10:30:00.000Z").unwrap();
        assert_eq!((stamp.fraction_digits, stamp.zone, stamp.separator), (3, Zone::UpperZ, 'T'));
        assert!(stamp.offset() == Some(0) && stamp.is_canonical_utc());
        let stamp = rfc3339("2025-10-28t10:30:00z").unwrap();
        assert_eq!((stamp.fraction_digits, stamp.zone, stamp.separator), (0, Zone::LowerZ, 't'));
        assert!(stamp.offset() == Some(0) && !stamp.is_canonical_utc());
        let stamp = rfc3339("2025-10-28T10:30:00-00:00").unwrap();
        assert!(stamp.offset() == Some(0) && !stamp.is_canonical_utc());
        assert_eq!(rfc3339("2025-10-28T10:30:00-05:30").unwrap().offset(), Some(-330));
        assert_eq!(instant("1969-12-31T23:59:59.9999999999Z"), (-1, 999_999_999));
        assert_eq!(rfc3339("2000-02-29T00:00:00.1234567891234Z").unwrap().fraction_digits, 13);
    }

    #[test]
    fn refuses_the_rest() {
        for (text, at) in [
            ("", 0),
            ("2025-10-28", 10),
            ("2025-10-28T10:30Z", 16),
            ("2025-10-28 10:30:00Z", 10),
            ("2025-10-28T10:30:00", 19),
            ("2025-10-28T10:30:00.Z", 20),
            ("2025-10-28T10:30:00,5Z", 19),
            ("2025-10-28T10:30:00+0100", 22),
            ("2025-10-28T10:30:00+01", 22),
            ("2025-10-28T10:30:00+24:00", 20),
            ("2025-10-28T10:30:00+01:60", 23),
            ("2025-10-28T10:30:00Z[UTC]", 20),
            ("2025-10-28T10:30:00Z ", 20),
            (" 2025-10-28T10:30:00Z", 0),
            ("20251028T103000Z", 4),
            ("2025-13-28T10:30:00Z", 5),
            ("2025-00-28T10:30:00Z", 5),
            ("2025-02-29T10:30:00Z", 8),
            ("1900-02-29T10:30:00Z", 8),
            ("2025-04-31T10:30:00Z", 8),
            ("2025-04-00T10:30:00Z", 8),
            ("2025-10-28T24:00:00Z", 11),
            ("2025-10-28T10:60:00Z", 14),
            ("2025-10-28T10:30:61Z", 17),
            ("2025-1-28T10:30:00Z", 6),
            ("+002025-10-28T10:30:00Z", 0),
            ("2025-10-28T10:30:00−01:00", 19),
            ("2025‐10‐28", 4),
            ("٢٠٢٥-10-28T10:30:00Z", 0),
        ] {
            assert_eq!(rfc3339(text).map_err(|error| error.at), Err(at), "{text:?}");
        }
    }
}
