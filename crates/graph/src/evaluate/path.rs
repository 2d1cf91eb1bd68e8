//! Paths out of their parts.

use crate::execute::{Batch, Column, Run, narrow};
use crate::plan::PathParts;
use crate::query::Error;
use crate::storage::View;
use crate::value::{Path, Value};

/// The path of each row: from its first node along its relationships. It is null if a part is.
pub fn path(parts: &PathParts, batch: &Batch, run: &Run<'_>) -> Result<Column, Error> {
    let view = run.view();
    let paths = (0..batch.len()).map(|row| one(parts, batch, row, view).unwrap_or_default());
    Ok(Column::of(paths.collect()))
}

fn one(parts: &PathParts, batch: &Batch, row: usize, view: &View) -> Option<Value> {
    let Value::Node(start) = batch.column(parts.start).value(row) else { return None };
    let (mut nodes, mut edges) = (vec![start], Vec::new());
    for &step in &parts.steps {
        match batch.column(step).value(row) {
            Value::Relationship(edge) => follow(edge, &mut nodes, &mut edges, view)?,
            Value::List(list, _) => {
                for edge in list.iter() {
                    let Value::Relationship(edge) = edge else { return None };
                    follow(*edge, &mut nodes, &mut edges, view)?;
                }
            }
            _ => return None,
        }
    }
    Some(Value::Path(Path::new(nodes, edges)?.into()))
}

fn follow(edge: u64, nodes: &mut Vec<u64>, edges: &mut Vec<u64>, view: &View) -> Option<()> {
    let ends = view.ends(narrow(edge))?;
    let at = narrow(*nodes.last()?);
    let to = if ends.source == at { ends.target } else { ends.source };
    edges.push(edge);
    nodes.push(to.into());
    Some(())
}
