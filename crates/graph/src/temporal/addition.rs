//! Dates, times and instants, and a duration later.

use super::datetime::DAY;
use super::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
use crate::value::Error;

impl Date {
    /// A duration later; of its hours whole days count.
    pub fn plus(self, by: &Duration) -> Result<Date, Error> {
        let whole = i64::try_from(by.all_nanos() / DAY).map_err(|_| Error::overflow())?;
        self.plus_months(by.months())?.plus_days(by.days())?.plus_days(whole)
    }
}

impl LocalTime {
    /// A duration later; days and months do not count.
    pub fn plus(self, by: &Duration) -> LocalTime {
        let nanos = (i128::from(self.nanos()) + by.all_nanos()).rem_euclid(DAY);
        LocalTime::from_nanos(i64::try_from(nanos).unwrap_or_default())
    }
}

impl Time {
    /// A duration later; days and months do not count.
    pub fn plus(self, by: &Duration) -> Time {
        self.with_local(self.local.plus(by))
    }
}

impl LocalDateTime {
    /// So many months and days later, at the same time of day.
    fn plus_date(self, by: &Duration) -> Result<LocalDateTime, Error> {
        let date = self.date().plus_months(by.months())?.plus_days(by.days())?;
        Ok(LocalDateTime::new(date, self.time()))
    }

    /// A duration later.
    pub fn plus(self, by: &Duration) -> Result<LocalDateTime, Error> {
        self.plus_date(by)?.plus_nanos(by.all_nanos())
    }
}

impl DateTime {
    /// A duration later: its months and days by the calendar and the clocks, the rest by the time
    /// that passes.
    pub fn plus(self, by: &Duration) -> Result<DateTime, Error> {
        let moved = if by.months() == 0 && by.days() == 0 {
            self
        } else {
            DateTime::from_local(self.local().plus_date(by)?, self.zone())?
        };
        moved.plus_nanos(by.all_nanos())
    }
}
