//! Timestamps by their grammar: RFC 3339, and whatever ISO 8601 calls a date and time. No clock is involved.

mod calendar;
mod iso8601;
mod rfc3339;

use thiserror::Error;

pub use iso8601::iso8601_lenient;
pub use rfc3339::rfc3339;

/// A point in time as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp {
    /// What stands between date and time: `T` or `t`.
    pub separator: char,
    /// Digits after the decimal sign; 0 without one.
    pub fraction_digits: usize,
    /// How the zone is given.
    pub zone: Zone,
    /// When it is. Without a zone the time is taken as UTC.
    pub instant: Instant,
}

/// Seconds and nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted; ordered by time. Digits beyond the
/// nanosecond are cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    /// Whole seconds, rounded down, so negative before 1970.
    pub seconds: i64,
    /// Nanoseconds after that, less than 1,000,000,000.
    pub nanos: u32,
}

impl Instant {
    /// The beginning of its millisecond.
    #[must_use]
    pub fn to_milliseconds(self) -> Self {
        Self { nanos: self.nanos - self.nanos % 1_000_000, ..self }
    }
}

/// How the zone of a timestamp is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// `Z`
    UpperZ,
    /// `z`, which RFC 3339 section 5.6 allows.
    LowerZ,
    /// A difference from UTC, east positive.
    Offset {
        /// Its length in minutes, less than a day either way.
        minutes: i32,
    },
    /// None: local time of nobody knows where.
    Missing,
}

impl Timestamp {
    /// Whether it is written with `T` and `Z`, both in upper case: the one spelling of UTC on which all agree.
    #[must_use]
    pub fn is_canonical_utc(&self) -> bool {
        self.separator == 'T' && self.zone == Zone::UpperZ
    }

    /// The difference from UTC in minutes; `None` if no zone is given.
    #[must_use]
    pub fn offset(&self) -> Option<i32> {
        match self.zone {
            Zone::UpperZ | Zone::LowerZ => Some(0),
            Zone::Offset { minutes } => Some(minutes),
            Zone::Missing => None,
        }
    }
}

/// Why a text is no timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{why} at byte {at}")]
pub struct TimestampError {
    /// Byte offset.
    pub at: usize,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong with a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Why {
    /// Something else should stand here.
    #[error("no {0}")]
    Expected(&'static str),
    /// Text follows where the timestamp is complete.
    #[error("text after the timestamp")]
    Trailing,
    /// A number that no clock or calendar shows.
    #[error("{field} {value} out of range")]
    OutOfRange {
        /// Which number.
        field: &'static str,
        /// Its value.
        value: u32,
    },
    /// Second 60. RFC 3339 section 5.7 allows it in a leap second; hardly a reader does, and whether there was one only
    /// a table can tell.
    #[error("leap second")]
    LeapSecond,
    /// Date in basic format and time in extended format, or the other way round (ISO 8601 allows either, not both).
    #[error("basic and extended format mixed")]
    MixedFormats,
}

/// A cursor over the text that counts bytes.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character if it is one of `any`.
    fn take(&mut self, any: &[char]) -> Option<char> {
        let found = self.peek().filter(|c| any.contains(c))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn expect(&mut self, any: &[char], name: &'static str) -> Result<char, TimestampError> {
        self.take(any).ok_or(self.wrong(Why::Expected(name)))
    }

    /// How many digits come next.
    fn digits_ahead(&self) -> usize {
        self.rest().bytes().take_while(u8::is_ascii_digit).count()
    }

    /// Exactly `count` digits, at most nine, whose value lies in `range`.
    fn number(
        &mut self,
        count: usize,
        field: &'static str,
        range: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, TimestampError> {
        let digits = self.rest().get(..count).unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            let at = self.at + self.digits_ahead().min(count);
            return Err(TimestampError { at, why: Why::Expected(field) });
        }
        let value = digits.bytes().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
        if !range.contains(&value) {
            return Err(self.wrong(Why::OutOfRange { field, value }));
        }
        self.at += count;
        Ok(value)
    }

    /// One digit or more after a decimal sign: how many, and their value in units of 10⁻⁹.
    fn fraction(&mut self) -> Result<(usize, u32), TimestampError> {
        let count = self.digits_ahead();
        if count == 0 {
            return Err(self.wrong(Why::Expected("digit after the decimal sign")));
        }
        let digits = self.rest().bytes().take(count).chain(std::iter::repeat(b'0'));
        let nanos = digits.take(9).fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
        self.at += count;
        Ok((count, nanos))
    }

    fn end(&self) -> Result<(), TimestampError> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.wrong(Why::Trailing)) }
    }

    fn wrong(&self, why: Why) -> TimestampError {
        TimestampError { at: self.at, why }
    }
}
