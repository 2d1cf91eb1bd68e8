//! What holds of all values: the order is one, agrees with equality and hashes, a literal reads as
//! what was written, texts of dates read as the same dates, and nothing panics.

use std::cmp::Ordering;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use kvist_graph::function::{self, Context};
use kvist_graph::temporal::{
    Clock, Date, DateTime, Duration, Instant, LocalDateTime, LocalTime, Time, Zone, accessor,
};
use kvist_graph::value::{
    Path, Point, Value, access, arithmetic, comparison, equality, equivalence, literal, order, text,
};
use proptest::prelude::*;

use crate::evaluate;

fn integers() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(-1),
        Just(i64::MAX),
        Just(i64::MIN),
        Just(9_007_199_254_740_993),
        -400_000_000_000_i64..400_000_000_000,
        any::<i64>()
    ]
}

fn floats() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(9_223_372_036_854_775_808.0),
        Just(9_007_199_254_740_992.0),
        Just(0.5),
        (-5..5_i32).prop_map(f64::from),
        any::<f64>()
    ]
}

fn zones() -> impl Strategy<Value = Zone> {
    let names = ["Europe/Stockholm", "Pacific/Honolulu", "Australia/Lord_Howe", "America/St_Johns"];
    prop_oneof![
        (-64_800..=64_800).prop_filter_map("an offset", |it| Zone::fixed(it).ok()),
        prop::sample::select(names.to_vec())
            .prop_map(|name| Zone::named(name).expect("there is one")),
    ]
}

/// Seconds that there are, with a few years to spare at both ends.
fn seconds() -> impl Strategy<Value = i64> {
    prop_oneof![
        -5_000_000_000_i64..5_000_000_000,
        -31_557_000_000_000_000..31_556_000_000_000_000_i64
    ]
}

fn temporals() -> impl Strategy<Value = Value> {
    let nanos = || prop_oneof![Just(0), Just(500_000_000), 0..1_000_000_000_u32];
    let time = (0..86_400_000_000_000_i64).prop_map(LocalTime::from_nanos);
    prop_oneof![
        seconds().prop_filter_map("a day", |it| Date::from_days(it / 86_400).ok().map(Value::Date)),
        time.clone().prop_map(Value::LocalTime),
        (time, -64_800..=64_800)
            .prop_map(|(time, by)| Value::Time(Time::new(time, by).expect("there is one"))),
        (seconds(), nanos()).prop_filter_map("a day", |(seconds, nanos)| {
            LocalDateTime::from_seconds(seconds, nanos).ok().map(Value::LocalDateTime)
        }),
        (seconds(), nanos(), zones()).prop_filter_map("a day", |(seconds, nanos, zone)| {
            DateTime::new(Instant { seconds, nanos }, zone).ok().map(Value::DateTime)
        }),
        (integers(), integers(), integers(), nanos()).prop_filter_map("a span", |(m, d, s, n)| {
            Duration::new(m, d, s, n.into()).ok().map(Value::from)
        }),
    ]
}

fn scalars() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        integers().prop_map(Value::Integer),
        floats().prop_map(Value::Float),
        any::<String>().prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
        temporals(),
        (-90.0..90.0, -180.0..180.0)
            .prop_map(|(a, b)| Value::Point(Point::new(a, b).expect("there is one"))),
        prop::collection::vec(any::<f32>(), 0..3).prop_map(|all| Value::Vector(all.into())),
    ]
}

fn nested(leaves: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    leaves.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[abc` é]{0,2}", inner), 0..4).prop_map(Value::map),
        ]
    })
}

fn values() -> impl Strategy<Value = Value> {
    let path =
        |(a, b, c)| Value::Path(Path::new(vec![a, b], vec![c]).expect("there is one").into());
    nested(prop_oneof![
        9 => scalars(),
        1 => (0..3_u64).prop_map(Value::Node),
        1 => (0..3_u64).prop_map(Value::Relationship),
        1 => (0..3_u64, 0..3_u64, 0..3_u64).prop_map(path),
    ])
}

fn clock() -> Clock {
    Clock::default()
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    equivalence::hash(value, &mut hasher);
    hasher.finish()
}

const LIKE_DATES: &str = concat!(
    "[-+]?[0-9]{0,12}[-WQP]?[0-9.]{0,4}[-T:YMD]{0,2}",
    "[0-9]{0,3}[Z+:HMS\\[]?[0-9]{0,20}[S\\]]?"
);

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, cases: 600, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_order_is_total_and_agrees_with_equality(a in values(), b in values(), c in values()) {
        prop_assert_eq!(order::compare(&a, &a), Ordering::Equal);
        prop_assert_eq!(order::compare(&a, &b), order::compare(&b, &a).reverse());
        let mut sorted = [a.clone(), b.clone(), c];
        sorted.sort_by(order::compare);
        prop_assert_ne!(order::compare(&sorted[0], &sorted[2]), Ordering::Greater);
        if equality::equal(&a, &b) == Some(true) {
            prop_assert!(equivalence::equivalent(&a, &b));
        }
        if equivalence::equivalent(&a, &b) {
            prop_assert_eq!(hash(&a), hash(&b));
            let with_nan = text::verbose(&a).to_lowercase().contains("nan");
            prop_assert!(with_nan || equality::equal(&a, &b) != Some(false));
        }
        if let comparison::Standing::Is(standing) = comparison::standing(&a, &b) {
            prop_assert_eq!(standing == Ordering::Equal, equality::equal(&a, &b) == Some(true));
        }
    }

    #[test]
    fn numbers_compare_exactly(a in integers(), b in floats()) {
        let (a, b) = (Value::Integer(a), Value::Float(b));
        let (Value::Integer(whole), Value::Float(float)) = (&a, &b) else { unreachable!() };
        if float.is_nan() {
            prop_assert_eq!(comparison::less(&a, &b), Some(false));
        } else if float.abs() < 9e18 {
            // By the whole part in 128 bits, and the fraction apart.
            let by_parts = i128::from(*whole)
                .cmp(&(float.trunc() as i128))
                .then(0.0_f64.partial_cmp(&float.fract()).expect("there is one"));
            prop_assert_eq!(order::compare(&a, &b), by_parts);
        }
    }

    #[test]
    fn a_literal_reads_as_what_was_written(value in nested(scalars())) {
        let clock = clock();
        let written = literal::literal(&value).expect("there is one");
        let read = evaluate::expression(&written, &Context::new(&clock, 1));
        prop_assert!(read.is_ok(), "{}: {:?}", written, read);
        prop_assert!(equivalence::equivalent(&value, &read.expect("there is one")), "{}", written);
    }

    #[test]
    fn a_sum_is_undone(moment in temporals(), months in -500_i64..500, days in -9_999_i64..9_999) {
        let by = Value::from(Duration::new(0, days, 0, 0).expect("there is one"));
        let back = arithmetic::add(&moment, &by).and_then(|it| arithmetic::subtract(&it, &by));
        if let (Ok(back), false) = (back, matches!(moment, Value::DateTime(_))) {
            prop_assert_eq!(back, moment);
        }
        let _ = Duration::new(months, days, 0, 0).expect("there is one").to_string();
    }

    #[test]
    fn nothing_panics(
        a in values(), b in values(), c in values(), d in values(), texts in any::<[String; 2]>(),
    ) {
        let clock = clock();
        let context = Context::new(&clock, 7);
        let given = [a, b, c, d];
        for function in function::all() {
            for count in function.least..=function.most.min(4) {
                let result = function.call(&context, &given[..count]);
                let _ = result.map(|value| (text::verbose(&value), value.memory()));
            }
        }
        for operation in [
            arithmetic::add, arithmetic::subtract, arithmetic::multiply, arithmetic::divide,
            arithmetic::remainder, arithmetic::power, access::element,
        ] {
            let _ = operation(&given[0], &given[1]).map(|it| literal::literal(&it));
        }
        let _ = access::slice(&given[0], Some(&given[1]), Some(&given[2]));
        for name in ["epochMillis", "nanoseconds", "weekYear", "offset", "dayOfQuarter"] {
            let _ = accessor::component(&given[0], name);
        }
        for text in &texts {
            let _ = (Date::parse(text), LocalTime::parse(text), Duration::parse(text));
            let _ = (DateTime::parse(text, Zone::UTC), LocalDateTime::parse(text));
            let _ = Zone::parse(text);
        }
    }

    #[test]
    fn texts_like_dates_do_not_panic(
        text in LIKE_DATES,
        months in integers(), days in integers(), seconds in integers(),
        moment in temporals(), other in temporals(),
    ) {
        let clock = clock();
        let context = Context::new(&clock, 7);
        for name in ["date", "time", "localtime", "localdatetime", "datetime", "duration"] {
            let made = function::named(name).expect("there is one");
            let _ = made.call(&context, &[Value::from(text.as_str())]);
            for key in ["year", "week", "hour", "nanosecond", "ordinalDay", "months"] {
                let given = [("year", Value::Integer(days)), (key, Value::Integer(months))];
                let map = Value::map(given);
                let _ = made.call(&context, &[map]);
            }
        }
        if let Ok(by) = Duration::new(months, days, seconds, 0) {
            let by = Value::from(by);
            let _ = arithmetic::add(&moment, &by);
            let _ = arithmetic::subtract(&moment, &by);
            let _ = arithmetic::multiply(&by, &Value::Float(seconds as f64 * 1.5));
            let _ = arithmetic::divide(&by, &Value::Integer(months));
        }
        for name in ["between", "inMonths", "inDays", "inSeconds"] {
            let between = function::named(&format!("duration.{name}")).expect("there is one");
            let _ = between.call(&context, &[moment.clone(), other.clone()]);
        }
        for unit in ["millennium", "weekYear", "week", "quarter", "hour", "microsecond"] {
            for kind in ["date", "time", "localtime", "localdatetime", "datetime"] {
                let cut = function::named(&format!("{kind}.truncate")).expect("there is one");
                let map = Value::map([("nanosecond", Value::Integer(seconds))]);
                let _ = cut.call(&context, &[Value::from(unit), moment.clone(), map]);
            }
        }
    }
}
