//! Durations: months, days and seconds are counted apart, as a month has no length in days, and a
//! day, where clocks change, none in hours.
//!
//! A fraction of a month is counted in days and seconds, at 2,629,746 seconds to a month, and one
//! of a day in seconds. That is done in billionths, in integers: no rounding of floats can be seen.

use super::calendar::{DAY_SECONDS, NANOS};
use super::datetime::DAY;
use crate::time_units::MONTH_SECONDS;
use crate::value::Error;

/// A span of months, days, seconds and nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duration {
    months: i64,
    days: i64,
    seconds: i64,
    nanos: u32,
}

/// One, in billionths.
pub(super) const ONE: i128 = NANOS as i128;

/// Billionths of a float, rounded; none of what no duration can hold.
pub(super) fn billionths(number: f64) -> Result<i128, Error> {
    let scaled = number * 1e9;
    if !scaled.is_finite() || scaled.abs() > 1e30 {
        return Err(Error::overflow());
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is known to be below 1e30")]
    Ok(scaled.round() as i128)
}

/// Months, days and seconds in billionths.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    pub months: i128,
    pub days: i128,
    pub seconds: i128,
}

impl Duration {
    /// A duration of these; the nanoseconds may be any number.
    pub fn new(months: i64, days: i64, seconds: i64, nanos: i64) -> Result<Duration, Error> {
        let all = i128::from(seconds) * ONE + i128::from(nanos);
        Duration::from_nanos(all).map(|it| Duration { months, days, ..it })
    }

    /// A duration of nanoseconds alone.
    pub fn from_nanos(nanos: i128) -> Result<Duration, Error> {
        let seconds = i64::try_from(nanos.div_euclid(ONE)).map_err(|_| Error::overflow())?;
        let nanos = u32::try_from(nanos.rem_euclid(ONE)).map_err(|_| Error::overflow())?;
        Ok(Duration { seconds, nanos, ..Duration::default() })
    }

    /// A duration whose months and days may have fractions.
    pub(super) fn from_parts(parts: Parts) -> Result<Duration, Error> {
        let (months, part) = (parts.months / ONE, parts.months % ONE);
        // Billionths of a month are so many nanoseconds; whole days of them are days.
        let of_month = part * i128::from(MONTH_SECONDS);
        let of_day = parts.days % ONE * i128::from(DAY_SECONDS) + of_month;
        let days = parts.days / ONE + of_day / DAY;
        let rest = parts.seconds.checked_add(of_day % DAY).ok_or_else(Error::overflow)?;
        let narrow = |it: i128| i64::try_from(it).map_err(|_| Error::overflow());
        let (months, days) = (narrow(months)?, narrow(days)?);
        Duration::from_nanos(rest).map(|it| Duration { months, days, ..it })
    }

    /// Its months.
    pub fn months(&self) -> i64 {
        self.months
    }

    /// Its days.
    pub fn days(&self) -> i64 {
        self.days
    }

    /// Its seconds, rounded down.
    pub fn seconds(&self) -> i64 {
        self.seconds
    }

    /// The nanoseconds to add to its seconds.
    pub fn nanos(&self) -> u32 {
        self.nanos
    }

    /// Its seconds and nanoseconds, in nanoseconds.
    pub fn all_nanos(&self) -> i128 {
        i128::from(self.seconds) * ONE + i128::from(self.nanos)
    }

    /// About how long it is, in nanoseconds: what it is sorted by.
    pub fn length(&self) -> i128 {
        let days = i128::from(self.days) * DAY;
        i128::from(self.months) * i128::from(MONTH_SECONDS) * ONE + days + self.all_nanos()
    }

    /// As long, the other way.
    pub fn negated(&self) -> Result<Duration, Error> {
        Duration::default().minus(self)
    }

    /// This and another.
    pub fn plus(&self, other: &Duration) -> Result<Duration, Error> {
        self.combined(other, i64::checked_add, self.all_nanos() + other.all_nanos())
    }

    /// This without another.
    pub fn minus(&self, other: &Duration) -> Result<Duration, Error> {
        self.combined(other, i64::checked_sub, self.all_nanos() - other.all_nanos())
    }

    fn combined(
        &self,
        other: &Duration,
        combine: fn(i64, i64) -> Option<i64>,
        nanos: i128,
    ) -> Result<Duration, Error> {
        let months = combine(self.months, other.months).ok_or_else(Error::overflow)?;
        let days = combine(self.days, other.days).ok_or_else(Error::overflow)?;
        Duration::from_nanos(nanos).map(|it| Duration { months, days, ..it })
    }

    /// So many times as long.
    pub fn times(&self, factor: i64) -> Result<Duration, Error> {
        let factor = i128::from(factor);
        let times = |number: i128| number.checked_mul(factor).ok_or_else(Error::overflow);
        let narrow = |number: i128| i64::try_from(number).map_err(|_| Error::overflow());
        let (months, days) =
            (narrow(times(self.months.into())?)?, narrow(times(self.days.into())?)?);
        Duration::from_nanos(times(self.all_nanos())?).map(|it| Duration { months, days, ..it })
    }

    /// The so-manieth part of it.
    pub fn divided(&self, divisor: i64) -> Result<Duration, Error> {
        if divisor == 0 {
            return Err(Error::division_by_zero());
        }
        let divisor = i128::from(divisor);
        Duration::from_parts(Parts {
            months: i128::from(self.months) * ONE / divisor,
            days: i128::from(self.days) * ONE / divisor,
            seconds: self.all_nanos() / divisor,
        })
    }

    /// So many times as long, where the factor may have a fraction.
    pub fn scaled(&self, factor: f64) -> Result<Duration, Error> {
        if factor.fract() == 0.0 && factor.abs() < 9e15 {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
            return self.times(factor as i64);
        }
        #[expect(clippy::cast_precision_loss, reason = "a factor with a fraction is no more exact")]
        let scaled = |number: i128| number as f64 * factor;
        let seconds = scaled(self.all_nanos());
        if !seconds.is_finite() || seconds.abs() > 1e30 {
            return Err(Error::overflow());
        }
        Duration::from_parts(Parts {
            months: billionths(scaled(self.months.into()))?,
            days: billionths(scaled(self.days.into()))?,
            #[expect(clippy::cast_possible_truncation, reason = "it is known to be below 1e30")]
            seconds: seconds as i128,
        })
    }
}

/// By about how long they are; of two that are as long, the one with fewer months and days first.
impl Ord for Duration {
    fn cmp(&self, other: &Duration) -> std::cmp::Ordering {
        let key = |it: &Duration| (it.length(), it.months, it.days);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Duration {
    fn partial_cmp(&self, other: &Duration) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
