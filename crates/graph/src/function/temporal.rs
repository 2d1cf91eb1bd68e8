//! Functions that make, cut and compare dates, times, instants and durations.

use super::argument::{integer, map, optional, string};
use super::{Context, Function};
use crate::temporal::construct::{self, Kind};
use crate::temporal::difference::{self, Units};
use crate::temporal::{Instant, Zone, truncate};
use crate::value::{Error, Map, Type, Value};

/// The functions of a kind: `date`, `date.transaction`, `date.statement`, `date.realtime` and
/// `date.truncate`.
macro_rules! kind {
    ($name:literal, $kind:expr) => {
        [
            Function::new($name, 0, 1, Type::TEMPORAL, |context, a| made($kind, context, a)),
            Function::new(concat!($name, ".transaction"), 0, 1, Type::TEMPORAL, |context, a| {
                now($kind, context, context.clock.transaction, a)
            }),
            Function::new(concat!($name, ".statement"), 0, 1, Type::TEMPORAL, |context, a| {
                now($kind, context, context.clock.statement, a)
            }),
            Function::new(concat!($name, ".realtime"), 0, 1, Type::TEMPORAL, |context, a| {
                now($kind, context, context.clock.realtime, a)
            })
            .looks_at_the_clock(),
            Function::new(concat!($name, ".truncate"), 1, 3, Type::TEMPORAL, |context, a| {
                truncated($kind, context, a)
            })
            .sees_null(),
        ]
    };
}

const KINDS: [[Function; 5]; 5] = [
    kind!("date", Kind::Date),
    kind!("localtime", Kind::LocalTime),
    kind!("time", Kind::Time),
    kind!("localdatetime", Kind::LocalDateTime),
    kind!("datetime", Kind::DateTime),
];

const OTHERS: [Function; 8] = [
    Function::new("duration", 1, 1, Type::DURATION, |_, a| construct::duration(&a[0])),
    Function::new("duration.between", 2, 2, Type::DURATION, |_, a| between(Units::All, a)),
    Function::new("duration.inMonths", 2, 2, Type::DURATION, |_, a| between(Units::Months, a)),
    Function::new("duration.inDays", 2, 2, Type::DURATION, |_, a| between(Units::Days, a)),
    Function::new("duration.inSeconds", 2, 2, Type::DURATION, |_, a| between(Units::Seconds, a)),
    Function::new("datetime.fromepoch", 1, 2, Type::TEMPORAL, |_, a| {
        let nanos = optional(a, 1).map_or(Ok(0), integer)?;
        Ok(Value::DateTime(construct::from_epoch(integer(&a[0])?, nanos, Zone::UTC)?))
    }),
    Function::new("datetime.fromepochmillis", 1, 1, Type::TEMPORAL, |_, a| {
        let millis = integer(&a[0])?;
        let nanos = millis.rem_euclid(1_000) * 1_000_000;
        let seconds = millis.div_euclid(1_000);
        Ok(Value::DateTime(construct::from_epoch(seconds, nanos, Zone::UTC)?))
    }),
    Function::new("timestamp", 0, 0, Type::INTEGER, |context, _| {
        let now = context.clock.statement;
        let millis = now.seconds.checked_mul(1_000).ok_or_else(Error::overflow)?;
        Ok(Value::Integer(millis + i64::from(now.nanos / 1_000_000)))
    }),
];

pub(super) const FUNCTIONS: &[Function] = &{
    let mut all = [OTHERS[0]; KINDS.len() * 5 + OTHERS.len()];
    let mut place = 0;
    while place < all.len() {
        let of_kinds = KINDS.len() * 5;
        all[place] =
            if place < of_kinds { KINDS[place / 5][place % 5] } else { OTHERS[place - of_kinds] };
        place += 1;
    }
    all
};

fn made(kind: Kind, context: &Context<'_>, a: &[Value]) -> Result<Value, Error> {
    match optional(a, 0) {
        Some(from) => construct::make(kind, context.clock, from),
        None => now(kind, context, context.clock.statement, a),
    }
}

fn now(kind: Kind, context: &Context<'_>, at: Instant, a: &[Value]) -> Result<Value, Error> {
    let zone = match optional(a, 0) {
        Some(name) => Zone::parse(string(name)?)?,
        None => context.clock.zone,
    };
    construct::now(kind, at, zone)
}

fn truncated(kind: Kind, context: &Context<'_>, a: &[Value]) -> Result<Value, Error> {
    let clock = context.clock;
    let value = match optional(a, 1) {
        Some(value) => value.clone(),
        None => construct::now(Kind::DateTime, clock.statement, clock.zone)?,
    };
    if a[0].is_null() || value.is_null() {
        return Ok(Value::Null);
    }
    let nothing = Map::default();
    let set = match optional(a, 2) {
        None | Some(Value::Null) => &nothing,
        Some(given) => map(given)?,
    };
    truncate::truncate(kind, clock, string(&a[0])?, &value, set)
}

fn between(units: Units, a: &[Value]) -> Result<Value, Error> {
    Ok(difference::between(units, &a[0], &a[1])?.into())
}
