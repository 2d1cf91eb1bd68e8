//! Dates, times of day, and instants with the zone whose clocks show them.

mod read;
mod write;
mod zone;

use calendar::days::{self, DAY_NANOS, DAY_SECONDS, NANOS};

use crate::Error;

pub use zone::Zone;

/// The last year that a date has; the first is 0.
const LAST_YEAR: i64 = 9_999;

/// A day, from year 0 to 9999, in days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(i32);

/// A time of day, in nanoseconds since midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// An instant between the years 1677 and 2262, and the zone in which it is written. Equality and
/// order are those of the instants alone.
#[derive(Clone, Copy, Debug)]
pub struct DateTime {
    nanos: i64,
    zone: Zone,
}

impl Date {
    /// A day of the calendar; an error if there is no such day.
    ///
    /// ```
    /// use kvist_haystack::Date;
    /// assert_eq!(Date::new(2024, 2, 29)?.to_string(), "2024-02-29");
    /// assert!(Date::new(2023, 2, 29).is_err());
    /// # Ok::<(), kvist_haystack::Error>(())
    /// ```
    pub fn new(year: i64, month: i64, day: i64) -> Result<Date, Error> {
        let is_day = (0..=LAST_YEAR).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days::month_days(year, month)).contains(&day);
        let days = if is_day { i32::try_from(days::days_of(year, month, day)).ok() } else { None };
        days.map(Date).ok_or_else(|| Error::new(format!("No such day: {year}-{month}-{day}")))
    }

    /// The day that so many days after 1970-01-01 are; `None` beyond the years there are.
    pub fn from_days(days: i32) -> Option<Date> {
        (0..=LAST_YEAR).contains(&days::civil(days.into()).0).then_some(Date(days))
    }

    /// Days since 1970-01-01.
    pub fn days(self) -> i32 {
        self.0
    }

    /// Year, month and day.
    pub fn civil(self) -> (i64, i64, i64) {
        days::civil(self.0.into())
    }
}

impl Time {
    /// A time of day; an error if clocks never show it.
    pub fn new(hour: u64, minute: u64, second: u64, nanos: u64) -> Result<Time, Error> {
        if hour > 23 || minute > 59 || second > 59 || nanos > 999_999_999 {
            return Err(Error::new(format!("No such time: {hour}:{minute}:{second}")));
        }
        Ok(Time(((hour * 60 + minute) * 60 + second) * 1_000_000_000 + nanos))
    }

    /// The time so many nanoseconds after midnight; `None` if that is the next day.
    pub fn from_nanos(nanos: u64) -> Option<Time> {
        (nanos < DAY_NANOS.unsigned_abs()).then_some(Time(nanos))
    }

    /// Nanoseconds since midnight.
    pub fn nanos(self) -> u64 {
        self.0
    }
}

impl DateTime {
    /// An instant in nanoseconds since 1970-01-01T00:00:00Z.
    pub fn from_nanos(nanos: i64, zone: Zone) -> DateTime {
        DateTime { nanos, zone }
    }

    /// The instant at which clocks so many seconds ahead of Greenwich show a date and time; an
    /// error beyond the years 1677 to 2262.
    pub fn from_local(date: Date, time: Time, offset: i64, zone: Zone) -> Result<DateTime, Error> {
        let seconds = i128::from(date.0) * i128::from(DAY_SECONDS) - i128::from(offset);
        let nanos = seconds * i128::from(NANOS) + i128::from(time.0);
        match i64::try_from(nanos) {
            Ok(nanos) => Ok(DateTime { nanos, zone }),
            Err(_) => Err(Error::new("DateTime beyond the years 1677 to 2262")),
        }
    }

    /// The instant at which the clocks of a zone show a date and time. Where they show it twice,
    /// the first; where they skip it, as if they had not been put forward yet.
    pub fn in_zone(date: Date, time: Time, zone: Zone) -> Result<DateTime, Error> {
        let seconds = i64::try_from(time.0 / 1_000_000_000).unwrap_or(0);
        let local = i64::from(date.0) * DAY_SECONDS + seconds;
        DateTime::from_local(date, time, zone.offset_of_local(local).into(), zone)
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub fn nanos(self) -> i64 {
        self.nanos
    }

    /// The zone in which it is written.
    pub fn zone(self) -> Zone {
        self.zone
    }

    /// The same instant in another zone.
    pub fn to_zone(self, zone: Zone) -> DateTime {
        DateTime { zone, ..self }
    }

    /// How far the clocks of its zone are ahead of Greenwich, in seconds.
    pub fn offset(self) -> i32 {
        self.zone.offset_at(self.nanos.div_euclid(NANOS))
    }

    fn local(self, offset: i32) -> (Date, Time) {
        let nanos = i128::from(self.nanos) + i128::from(offset) * i128::from(NANOS);
        let (days, time) = (nanos.div_euclid(DAY_NANOS.into()), nanos.rem_euclid(DAY_NANOS.into()));
        (Date(i32::try_from(days).unwrap_or(0)), Time(u64::try_from(time).unwrap_or(0)))
    }

    /// The date on the calendars of its zone.
    pub fn date(self) -> Date {
        self.local(self.offset()).0
    }

    /// The time on the clocks of its zone.
    pub fn time(self) -> Time {
        self.local(self.offset()).1
    }

    /// Its text without the zone's name: `2024-05-01T09:30:00-04:00`.
    pub fn iso(self) -> String {
        let mut text = Vec::with_capacity(36);
        self.append_iso(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl PartialEq for DateTime {
    fn eq(&self, other: &DateTime) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for DateTime {}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &DateTime) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DateTime {
    fn cmp(&self, other: &DateTime) -> std::cmp::Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl std::hash::Hash for DateTime {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.nanos.hash(state);
    }
}

#[cfg(test)]
#[path = "time_tests.rs"]
mod tests;
