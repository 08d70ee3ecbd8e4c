//! Timestamps as RFC 3339 writes them, as far as conditions look at them.

/// Seconds since 1970.
#[must_use]
pub fn seconds(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let zone = text.get(19..)?.trim_start_matches(|one: char| one == '.' || one.is_ascii_digit());
    let offset = match zone.as_bytes() {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), ..] if zone.len() == 6 => {
            let minutes = zone.get(1..3)?.parse::<i64>().ok()? * 60 + zone.get(4..6)?.parse::<i64>().ok()?;
            if *sign == b'+' { minutes * 60 } else { -minutes * 60 }
        }
        _ => return None,
    };
    Some(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset)
}

/// How many digits the fraction of the second has.
#[must_use]
pub fn digits(text: &str) -> Option<usize> {
    seconds(text)?;
    let fraction = text.get(19..)?.strip_prefix('.').unwrap_or_default();
    Some(fraction.chars().take_while(char::is_ascii_digit).count())
}

/// A timestamp, with so many digits of a fraction, and an offset of so many hours.
#[must_use]
pub fn write(seconds: i64, digits: usize, offset: Option<i64>) -> String {
    let local = seconds + offset.unwrap_or_default() * 3600;
    let (day, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, day) = date(day);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let fraction = if digits == 0 { String::new() } else { format!(".{}", "1".repeat(digits)) };
    let zone = offset.map_or_else(|| "Z".to_owned(), |hours| format!("{hours:+03}:00"));
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}")
}

/// Days since 1970 (the civil calendar, years that begin in March).
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

const fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    (year + era * 400 + if month <= 2 { 1 } else { 0 }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for at in [0_i64, 951_782_400, 1_700_000_000, 253_402_300_799, -62_135_596_800] {
            for (count, offset) in [(0, None), (3, Some(2)), (9, Some(-11))] {
                // An offset must not leave the four digits of a year.
                if offset.is_some() && at.abs() > 10_000_000_000 {
                    continue;
                }
                let text = write(at, count, offset);
                assert_eq!((seconds(&text), digits(&text)), (Some(at), Some(count)), "{text}");
            }
        }
        assert_eq!(write(951_782_400, 0, None), "2000-02-29T00:00:00Z");
        assert_eq!(seconds("now"), None);
    }
}
