//! Dates, times, instants and durations of what the functions that make them are given: a text, a
//! map of fields, another such value, or nothing, which is the time of the statement.

use super::calendar::NANOS;
use super::duration::{Parts, billionths};
use super::fields::{Base, Fields};
use super::{Clock, Date, DateTime, Duration, Instant, LocalDateTime, LocalTime, Time, Zone};
use crate::value::{Error, Map, Value};

/// What a function makes, of the five that are not durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `date`
    Date,
    /// `localtime`
    LocalTime,
    /// `time`
    Time,
    /// `localdatetime`
    LocalDateTime,
    /// `datetime`
    DateTime,
}

/// A value of a kind, of what `now` is in a zone.
pub fn now(kind: Kind, now: Instant, zone: Zone) -> Result<Value, Error> {
    let at = DateTime::new(now, zone)?;
    Ok(match kind {
        Kind::Date => Value::Date(at.local().date()),
        Kind::LocalTime => Value::LocalTime(at.local().time()),
        Kind::Time => Value::Time(Time::new(at.local().time(), at.offset())?),
        Kind::LocalDateTime => Value::LocalDateTime(at.local()),
        Kind::DateTime => Value::DateTime(at),
    })
}

/// A value of a kind, of an argument.
pub fn make(kind: Kind, clock: &Clock, from: &Value) -> Result<Value, Error> {
    match from {
        Value::Null => Ok(Value::Null),
        Value::String(text) => parse(kind, clock, text),
        Value::Map(map) => of_map(kind, clock, map),
        other => match Base::of(other) {
            Some(base) => of_base(kind, clock, base, other),
            None => Err(Error::mismatch("String, Map, or a temporal value", other.type_name())),
        },
    }
}

fn parse(kind: Kind, clock: &Clock, text: &str) -> Result<Value, Error> {
    Ok(match kind {
        Kind::Date => Value::Date(Date::parse(text)?),
        Kind::LocalTime => Value::LocalTime(LocalTime::parse(text)?),
        Kind::Time => Value::Time(Time::parse(text, clock.zone, clock.statement)?),
        Kind::LocalDateTime => Value::LocalDateTime(LocalDateTime::parse(text)?),
        Kind::DateTime => Value::DateTime(DateTime::parse(text, clock.zone)?),
    })
}

fn of_base(kind: Kind, clock: &Clock, base: Base, was: &Value) -> Result<Value, Error> {
    let refused = || Error::mismatch("a value with such a part", was.type_name());
    let date = || base.date.ok_or_else(refused);
    let time = || base.time.ok_or_else(refused);
    let both = || Ok(LocalDateTime::new(date()?, base.time.unwrap_or_default()));
    Ok(match kind {
        Kind::Date => Value::Date(date()?),
        Kind::LocalTime => Value::LocalTime(time()?),
        Kind::Time => {
            let offset = base.offset.unwrap_or_else(|| offset_now(clock.zone, clock));
            Value::Time(Time::new(time()?, offset)?)
        }
        Kind::LocalDateTime => Value::LocalDateTime(both()?),
        Kind::DateTime => match was {
            Value::DateTime(instant) => Value::DateTime(*instant),
            _ => Value::DateTime(DateTime::from_local(both()?, clock.zone)?),
        },
    })
}

fn offset_now(zone: Zone, clock: &Clock) -> i32 {
    zone.offset_at(clock.statement.seconds)
}

fn of_map(kind: Kind, clock: &Clock, map: &Map) -> Result<Value, Error> {
    if map.iter().any(|(_, value)| value.is_null()) {
        return Ok(Value::Null);
    }
    let fields = Fields::new(map)?;
    if fields.is_now() {
        return now(kind, clock.statement, fields.zone()?.unwrap_or(clock.zone));
    }
    let base = fields.base()?;
    Ok(match kind {
        Kind::Date => Value::Date(fields.date(base.date)?),
        Kind::LocalTime => Value::LocalTime(fields.time(base.time, 0)?),
        Kind::Time => Value::Time(time(fields, base, clock)?),
        Kind::LocalDateTime => Value::LocalDateTime(local(fields, base)?),
        Kind::DateTime => Value::DateTime(datetime(fields, base, clock)?),
    })
}

fn local(fields: Fields<'_>, base: Base) -> Result<LocalDateTime, Error> {
    Ok(LocalDateTime::new(fields.date(base.date)?, fields.time(base.time, 0)?))
}

/// A time keeps its moment where it is taken from one at an offset, and another offset is named.
fn time(fields: Fields<'_>, base: Base, clock: &Clock) -> Result<Time, Error> {
    let local = fields.time(base.time, 0)?;
    let named = fields.zone()?.map(|zone| offset_now(zone, clock));
    match (base.offset, named) {
        (Some(offset), Some(named)) => Time::new(local, offset)?.at(named),
        (offset, named) => {
            let offset = offset.or(named).unwrap_or_else(|| offset_now(clock.zone, clock));
            Time::new(local, offset)
        }
    }
}

/// So does an instant.
fn datetime(fields: Fields<'_>, base: Base, clock: &Clock) -> Result<DateTime, Error> {
    let named = fields.zone()?;
    if let Some((seconds, nanos)) = fields.epoch()? {
        let nanos = fields.below_a_second(nanos, 1_000_000)?;
        return from_epoch(seconds, nanos, named.unwrap_or(clock.zone));
    }
    let local = local(fields, base)?;
    match (base.zone, named) {
        (Some(zone), Some(named)) => DateTime::from_local(local, zone)?.at(named),
        (zone, named) => DateTime::from_local(local, zone.or(named).unwrap_or(clock.zone)),
    }
}

/// The instant so many seconds and nanoseconds after 1970-01-01T00:00Z.
pub fn from_epoch(seconds: i64, nanos: i64, zone: Zone) -> Result<DateTime, Error> {
    let seconds = seconds.checked_add(nanos.div_euclid(NANOS)).ok_or_else(Error::overflow)?;
    let nanos = u32::try_from(nanos.rem_euclid(NANOS)).map_err(|_| Error::overflow())?;
    DateTime::new(Instant { seconds, nanos }, zone)
}

/// The parts that a duration's map may have, in billionths of what they count.
const UNITS: [(&str, Counted, i128); 11] = [
    ("years", Counted::Months, 12),
    ("quarters", Counted::Months, 3),
    ("months", Counted::Months, 1),
    ("weeks", Counted::Days, 7),
    ("days", Counted::Days, 1),
    ("hours", Counted::Seconds, 3_600),
    ("minutes", Counted::Seconds, 60),
    ("seconds", Counted::Seconds, 1),
    ("milliseconds", Counted::Parts, 1_000),
    ("microseconds", Counted::Parts, 1_000_000),
    ("nanoseconds", Counted::Parts, 1_000_000_000),
];

#[derive(Clone, Copy)]
enum Counted {
    Months,
    Days,
    Seconds,
    /// So many of them are a second.
    Parts,
}

/// A duration of an argument.
pub fn duration(from: &Value) -> Result<Value, Error> {
    match from {
        Value::Null | Value::Duration(_) => Ok(from.clone()),
        Value::String(text) => Ok(Duration::parse(text)?.into()),
        Value::Map(map) => duration_of_map(map),
        other => Err(Error::mismatch("String, Map, or Duration", other.type_name())),
    }
}

fn duration_of_map(map: &Map) -> Result<Value, Error> {
    let mut parts = Parts::default();
    for (key, value) in map.iter() {
        let amount = match value {
            Value::Null => return Ok(Value::Null),
            Value::Integer(number) => i128::from(*number) * i128::from(NANOS),
            Value::Float(number) => billionths(*number)?,
            other => return Err(Error::mismatch("Integer or Float", other.type_name())),
        };
        let unknown = || Error::temporal(format!("No such field: {key}"));
        let unit = UNITS.iter().find(|unit| unit.0 == &**key).ok_or_else(unknown)?;
        let (sum, counts) = match unit.1 {
            Counted::Months => (&mut parts.months, amount.checked_mul(unit.2)),
            Counted::Days => (&mut parts.days, amount.checked_mul(unit.2)),
            Counted::Seconds => (&mut parts.seconds, amount.checked_mul(unit.2)),
            Counted::Parts => (&mut parts.seconds, Some(amount / unit.2)),
        };
        let counts = counts.and_then(|counts| sum.checked_add(counts));
        *sum = counts.ok_or_else(Error::overflow)?;
    }
    Ok(Duration::from_parts(parts)?.into())
}
