//! A day.

use super::calendar::{self, LAST_YEAR};
use crate::value::Error;

/// A day, by the days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(i64);

/// A part of a date or time that there is not.
pub(super) fn invalid(part: &str, given: i64) -> Error {
    Error::temporal(format!("Invalid value for {part}: {given}"))
}

/// Refuses what is not within 1 and `last`.
fn within(part: &str, given: i64, last: i64) -> Result<i64, Error> {
    if (1..=last).contains(&given) { Ok(given) } else { Err(invalid(part, given)) }
}

/// Refuses a year that there is not.
fn a_year(year: i64) -> Result<i64, Error> {
    if calendar::is_year(year) { Ok(year) } else { Err(invalid("Year", year)) }
}

impl Date {
    /// The day so many days after 1970-01-01.
    pub fn from_days(days: i64) -> Result<Date, Error> {
        let first = calendar::days_of(-LAST_YEAR, 1, 1);
        let last = calendar::days_of(LAST_YEAR, 12, 31);
        let there = (first..=last).contains(&days);
        if there { Ok(Date(days)) } else { Err(invalid("EpochDay", days)) }
    }

    /// The day of what is known to be within a day that there is.
    pub(super) fn of_seconds(seconds: i64) -> Date {
        Date(seconds.div_euclid(calendar::DAY_SECONDS))
    }

    /// A day of a month.
    pub fn from_calendar(year: i64, month: i64, day: i64) -> Result<Date, Error> {
        let year = a_year(year)?;
        let month = within("MonthOfYear", month, 12)?;
        let day = within("DayOfMonth", day, calendar::month_days(year, month))?;
        Ok(Date(calendar::days_of(year, month, day)))
    }

    /// A day of a week.
    pub fn from_week(year: i64, week: i64, weekday: i64) -> Result<Date, Error> {
        let year = a_year(year)?;
        let week = within("WeekOfYear", week, calendar::year_weeks(year))?;
        let weekday = within("DayOfWeek", weekday, 7)?;
        Date::from_days(calendar::first_monday(year) + (week - 1) * 7 + weekday - 1)
    }

    /// A day of a quarter.
    pub fn from_quarter(year: i64, quarter: i64, day: i64) -> Result<Date, Error> {
        let year = a_year(year)?;
        let quarter = within("QuarterOfYear", quarter, 4)?;
        let day = within("DayOfQuarter", day, calendar::quarter_days(year, quarter))?;
        Date::from_days(calendar::days_of(year, quarter * 3 - 2, 1) + day - 1)
    }

    /// A day of a year.
    pub fn from_ordinal(year: i64, day: i64) -> Result<Date, Error> {
        let year = a_year(year)?;
        let day = within("DayOfYear", day, calendar::year_days(year))?;
        Date::from_days(calendar::days_of(year, 1, 1) + day - 1)
    }

    /// Days since 1970-01-01.
    pub fn days(self) -> i64 {
        self.0
    }

    /// Its year, month and day.
    pub fn civil(self) -> (i64, i64, i64) {
        calendar::civil(self.0)
    }

    /// The year that its week belongs to, and the week.
    pub fn week(self) -> (i64, i64) {
        calendar::week(self.0)
    }

    /// Its day of the week, from 1 on Mondays to 7.
    pub fn weekday(self) -> i64 {
        calendar::weekday(self.0)
    }

    /// Its day of the year, from 1.
    pub fn ordinal(self) -> i64 {
        self.0 - calendar::days_of(self.civil().0, 1, 1) + 1
    }

    /// Its quarter, from 1.
    pub fn quarter(self) -> i64 {
        (self.civil().1 - 1) / 3 + 1
    }

    /// Its day of the quarter, from 1.
    pub fn day_of_quarter(self) -> i64 {
        let (year, _, _) = self.civil();
        self.0 - calendar::days_of(year, self.quarter() * 3 - 2, 1) + 1
    }

    /// The same day so many months later, or the last of a month that has no such day.
    pub fn plus_months(self, months: i64) -> Result<Date, Error> {
        let (year, month, day) = self.civil();
        let counted = (year * 12 + month - 1).checked_add(months).ok_or_else(Error::overflow)?;
        let (year, month) = (counted.div_euclid(12), counted.rem_euclid(12) + 1);
        let year = a_year(year)?;
        Ok(Date(calendar::days_of(year, month, day.min(calendar::month_days(year, month)))))
    }

    /// So many days later.
    pub fn plus_days(self, days: i64) -> Result<Date, Error> {
        Date::from_days(self.0.checked_add(days).ok_or_else(Error::overflow)?)
    }
}
