//! Dates, times and instants cut down to a unit, and the fields that are then set.

use super::construct::Kind;
use super::fields::{Base, Fields};
use super::{Clock, Date, DateTime, LocalDateTime, LocalTime, Time, calendar};
use crate::value::{Error, Map, Value};

/// What is cut down to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    WeekYear,
    Year,
    Decade,
    Century,
    Millennium,
}

const UNITS: [(&str, Unit); 14] = [
    ("millennium", Unit::Millennium),
    ("century", Unit::Century),
    ("decade", Unit::Decade),
    ("year", Unit::Year),
    ("weekyear", Unit::WeekYear),
    ("quarter", Unit::Quarter),
    ("month", Unit::Month),
    ("week", Unit::Week),
    ("day", Unit::Day),
    ("hour", Unit::Hour),
    ("minute", Unit::Minute),
    ("second", Unit::Second),
    ("millisecond", Unit::Millisecond),
    ("microsecond", Unit::Microsecond),
];

impl Unit {
    fn named(name: &str) -> Result<Unit, Error> {
        let lower = name.to_ascii_lowercase();
        let found = UNITS.iter().find(|known| known.0 == lower);
        let unknown = || Error::temporal(format!("Unsupported unit: {name}"));
        Ok(found.ok_or_else(unknown)?.1)
    }

    /// The first day of what a day is in.
    fn first_day(self, date: Date) -> Result<Date, Error> {
        let (year, month, _) = date.civil();
        let of = |years: i64| Date::from_calendar(year.div_euclid(years) * years, 1, 1);
        match self {
            Unit::Millennium => of(1_000),
            Unit::Century => of(100),
            Unit::Decade => of(10),
            Unit::Year => of(1),
            Unit::WeekYear => Date::from_week(date.week().0, 1, 1),
            Unit::Quarter => Date::from_calendar(year, (month - 1) / 3 * 3 + 1, 1),
            Unit::Month => Date::from_calendar(year, month, 1),
            Unit::Week => date.plus_days(1 - date.weekday()),
            _ => Ok(date),
        }
    }

    /// The first moment of what a time is in.
    fn first_moment(self, time: LocalTime) -> LocalTime {
        let length = match self {
            Unit::Microsecond => 1_000,
            Unit::Millisecond => 1_000_000,
            Unit::Second => calendar::NANOS,
            Unit::Minute => 60 * calendar::NANOS,
            Unit::Hour => 3_600 * calendar::NANOS,
            _ => return LocalTime::default(),
        };
        LocalTime::from_nanos(time.nanos() / length * length)
    }

    /// The nanoseconds of the smallest part that is left of a second.
    fn kept(self) -> i64 {
        match self {
            Unit::Microsecond => 1_000,
            Unit::Millisecond => 1_000_000,
            _ => 0,
        }
    }
}

/// `value` cut down to the unit of a name, with the fields of `set`, as a value of a kind.
pub fn truncate(
    kind: Kind,
    clock: &Clock,
    unit: &str,
    value: &Value,
    set: &Map,
) -> Result<Value, Error> {
    let unit = Unit::named(unit)?;
    let refused = || Error::mismatch("a temporal value with such a part", value.type_name());
    let base = Base::of(value).ok_or_else(refused)?;
    let fields = Fields::new(set)?;
    let too = |wrong: bool| {
        let message = "Unit cannot be truncated to for values of this type";
        if wrong { Err(Error::temporal(message)) } else { Ok(()) }
    };
    let day = || fields.date(Some(unit.first_day(base.date.ok_or_else(refused)?)?));
    let time = || {
        // A day has no hours, but it can be cut down to itself.
        let of_day =
            if unit < Unit::Day { base.time.ok_or_else(refused)? } else { LocalTime::default() };
        fields.time(Some(unit.first_moment(of_day)), unit.kept())
    };
    Ok(match kind {
        Kind::Date => {
            too(unit < Unit::Day)?;
            Value::Date(day()?)
        }
        Kind::LocalTime => {
            too(unit > Unit::Day || base.time.is_none())?;
            Value::LocalTime(time()?)
        }
        Kind::Time => {
            too(unit > Unit::Day || base.time.is_none())?;
            let now = clock.statement.seconds;
            let named = fields.zone()?.map(|zone| zone.offset_at(now));
            let offset = named.or(base.offset).unwrap_or_else(|| clock.zone.offset_at(now));
            Value::Time(Time::new(time()?, offset)?)
        }
        Kind::LocalDateTime => Value::LocalDateTime(LocalDateTime::new(day()?, time()?)),
        Kind::DateTime => {
            let zone = fields.zone()?.or(base.zone).unwrap_or(clock.zone);
            Value::DateTime(DateTime::from_local(LocalDateTime::new(day()?, time()?), zone)?)
        }
    })
}
