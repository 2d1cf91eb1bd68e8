//! Procedures that tell what there is in a graph.

use super::{Listed, Rows};
use crate::storage::View;
use crate::value::{Map, Type, Value};

pub(super) const PROCEDURES: &[Listed] = &[
    Listed {
        name: "db.labels",
        arguments: &[],
        columns: &[("label", Type::STRING)],
        run: |view, _| names(view.label_names()),
    },
    Listed {
        name: "db.relationshipTypes",
        arguments: &[],
        columns: &[("relationshipType", Type::STRING)],
        run: |view, _| names(view.type_names()),
    },
    Listed {
        name: "db.propertyKeys",
        arguments: &[],
        columns: &[("propertyKey", Type::STRING)],
        run: |view, _| names(view.key_names()),
    },
    Listed {
        name: "db.meta.stats",
        arguments: &[],
        columns: &[
            ("labels", Type::MAP),
            ("relTypes", Type::MAP),
            ("relCount", Type::INTEGER),
            ("nodeCount", Type::INTEGER),
            ("labelCount", Type::INTEGER),
            ("relTypeCount", Type::INTEGER),
            ("propertyKeyCount", Type::INTEGER),
        ],
        run: |view, _| Ok(vec![counts(view)]),
    },
];

/// A row for each name.
fn names<'v>(names: impl Iterator<Item = &'v str>) -> Rows {
    Ok(names.map(|name| vec![Value::from(name)]).collect())
}

fn integer(count: usize) -> Value {
    Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Names with their counts. Numbers of names have 16 bits.
fn counted<'v>(names: impl Iterator<Item = &'v str>, count: impl Fn(u16) -> usize) -> Value {
    let entries = (0..=u16::MAX).zip(names);
    let entries = entries.map(|(number, name)| (name.into(), integer(count(number))));
    Value::Map(Map::new(entries).into())
}

fn counts(view: &View) -> Vec<Value> {
    vec![
        counted(view.label_names(), |label| view.label_count(label)),
        counted(view.type_names(), |kind| view.type_count(kind)),
        integer(view.edge_count()),
        integer(view.node_count()),
        integer(view.label_names().count()),
        integer(view.type_names().count()),
        integer(view.key_names().count()),
    ]
}
