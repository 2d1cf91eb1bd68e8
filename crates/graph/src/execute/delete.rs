//! `DELETE`: relationships, then nodes. A node that still has relationships waits for the end of
//! the statement: others may delete those.

use std::collections::HashSet;

use super::batch::ROWS;
use super::{Batch, Run, gone};
use crate::evaluate::evaluate;
use crate::plan::Delete;
use crate::query::{Class, Error};
use crate::storage::{EdgeId, Entity, NodeId, Refused};
use crate::value::Value;

/// Bytes of what is listed to be deleted.
const LISTED: usize = 24;

/// Nodes and relationships to be deleted, in the order of the rows, each once.
#[derive(Default)]
struct Doomed {
    nodes: Vec<NodeId>,
    edges: Vec<EdgeId>,
    seen: HashSet<(bool, u32)>,
}

impl Doomed {
    fn add(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Null => {}
            Value::Node(id) => self.entity((true, *id)),
            Value::Relationship(id) => self.entity((false, *id)),
            Value::Path(path) => {
                path.relationships().iter().for_each(|&id| self.entity((false, id)));
                path.nodes().iter().for_each(|&id| self.entity((true, id)));
            }
            other => {
                let found = other.type_name();
                let message =
                    format!("Type mismatch: expected Node, Edge, or Path but was {found}");
                return Err(Error::new(Class::TypeError, "InvalidArgumentType", message));
            }
        }
        Ok(())
    }

    fn entity(&mut self, (is_node, id): (bool, u64)) {
        // What is gone already may be deleted again.
        let Ok(id) = u32::try_from(id) else { return };
        if self.seen.insert((is_node, id)) {
            if is_node { self.nodes.push(id) } else { self.edges.push(id) }
        }
    }
}

/// Deletes what the rows name. The rows remain; what is deleted in them is known to be.
pub fn delete(
    delete: &Delete,
    mut rows: Vec<Batch>,
    is_followed: bool,
    run: &mut Run<'_>,
) -> Result<Vec<Batch>, Error> {
    let mut doomed = Doomed::default();
    for batch in &rows {
        run.check()?;
        for value in &delete.values {
            let column = evaluate(value, batch, run)?;
            let before = doomed.seen.len();
            (0..batch.len()).try_for_each(|row| doomed.add(&column.value(row)))?;
            run.keep((doomed.seen.len() - before) * LISTED)?;
        }
    }
    let mut deletion = Deletion { marks: is_followed.then(gone::Marks::default), done: 0 };
    for edge in doomed.edges {
        deletion.edge(edge, run)?;
    }
    for node in doomed.nodes {
        deletion.node(node, delete.detach, run)?;
    }
    run.release(doomed.seen.len() * LISTED);
    if let Some(marks) = deletion.marks {
        rows.iter_mut().for_each(|batch| marks.mark(batch));
    }
    Ok(rows)
}

/// What one clause deletes.
struct Deletion {
    /// What it was, if something that follows may name it.
    marks: Option<gone::Marks>,
    /// How much has been deleted.
    done: usize,
}

impl Deletion {
    /// Notes something before it is deleted.
    fn begin(&mut self, entity: Entity, run: &mut Run<'_>) -> Result<(), Error> {
        if self.done.is_multiple_of(ROWS) {
            run.check()?;
        }
        self.done += 1;
        self.marks.as_mut().map_or(Ok(()), |marks| marks.note(entity, run))
    }

    fn edge(&mut self, edge: EdgeId, run: &mut Run<'_>) -> Result<(), Error> {
        if !run.view().has(Entity::Edge(edge)) {
            return Ok(());
        }
        self.begin(Entity::Edge(edge), run)?;
        run.graph()?.delete_edge(edge)?;
        run.statistics.relationships_deleted += 1;
        Ok(())
    }

    fn node(&mut self, node: NodeId, detach: bool, run: &mut Run<'_>) -> Result<(), Error> {
        if !run.view().has(Entity::Node(node)) {
            return Ok(());
        }
        self.begin(Entity::Node(node), run)?;
        if detach {
            for edge in gone::edges_of(run.view(), node) {
                self.edge(edge, run)?;
            }
        }
        match run.graph()?.delete_node(node) {
            Ok(()) => {
                run.statistics.nodes_deleted += 1;
                run.gone.wait_no_longer(node);
            }
            Err(Refused::HasEdges) => run.gone.wait(node),
            Err(other) => return Err(other.into()),
        }
        Ok(())
    }
}
