//! What a statement has deleted, and may still name.
//!
//! The storage gives an id that became free to what is made next. So once something is deleted, the
//! rows that name it get another id for it: one beyond those of the storage, which says where it is
//! noted what it was.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{Batch, Column, ROWS, Run};
use crate::query::{Class, Error};
use crate::storage::{Direction, EdgeId, Entity, NodeId, Refused, TypeId, View};
use crate::value::stored::from_property;
use crate::value::{Map, Path, Value};

/// Bytes of what is noted of something, beside itself and its properties: its new id, its names.
const NOTED: usize = 96;

/// Ids from here on are of what is deleted.
const FIRST: u64 = 1 << 32;

/// What was deleted.
#[derive(Debug, PartialEq)]
pub struct Deleted {
    /// What it was.
    pub entity: Entity,
    /// The labels of a node, the type of a relationship.
    pub names: Vec<Arc<str>>,
    /// What a relationship connected.
    pub ends: Option<(NodeId, NodeId)>,
    /// Its properties.
    pub properties: Map,
}

impl Deleted {
    /// What has such an id, among all that a statement has deleted.
    #[must_use]
    pub fn find(deleted: &[Arc<Deleted>], id: u64) -> Option<&Deleted> {
        let place = usize::try_from(id.checked_sub(FIRST)?).ok()?;
        deleted.get(place).map(|deleted| &**deleted)
    }
}

/// What a statement has deleted, in the order of its deletion.
#[derive(Debug, Default)]
pub struct Gone {
    deleted: Vec<Arc<Deleted>>,
    /// Nodes that had relationships when they were deleted.
    waiting: BTreeSet<NodeId>,
}

impl Gone {
    /// What was deleted and has such an id.
    #[must_use]
    pub fn find(&self, id: u64) -> Option<&Deleted> {
        Deleted::find(&self.deleted, id)
    }

    /// A node is deleted once it has no relationships, or at the end.
    pub fn wait(&mut self, node: NodeId) {
        self.waiting.insert(node);
    }

    /// A node that may have waited is deleted: its id may be that of another from now on.
    pub fn wait_no_longer(&mut self, node: NodeId) {
        self.waiting.remove(&node);
    }

    /// All that was deleted: the first has the first id beyond those of the storage.
    pub fn take(&mut self) -> Vec<Arc<Deleted>> {
        std::mem::take(&mut self.deleted)
    }

    /// The nodes that are to be deleted at the end.
    pub fn take_waiting(&mut self) -> BTreeSet<NodeId> {
        std::mem::take(&mut self.waiting)
    }
}

/// The error of what asks for what was deleted.
#[must_use]
pub fn error() -> Error {
    Error::new(
        Class::EntityNotFound,
        "DeletedEntityAccess",
        "The node or relationship has been deleted in this query",
    )
}

/// A node or relationship; none for null.
///
/// # Errors
/// It is something else, or has been deleted.
pub fn entity_of(value: &Value) -> Result<Option<Entity>, Error> {
    let stored = |id: &u64| u32::try_from(*id).map_err(|_| error());
    match value {
        Value::Null => Ok(None),
        Value::Node(id) => stored(id).map(|id| Some(Entity::Node(id))),
        Value::Relationship(id) => stored(id).map(|id| Some(Entity::Edge(id))),
        other => {
            let found = other.type_name();
            let message = format!("Type mismatch: expected Node or Edge but was {found}");
            Err(Error::new(Class::TypeError, "InvalidArgumentType", message))
        }
    }
}

/// The relationships of a node, each once, the last first.
pub fn edges_of(view: &View, node: NodeId) -> Vec<EdgeId> {
    let mut edges = Vec::new();
    for kind in (0..=TypeId::MAX).take(view.type_names().count()) {
        for direction in [Direction::Out, Direction::In] {
            for (_, found) in view.neighbours(node, kind, direction) {
                edges.extend_from_slice(found);
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges.reverse();
    edges
}

fn describe(view: &View, entity: Entity) -> Deleted {
    let name = |name: Option<&str>| Arc::from(name.unwrap_or_default());
    let (names, ends) = match entity {
        Entity::Node(id) => {
            (view.labels_of(id).map(|label| name(view.label_name(label))).collect(), None)
        }
        Entity::Edge(id) => match view.ends(id) {
            Some(ends) => (vec![name(view.type_name(ends.kind))], Some((ends.source, ends.target))),
            None => (Vec::new(), None),
        },
    };
    let properties = view.properties(entity);
    let properties =
        properties.map(|(key, value)| (name(view.key_name(key)), from_property(value)));
    Deleted { entity, names, ends, properties: Map::new(properties) }
}

/// The ids that what a clause deletes has from then on.
#[derive(Default)]
pub struct Marks {
    nodes: HashMap<u64, u64>,
    edges: HashMap<u64, u64>,
}

impl Marks {
    /// Notes something before it is deleted.
    ///
    /// # Errors
    /// What is noted takes too much.
    pub fn note(&mut self, entity: Entity, run: &mut Run<'_>) -> Result<(), Error> {
        let deleted = describe(run.view(), entity);
        run.keep(size_of::<Deleted>() + NOTED + deleted.properties.memory())?;
        let id = FIRST + run.gone.deleted.len() as u64;
        run.gone.deleted.push(Arc::new(deleted));
        match entity {
            Entity::Node(node) => self.nodes.insert(node.into(), id),
            Entity::Edge(edge) => self.edges.insert(edge.into(), id),
        };
        Ok(())
    }

    /// Gives what is deleted its new ids in the rows of a batch.
    pub fn mark(&self, batch: &mut Batch) {
        for slot in 0..batch.width() {
            let marked = match batch.column(slot) {
                Column::Nodes(ids) => ids.iter().any(|&id| self.nodes.contains_key(&id.into())),
                Column::Edges(ids) => ids.iter().any(|&id| self.edges.contains_key(&id.into())),
                Column::Values(values) => values.iter().any(may_hold),
                Column::Constant(value) => may_hold(value),
                _ => false,
            };
            if marked {
                let column = batch.column(slot);
                let values = (0..batch.len()).map(|row| self.marked(&column.value(row)));
                let values = Column::Values(Arc::new(values.collect()));
                batch.set(slot, values);
            }
        }
    }

    fn marked(&self, value: &Value) -> Value {
        let node = |id: u64| self.nodes.get(&id).copied().unwrap_or(id);
        let edge = |id: u64| self.edges.get(&id).copied().unwrap_or(id);
        match value {
            Value::Node(id) => Value::Node(node(*id)),
            Value::Relationship(id) => Value::Relationship(edge(*id)),
            Value::Path(path) => {
                let nodes = path.nodes().iter().map(|&id| node(id)).collect();
                let edges = path.relationships().iter().map(|&id| edge(id)).collect();
                Path::new(nodes, edges).map_or(Value::Null, |path| Value::Path(Arc::new(path)))
            }
            Value::List(values, _) if values.iter().any(may_hold) => {
                Value::list(values.iter().map(|value| self.marked(value)))
            }
            Value::Map(map) if map.iter().any(|(_, value)| may_hold(value)) => {
                Value::map(map.iter().map(|(key, value)| (Arc::clone(key), self.marked(value))))
            }
            other => other.clone(),
        }
    }
}

/// Whether a value is, or holds, a node or relationship.
fn may_hold(value: &Value) -> bool {
    match value {
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => true,
        Value::List(values, _) => values.iter().any(may_hold),
        Value::Map(map) => map.iter().any(|(_, value)| may_hold(value)),
        _ => false,
    }
}

impl Run<'_> {
    /// Deletes the nodes that waited for their relationships to be deleted.
    ///
    /// # Errors
    /// One has relationships still.
    pub fn finish(&mut self) -> Result<(), Error> {
        for (done, node) in self.gone.take_waiting().into_iter().enumerate() {
            if done % ROWS == ROWS - 1 {
                self.check()?;
            }
            match self.graph()?.delete_node(node) {
                Ok(()) => self.statistics.nodes_deleted += 1,
                // Another clause has deleted it.
                Err(Refused::Missing) => {}
                Err(other) => return Err(other.into()),
            }
        }
        Ok(())
    }
}
