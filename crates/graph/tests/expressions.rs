//! Values and functions, checked by the scenarios of openCypher's technology compatibility kit that
//! a small evaluator understands.

use std::collections::BTreeMap;

use kvist_graph::function::Context;
use kvist_graph::temporal::{Clock, Instant, Zone};
use kvist_graph::value::{Class, Value, equivalence, text};

use crate::evaluate::{self, Graph, Stop};
use crate::tck::{self, Scenario};

/// How a scenario came out.
#[derive(Debug, PartialEq)]
enum Verdict {
    Passes,
    Fails(String),
    /// It is about more than values.
    Beyond,
}

/// Dates and their like are shown as their texts.
fn shown(value: &Value) -> Value {
    match value {
        Value::List(values, _) => Value::list(values.iter().map(shown)),
        Value::Map(map) => Value::map(map.iter().map(|(key, value)| (key.clone(), shown(value)))),
        Value::Date(_)
        | Value::LocalTime(_)
        | Value::Time(_)
        | Value::LocalDateTime(_)
        | Value::DateTime(_)
        | Value::Duration(_) => Value::from(text::verbose(value)),
        other => other.clone(),
    }
}

fn one(expected: &Value, actual: &Value) -> bool {
    let both_integers =
        |a: &Value, b: &Value| matches!(a, Value::Integer(_)) == matches!(b, Value::Integer(_));
    equivalence::equivalent(expected, actual) && both_integers(expected, actual)
}

fn verdict(scenario: &Scenario, context: &Context<'_>) -> Verdict {
    // What changes a graph is beyond, whether or not the evaluator could read it.
    let changes =
        |query: &str| ["MERGE", "SET ", "REMOVE ", "DELETE "].iter().any(|c| query.contains(c));
    if scenario.queries().any(changes) {
        return Verdict::Beyond;
    }
    let mut graph = Graph::new();
    let mut parameters = Graph::new();
    let mut last = None;
    for step in &scenario.steps {
        if step.text.starts_with("parameters are") {
            for row in &step.table {
                let [name, value] = &row[..] else { return Verdict::Beyond };
                let Ok(value) = evaluate::expression(value, context) else {
                    return Verdict::Beyond;
                };
                parameters.insert(name.clone(), value);
            }
        } else if step.text.ends_with("executed:") || step.text.ends_with("query:") {
            last = Some(evaluate::query(&step.doc, &mut graph, &parameters, context));
            if matches!(last, Some(Err(Stop::Beyond))) {
                return Verdict::Beyond;
            }
        } else if step.text.contains("ignoring element order") {
            return Verdict::Beyond;
        } else if step.text.contains("result should be") && !step.table.is_empty() {
            let row = match last.take() {
                Some(Ok(Some(row))) => row,
                Some(Err(Stop::Fails(error))) => return Verdict::Fails(error.to_string()),
                _ => return Verdict::Beyond,
            };
            let [_, expected] = &step.table[..] else { return Verdict::Beyond };
            for (expected, actual) in expected.iter().zip(&row) {
                let Ok(wanted) = evaluate::expression(expected, context) else {
                    return Verdict::Beyond;
                };
                if !one(&wanted, &shown(actual)) {
                    return Verdict::Fails(format!("{expected} and not {}", text::verbose(actual)));
                }
            }
            return Verdict::Passes;
        } else if step.text.contains("raised at ") {
            let (when, of) = scenario.failure().unwrap_or_default();
            return if when.starts_with("compile") {
                Verdict::Beyond
            } else {
                failure(&step.text, of, last)
            };
        }
    }
    Verdict::Beyond
}

fn failure(
    text: &str,
    expected: &str,
    last: Option<evaluate::Result<Option<Vec<Value>>>>,
) -> Verdict {
    let Some(Err(Stop::Fails(error))) = last else {
        return Verdict::Fails(format!("no {text}"));
    };
    let class = match error.class {
        Class::Type => "TypeError",
        Class::Argument => "ArgumentError",
        Class::Arithmetic => "ArithmeticError",
    };
    let detail = format!("{:?}", error.detail);
    // What the kit calls an error of syntax at run time is one of an argument.
    let of_class = text.contains(class) || text.contains("SyntaxError");
    let of_detail = expected.ends_with('*')
        || expected.ends_with(&detail)
        || (text.contains("SyntaxError") && class == "ArgumentError");
    if of_class && of_detail {
        Verdict::Passes
    } else {
        Verdict::Fails(format!("{text}, but {class}: {detail}"))
    }
}

fn clock() -> Clock {
    let now = Instant { seconds: 1_500_000_000, nanos: 123_456_789 };
    Clock { transaction: now, statement: now, realtime: now, zone: Zone::UTC }
}

/// How many scenarios of a folder must pass at least; none may fail.
const EXPECTED: [(&str, usize); 11] = [
    ("Boolean", 11),
    ("Comparison", 46),
    ("List", 157),
    ("Literals", 67),
    ("Map", 28),
    ("Mathematical", 4),
    ("Null", 38),
    ("Precedence", 62),
    ("String", 2),
    ("Temporal", 1_004),
    ("TypeConversion", 9),
];

#[test]
fn the_kit_agrees() {
    let Some(scenarios) = tck::scenarios() else { return };
    let clock = clock();
    let context = Context::new(&clock, 1);
    let mut passed: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut failures = Vec::new();
    for scenario in &scenarios {
        let family: String = scenario.name.chars().take_while(|c| c.is_alphabetic()).collect();
        let counts = passed.entry(family).or_default();
        match verdict(scenario, &context) {
            Verdict::Passes => counts[0] += 1,
            Verdict::Fails(why) => failures.push(format!("{}: {why}", scenario.name)),
            Verdict::Beyond => counts[1] += 1,
        }
    }
    println!("passed and beyond: {passed:?}");
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
    for (family, least) in EXPECTED {
        let count = passed.get(family).map_or(0, |counts| counts[0]);
        assert!(count >= least, "{family}: {count} of {least}");
    }
}
