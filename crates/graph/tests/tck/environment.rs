//! The procedures and parameters that a scenario gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use kvist_graph::cypher::{Environment, Procedure, ProcedureBody, Type};
use kvist_graph::procedure;
use kvist_graph::value::{Map, Value, equivalence};

use super::notation::{self, Expected};
use super::{Scenario, Step};

/// What a scenario gives.
pub struct Given {
    procedures: BTreeMap<String, Procedure>,
    /// The parameters and their values.
    pub parameters: Map,
}

impl Environment for Given {
    fn procedure(&self, name: &str) -> Option<Procedure> {
        let given = self.procedures.get(name).cloned();
        given.or_else(|| procedure::Builtin.procedure(name))
    }

    fn has_parameter(&self, name: &str) -> bool {
        self.parameters.get(name).is_some()
    }
}

impl Given {
    pub fn of(scenario: &Scenario) -> Self {
        let signatures = scenario.steps.iter().filter_map(|step| {
            let signature =
                step.text.strip_prefix("there exists a procedure ")?.strip_suffix(':')?;
            Some(procedure_of(signature, step))
        });
        let parameters = scenario.steps.iter().filter(|step| step.text == "parameters are:");
        let rows = parameters.flat_map(|step| step.table.iter());
        let parameters = rows.map(|row| (Arc::from(&*row[0]), value(&row[1])));
        Self { procedures: signatures.collect(), parameters: Map::new(parameters) }
    }
}

/// The value that a cell says, which is in no graph.
fn value(cell: &str) -> Value {
    of_expected(notation::read(cell).expect("the kit's values can be read"))
}

fn of_expected(expected: Expected) -> Value {
    match expected {
        Expected::Null => Value::Null,
        Expected::Boolean(is) => is.into(),
        Expected::Integer(number) => number.into(),
        Expected::Float(number) => number.into(),
        Expected::String(text) => text.into(),
        Expected::List(values) => Value::list(values.into_iter().map(of_expected)),
        Expected::Map(entries) => {
            Value::map(entries.into_iter().map(|(key, value)| (key, of_expected(value))))
        }
        other => panic!("{other:?} is in a graph"),
    }
}

/// `name(argument :: TYPE, …) :: (column :: TYPE, …)`, and a table: the columns of each row that
/// begins with the arguments.
fn procedure_of(text: &str, step: &Step) -> (String, Procedure) {
    let (name, rest) = text.split_once('(').expect("a signature has arguments");
    let (arguments, columns) = rest.split_once(" :: (").unwrap_or((rest, ""));
    let (arguments, columns) = (fields(arguments), fields(columns));
    let header = step.table.first().cloned().unwrap_or_default();
    let place = |name: &Arc<str>| header.iter().position(|column| **column == **name);
    let places: Vec<_> = arguments.iter().chain(&columns).map(|(name, _)| place(name)).collect();
    let takes = arguments.len();
    let rows: Vec<Vec<Value>> = step
        .table
        .iter()
        .skip(1)
        .filter(|row| !row.is_empty())
        .map(|row| {
            places
                .iter()
                .map(|&place| place.map_or(Value::Null, |place| value(&row[place])))
                .collect()
        })
        .collect();
    let body = ProcedureBody::new(move |_, sent| {
        let asked = rows.iter().filter(|row| {
            row.iter().zip(sent).all(|(value, sent)| equivalence::equivalent(value, sent))
        });
        Ok(asked.map(|row| row[takes..].to_vec()).collect())
    });
    (name.to_owned(), Procedure { arguments, columns, writes: false, body })
}

fn fields(text: &str) -> Vec<(Arc<str>, Type)> {
    let fields = text.trim_end_matches([' ', ')']).split(", ");
    let fields = fields.filter_map(|field| field.split_once(" :: "));
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
