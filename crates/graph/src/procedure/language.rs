//! Procedures that tell what there is in the language.

use super::{Listed, Rows, all};
use crate::algorithm;
use crate::cypher::{Signature, all_functions};
use crate::value::{Type, Value};

pub(super) const PROCEDURES: &[Listed] = &[
    Listed {
        name: "dbms.procedures",
        arguments: &[],
        columns: &[("name", Type::STRING), ("mode", Type::STRING)],
        run: |_, _| procedures(),
    },
    Listed {
        name: "dbms.functions",
        arguments: &[],
        columns: &[
            ("name", Type::STRING),
            ("return_type", Type::STRING),
            ("arguments", Type::LIST),
            ("internal", Type::BOOLEAN),
            ("reducible", Type::BOOLEAN),
            ("aggregation", Type::BOOLEAN),
            ("variable_len", Type::BOOLEAN),
            ("udf", Type::BOOLEAN),
        ],
        run: |_, _| functions(),
    },
];

fn procedures() -> Rows {
    let algorithms = algorithm::procedures().map(|algorithm| algorithm.name);
    let mut names: Vec<&str> = all().map(|procedure| procedure.name).chain(algorithms).collect();
    names.sort_by_key(|name| name.to_ascii_lowercase());
    // None changes the graph.
    Ok(names.into_iter().map(|name| vec![name.into(), "READ".into()]).collect())
}

fn functions() -> Rows {
    let mut all: Vec<Signature> = all_functions().collect();
    all.sort_by_key(|function| function.name.to_ascii_lowercase());
    Ok(all.iter().map(described).collect())
}

/// A row that describes a function. Of arguments behind the first it is known how many there are.
fn described(function: &Signature) -> Vec<Value> {
    let is_variable = function.max == usize::MAX;
    let count = if is_variable { function.min } else { function.max };
    let argument = |place| match place {
        0 => Value::from(function.argument.or(Type::NULL).names()),
        _ => Value::from(Type::ANY.names()),
    };
    vec![
        function.name.into(),
        function.result.or(Type::NULL).names().into(),
        Value::list((0..count).map(argument)),
        false.into(),
        function.is_pure.into(),
        function.aggregate.into(),
        is_variable.into(),
        false.into(),
    ]
}
