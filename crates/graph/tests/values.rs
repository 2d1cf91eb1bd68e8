//! Values, functions and aggregations by example: what the compatibility kit has no scenario for.

use kvist_graph::aggregate::{Accumulator, Aggregation};
use kvist_graph::function::{self, Context, pattern::Pattern};
use kvist_graph::temporal::{Clock, Instant, Zone};
use kvist_graph::value::{
    Class, DEEPEST, Detail, Error, LARGEST, Path, Value, arithmetic, literal, order, text,
};

use crate::evaluate::{self, Stop};

fn evaluated(expression: &str) -> Result<Value, Error> {
    let now = Instant { seconds: 1_500_000_000, nanos: 5_000_000 };
    let zone = Zone::named("europe/stockholm").expect("there is one");
    let clock = Clock { transaction: now, statement: now, realtime: now, zone };
    match evaluate::expression(expression, &Context::new(&clock, 1)) {
        Ok(value) => Ok(value),
        Err(Stop::Fails(error)) => Err(error),
        Err(Stop::Beyond) => panic!("not read: {expression}"),
    }
}

/// Both sides as literals.
fn same(expression: &str, expected: &str) {
    let value = evaluated(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    assert_eq!(literal::literal(&value).expect("there is one"), expected, "{expression}");
}

#[test]
fn a_value_is_24_bytes() {
    assert_eq!(size_of::<Value>(), 24);
    // Two counts and the text; two counts, two values and the text.
    assert_eq!(Value::from("abc").memory(), 24);
    assert_eq!(Value::list([Value::from("abc"), Value::Null]).memory(), 16 + 48 + 24);
}

#[test]
fn functions_of_numbers() {
    same("[abs(-2), abs(-2.5), sign(-0.1), sign(0)]", "[2, 2.5, -1, 0]");
    same(
        "[ceil(1.2), floor(-1.2), round(2.5), round(3), round(1.2345, 2)]",
        "[2.0, -2.0, 3.0, 3, 1.23]",
    );
    same("[sqrt(16), exp(0), log(e()), log10(1000), pow(2, 10)]", "[4.0, 1.0, 1.0, 3.0, 1024.0]");
    same(
        "[sin(0), cos(0), atan2(0, 1), degrees(pi()), haversin(0)]",
        "[0.0, 1.0, 0.0, 180.0, 0.0]",
    );
    same("[7 / 2, -7 / 2, 7 % 3, -7 % 3, 7.0 / 2, 2 ^ 3]", "[3, -3, 1, -1, 3.5, 8.0]");
    same("0 <= rand() AND rand() < 1", "true");
}

#[test]
fn functions_of_texts() {
    same("[left('abc', 2), right('abc', 5), substring('hello', 1, 3)]", "['ab', 'abc', 'ell']");
    same("[replace('aXbX', 'X', 'yy'), reverse('åb'), trim('  a ')]", "['ayybyy', 'bå', 'a']");
    same("split('a,b,', ',')", "['a', 'b', '']");
    same("[string.join(['a', 'b'], '-'), 'a' + 1 + true, size('åä')]", "['a-b', 'a1true', 2]");
    same("string.matchRegEx('a1b22', '([a-z])([0-9]+)')", "[['a1', 'a', '1'], ['b22', 'b', '22']]");
    same("string.replaceRegEx('a1b22', '[0-9]+', '#')", "'a#b#'");
    let mut whole = Pattern::whole("a|bc").expect("there is one");
    assert!(whole.is_match("bc") && !whole.is_match("abc"));
    assert!(Pattern::whole("a)(b").is_err());
    assert!(Pattern::whole("(((a{99}){99}){99}){99}").is_err());
}

#[test]
fn functions_of_lists() {
    same("[head([1, 2]), last([1, 2]), tail([1, 2, 3]), head([])]", "[1, 2, [2, 3], null]");
    same("range(0, 10, 5) + range(3, 1) + range(3, 1, -1)", "[0, 5, 10, 3, 2, 1]");
    same("range(9223372036854775807, 9223372036854775807)", "[9223372036854775807]");
    same("[list.remove([1, 2, 3], 0), list.remove([1, 2, 3], -2, 2)]", "[[2, 3], [1]]");
    same("[list.remove([1, 2], 5), list.remove([], 0)]", "[[1, 2], []]");
    same("[list.sort([2, 'a', 1]), list.sort([1, 3, 2], false)]", "[['a', 1, 2], [3, 2, 1]]");
    same("[list.insert([1, 2], 1, 9), list.insert([1, 2], -1, 9)]", "[[1, 9, 2], [1, 2, 9]]");
    same("list.insert([1, 2], 0, 2, false)", "[1, 2]");
    same("list.insertListElements([1, 2], [2, 3, 3], 0, false)", "[3, 1, 2]");
    same("list.dedup([1, 1.0, null, null, 'a'])", "[1, null, 'a']");
    same("[keys({b: 1, a: 2}), {a: 1, b: 2, a: 3}]", "[['b', 'a'], {a: 3, b: 2}]");
}

#[test]
fn conversions() {
    same(
        "[toInteger('0x'), toInteger(' 12 '), toInteger('1e3'), toInteger(true)]",
        "[null, 12, 1000, 1]",
    );
    same("[toInteger(1e300), toInteger('inf'), toFloat('nan')]", "[null, null, null]");
    same("[toBoolean('TRUE'), toBoolean(0), toBooleanOrNull([])]", "[true, false, null]");
    same(
        "[toString(1.0), toString(1e300), toString(date('2015'))]",
        "['1.0', '1e300', '2015-01-01']",
    );
    same("toIntegerList(['1', 'a', 2.5, null, []])", "[1, null, 2, null, null]");
    same("toJSON({a: [1, 'x\"', null], b: 1.5})", "'{\"a\": [1, \"x\\\\\"\", null], \"b\": 1.5}'");
    same("[typeOf(1), typeOf([]), typeOf(null)]", "['Integer', 'List', 'Null']");
}

#[test]
fn moments() {
    // Clocks put forward at 02:00 show 03:30 where 02:30 is meant; put back at 03:00, 02:30 twice.
    same("toString(datetime('2021-03-28T02:30'))", "'2021-03-28T03:30+02:00[Europe/Stockholm]'");
    same("toString(datetime('2021-10-31T02:30'))", "'2021-10-31T02:30+02:00[Europe/Stockholm]'");
    same(
        "toString(datetime('2021-10-31T02:30') + duration('PT1H'))",
        "'2021-10-31T02:30+01:00[Europe/Stockholm]'",
    );
    // Years for which the database has a rule and no list of changes.
    same("datetime('2400-07-01T00:00').offset + datetime('2400-01-01').offset", "'+02:00+01:00'");
    same("datetime({year: 2100, month: 7, timezone: 'Australia/Sydney'}).offset", "'+10:00'");
    same("toString(datetime())", "'2017-07-14T04:40:00.005+02:00[Europe/Stockholm]'");
    same("[toString(date()), timestamp()]", "['2017-07-14', 1500000000005]");
    same("toString(date('2020-02-29') + duration('P1Y'))", "'2021-02-28'");
    same("toString(date('2020-01-31') + duration('P1M'))", "'2020-02-29'");
    same("toString(duration('-P1Y2M3DT4H5M6.7S'))", "'P-1Y-2M-3DT-4H-5M-6.7S'");
    same("toString(date('-999999999-01-01'))", "'-999999999-01-01'");
    same(
        "toString(datetime({epochMillis: -1}))",
        "'1970-01-01T00:59:59.999+01:00[Europe/Stockholm]'",
    );
    same("date({year: null})", "null");
    for wrong in [
        "date('2015-02-29')",
        "date('2015-13')",
        "date('x')",
        "localtime('25')",
        "duration('P')",
        "datetime('2015T10[Europe/Atlantis]')",
        "time('10+19:00')",
        "date({month: 2})",
        "date({year: 2015, day: 2})",
        "date({year: 2015, hours: 2})",
        "localtime({minute: 2})",
        "date('+999999999-12-31') + duration('P1D')",
        "date.truncate('hour', date())",
        "duration('P1D') * 1e300",
        "duration('P1D') / 0",
    ] {
        assert!(evaluated(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn points_and_vectors() {
    same("point({latitude: 32.5, longitude: 34.5}).latitude", "32.5");
    let distance = evaluated(
        "distance(point({latitude: 0, longitude: 0}), point({latitude: 0, longitude: 180}))",
    );
    let Ok(Value::Float(metres)) = distance else { panic!("{distance:?}") };
    assert!((metres - 20_037_517.0).abs() < 10.0, "{metres}");
    same("vec.euclideanDistance(vecf32([0, 3]), vecf32([4, 0]))", "5.0");
    assert!(evaluated("point({latitude: 91, longitude: 0})").is_err());
    assert!(evaluated("vec.cosineDistance(vecf32([1]), vecf32([1, 2]))").is_err());
}

#[test]
fn errors_have_a_class() {
    let class = |expression: &str| {
        let error = evaluated(expression).expect_err("no value");
        (error.class, error.detail)
    };
    assert_eq!(class("1 / 0"), (Class::Arithmetic, Detail::DivisionByZero));
    assert_eq!(class("9223372036854775807 + 1"), (Class::Arithmetic, Detail::Overflow));
    assert_eq!(class("abs(-9223372036854775808)"), (Class::Arithmetic, Detail::Overflow));
    assert_eq!(class("range(1, 2, 0)"), (Class::Argument, Detail::NumberOutOfRange));
    assert_eq!(class("range(0, 9223372036854775807)"), (Class::Argument, Detail::NumberOutOfRange));
    assert_eq!(class("toFloat(true)"), (Class::Type, Detail::InvalidArgumentValue));
    assert_eq!(class("true + 1"), (Class::Type, Detail::InvalidArgumentType));
    assert_eq!(class("{a: 1}[0]"), (Class::Type, Detail::MapElementAccessByNonString));
    let error = evaluated("sqrt('a')").expect_err("no value");
    let text = "Type mismatch: expected Integer, Float, or Null but was String";
    assert_eq!(&*error.message, text);
}

#[test]
fn nesting_ends_before_the_stack_does() {
    let mut list = Value::list([]);
    let mut steps = 0;
    let error = loop {
        steps += 1;
        assert!(steps < 1_000, "nothing ends it");
        match arithmetic::add(&Value::list([]), &Value::list([list.clone()])) {
            Ok(deeper) => list = deeper,
            Err(error) => break error,
        }
    };
    assert_eq!(list.nesting().depth(), DEEPEST);
    assert_eq!(error.detail, Detail::NumberOutOfRange);
    let mut collected = Accumulator::new(Aggregation::Collect, false);
    collected.take(&list, None).expect("there is one");
    assert!(collected.finish().is_err());
}

#[test]
fn what_is_shared_counts_as_often_as_it_is_met() {
    let mut list = Value::list([Value::Null]);
    let mut steps = 0;
    let error = loop {
        steps += 1;
        assert!(steps < 60, "nothing ends it");
        match arithmetic::add(&Value::list([list.clone()]), &Value::list([list.clone()])) {
            Ok(twice) => list = twice,
            Err(error) => break error,
        }
    };
    assert!(list.nesting().size() <= LARGEST);
    assert_eq!(error.detail, Detail::NumberOutOfRange);
}

#[test]
fn a_function_makes_nothing_beyond_its_room() {
    let clock = Clock::default();
    let mut context = Context::new(&clock, 1);
    context.room = 100;
    for (expression, fits) in [
        ("replace('aaaa', 'a', '0123456789')", true),
        ("replace('aaaaaaaaaaa', 'a', '0123456789')", false),
        ("string.replaceRegEx('aaaaaaaaaaa', 'a', '0123456789')", false),
        ("string.join(['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'b'], 'b')", true),
        ("string.join(['a', 'a', 'a'], '0123456789012345678901234567890123456789')", false),
        ("range(1, 4)", true),
        ("range(1, 5)", false),
    ] {
        assert_eq!(evaluate::expression(expression, &context).is_ok(), fits, "{expression}");
    }
}

#[test]
fn the_order_of_types() {
    let path = Path::new(vec![1], vec![]).expect("a node is a path");
    let make = |text: &str| evaluated(text).expect("a value");
    let sorted = [
        make("{a: 'map'}"),
        Value::Node(1),
        Value::Relationship(1),
        make("[]"),
        make("['a', 1]"),
        make("[1, null]"),
        make("[null, 1]"),
        Value::Path(path.into()),
        make("datetime('2015')"),
        make("localdatetime('2014')"),
        make("date('2013')"),
        make("time('10:00Z')"),
        make("localtime('09:00')"),
        make("duration('P30D')"),
        make("duration('P1M')"),
        make("duration('P31D')"),
        make("''"),
        make("'text'"),
        make("false"),
        make("true"),
        make("1"),
        make("1.5"),
        make("0.0 / 0.0"),
        Value::Null,
    ];
    for (place, a) in sorted.iter().enumerate() {
        for (other, b) in sorted.iter().enumerate() {
            assert_eq!(order::compare(a, b), place.cmp(&other), "{a:?} and {b:?}");
        }
    }
}

#[test]
fn texts_of_replies() {
    for (number, expected) in [
        (0.1 + 0.2, "0.3"),
        (1.0, "1"),
        (1e15, "1e+15"),
        (123_456.75, "123456.75"),
        (1e-5, "1e-05"),
        (-0.0, "-0"),
        (0.000_1, "0.0001"),
        (f64::INFINITY, "inf"),
        (2.5e-300, "2.5e-300"),
        (999_999_999_999_999.9, "1e+15"),
        (100.0, "100"),
    ] {
        assert_eq!(text::general(number), expected);
    }
    let path = Path::new(vec![1, 2], vec![7]).expect("there is one");
    let list = Value::list([
        Value::Null,
        Value::Float(0.5),
        Value::from("a"),
        Value::map([("k", Value::Integer(1))]),
        Value::Path(path.into()),
        Value::Vector([1.0, 2.0].into()),
    ]);
    let expected = "[NULL, 0.500000, a, {k: 1}, [(1), [7], (2)], <1.000000, 2.000000>]";
    assert_eq!(text::verbose(&list), expected);
    assert_eq!(literal::literal(&list), None);
}

fn aggregated(name: &str, distinct: bool, values: &str, part: Option<f64>) -> Result<Value, Error> {
    let aggregation = Aggregation::named(name).expect("there is one");
    let mut accumulator = Accumulator::new(aggregation, distinct);
    let Value::List(values, _) = evaluated(values)? else { panic!("a list") };
    for value in values.iter() {
        accumulator.take(value, part.map(Value::Float).as_ref())?;
    }
    accumulator.finish()
}

#[test]
fn aggregations() {
    let of = |name: &str, distinct: bool, values: &str, part: Option<f64>| {
        literal::literal(&aggregated(name, distinct, values, part).expect("there is one"))
            .expect("there is one")
    };
    assert_eq!(of("COUNT", false, "[1, null, 1.0, 'a']", None), "3");
    assert_eq!(of("count", true, "[1, null, 1.0, 'a', 0.0/0.0, 0.0/0.0]", None), "3");
    assert_eq!(of("count", true, "[0.0 / 0.0, -(0.0 / 0.0), 0.0, -0.0, 0]", None), "2");
    assert_eq!(of("count", true, "[[1], [1.0], {a: 1, b: 2}, {b: 2.0, a: 1}]", None), "2");
    assert_eq!(of("sum", false, "[1, 2, null]", None), "3");
    assert_eq!(of("sum", false, "[9223372036854775807, 1, -1]", None), "9223372036854775807");
    assert_eq!(of("sum", false, "[1, 0.5]", None), "1.5");
    assert_eq!(of("sum", false, "[]", None), "0");
    assert_eq!(of("sum", false, "[duration('P1D'), duration('PT1H')]", None), "duration('P1DT1H')");
    assert_eq!(of("avg", false, "[1, 2, null]", None), "1.5");
    assert_eq!(of("avg", false, "[null]", None), "null");
    assert_eq!(of("min", false, "[1, 'a', null, [1, 2], 0.2, 'b']", None), "[1, 2]");
    assert_eq!(of("max", false, "[1, 'a', null, [1, 2], 0.2, 'b']", None), "1");
    assert_eq!(of("collect", true, "[1, 1.0, null, 'a']", None), "[1, 'a']");
    assert_eq!(of("percentileCont", false, "[10, 20, 30, 40]", Some(0.5)), "25.0");
    assert_eq!(of("percentileDisc", false, "[10, 20, 30]", Some(0.5)), "20");
    assert_eq!(of("percentileDisc", false, "[]", Some(0.5)), "null");
    assert_eq!(of("stDevP", false, "[2, 4, 4, 4, 5, 5, 7, 9]", None), "2.0");
    assert_eq!(of("stDev", false, "[1]", None), "0.0");
    let error = aggregated("percentileCont", false, "[1]", Some(1.1)).expect_err("no value");
    assert_eq!((error.class, error.detail), (Class::Argument, Detail::NumberOutOfRange));
    assert!(aggregated("sum", false, "['a']", None).is_err());
    assert!(aggregated("sum", false, "[9223372036854775807, 1]", None).is_err());
}

#[test]
fn every_function_has_one_name() {
    let mut names: Vec<String> = function::all().map(|it| it.name.to_ascii_lowercase()).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(function::named("TOINTEGER").is_some());
}
