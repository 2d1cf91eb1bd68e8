//! Procedures that tell what indexes and constraints there are.

use std::sync::Arc;

use super::Listed;
use crate::storage::{ConstraintKind, Index, KeyId, Of, View};
use crate::value::{Map, Type, Value};

pub(super) const PROCEDURES: &[Listed] = &[
    Listed {
        name: "db.indexes",
        arguments: &[],
        columns: &[
            ("label", Type::STRING),
            ("properties", Type::LIST),
            ("types", Type::MAP),
            ("options", Type::MAP),
            ("language", Type::STRING),
            ("stopwords", Type::LIST),
            ("entitytype", Type::STRING),
            ("status", Type::STRING),
            ("info", Type::MAP),
        ],
        run: |view, _| Ok(indexes(view)),
    },
    Listed {
        name: "db.constraints",
        arguments: &[],
        columns: &[
            ("type", Type::STRING),
            ("label", Type::STRING),
            ("properties", Type::LIST),
            ("entitytype", Type::STRING),
            ("status", Type::STRING),
        ],
        run: |view, _| Ok(constraints(view)),
    },
];

/// A label or type, and what kind of thing it is of.
fn of(view: &View, of: Of) -> (Value, Value) {
    let (name, kind) = match of {
        Of::Label(label) => (view.label_name(label), "NODE"),
        Of::Type(number) => (view.type_name(number), "RELATIONSHIP"),
    };
    (name.unwrap_or_default().into(), kind.into())
}

fn names(view: &View, keys: impl Iterator<Item = KeyId>) -> Vec<Arc<str>> {
    keys.map(|key| view.key_name(key).unwrap_or_default().into()).collect()
}

fn list(names: &[Arc<str>]) -> Value {
    Value::list(names.iter().map(|name| Value::String(Arc::clone(name))))
}

/// A row for each label and type that has indexes, as FalkorDB tells them: with the properties that
/// come first in one.
fn indexes(view: &View) -> Vec<Vec<Value>> {
    let mut all: Vec<(Of, Vec<Index<'_>>)> = Vec::new();
    for index in view.indexes() {
        match all.iter_mut().find(|(of, _)| *of == index.on().of) {
            Some((_, indexes)) => indexes.push(index),
            None => all.push((index.on().of, vec![index])),
        }
    }
    all.iter().map(|(of, indexes)| indexes_of(view, *of, indexes)).collect()
}

fn indexes_of(view: &View, of: Of, indexes: &[Index<'_>]) -> Vec<Value> {
    let mut keys: Vec<KeyId> = Vec::new();
    for &key in indexes.iter().filter_map(|index| index.on().keys.first()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let properties = names(view, keys.into_iter());
    let of_each = |value: Value| {
        let entries = properties.iter().map(|name| (Arc::clone(name), value.clone()));
        Value::Map(Map::new(entries.collect::<Vec<_>>()).into())
    };
    let status = match indexes.iter().find(|index| !index.is_whole()) {
        None => Value::from("OPERATIONAL"),
        Some(index) => {
            let (built, of) = index.progress();
            Value::from(&*format!("[Indexing] {built}/{of}: UNDER CONSTRUCTION"))
        }
    };
    let count = |number: usize| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let info = vec![
        (Arc::from("numDocuments"), count(indexes.iter().map(Index::len).max().unwrap_or(0))),
        (Arc::from("memory"), count(indexes.iter().map(Index::memory).sum())),
    ];
    let (label, kind) = self::of(view, of);
    vec![
        label,
        list(&properties),
        of_each(Value::list([Value::from("RANGE")])),
        of_each(Value::Map(Map::default().into())),
        Value::from("english"),
        Value::list([]),
        kind,
        status,
        Value::Map(Map::new(info).into()),
    ]
}

fn constraints(view: &View) -> Vec<Vec<Value>> {
    let row = |constraint: &crate::storage::Constraint| {
        let kind = match constraint.kind {
            ConstraintKind::Unique => "UNIQUE",
            ConstraintKind::Mandatory => "MANDATORY",
        };
        let (label, entity) = of(view, constraint.on.of);
        let properties = names(view, constraint.on.keys.iter().copied());
        vec![kind.into(), label, list(&properties), entity, "OPERATIONAL".into()]
    };
    view.constraints().iter().map(row).collect()
}
