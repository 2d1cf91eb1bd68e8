//! The calendar in integers: days since 1970-01-01 from and to years, months, weeks and quarters.
//!
//! The arithmetic counts years from March, so that the day that leap years add is a year's last.

/// Nanoseconds of a second.
pub const NANOS: i64 = 1_000_000_000;
/// Seconds of a day.
pub const DAY_SECONDS: i64 = 86_400;
/// Nanoseconds of a day.
pub const DAY_NANOS: i64 = DAY_SECONDS * NANOS;

/// The last year that there is; the first is as far before zero.
pub const LAST_YEAR: i64 = 999_999_999;

/// The days of 400 years.
const ERA: i64 = 146_097;

/// Whether there is such a year.
pub fn is_year(year: i64) -> bool {
    (-LAST_YEAR..=LAST_YEAR).contains(&year)
}

/// Whether a year has a day more.
pub fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The days of a year.
pub fn year_days(year: i64) -> i64 {
    365 + i64::from(is_leap(year))
}

/// The days of a month.
pub fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01. The year is one that there is, give or take a few; the day may be any.
pub fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let from_march = year - i64::from(month <= 2);
    let era = from_march.div_euclid(400);
    let of_era = from_march.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5;
    era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year + day - 1 - 719_468
}

/// The year, month and day of a day.
pub fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(ERA);
    let of_era = shifted.rem_euclid(ERA);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// The day of the week, from 1 on Mondays to 7.
pub fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// The Monday of a year's first week, which is the one with January 4.
pub fn first_monday(year: i64) -> i64 {
    let fourth = days_of(year, 1, 4);
    fourth - (weekday(fourth) - 1)
}

/// The year that a day's week belongs to, and the week.
pub fn week(days: i64) -> (i64, i64) {
    let thursday = days - (weekday(days) - 1) + 3;
    let year = civil(thursday).0;
    (year, (thursday - days_of(year, 1, 1)) / 7 + 1)
}

/// How many weeks a year has.
pub fn year_weeks(year: i64) -> i64 {
    (first_monday(year + 1) - first_monday(year)) / 7
}

/// The days of a quarter.
pub fn quarter_days(year: i64, quarter: i64) -> i64 {
    let first = quarter * 3 - 2;
    (first..first + 3).map(|month| month_days(year, month)).sum()
}
