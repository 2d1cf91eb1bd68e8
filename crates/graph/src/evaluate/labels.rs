//! `entity:Label`.

use super::access::deleted;
use crate::execute::{self, Column, NO_ID, Run, narrow};
use crate::plan::LabelTest;
use crate::query::{Class, Error};
use crate::storage::View;
use crate::value::Value;
use crate::value::logic::Truth;

/// Whether labels are as a test wants them, of which `has` says whether one is there.
pub fn holds(test: &LabelTest, has: &mut dyn FnMut(&str) -> bool) -> bool {
    match test {
        LabelTest::Name(name) => has(name),
        LabelTest::Any => has("%"),
        LabelTest::Not(part) => !holds(part, has),
        LabelTest::And(parts) => parts.iter().all(|part| holds(part, has)),
        LabelTest::Or(parts) => parts.iter().any(|part| holds(part, has)),
    }
}

/// Whether the nodes or relationships of all rows have labels or a type as a test wants them.
pub fn labels(
    column: &Column,
    test: &LabelTest,
    len: usize,
    run: &Run<'_>,
) -> Result<Column, Error> {
    let view = run.view();
    if let (Column::Nodes(ids), LabelTest::Name(name)) = (column, test) {
        let label = view.label(name);
        let has = |&id: &u32| match id {
            NO_ID => None,
            id => Some(label.is_some_and(|label| view.has_label(id, label))),
        };
        return Ok(Column::truths(ids.iter().map(has).collect()));
    }
    let truths = (0..len).map(|row| truth(&column.value(row), test, view));
    Ok(Column::truths(truths.collect::<Result<_, _>>()?))
}

fn truth(value: &Value, test: &LabelTest, view: &View) -> Result<Truth, Error> {
    match value {
        Value::Null => Ok(None),
        Value::Node(_) | Value::Relationship(_) if execute::entity_of(value).is_err() => {
            Err(deleted())
        }
        Value::Node(id) => Ok(Some(of_node(narrow(*id), test, view))),
        Value::Relationship(id) => {
            let name = view.ends(narrow(*id)).and_then(|ends| view.type_name(ends.kind));
            Ok(Some(holds(test, &mut |wanted| wanted == "%" || Some(wanted) == name)))
        }
        other => {
            let found = other.type_name();
            let message = format!("Type mismatch: expected Node, Edge, or Null but was {found}");
            Err(Error::new(Class::TypeError, "InvalidArgumentType", message))
        }
    }
}

fn of_node(id: u32, test: &LabelTest, view: &View) -> bool {
    holds(test, &mut |wanted| match wanted {
        "%" => view.labels_of(id).next().is_some(),
        name => view.label(name).is_some_and(|label| view.has_label(id, label)),
    })
}
