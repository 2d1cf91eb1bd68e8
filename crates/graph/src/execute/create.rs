//! `CREATE`: nodes and relationships for each row.

use std::sync::Arc;

use super::fill::{self, Properties};
use super::{Batch, Column, NO_ID, ROWS, Run};
use crate::evaluate::evaluate;
use crate::plan::{self, NewEdge, NewNode};
use crate::query::{Class, Error};
use crate::storage::{Ends, Entity, LabelId};

/// Makes what a pattern names, for each row of a batch.
///
/// # Errors
/// A property cannot be stored, or a node to be connected is not there.
pub fn make(create: &plan::Create, batch: &mut Batch, run: &mut Run<'_>) -> Result<(), Error> {
    make_with(create, batch, false, run)
}

/// Makes what a `MERGE` has not found: no property of it may be null.
///
/// # Errors
/// See [`make`].
pub fn make_merged(
    create: &plan::Create,
    batch: &mut Batch,
    run: &mut Run<'_>,
) -> Result<(), Error> {
    make_with(create, batch, true, run)
}

fn make_with(
    create: &plan::Create,
    batch: &mut Batch,
    refuses_null: bool,
    run: &mut Run<'_>,
) -> Result<(), Error> {
    for node in &create.nodes {
        run.check()?;
        let ids = nodes(node, batch, refuses_null, run)?;
        batch.set(node.slot, Column::nodes(ids));
    }
    for edge in &create.edges {
        run.check()?;
        let ids = edges(edge, batch, refuses_null, run)?;
        batch.set(edge.slot, Column::edges(ids));
    }
    for (slot, path) in &create.paths {
        let column = evaluate(path, batch, run)?;
        batch.set(*slot, column);
    }
    Ok(())
}

fn nodes(
    node: &NewNode,
    batch: &Batch,
    refuses_null: bool,
    run: &mut Run<'_>,
) -> Result<Vec<u32>, Error> {
    let properties = Properties::of(node.properties.as_ref(), batch, run)?;
    let labels = labels(&node.labels, run)?;
    let mut ids = Vec::with_capacity(batch.len());
    for first in (0..batch.len()).step_by(ROWS) {
        run.check()?;
        let rows = first..batch.len().min(first + ROWS);
        for _ in rows.clone() {
            ids.push(run.graph()?.create_node(&labels)?);
        }
        run.statistics.nodes_created += rows.len() as u64;
        if refuses_null {
            properties.refuse_null(rows.clone(), run)?;
        }
        fill::fill(&properties, (Entity::Node, &ids), rows, run)?;
    }
    Ok(ids)
}

fn labels(names: &[Arc<str>], run: &mut Run<'_>) -> Result<Vec<LabelId>, Error> {
    let mut labels = Vec::new();
    for name in names {
        // A label that no statement has named before is what was added to the graph.
        let is_new = run.view().label(name).is_none();
        let label = run.graph()?.make_label(name)?;
        if !labels.contains(&label) {
            run.statistics.labels_added += u64::from(is_new);
            labels.push(label);
        }
    }
    Ok(labels)
}

fn edges(
    edge: &NewEdge,
    batch: &Batch,
    refuses_null: bool,
    run: &mut Run<'_>,
) -> Result<Vec<u32>, Error> {
    let properties = Properties::of(edge.properties.as_ref(), batch, run)?;
    let from = batch.column(edge.from).node_ids(batch.len())?;
    let to = batch.column(edge.to).node_ids(batch.len())?;
    let kind = run.graph()?.make_type(&edge.kind)?;
    let mut ids = Vec::with_capacity(batch.len());
    for first in (0..batch.len()).step_by(ROWS) {
        run.check()?;
        let rows = first..batch.len().min(first + ROWS);
        for row in rows.clone() {
            let ends = Ends { kind, source: from[row], target: to[row] };
            if ends.source == NO_ID || ends.target == NO_ID {
                let message = "Failed to create relationship; endpoint was not found.";
                return Err(Error::new(Class::EntityNotFound, "EndpointNotFound", message));
            }
            ids.push(run.graph()?.create_edge(ends)?);
        }
        run.statistics.relationships_created += rows.len() as u64;
        if refuses_null {
            properties.refuse_null(rows.clone(), run)?;
        }
        fill::fill(&properties, (Entity::Edge, &ids), rows, run)?;
    }
    Ok(ids)
}
