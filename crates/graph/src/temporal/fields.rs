//! The fields of a map that says a date, a time or an instant, and what they make of a base value.

use super::calendar;
use super::{Date, DateTime, LocalTime, Zone};
use crate::value::{Error, Map, Value};

/// All fields that such a map may have.
const KNOWN: [&str; 21] = [
    "year",
    "month",
    "day",
    "week",
    "dayOfWeek",
    "quarter",
    "dayOfQuarter",
    "ordinalDay",
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "nanosecond",
    "timezone",
    "date",
    "time",
    "datetime",
    "epochSeconds",
    "epochMillis",
    "weekYear",
];

/// A map whose fields are all known.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(&'a Map);

/// The values that a map names to take fields from.
#[derive(Clone, Copy, Default)]
pub(super) struct Base {
    pub date: Option<Date>,
    pub time: Option<LocalTime>,
    /// The zone that `time` is in.
    pub zone: Option<Zone>,
    /// How far its clocks are ahead there and then.
    pub offset: Option<i32>,
}

impl Base {
    /// What a date, a time or an instant has to take.
    pub(super) fn of(value: &Value) -> Option<Base> {
        let none = Base::default();
        Some(match value {
            Value::Date(date) => Base { date: Some(*date), ..none },
            Value::LocalTime(time) => Base { time: Some(*time), ..none },
            Value::Time(time) => Base {
                time: Some(time.local),
                zone: Some(time.zone()),
                offset: Some(time.offset()),
                ..none
            },
            Value::LocalDateTime(both) => {
                Base { date: Some(both.date()), time: Some(both.time()), ..none }
            }
            Value::DateTime(instant) => Base::of_instant(*instant),
            _ => return None,
        })
    }

    fn of_instant(instant: DateTime) -> Base {
        let (local, zone, offset) = (instant.local(), instant.zone(), instant.offset());
        let (date, time) = (local.date(), local.time());
        Base { date: Some(date), time: Some(time), zone: Some(zone), offset: Some(offset) }
    }
}

impl<'a> Fields<'a> {
    /// The fields of a map; an error if it has one that means nothing.
    pub(super) fn new(map: &'a Map) -> Result<Fields<'a>, Error> {
        match map.iter().find(|(key, _)| !KNOWN.contains(&&***key)) {
            Some((key, _)) => Err(Error::temporal(format!("No such field: {key}"))),
            None => Ok(Fields(map)),
        }
    }

    fn integer(self, key: &str) -> Result<Option<i64>, Error> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::Integer(number)) => Ok(Some(*number)),
            Some(other) => Err(Error::mismatch("Integer", other.type_name())),
        }
    }

    fn has(self, key: &str) -> bool {
        self.0.get(key).is_some()
    }

    /// Whether it says nothing but perhaps a zone: the time is then the statement's.
    pub(super) fn is_now(self) -> bool {
        self.0.len() == usize::from(self.has("timezone"))
    }

    /// The zone that it names.
    pub(super) fn zone(self) -> Result<Option<Zone>, Error> {
        match self.0.get("timezone") {
            None => Ok(None),
            Some(Value::String(name)) => Zone::parse(name).map(Some),
            Some(other) => Err(Error::mismatch("String", other.type_name())),
        }
    }

    /// Seconds and nanoseconds since 1970, if it says them.
    pub(super) fn epoch(self) -> Result<Option<(i64, i64)>, Error> {
        if let Some(millis) = self.integer("epochMillis")? {
            return Ok(Some((millis.div_euclid(1_000), millis.rem_euclid(1_000) * 1_000_000)));
        }
        Ok(self.integer("epochSeconds")?.map(|seconds| (seconds, 0)))
    }

    /// What it names to take fields from.
    pub(super) fn base(self) -> Result<Base, Error> {
        let named = |key: &str| match self.0.get(key) {
            None => Ok(None),
            Some(value) => match Base::of(value) {
                Some(base) => Ok(Some(base)),
                None => Err(Error::mismatch("a temporal value", value.type_name())),
            },
        };
        let missing =
            |what: &str| Error::temporal(format!("Cannot select a {what} from that value"));
        let mut base = Base::default();
        if let Some(both) = named("datetime")? {
            if both.date.is_none() || both.time.is_none() {
                return Err(missing("datetime"));
            }
            base = both;
        }
        if let Some(given) = named("date")? {
            base.date = Some(given.date.ok_or_else(|| missing("date"))?);
        }
        if let Some(given) = named("time")? {
            given.time.ok_or_else(|| missing("time"))?;
            base = Base { date: base.date, ..given };
        }
        Ok(base)
    }

    /// The day that it says, where `base` says the rest.
    pub(super) fn date(self, base: Option<Date>) -> Result<Date, Error> {
        let first = |given: Option<i64>, of_base: fn(Date) -> i64, else_is: i64| {
            given.or_else(|| base.map(of_base)).unwrap_or(else_is)
        };
        let given_year = self.integer("year")?;
        let no_year = || Error::temporal("year must be specified");
        let year = given_year.or_else(|| base.map(|base| base.civil().0)).ok_or_else(no_year)?;
        if self.has("week") || self.has("dayOfWeek") {
            let year = first(given_year, |base| base.week().0, year);
            let week = first(self.integer("week")?, |base| base.week().1, 1);
            return Date::from_week(
                year,
                week,
                first(self.integer("dayOfWeek")?, Date::weekday, 1),
            );
        }
        if self.has("ordinalDay") {
            return Date::from_ordinal(year, first(self.integer("ordinalDay")?, Date::ordinal, 1));
        }
        if self.has("quarter") || self.has("dayOfQuarter") {
            let quarter = first(self.integer("quarter")?, Date::quarter, 1);
            let day = first(self.integer("dayOfQuarter")?, Date::day_of_quarter, 1);
            return Date::from_quarter(year, quarter, day);
        }
        if base.is_none() && self.has("day") && !self.has("month") {
            return Err(Error::temporal("month must be specified"));
        }
        let month = first(self.integer("month")?, |base| base.civil().1, 1);
        let day = first(self.integer("day")?, |base| base.civil().2, 1);
        Date::from_calendar(year, month, day)
    }

    /// The time of day that it says, where `base` says the rest. Of `base` the nanoseconds up to
    /// `kept` of them stand beside smaller ones that the map says.
    pub(super) fn time(self, base: Option<LocalTime>, kept: i64) -> Result<LocalTime, Error> {
        let parts = base.map(LocalTime::parts);
        let fields = ["hour", "minute", "second"];
        let (hour, minute, second, nano) = parts.unwrap_or_default();
        let mut told = [hour, minute, second];
        let mut missing = None;
        for (place, field) in fields.into_iter().enumerate() {
            match (self.integer(field)?, missing) {
                (Some(_), Some(before)) => {
                    return Err(Error::temporal(format!("{before} must be specified")));
                }
                (Some(number), None) => told[place] = number,
                (None, _) if base.is_none() => missing = missing.or(Some(field)),
                (None, _) => {}
            }
        }
        let nano = self.below_a_second(nano, kept)?;
        if let Some(before) = missing.filter(|_| nano != 0) {
            return Err(Error::temporal(format!("{before} must be specified")));
        }
        LocalTime::new(told[0], told[1], told[2], nano)
    }

    /// The nanoseconds of the second.
    pub(super) fn below_a_second(self, base: i64, kept: i64) -> Result<i64, Error> {
        let mut milli = self.integer("millisecond")?;
        let mut micro = self.integer("microsecond")?;
        let nano = self.integer("nanosecond")?;
        if milli.is_none() && micro.is_none() && nano.is_none() {
            return Ok(base);
        }
        if kept > 0 {
            milli = milli.or(Some(base / 1_000_000));
        }
        if kept == 1_000 {
            micro = micro.or(Some(base / 1_000 % 1_000));
        }
        let within = |part: &str, given: Option<i64>, end: i64| match given {
            Some(number) if !(0..end).contains(&number) => Err(super::date::invalid(part, number)),
            _ => Ok(given.unwrap_or(0)),
        };
        let micros = if milli.is_some() { 1_000 } else { 1_000_000 };
        let nanos = match (milli, micro) {
            (_, Some(_)) => 1_000,
            (Some(_), None) => 1_000_000,
            (None, None) => calendar::NANOS,
        };
        Ok(within("MillisecondOfSecond", milli, 1_000)? * 1_000_000
            + within("MicrosecondOfSecond", micro, micros)? * 1_000
            + within("NanosecondOfSecond", nano, nanos)?)
    }
}
