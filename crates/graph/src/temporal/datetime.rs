//! A day and a time of day: by a clock on some wall, or as an instant in a time zone.

use std::cmp::Ordering;

use super::calendar::{DAY_NANOS, DAY_SECONDS, NANOS};
use super::{Date, Instant, LocalTime, Zone};
use crate::value::Error;

/// A day and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalDateTime {
    seconds: i64,
    nanos: u32,
}

impl LocalDateTime {
    /// A day and a time of it.
    pub fn new(date: Date, time: LocalTime) -> LocalDateTime {
        let seconds = date.days() * DAY_SECONDS + time.nanos() / NANOS;
        LocalDateTime { seconds, nanos: below_a_second(time.nanos()) }
    }

    /// So many seconds and nanoseconds after 1970-01-01T00:00.
    pub fn from_seconds(seconds: i64, nanos: u32) -> Result<LocalDateTime, Error> {
        Date::from_days(seconds.div_euclid(DAY_SECONDS))?;
        Ok(LocalDateTime { seconds, nanos: below_a_second(i64::from(nanos)) })
    }

    /// Seconds since 1970-01-01T00:00.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds of the second.
    pub fn nanos(self) -> u32 {
        self.nanos
    }

    /// Its day.
    pub fn date(self) -> Date {
        Date::of_seconds(self.seconds)
    }

    /// Its time of day.
    pub fn time(self) -> LocalTime {
        let of_day = self.seconds.rem_euclid(DAY_SECONDS);
        LocalTime::from_nanos(of_day * NANOS + i64::from(self.nanos))
    }

    /// So many nanoseconds later.
    pub fn plus_nanos(self, nanos: i128) -> Result<LocalDateTime, Error> {
        let (seconds, nanos) = moved(self.seconds, self.nanos, nanos)?;
        LocalDateTime::from_seconds(seconds, nanos)
    }
}

/// The nanoseconds of a second, of those of a day.
fn below_a_second(nanos: i64) -> u32 {
    u32::try_from(nanos.rem_euclid(NANOS)).unwrap_or_default()
}

/// A count of seconds and nanoseconds, and `by` nanoseconds more.
fn moved(seconds: i64, nanos: u32, by: i128) -> Result<(i64, u32), Error> {
    let all = i128::from(seconds) * i128::from(NANOS) + i128::from(nanos);
    let all = all.checked_add(by).ok_or_else(Error::overflow)?;
    let seconds =
        i64::try_from(all.div_euclid(i128::from(NANOS))).map_err(|_| Error::overflow())?;
    let nanos = u32::try_from(all.rem_euclid(i128::from(NANOS))).unwrap_or_default();
    Ok((seconds, nanos))
}

/// An instant, seen in a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DateTime {
    seconds: i64,
    nanos: u32,
    zone: Zone,
}

impl DateTime {
    /// An instant in a zone.
    pub fn new(instant: Instant, zone: Zone) -> Result<DateTime, Error> {
        let nanos = below_a_second(i64::from(instant.nanos));
        let made = DateTime { seconds: instant.seconds, nanos, zone };
        LocalDateTime::from_seconds(instant.seconds, nanos)?;
        let local = instant.seconds.checked_add(i64::from(made.offset()));
        LocalDateTime::from_seconds(local.ok_or_else(Error::overflow)?, nanos)?;
        Ok(made)
    }

    /// What the clocks of a zone show at that time. Where they show it twice the first is meant; a
    /// time that they skip is as long after the gap as it would be without.
    pub fn from_local(local: LocalDateTime, zone: Zone) -> Result<DateTime, Error> {
        let offset = i64::from(zone.offset_of_local(local.seconds));
        DateTime::new(Instant { seconds: local.seconds - offset, nanos: local.nanos }, zone)
    }

    /// The instant.
    pub fn instant(self) -> Instant {
        Instant { seconds: self.seconds, nanos: self.nanos }
    }

    /// Its zone.
    pub fn zone(self) -> Zone {
        self.zone
    }

    /// How far its clocks are ahead of Greenwich, in seconds.
    pub fn offset(self) -> i32 {
        self.zone.offset_at(self.seconds)
    }

    /// What its clocks show.
    pub fn local(self) -> LocalDateTime {
        LocalDateTime { seconds: self.seconds + i64::from(self.offset()), nanos: self.nanos }
    }

    /// The same instant in another zone.
    pub fn at(self, zone: Zone) -> Result<DateTime, Error> {
        DateTime::new(self.instant(), zone)
    }

    /// So many nanoseconds later.
    pub fn plus_nanos(self, nanos: i128) -> Result<DateTime, Error> {
        let (seconds, nanos) = moved(self.seconds, self.nanos, nanos)?;
        DateTime::new(Instant { seconds, nanos }, self.zone)
    }
}

/// By instant, then by zone.
impl Ord for DateTime {
    fn cmp(&self, other: &DateTime) -> Ordering {
        let key = |it: &DateTime| (it.seconds, it.nanos, it.zone);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &DateTime) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The nanoseconds from one instant to another.
pub(super) fn nanos_between(from: Instant, to: Instant) -> i128 {
    let all = |it: Instant| i128::from(it.seconds) * i128::from(NANOS) + i128::from(it.nanos);
    all(to) - all(from)
}

/// Nanoseconds of a day, where days may be many.
pub(super) const DAY: i128 = DAY_NANOS as i128;
