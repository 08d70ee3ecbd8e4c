//! The proleptic Gregorian calendar, in days since 1970-01-01.

/// Whether `year` has a 29th of February.
pub(super) fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Days of a month, which is 1 to 12.
pub(super) fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of a year.
pub(super) fn days_in_year(year: u32) -> u32 {
    if is_leap(year) { 366 } else { 365 }
}

/// The first of January of `year`.
pub(super) fn first_day(year: u32) -> i64 {
    /// Days from 0000-01-01 to 1970-01-01.
    const EPOCH: i64 = 719_528;
    let year = i64::from(year);
    let leap_years = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    year * 365 + leap_years - EPOCH
}

/// The day of a calendar date.
pub(super) fn day(year: u32, month: u32, day: u32) -> i64 {
    let before: u32 = (1..month).map(|month| days_in_month(year, month)).sum();
    first_day(year) + i64::from(before) + i64::from(day) - 1
}

/// The Monday of week 1 of `year` (ISO 8601: the week that holds the fourth of January).
pub(super) fn first_monday(year: u32) -> i64 {
    let fourth = first_day(year) + 3;
    // 1970-01-01 was a Thursday, three days after a Monday.
    fourth - (fourth + 3).rem_euclid(7)
}

/// Weeks of an ISO week year, 52 or 53.
pub(super) fn weeks_in_year(year: u32) -> u32 {
    if first_monday(year + 1) - first_monday(year) > 52 * 7 { 53 } else { 52 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_days() {
        assert_eq!(day(1970, 1, 1), 0);
        assert_eq!(day(1969, 12, 31), -1);
        assert_eq!(day(2000, 3, 1), 11_017);
        assert_eq!(day(2024, 2, 29), 19_782);
        assert_eq!(day(0, 1, 1), -719_528);
        assert_eq!(day(9999, 12, 31), 2_932_896);
        for year in 0..9999 {
            assert_eq!(first_day(year + 1) - first_day(year), i64::from(days_in_year(year)), "{year}");
        }
    }

    #[test]
    fn knows_the_months() {
        let of = |year| (1..=12).map(|month| days_in_month(year, month)).collect::<Vec<_>>();
        assert_eq!(of(2023), [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
        assert_eq!([2000, 1900, 2024, 2023].map(|year| days_in_month(year, 2)), [29, 28, 29, 28]);
    }

    #[test]
    fn counts_weeks() {
        assert_eq!(first_monday(2008), day(2007, 12, 31));
        assert_eq!(first_monday(2010), day(2010, 1, 4));
        assert_eq!(first_monday(2005), day(2005, 1, 3));
        assert_eq!([2004, 2005, 2009, 2015, 2020, 2024].map(weeks_in_year), [53, 52, 53, 53, 53, 52]);
    }
}
