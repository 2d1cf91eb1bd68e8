//! Times of day, with and without an offset.

use std::cmp::Ordering;

use super::calendar::{DAY_NANOS, NANOS};
use super::date::invalid;
use super::zone::{self, Zone};
use crate::value::Error;

/// A time of day, by the nanoseconds since midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LocalTime(i64);

impl LocalTime {
    /// The time so many nanoseconds after midnight; those of whole days do not count.
    pub fn from_nanos(nanos: i64) -> LocalTime {
        LocalTime(nanos.rem_euclid(DAY_NANOS))
    }

    /// A time by its parts.
    pub fn new(hour: i64, minute: i64, second: i64, nano: i64) -> Result<LocalTime, Error> {
        let parts = [
            ("HourOfDay", hour, 24),
            ("MinuteOfHour", minute, 60),
            ("SecondOfMinute", second, 60),
            ("NanoOfSecond", nano, NANOS),
        ];
        for (part, given, end) in parts {
            if !(0..end).contains(&given) {
                return Err(invalid(part, given));
            }
        }
        Ok(LocalTime(((hour * 60 + minute) * 60 + second) * NANOS + nano))
    }

    /// Nanoseconds since midnight.
    pub fn nanos(self) -> i64 {
        self.0
    }

    /// Its hour, minute, second and nanosecond.
    pub fn parts(self) -> (i64, i64, i64, i64) {
        let seconds = self.0 / NANOS;
        (seconds / 3_600, seconds / 60 % 60, seconds % 60, self.0 % NANOS)
    }
}

/// A time of day at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    /// By the clock on the wall.
    pub local: LocalTime,
    /// Seconds east of Greenwich.
    offset: i32,
}

impl Time {
    /// A time at an offset of so many seconds east of Greenwich.
    pub fn new(local: LocalTime, offset: i32) -> Result<Time, Error> {
        zone::check_offset(offset)?;
        Ok(Time { local, offset })
    }

    /// Another time at the same offset.
    pub(super) fn with_local(self, local: LocalTime) -> Time {
        Time { local, ..self }
    }

    /// Seconds east of Greenwich.
    pub fn offset(self) -> i32 {
        self.offset
    }

    /// Its offset as a zone.
    pub fn zone(self) -> Zone {
        Zone::fixed(self.offset).unwrap_or_default()
    }

    /// The nanoseconds between it and midnight in Greenwich: less than none east of there.
    pub fn utc(self) -> i64 {
        self.local.0 - i64::from(self.offset) * NANOS
    }

    /// The same moment by the clocks at another offset.
    pub fn at(self, offset: i32) -> Result<Time, Error> {
        Time::new(LocalTime::from_nanos(self.utc() + i64::from(offset) * NANOS), offset)
    }
}

/// By moment, then by offset.
impl Ord for Time {
    fn cmp(&self, other: &Time) -> Ordering {
        self.utc().cmp(&other.utc()).then(self.offset.cmp(&other.offset))
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
