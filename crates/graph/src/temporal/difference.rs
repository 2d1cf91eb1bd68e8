//! The duration between two dates, times or instants.
//!
//! Both are put where they can be compared: what has no zone is taken to be in the other's zone,
//! what has no day on the other's day, and a day without a time of it begins at midnight.

use std::cmp::Ordering;

use super::datetime::{DAY, nanos_between};
use super::fields::Base;
use super::{Date, DateTime, Duration, LocalDateTime, Zone};
use crate::value::{Error, Value};

/// What a difference is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Months, then days, then seconds.
    All,
    /// Whole months.
    Months,
    /// Whole days.
    Days,
    /// Seconds and their parts.
    Seconds,
}

fn based(value: &Value) -> Result<Base, Error> {
    Base::of(value).ok_or_else(|| Error::mismatch("a temporal value", value.type_name()))
}

/// An instant on the clocks of a zone.
fn placed(base: Base, day: Date, zone: Zone) -> Result<DateTime, Error> {
    let local = LocalDateTime::new(day, base.time.unwrap_or_default());
    match base.zone {
        Some(own) => DateTime::from_local(local, own)?.at(zone),
        None => DateTime::from_local(local, zone),
    }
}

/// The duration from one value to another.
pub fn between(units: Units, from: &Value, to: &Value) -> Result<Duration, Error> {
    let (a, b) = (based(from)?, based(to)?);
    let dated = a.date.is_some() && b.date.is_some();
    let any_day = Date::from_days(0)?;
    let zone = a.zone.or(b.zone).unwrap_or(Zone::UTC);
    let start = placed(a, a.date.or(b.date).unwrap_or(any_day), zone)?;
    let end = placed(b, b.date.or(a.date).unwrap_or(any_day), zone)?;
    let exact = || Duration::from_nanos(nanos_between(start.instant(), end.instant()));
    match units {
        Units::Seconds => exact(),
        Units::All if !dated => exact(),
        _ if !dated => Ok(Duration::default()),
        Units::Months => Duration::new(months(start.local(), end.local())?, 0, 0, 0),
        Units::Days => Duration::new(0, days(start.local(), end.local())?, 0, 0),
        Units::All => all(start, end),
    }
}

fn all(start: DateTime, end: DateTime) -> Result<Duration, Error> {
    let months = months(start.local(), end.local())?;
    let date = start.local().date().plus_months(months)?;
    let moved = LocalDateTime::new(date, start.local().time());
    let days = days(moved, end.local())?;
    let moved = LocalDateTime::new(date.plus_days(days)?, moved.time());
    // Nothing moved is still the same of two instants at which clocks show the same.
    let moved = match (months, days) {
        (0, 0) => start,
        _ => DateTime::from_local(moved, start.zone())?,
    };
    let rest = Duration::from_nanos(nanos_between(moved.instant(), end.instant()))?;
    Duration::new(months, days, rest.seconds(), rest.nanos().into())
}

/// Whole months from one to the other.
fn months(from: LocalDateTime, to: LocalDateTime) -> Result<i64, Error> {
    let place = |it: LocalDateTime| {
        let (year, month, day) = it.date().civil();
        (year * 12 + month, (day, it.time()))
    };
    let ((from_month, from_rest), (to_month, to_rest)) = (place(from), place(to));
    let months = to_month - from_month;
    let short = match months.cmp(&0) {
        Ordering::Greater => to_rest < from_rest,
        Ordering::Less => to_rest > from_rest,
        Ordering::Equal => false,
    };
    Ok(if short { months - months.signum() } else { months })
}

/// Whole days from one to the other, by the clocks on the wall.
fn days(from: LocalDateTime, to: LocalDateTime) -> Result<i64, Error> {
    let nanos =
        |it: LocalDateTime| i128::from(it.date().days()) * DAY + i128::from(it.time().nanos());
    i64::try_from((nanos(to) - nanos(from)) / DAY).map_err(|_| Error::overflow())
}
