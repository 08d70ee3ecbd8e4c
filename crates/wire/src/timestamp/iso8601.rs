//! A date and time of day in any form that ISO 8601 allows.

use super::{Cursor, Instant, Timestamp, TimestampError, Why, Zone, calendar};

/// ISO 8601 writes the minus sign where it can be had; everyone writes a hyphen.
const SIGNS: [char; 3] = ['+', '-', '\u{2212}'];

/// Reads a combined date and time of ISO 8601, with or without a zone: calendar, ordinal and week dates; extended and
/// basic format; seconds and minutes may be missing; the last part of the time may have a fraction after a point or a
/// comma; 24:00 is the end of a day and second 60 is allowed. As common writers do, the zone may be in basic format after
/// an extended time, and `T` and `Z` in lower case. Refused are a date or a time alone, parts of both formats mixed, and
/// what needs mutual agreement (years beyond four digits, no `T`).
///
/// # Errors
/// The first place where no form fits.
pub fn iso8601_lenient(text: &str) -> Result<Timestamp, TimestampError> {
    let mut cursor = Cursor::new(text);
    let (day, date_format) = date(&mut cursor)?;
    let separator = cursor.expect(&['T', 't'], "'T'")?;
    let time = time(&mut cursor, date_format)?;
    let zone = zone(&mut cursor)?;
    cursor.end()?;
    let billionth = 1_000_000_000;
    let nanos = u128::from(time.fraction) * u128::from(time.unit);
    let carried = i64::try_from(nanos / billionth).unwrap_or(0);
    Ok(Timestamp {
        separator,
        fraction_digits: time.fraction_digits,
        zone,
        instant: Instant {
            seconds: day * 86_400 + i64::from(time.seconds) + carried - zone.seconds(),
            nanos: u32::try_from(nanos % billionth).unwrap_or(0),
        },
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Basic,
    Extended,
}

fn date(cursor: &mut Cursor<'_>) -> Result<(i64, Format), TimestampError> {
    let year = cursor.number(4, "four-digit year", 0..=9999)?;
    let format = match cursor.take(&['-']) {
        Some(_) => Format::Extended,
        None => Format::Basic,
    };
    let is_extended = format == Format::Extended;
    let day = if cursor.take(&['W']).is_some() {
        let week = cursor.number(2, "two-digit week", 1..=calendar::weeks_in_year(year))?;
        if is_extended {
            cursor.expect(&['-'], "'-'")?;
        }
        let weekday = cursor.number(1, "day of the week", 1..=7)?;
        calendar::first_monday(year) + i64::from((week - 1) * 7 + weekday - 1)
    } else if cursor.digits_ahead() == 3 {
        let day = cursor.number(3, "day of the year", 1..=calendar::days_in_year(year))?;
        calendar::first_day(year) + i64::from(day) - 1
    } else {
        let month = cursor.number(2, "two-digit month", 1..=12)?;
        if is_extended {
            cursor.expect(&['-'], "'-'")?;
        }
        let day = cursor.number(2, "two-digit day", 1..=calendar::days_in_month(year, month))?;
        calendar::day(year, month, day)
    };
    Ok((day, format))
}

struct Time {
    seconds: u32,
    fraction_digits: usize,
    /// Of the last part, in units of 10⁻⁹.
    fraction: u32,
    /// Seconds in one unit of the last part.
    unit: u32,
}

fn time(cursor: &mut Cursor<'_>, date_format: Format) -> Result<Time, TimestampError> {
    let start = cursor.at;
    let hour = cursor.number(2, "two-digit hour", 0..=24)?;
    let mut time = Time { seconds: hour * 3600, fraction_digits: 0, fraction: 0, unit: 3600 };
    let mut format = None;
    for (field, unit, largest) in [("two-digit minute", 60, 59), ("two-digit second", 1, 60)] {
        let here = if cursor.peek() == Some(':') {
            Format::Extended
        } else if cursor.digits_ahead() > 0 {
            Format::Basic
        } else {
            break;
        };
        if here != *format.get_or_insert(here) || here != date_format {
            return Err(cursor.wrong(Why::MixedFormats));
        }
        if here == Format::Extended {
            cursor.expect(&[':'], "':'")?;
        }
        time.seconds += cursor.number(2, field, 0..=largest)? * unit;
        time.unit = unit;
    }
    if cursor.take(&['.', ',']).is_some() {
        (time.fraction_digits, time.fraction) = cursor.fraction()?;
    }
    let past_midnight = time.seconds > 86_400 || (time.seconds == 86_400 && time.fraction > 0);
    if hour == 24 && past_midnight {
        let why = Why::OutOfRange { field: "two-digit hour", value: hour };
        return Err(TimestampError { at: start, why });
    }
    Ok(time)
}

fn zone(cursor: &mut Cursor<'_>) -> Result<Zone, TimestampError> {
    match cursor.take(&['Z', 'z']) {
        Some('Z') => return Ok(Zone::UpperZ),
        Some(_) => return Ok(Zone::LowerZ),
        None => {}
    }
    let Some(sign) = cursor.take(&SIGNS) else {
        return Ok(Zone::Missing);
    };
    let hours = cursor.number(2, "two-digit offset hour", 0..=23)?;
    let minutes = if cursor.take(&[':']).is_some() || cursor.digits_ahead() > 0 {
        cursor.number(2, "two-digit offset minute", 0..=59)?
    } else {
        0
    };
    Ok(Zone::east(sign == '+', hours, minutes))
}

#[cfg(test)]
mod tests {
    use super::super::rfc3339;
    use super::*;

    #[test]
    fn all_forms_of_one_instant_agree() {
        let instant = rfc3339("1985-04-12T23:20:30Z").unwrap().instant;
        for text in [
            "1985-04-12T23:20:30Z",
            "1985-04-12T23:20:30",
            "1985-04-12t23:20:30z",
            "1985-04-12T23:20:30+00",
            "1985-04-13T00:20:30+01",
            "1985-04-13T00:20:30+0100",
            "1985-04-13T00:20:30+01:00",
            "1985-04-13T00:50:30+01:30",
            "1985-04-12T22:20:30\u{2212}01:00",
            "1985-04-12T23:20:30.000",
            "1985-04-12T23:20:30,0Z",
            "1985-04-12T23:20.5Z",
            "1985-04-12T23,341666667Z",
            "19850412T232030Z",
            "19850412T232030",
            "1985102T232030Z",
            "1985-102T23:20:30Z",
            "1985W155T232030Z",
            "1985-W15-5T23:20:30Z",
        ] {
            let mut read = iso8601_lenient(text).unwrap_or_else(|error| panic!("{text}: {error}")).instant;
            if text.contains("341666667") {
                read.nanos = 0;
            }
            assert_eq!(read, instant, "{text}");
        }
        assert_eq!(
            iso8601_lenient("1985-04-12T24:00:00Z").unwrap().instant,
            rfc3339("1985-04-13T00:00:00Z").unwrap().instant
        );
        assert!(iso8601_lenient("2016-12-31T23:59:60Z").is_ok());
        assert_eq!(iso8601_lenient("2024-01-01T00:00:00").unwrap().zone, Zone::Missing);
    }

    #[test]
    fn reads_the_first_and_the_last_of_everything() {
        for (text, same) in [
            ("0000-01-01T00:00:00", "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59", "9999-12-31T23:59:59Z"),
            ("2024-W01-1T00:00:00", "2024-01-01T00:00:00Z"),
            ("2020-W53-7T00:00:00", "2021-01-03T00:00:00Z"),
            ("2024-001T00:00:00", "2024-01-01T00:00:00Z"),
            ("2024-366T00:00:00", "2024-12-31T00:00:00Z"),
            ("2024-01-01T23,5", "2024-01-01T23:30:00Z"),
            ("2024-01-01T00:00:00+23:59", "2023-12-31T00:01:00Z"),
        ] {
            assert_eq!(iso8601_lenient(text).unwrap().instant, rfc3339(same).unwrap().instant, "{text}");
        }
        assert_eq!(iso8601_lenient("2024-01-01T00:00:00").unwrap().fraction_digits, 0);
    }

    #[test]
    fn refuses_the_rest() {
        for (text, at) in [
            ("2024-01-01", 10),
            ("10:00:00", 2),
            ("2024-01-01 10:00:00", 10),
            ("2024-01-01T", 11),
            ("2024-01T10:00", 7),
            ("2024-01-01T1000", 13),
            ("20240101T10:00", 11),
            ("2024-01-01T10:0000", 16),
            ("2024-01-01T24:00:01", 11),
            ("2024-01-01T24:00:00.1", 11),
            ("2024-01-01T24:00:00.000000001", 11),
            ("2024-01-01T25:00:00", 11),
            ("2024-01-01T10:60:00", 14),
            ("2024-01-01T10:00:61", 17),
            ("2024-01-01T10:00:00+24:00", 20),
            ("2024-01-01T10:00:00+01:60", 23),
            ("2024-13-01T10:00:00", 5),
            ("2024-W01-8T10:00:00", 9),
            ("2024-01-01T10:00:00.", 20),
            ("2024-01-01T10:00:00+", 20),
            ("2024-01-01T10:00:00+1", 21),
            ("2024-01-01T10:00:00+01:", 23),
            ("2024-01-01T10:00:00 UTC", 19),
            ("2024-W53-1T10:00:00", 6),
            ("2023-366T10:00:00", 5),
            ("2023-02-29T10:00:00", 8),
            ("1700000000", 4),
            ("", 0),
        ] {
            assert_eq!(iso8601_lenient(text).map_err(|error| error.at), Err(at), "{text:?}");
        }
    }
}
