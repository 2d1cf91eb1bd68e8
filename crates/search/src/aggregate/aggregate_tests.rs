//! Aggregations: what RediSearch 1.2.2 and redis-py's tests return, and what a plain computation
//! does.

use super::{Origin, Pipeline, Record};
use crate::error::Result;
use crate::expression::Value;
use crate::request::Aggregate;
use crate::schema::Definition;

fn definition() -> Definition {
    let words: Vec<&[u8]> = "SCHEMA n NUMERIC s TEXT k TAG".split(' ').map(str::as_bytes).collect();
    Definition::parse(&words).unwrap()
}

fn compile(line: &str) -> Result<Pipeline> {
    let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    let extra: [&[u8]; 2] = [b"__key", b"__score"];
    Pipeline::compile(&Aggregate::parse(&words)?, &definition(), &extra, 7)
}

/// Rows with the attributes n, s, k.
const ROWS: [(Option<f64>, &str, &str); 8] = [
    (Some(1.0), "foo", "a"),
    (Some(2.0), "bar", "a"),
    (Some(3.0), "Foo Bar", "b"),
    (Some(4.0), "10", "b"),
    (Some(0.0), "9", "a"),
    (Some(10.0), "y", "c"),
    (Some(-2.5), "z", "c"),
    (None, "only", "d"),
];

/// The value of a property of a row.
fn value(origin: &Origin, row: &(Option<f64>, &str, &str)) -> Value {
    match origin {
        Origin::Attribute(0) => row.0.map_or(Value::Null, Value::Number),
        Origin::Attribute(1) => Value::text(row.1),
        Origin::Attribute(_) => Value::text(row.2),
        Origin::Extra(_) | Origin::Field(_) => Value::text(*b"extra"),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::List(list) => format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(",")),
        value => String::from_utf8_lossy(&value.as_text().unwrap()).into_owned(),
    }
}

fn run(line: &str) -> String {
    let mut pipeline = match compile(line) {
        Ok(pipeline) => pipeline,
        Err(error) => return error.0,
    };
    for row in &ROWS {
        if pipeline.is_full() {
            break;
        }
        let values: Vec<Value> =
            pipeline.properties().iter().map(|property| value(&property.origin, row)).collect();
        if let Err(error) = pipeline.push(values) {
            return error.0;
        }
    }
    let rows = pipeline.finish(&mut || Ok(())).unwrap();
    let names: Vec<String> =
        rows.names().iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let rows = rows.map(|row| {
        let pairs = names.iter().zip(&row.values);
        pairs.map(|(name, value)| format!("{name}={}", shown(value))).collect::<Vec<_>>().join(" ")
    });
    rows.collect::<Vec<_>>().join("; ")
}

fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(run(line), *expected, "{line}");
    }
}

#[test]
fn sorting_and_limits() {
    check(&[
        ("* SORTBY 2 @n ASC LIMIT 0 3", "n=-2.5; n=0; n=1"),
        ("* SORTBY 2 @n DESC LIMIT 6 5", "n=-2.5; n=-"),
        ("* SORTBY 1 @n LIMIT 6 5", "n=10; n=-"),
        ("* SORTBY 2 @n DESC MAX 2", "n=10; n=4"),
        ("* LIMIT 0 2 SORTBY 2 @n DESC", "n=10; n=4"),
        ("* LOAD 1 @n LIMIT 2 2", "n=3; n=4"),
        ("* LOAD 1 @n LIMIT 0 0", ""),
        ("* SORTBY 3 @k DESC @s LIMIT 0 3", "k=d s=only; k=c s=y; k=c s=z"),
        ("* LOAD 1 @s SORTBY 1 @s LIMIT 0 4", "s=10; s=9; s=Foo Bar; s=bar"),
    ]);
    // Ten rows, unless something says otherwise; none of them where nothing sorts.
    let mut pipeline = compile("* SORTBY 1 @n").unwrap();
    let mut plain = compile("* LOAD 1 @n").unwrap();
    for number in (0..1000).rev() {
        pipeline.push(vec![Value::Number(f64::from(number))]).unwrap();
        plain.push(vec![Value::Number(f64::from(number))]).unwrap();
    }
    assert!(pipeline.memory() < 20_000, "{}", pipeline.memory());
    let rows: Vec<Record> = pipeline.finish(&mut || Ok(())).unwrap().collect();
    assert_eq!(rows.len(), 10);
    assert_eq!(rows[9].values, [Value::Number(9.0)]);
    assert_eq!(plain.take_ready().len(), 1000);
    assert_eq!(plain.memory(), 0);
    assert_eq!(plain.finish(&mut || Ok(())).unwrap().len(), 0);
}

#[test]
fn expressions() {
    check(&[
        ("* FILTER @n>3", "n=4; n=10"),
        ("* FILTER @n>2 APPLY @n+1 AS m FILTER @m>4", "n=4 m=5; n=10 m=11"),
        ("* APPLY @n*10 AS n LIMIT 0 2", "n=10; n=20"),
        ("* APPLY 1 AS o LOAD 1 @n LIMIT 0 1", "n=1 o=1"),
        ("* APPLY 1 AS o FILTER @n==2", "o=1 n=2"),
        ("* APPLY @o AS x", "Property `o` not loaded nor in schema"),
        ("* GROUPBY 1 @k APPLY @n AS x", "Property `n` not loaded nor in schema"),
        ("* LOAD 3 @__key AS key LIMIT 0 1", "key=extra"),
        ("* ADDSCORES LOAD 1 $.x LIMIT 0 1", "__score=extra $.x=extra"),
    ]);
}

#[test]
fn groups() {
    check(&[
        (
            "* GROUPBY 1 @k REDUCE COUNT 0 AS c SORTBY 2 @c DESC",
            "k=a c=3; k=b c=2; k=c c=2; k=d c=1",
        ),
        (
            "* GROUPBY 1 @k REDUCE COUNT_DISTINCT 1 @n AS d REDUCE COUNT_DISTINCTISH 1 @n AS i \
             REDUCE SUM 1 @n \
             AS s REDUCE MIN 1 @n AS min REDUCE MAX 1 @n AS max REDUCE AVG 1 @n AS avg",
            "k=a d=3 i=3 s=3 min=0 max=2 avg=1; k=b d=2 i=2 s=7 min=3 max=4 avg=3.5; \
             k=c d=2 i=2 s=7.5 min=-2.5 max=10 avg=3.75; k=d d=0 i=0 s=0 min=- max=- avg=-",
        ),
        (
            "* GROUPBY 1 @k REDUCE STDDEV 1 @n AS d REDUCE QUANTILE 2 @n 0.5 AS q REDUCE TOLIST 1 \
             @n AS l REDUCE FIRST_VALUE 1 @n AS f",
            "k=a d=1 q=1 l=[1,2,0] f=1; k=b d=0.707106781187 q=3 l=[3,4] f=3; \
             k=c d=8.83883476483 q=-2.5 l=[10,-2.5] f=10; k=d d=- q=- l=[] f=-",
        ),
        (
            "* GROUPBY 1 @k REDUCE FIRST_VALUE 4 @s BY @n DESC AS most REDUCE FIRST_VALUE 3 @s BY \
             @n AS least",
            "k=a most=bar least=9; k=b most=10 least=Foo Bar; k=c most=y least=z; k=d most=only \
             least=only",
        ),
        ("* GROUPBY 0 REDUCE COUNT 0 AS c", "c=8"),
        ("* GROUPBY 0 REDUCE RANDOM_SAMPLE 2 @z 3", "Property `z` not loaded nor in schema"),
        ("* GROUPBY 1 @k REDUCE COUNT 0 AS k", "k=3; k=2; k=2; k=1"),
        (
            "* APPLY split('a,b') AS l GROUPBY 2 @l @k REDUCE COUNT 0 AS c LIMIT 0 3",
            "l=a k=a c=3; l=b k=a c=3; l=a k=b c=2",
        ),
        (
            "* APPLY split('a,b') AS l GROUPBY 1 @k REDUCE TOLIST 1 @l AS l REDUCE COUNT_DISTINCT \
             1 @l AS d LIMIT 0 1",
            "k=a l=[a,b] d=1",
        ),
        (
            "* GROUPBY 1 @k REDUCE COUNT 0 AS c GROUPBY 1 @c REDUCE COUNT 0 AS groups SORTBY 1 @c",
            "c=1 groups=1; c=2 groups=2; c=3 groups=1",
        ),
    ]);
}

#[test]
fn large_groups_agree_with_a_plain_computation() {
    let mut pipeline = compile(
        "* GROUPBY 1 @k REDUCE COUNT 0 AS c REDUCE SUM 1 @n AS s REDUCE COUNT_DISTINCTISH 1 @n AS \
         d REDUCE RANDOM_SAMPLE 2 @n 5 AS r",
    )
    .unwrap();
    let mut expected = std::collections::BTreeMap::<Vec<u8>, (f64, f64)>::new();
    for number in 0..50_000_u32 {
        let (key, number) = (format!("key{}", number * 7919 % 13).into_bytes(), f64::from(number));
        let (count, sum) = expected.entry(key.clone()).or_default();
        (*count, *sum) = (*count + 1.0, *sum + number);
        let values = pipeline.properties().iter().map(|property| match property.origin {
            Origin::Attribute(0) => Value::Number(number),
            _ => Value::Text(key.clone()),
        });
        pipeline.push(values.collect::<Vec<_>>()).unwrap();
    }
    let memory = pipeline.memory();
    assert!((1000..200_000).contains(&memory), "{memory}");
    let rows = pipeline.finish(&mut || Ok(())).unwrap();
    assert_eq!(rows.len(), 13);
    for row in rows {
        let [
            Value::Text(key),
            Value::Number(count),
            Value::Number(sum),
            Value::Number(distinct),
            r,
        ] = &row.values[..]
        else {
            panic!("{row:?}")
        };
        assert_eq!(expected[key], (*count, *sum));
        assert!((distinct / count - 1.0).abs() < 0.1, "{distinct} of {count}");
        assert!(matches!(r, Value::List(sample) if sample.len() == 5));
    }
}

#[test]
fn lists_that_would_make_too_many_groups_are_refused() {
    let mut pipeline = compile("* LOAD * GROUPBY 5 @a @b @c @d @e").unwrap();
    assert!(pipeline.loads_all());
    let list = Value::List((0..100).map(|n| Value::Number(f64::from(n))).collect());
    assert!(pipeline.push(vec![list; 5]).is_err());
}

#[test]
fn any_aggregation_is_answered() {
    let pieces = [
        "LOAD 1 @n",
        "LOAD *",
        "SORTBY 1 @n",
        "SORTBY 2 @s DESC MAX 3",
        "LIMIT 1 3",
        "LIMIT 0 0",
        "GROUPBY 1 @k",
        "GROUPBY 0",
        "REDUCE COUNT 0 AS n",
        "REDUCE TOLIST 1 @s AS s",
        "REDUCE QUANTILE 2 @n 0.9 AS n",
        "REDUCE STDDEV 1 @s",
        "REDUCE RANDOM_SAMPLE 2 @s 2",
        "FILTER @n>1",
        "FILTER !@s",
        "APPLY @n%0 AS k",
        "APPLY split(@s,'o') AS k",
        "APPLY @n*2 AS n",
    ];
    testkit::fuzz::fuzz(|rng| {
        for _ in 0..20 {
            let steps: Vec<&str> =
                (0..rng.below(7)).map(|_| pieces[rng.below(pieces.len())]).collect();
            run(format!("* {}", steps.join(" ")).trim_end());
        }
    });
}
