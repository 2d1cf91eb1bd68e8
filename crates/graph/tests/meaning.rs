//! What makes sense and what does not, by the technology compatibility kit: each query that is to
//! fail before it runs fails with the class that it names, all others pass.

use kvist_graph::cypher::{check, parse};

use crate::tck;
use crate::tck::environment::Given;

/// The class of the error with which a query fails before it runs.
fn failure(query: &str, given: &Given) -> Option<(&'static str, String)> {
    let checked = parse(query).and_then(|statement| check(&statement, given));
    checked.err().map(|error| (error.class.name(), error.with_caret(query)))
}

#[test]
fn scenarios_of_the_kit() {
    let Some(scenarios) = tck::scenarios() else { return };
    let (mut wrong, mut refused, mut accepted) = (Vec::new(), 0, 0);
    for scenario in &scenarios {
        let given = Given::of(scenario);
        let last = scenario.queries().count() - 1;
        for (index, query) in scenario.queries().enumerate() {
            let expected = scenario.failure().filter(|_| index == last);
            let found = failure(query, &given);
            let as_expected = match (expected, &found) {
                (Some(("compile time", class)), Some((found, _))) => class == *found,
                (Some(("any time", class)), Some((found, _))) => class == "*" || class == *found,
                (Some(("compile time", _)), None) => false,
                (_, found) => found.is_none(),
            };
            match found {
                Some((class, text)) if !as_expected => {
                    wrong.push(format!("{}\n{expected:?}, not {class}: {text}", scenario.name));
                }
                None if !as_expected => {
                    wrong.push(format!("{}\n{expected:?} of {query}", scenario.name));
                }
                Some(_) => refused += 1,
                None => accepted += 1,
            }
        }
    }
    println!("{accepted} queries make sense, {refused} are refused as they are to be");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
