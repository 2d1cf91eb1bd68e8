//! What makes sense and what does not, by the technology compatibility kit: each query that is to
//! fail before it runs fails with the class that it names, all others pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use kvist_graph::cypher::{Environment, Procedure, Type, check, parse};

use crate::tck::{self, Scenario};

/// The procedures and parameters of a scenario.
struct Given {
    procedures: BTreeMap<String, Procedure>,
    parameters: Vec<String>,
}

impl Environment for Given {
    fn procedure(&self, name: &str) -> Option<Procedure> {
        self.procedures.get(name).cloned()
    }

    fn has_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter == name)
    }
}

impl Given {
    fn of(scenario: &Scenario) -> Self {
        let signatures = scenario.steps.iter().filter_map(|step| {
            step.text.strip_prefix("there exists a procedure ")?.strip_suffix(':')
        });
        let parameters = scenario.steps.iter().filter(|step| step.text == "parameters are:");
        let names = parameters.flat_map(|step| step.table.iter()).filter_map(|row| row.first());
        Self {
            procedures: signatures.map(signature).collect(),
            parameters: names.cloned().collect(),
        }
    }
}

/// `name(argument :: TYPE, …) :: (column :: TYPE, …)`.
fn signature(text: &str) -> (String, Procedure) {
    let (name, rest) = text.split_once('(').expect("a signature has arguments");
    let (arguments, columns) = rest.split_once(" :: (").unwrap_or((rest, ""));
    let (arguments, columns) = (close(arguments), close(columns));
    let procedure =
        Procedure { arguments: fields(arguments), columns: fields(columns), writes: false };
    (name.to_owned(), procedure)
}

/// Without the bracket at the end.
fn close(text: &str) -> &str {
    text.trim_end_matches([' ', ')'])
}

fn fields(text: &str) -> Vec<(Arc<str>, Type)> {
    let fields = text.split(", ").filter_map(|field| field.split_once(" :: "));
    fields.map(|(name, may_be)| (name.into(), of_name(may_be.trim_end_matches('?')))).collect()
}

fn of_name(name: &str) -> Type {
    match name {
        "INTEGER" => Type::INTEGER,
        "FLOAT" | "NUMBER" => Type::NUMBER,
        "STRING" => Type::STRING,
        "BOOLEAN" => Type::BOOLEAN,
        other => panic!("the kit names a type {other}"),
    }
}

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
