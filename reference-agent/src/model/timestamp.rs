use std::fmt;

use jiff::SignedDuration;
use jiff::civil::DateTime;

/// The first moment of the calendar, 0001-01-01T00:00:00Z, in seconds since 1970 (`google.protobuf.Timestamp`).
const FIRST_SECOND: i64 = -62_135_596_800;

/// The last second of the calendar, 9999-12-31T23:59:59Z, in seconds since 1970.
const LAST_SECOND: i64 = 253_402_300_799;

const NANOSECONDS: i128 = 1_000_000_000;

/// A moment of the years 1 to 9999, as time since 1970: what protobuf's JSON form can write. This agent makes moments
/// with milliseconds, and reads them to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(SignedDuration);

impl Timestamp {
    /// 1970-01-01T00:00:00.000Z.
    #[cfg(test)]
    pub const UNIX_EPOCH: Self = Self(SignedDuration::ZERO);

    /// 0001-01-01T00:00:00Z.
    pub const MIN: Self = Self(SignedDuration::new(FIRST_SECOND, 0));

    /// 9999-12-31T23:59:59.999999999Z.
    pub const MAX: Self = Self(SignedDuration::new(LAST_SECOND, 999_999_999));

    /// The moment `milliseconds` after 1970. A moment beyond the calendar becomes its last one.
    pub fn from_milliseconds(milliseconds: i64) -> Self {
        Self::within_calendar(SignedDuration::from_millis(milliseconds)).unwrap_or(Self::MAX)
    }

    /// Whole milliseconds since 1970.
    pub fn milliseconds(self) -> i64 {
        i64::try_from(self.nanoseconds().div_euclid(1_000_000)).unwrap_or_default()
    }

    /// The moment `nanoseconds` after 1970; `None` for one beyond the calendar.
    pub fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        let seconds = i64::try_from(nanoseconds.div_euclid(NANOSECONDS)).ok()?;
        let rest = i32::try_from(nanoseconds.rem_euclid(NANOSECONDS)).ok()?;
        Self::within_calendar(SignedDuration::from_secs(seconds).checked_add(SignedDuration::new(0, rest))?)
    }

    /// Nanoseconds since 1970.
    pub fn nanoseconds(self) -> i128 {
        self.0.as_nanos()
    }

    fn within_calendar(since_1970: SignedDuration) -> Option<Self> {
        let moment = Self(since_1970);
        (Self::MIN..=Self::MAX).contains(&moment).then_some(moment)
    }

    /// Midnight at the beginning of 1970, UTC.
    const fn epoch() -> DateTime {
        jiff::civil::datetime(1970, 1, 1, 0, 0, 0, 0)
    }

    /// Reads a timestamp as the JSON form of protobuf allows it: `2025-10-28T10:30:00.5Z`, or with an offset such as
    /// `+02:00` in the place of `Z`. Section 5.6.1 asks for `Z`; reading an offset hurts nobody.
    ///
    /// The grammar is checked here because the calendar library reads more than RFC 3339 allows. Its own moments end
    /// before the year 9999 does, so that every time zone can show them; its dates without a zone do not.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let digits =
            |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
        let is = |index: usize, byte: u8| bytes.get(index) == Some(&byte);
        let number = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u32>().ok());

        let date_and_time = digits(0..4)
            && is(4, b'-')
            && digits(5..7)
            && is(7, b'-')
            && digits(8..10)
            && is(10, b'T')
            && digits(11..13)
            && is(13, b':')
            && digits(14..16)
            && is(16, b':')
            && digits(17..19);
        let in_range = number(0..4)? >= 1 && number(11..13)? <= 23 && number(17..19)? <= 59;

        let rest = text.get(19..)?;
        let zone = match rest.strip_prefix('.') {
            None => rest,
            Some(fraction) => {
                let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
                if !(1..=9).contains(&length) {
                    return None;
                }
                fraction.get(length..)?
            }
        };
        let zone = zone.as_bytes();
        let two_digits = |from: usize, most: i64| match (zone.get(from), zone.get(from + 1)) {
            (Some(tens @ b'0'..=b'9'), Some(ones @ b'0'..=b'9')) => {
                Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0')).filter(|number| *number <= most)
            }
            _ => None,
        };
        let offset = match zone {
            b"Z" => SignedDuration::ZERO,
            [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
                let minutes = two_digits(1, 23)? * 60 + two_digits(4, 59)?;
                SignedDuration::from_mins(if *sign == b'+' { minutes } else { -minutes })
            }
            _ => return None,
        };
        if !(date_and_time && in_range) {
            return None;
        }
        let local: DateTime = text.get(..text.len() - zone.len())?.parse().ok()?;
        Self::within_calendar(local.duration_since(Self::epoch()).checked_sub(offset)?)
    }

    /// The moment as HTTP writes it (RFC 9110, section 5.6.7).
    pub fn to_http_date(self) -> String {
        let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
        let moment = jiff::Timestamp::from_duration(self.0).unwrap_or(jiff::Timestamp::MAX);
        printer.timestamp_to_rfc9110_string(&moment).unwrap_or_default()
    }

    /// Reads what [`Self::to_http_date`] writes.
    pub fn from_http_date(text: &str) -> Option<Self> {
        jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok().map(|moment| Self(moment.as_duration()))
    }
}

impl fmt::Display for Timestamp {
    /// UTC with milliseconds and `Z` (section 5.6.1).
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The bounds of this type are within those of the library's dates.
        let shown = Self::epoch().checked_add(self.0).map_err(|_| fmt::Error)?;
        write!(formatter, "{shown:.3}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_milliseconds_and_z() {
        assert_eq!(Timestamp::from_milliseconds(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::from_milliseconds(1_761_647_400_120).to_string(), "2025-10-28T10:30:00.120Z");
    }

    #[test]
    fn reads_offsets_and_fractions() {
        let noon = Timestamp::parse("2025-10-28T12:00:00Z").unwrap();
        assert_eq!(Timestamp::parse("2025-10-28T14:00:00+02:00"), Some(noon));
        assert_eq!(Timestamp::parse("2025-10-28T12:00:00.000000000Z"), Some(noon));
        assert!(Timestamp::parse("2025-10-28T12:00:00.000000001Z").unwrap() > noon);
    }

    #[test]
    fn the_calendar_has_the_bounds_of_protobuf() {
        let first = Timestamp::parse("0001-01-01T00:00:00Z").unwrap();
        let last = Timestamp::parse("9999-12-31T23:59:59.999999999Z").unwrap();
        assert_eq!((first, last), (Timestamp::MIN, Timestamp::MAX));
        assert_eq!(first.to_string(), "0001-01-01T00:00:00.000Z");
        assert_eq!(last.to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Timestamp::from_nanoseconds(first.nanoseconds()), Some(first));
        assert_eq!(Timestamp::from_nanoseconds(last.nanoseconds()), Some(last));
        assert_eq!(Timestamp::from_nanoseconds(first.nanoseconds() - 1), None);
        assert_eq!(Timestamp::from_nanoseconds(last.nanoseconds() + 1), None);
        // The offset decides, not the digits.
        assert_eq!(Timestamp::parse("0001-01-01T02:00:00+02:00"), Some(first));
        assert_eq!(Timestamp::parse("9999-12-31T21:59:59.999999999-02:00"), Some(last));
        for beyond in ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "0001-01-01T01:59:59.999999999+02:00"]
        {
            assert_eq!(Timestamp::parse(beyond), None, "{beyond}");
        }
    }

    #[test]
    fn moments_before_1970_round_down_to_milliseconds() {
        let moment = Timestamp::from_nanoseconds(-1).unwrap();
        assert_eq!((moment.nanoseconds(), moment.milliseconds()), (-1, -1));
        assert_eq!(moment.to_string(), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn refuses_what_is_no_timestamp() {
        for text in [
            "",
            "2025-10-28",
            "2025-10-28T12:00:00",
            "2025-10-28 12:00:00Z",
            "2025-10-28t12:00:00Z",
            "2025-10-28T12:00:00z",
            "2025-10-28T12:00Z",
            "2025-13-28T12:00:00Z",
            "2025-02-29T12:00:00Z",
            "2025-10-28T24:00:00Z",
            "2025-10-28T12:00:60Z",
            "0000-10-28T12:00:00Z",
            "10000-10-28T12:00:00Z",
            "2025-10-28T12:00:00.Z",
            "2025-10-28T12:00:00.0000000000Z",
            "2025-10-28T12:00:00+0200",
            "2025-10-28T12:00:00+24:00",
            "2025-10-28T12:00:00Z[UTC]",
            "2025-10-28T12:00:00,5Z",
            " 2025-10-28T12:00:00Z",
            "2025-10-28T12:00:00Zé",
            "２025-10-28T12:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn http_dates_are_read_back() {
        let moment = Timestamp::from_milliseconds(1_761_647_400_000);
        assert_eq!(moment.to_http_date(), "Tue, 28 Oct 2025 10:30:00 GMT");
        assert_eq!(Timestamp::from_http_date("Tue, 28 Oct 2025 10:30:00 GMT"), Some(moment));
    }
}
