use std::fmt;

/// A moment. This agent makes them with milliseconds, and reads them to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// 1970-01-01T00:00:00.000Z.
    #[cfg(test)]
    pub const UNIX_EPOCH: Self = Self(jiff::Timestamp::UNIX_EPOCH);

    /// The moment `milliseconds` after 1970. A moment beyond the calendar (year 9999) becomes its last one.
    pub fn from_milliseconds(milliseconds: i64) -> Self {
        Self(jiff::Timestamp::from_millisecond(milliseconds).unwrap_or(jiff::Timestamp::MAX))
    }

    /// Whole milliseconds since 1970.
    pub fn milliseconds(self) -> i64 {
        self.0.as_millisecond()
    }

    /// The moment `nanoseconds` after 1970; `None` for one beyond the calendar.
    pub fn from_nanoseconds(nanoseconds: i128) -> Option<Self> {
        jiff::Timestamp::from_nanosecond(nanoseconds).ok().map(Self)
    }

    /// Nanoseconds since 1970.
    pub fn nanoseconds(self) -> i128 {
        self.0.as_nanosecond()
    }

    /// Reads a timestamp as the JSON form of protobuf allows it: `2025-10-28T10:30:00.5Z`, or with an offset such as
    /// `+02:00` in the place of `Z`. Section 5.6.1 asks for `Z`; reading an offset hurts nobody.
    ///
    /// The grammar is checked here because the calendar library reads more than RFC 3339 allows.
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
        let two_digits = |from: usize, most: u8| match (zone.get(from), zone.get(from + 1)) {
            (Some(tens @ b'0'..=b'9'), Some(ones @ b'0'..=b'9')) => (tens - b'0') * 10 + (ones - b'0') <= most,
            _ => false,
        };
        let zone_fits = zone == b"Z"
            || (zone.len() == 6
                && matches!(zone.first(), Some(b'+' | b'-'))
                && two_digits(1, 23)
                && zone.get(3) == Some(&b':')
                && two_digits(4, 59));

        if !(date_and_time && in_range && zone_fits) {
            return None;
        }
        text.parse().ok().map(Self)
    }

    /// The moment as HTTP writes it (RFC 9110, section 5.6.7).
    pub fn to_http_date(self) -> String {
        let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
        printer.timestamp_to_rfc9110_string(&self.0).unwrap_or_default()
    }

    /// Reads what [`Self::to_http_date`] writes.
    pub fn from_http_date(text: &str) -> Option<Self> {
        jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok().map(Self)
    }
}

impl fmt::Display for Timestamp {
    /// UTC with milliseconds and `Z` (section 5.6.1).
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.3}", self.0)
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
