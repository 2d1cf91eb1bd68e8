//! The components of dates, times, instants and durations, as `value.component` names them.

use super::{Date, DateTime, Duration, LocalTime, Time, print};
use crate::value::Value;

/// A component of a value; `None` if it has none of that name.
pub fn component(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Date(date) => of_date(*date, name).map(Value::Integer),
        Value::LocalTime(time) => of_time(*time, name).map(Value::Integer),
        Value::Time(time) => of_time(time.local, name)
            .map(Value::Integer)
            .or_else(|| of_offset(time.offset(), name))
            .or_else(|| of_zone(*time, name)),
        Value::LocalDateTime(both) => {
            of_date(both.date(), name).or_else(|| of_time(both.time(), name)).map(Value::Integer)
        }
        Value::DateTime(instant) => of_instant(*instant, name),
        Value::Duration(duration) => of_duration(duration, name).map(Value::Integer),
        _ => None,
    }
}

fn of_date(date: Date, name: &str) -> Option<i64> {
    let (year, month, day) = date.civil();
    Some(match name {
        "year" => year,
        "quarter" => date.quarter(),
        "month" => month,
        "week" => date.week().1,
        "weekYear" => date.week().0,
        "day" => day,
        "ordinalDay" => date.ordinal(),
        "weekDay" | "dayOfWeek" => date.weekday(),
        "dayOfQuarter" => date.day_of_quarter(),
        _ => return None,
    })
}

fn of_time(time: LocalTime, name: &str) -> Option<i64> {
    let (hour, minute, second, nano) = time.parts();
    Some(match name {
        "hour" => hour,
        "minute" => minute,
        "second" => second,
        "millisecond" => nano / 1_000_000,
        "microsecond" => nano / 1_000,
        "nanosecond" => nano,
        _ => return None,
    })
}

fn of_offset(offset: i32, name: &str) -> Option<Value> {
    Some(match name {
        "offset" => Value::from(print::offset(offset)),
        "offsetMinutes" => Value::Integer(i64::from(offset) / 60),
        "offsetSeconds" => Value::Integer(offset.into()),
        _ => return None,
    })
}

fn of_zone(time: Time, name: &str) -> Option<Value> {
    (name == "timezone").then(|| Value::from(print::offset(time.offset())))
}

fn of_instant(at: DateTime, name: &str) -> Option<Value> {
    let local = at.local();
    let number = of_date(local.date(), name).or_else(|| of_time(local.time(), name));
    if let Some(number) = number {
        return Some(Value::Integer(number));
    }
    let instant = at.instant();
    match name {
        "timezone" => Some(Value::from(
            at.zone().name().map_or_else(|| print::offset(at.offset()), str::to_owned),
        )),
        "epochSeconds" => Some(Value::Integer(instant.seconds)),
        "epochMillis" => {
            let millis = instant.seconds.checked_mul(1_000)?;
            Some(Value::Integer(millis + i64::from(instant.nanos / 1_000_000)))
        }
        _ => of_offset(at.offset(), name),
    }
}

fn of_duration(it: &Duration, name: &str) -> Option<i64> {
    let (months, days, seconds) = (it.months(), it.days(), it.seconds());
    let nanos = i64::from(it.nanos());
    let parts = |of_second: i64| -> Option<i64> {
        seconds.checked_mul(of_second)?.checked_add(nanos / (1_000_000_000 / of_second))
    };
    Some(match name {
        "years" => months / 12,
        "quarters" => months / 3,
        "months" => months,
        "weeks" => days / 7,
        "days" => days,
        "hours" => seconds / 3_600,
        "minutes" => seconds / 60,
        "seconds" => seconds,
        "milliseconds" => parts(1_000)?,
        "microseconds" => parts(1_000_000)?,
        "nanoseconds" => parts(1_000_000_000)?,
        "quartersOfYear" => months / 3 % 4,
        "monthsOfQuarter" => months % 3,
        "monthsOfYear" => months % 12,
        "daysOfWeek" => days % 7,
        "minutesOfHour" => seconds / 60 % 60,
        "secondsOfMinute" => seconds % 60,
        "millisecondsOfSecond" => nanos / 1_000_000,
        "microsecondsOfSecond" => nanos / 1_000,
        "nanosecondsOfSecond" => nanos,
        _ => return None,
    })
}
