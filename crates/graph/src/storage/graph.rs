//! A graph that is changed, forked and frozen.

use std::ops::Deref;
use std::sync::Arc;

use base::Versions;
use blocks::{Ledger, Left, Root};

use super::index::Dropped;
use super::segment::Ends;
use super::view::{Direction, View};
use super::{
    Change, EdgeId, Entity, KeyId, LabelId, NodeId, Property, PropertyRef, Refused, SlowLog, TypeId,
};

/// A graph. What can be read is in [`View`]; every change is noted until it is taken.
pub struct Graph {
    root: Root<View>,
    ledger: Ledger,
    changes: Vec<Change>,
    /// Bytes of heap that the changes have.
    changes_heap: usize,
    /// Of a fork: the graph as it was.
    base: Option<Root<View>>,
    /// What is to be freed where that disturbs nothing.
    dropped: Dropped,
    /// Its forks and versions have the same.
    slow_log: Arc<SlowLog>,
}

/// A graph as it was. It is never changed, and may be read by several threads at once.
#[derive(Clone)]
pub struct FrozenGraph {
    root: Root<View>,
    slow_log: Arc<SlowLog>,
}

/// What a fork has left when its changes have become those of the graph. Dropping it takes as long
/// as the fork has changed blocks.
#[must_use = "dropping it here takes time on the data path"]
pub struct Settled {
    /// The graph as it was. It goes first: what only it holds is not charged to versions then.
    _base: Option<Root<View>>,
    left: Left,
}

impl Settled {
    /// Whether it is dropped in a moment, as few blocks were changed: with the graph as it was goes
    /// no more than these.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.left.is_small()
    }
}

impl Deref for FrozenGraph {
    type Target = View;

    fn deref(&self) -> &View {
        self.root.get()
    }
}

impl FrozenGraph {
    /// The statements that took long on the graph.
    #[must_use]
    pub fn slow_log(&self) -> &Arc<SlowLog> {
        &self.slow_log
    }
}

impl Deref for Graph {
    type Target = View;

    fn deref(&self) -> &View {
        self.root.get()
    }
}

impl Default for Graph {
    fn default() -> Self {
        let mut ledger = Ledger::default();
        let view = View::new(&mut ledger);
        let root = Root::new(view, &mut ledger);
        let (changes, dropped, slow_log) = (Vec::new(), Dropped::default(), Arc::default());
        Graph { root, ledger, changes, changes_heap: 0, base: None, dropped, slow_log }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        self.root.leave_whole(&self.ledger, View::leave_whole);
    }
}

impl Graph {
    /// The graph as it is now, to keep. O(1).
    #[must_use]
    pub fn freeze(&self, versions: &Arc<Versions>) -> FrozenGraph {
        // A fork would count what its version holds as what its graph holds.
        debug_assert!(!self.ledger.is_fork(), "a fork is read by its writer alone");
        self.ledger.share(versions);
        self.slow_log.count_in(versions);
        FrozenGraph { root: self.root.clone(), slow_log: Arc::clone(&self.slow_log) }
    }

    /// A graph that shares everything with this one, to be changed privately. O(1).
    #[must_use]
    pub fn fork(&self, versions: &Arc<Versions>) -> Graph {
        debug_assert!(!self.ledger.is_fork(), "forks have no forks");
        self.slow_log.count_in(versions);
        Graph {
            root: self.root.clone(),
            ledger: self.ledger.fork(versions),
            changes: Vec::new(),
            changes_heap: 0,
            base: Some(self.root.clone()),
            dropped: Dropped::default(),
            slow_log: Arc::clone(&self.slow_log),
        }
    }

    /// Takes over what a fork of this graph has become. O(1), but for what is returned.
    ///
    /// # Errors
    /// This graph has changed since it was forked, or was never: here is the fork again.
    pub fn adopt(&mut self, mut fork: Graph) -> Result<(Vec<Change>, Settled), Box<Graph>> {
        let is_of_this = fork.base.as_ref().is_some_and(|base| !base.is_other_than(&self.root));
        if !is_of_this || self.ledger.is_fork() {
            return Err(Box::new(fork));
        }
        self.root = fork.root.clone();
        let left = self.ledger.adopt(std::mem::take(&mut fork.ledger));
        let changes = std::mem::take(&mut fork.changes);
        Ok((changes, Settled { _base: fork.base.take(), left }))
    }

    /// The statements that took long on it.
    #[must_use]
    pub fn slow_log(&self) -> &Arc<SlowLog> {
        &self.slow_log
    }

    /// Bytes that the graph takes, whether versions share them or not; not its changes. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.ledger.bytes()
    }

    /// Bytes that a fork takes beyond what it shares, with its changes. O(1).
    #[must_use]
    pub fn added(&self) -> usize {
        let list = self.changes.capacity() * size_of::<Change>();
        self.ledger.added() + table::size_class(list) + self.changes_heap
    }

    /// The account of what versions keep of it, where versions of it are there. O(1).
    #[must_use]
    pub fn versions(&self) -> Option<&Arc<Versions>> {
        self.ledger.living_versions()
    }

    /// Whether it is a fork of another graph.
    #[must_use]
    pub fn is_fork(&self) -> bool {
        self.ledger.is_fork()
    }

    /// Whether a version of it as it is now is read, or a fork of it changed.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.root.is_shared()
    }

    /// How many blocks freeing it visits, about.
    #[must_use]
    pub fn free_effort(&self) -> usize {
        1 + self.memory() / 4096
    }

    /// The changes since they were last taken.
    #[must_use]
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.changes_heap = 0;
        std::mem::take(&mut self.changes)
    }

    /// The changes since they were last taken, to read.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// What of indexes that were dropped here, and not in a fork, is still to be freed. Dropping it
    /// takes as long as that is large. (What a fork has dropped is in what [`adopt`](Self::adopt)
    /// returns.)
    pub fn take_dropped(&mut self) -> Dropped {
        std::mem::take(&mut self.dropped)
    }

    pub(super) fn keep_dropped(&mut self, left: Left) {
        if !self.ledger.is_fork() {
            self.dropped.push(left);
        }
    }

    pub(super) fn edit<R>(&mut self, edit: impl FnOnce(&mut View, &mut Ledger) -> R) -> R {
        self.root.edit(&mut self.ledger, edit)
    }

    pub(super) fn note(&mut self, change: Change) {
        self.changes_heap += change.memory();
        self.changes.push(change);
    }

    /// The number of a label, a new one if need be.
    ///
    /// # Errors
    /// There are too many.
    pub fn make_label(&mut self, name: &str) -> Result<LabelId, Refused> {
        if let Some(label) = self.label(name) {
            return Ok(label);
        }
        if self.root.get().labels.get().is_full() {
            return Err(Refused::Full);
        }
        let added = self.edit(|view, ledger| view.add_label_name(ledger, name));
        self.note(Change::NewLabel(name.into()));
        added.ok_or(Refused::Full)
    }

    /// The number of a type of edges, a new one if need be.
    ///
    /// # Errors
    /// There are too many.
    pub fn make_type(&mut self, name: &str) -> Result<TypeId, Refused> {
        if let Some(kind) = self.edge_type(name) {
            return Ok(kind);
        }
        if self.root.get().types.get().is_full() {
            return Err(Refused::Full);
        }
        let added = self.edit(|view, ledger| view.add_type_name(ledger, name));
        self.note(Change::NewType(name.into()));
        added.ok_or(Refused::Full)
    }

    /// The number of a property's name, a new one if need be.
    ///
    /// # Errors
    /// There are too many.
    pub fn make_key(&mut self, name: &str) -> Result<KeyId, Refused> {
        if let Some(key) = self.key(name) {
            return Ok(key);
        }
        if self.root.get().keys.get().is_full() {
            return Err(Refused::Full);
        }
        let added = self.edit(|view, ledger| view.add_key_name(ledger, name));
        self.note(Change::NewKey(name.into()));
        added.ok_or(Refused::Full)
    }

    /// Makes a node.
    ///
    /// # Errors
    /// There are too many, or a label is missing.
    pub fn create_node(&mut self, labels: &[LabelId]) -> Result<NodeId, Refused> {
        let id = self.edit(|view, ledger| view.create_node(ledger, labels))?;
        self.note(Change::CreateNode { id, labels: labels.into() });
        Ok(id)
    }

    /// Removes a node with its labels and properties.
    ///
    /// # Errors
    /// It is missing, or has edges.
    pub fn delete_node(&mut self, id: NodeId) -> Result<(), Refused> {
        self.edit(|view, ledger| view.delete_node(ledger, id))?;
        self.note(Change::DeleteNode(id));
        Ok(())
    }

    /// Removes a node and the edges that it has. Returns how many those were.
    ///
    /// # Errors
    /// It is missing.
    pub fn detach_and_delete_node(&mut self, id: NodeId) -> Result<usize, Refused> {
        if !self.has(Entity::Node(id)) {
            return Err(Refused::Missing);
        }
        let edges = self.edges_of(id);
        // The last ones first: what lies behind them in the lists need not be moved.
        for &edge in edges.iter().rev() {
            self.delete_edge(edge)?;
        }
        self.delete_node(id)?;
        Ok(edges.len())
    }

    /// The edges of a node, of all types, each once.
    fn edges_of(&self, id: NodeId) -> Vec<EdgeId> {
        let mut edges = Vec::new();
        for kind in 0..self.root.get().links.len() {
            // Types are that many.
            let kind = kind as TypeId;
            for (_, out) in self.neighbours(id, kind, Direction::Out) {
                edges.extend_from_slice(out);
            }
            for (sources, into) in self.neighbours(id, kind, Direction::In) {
                let others = sources.iter().zip(into).filter(|(source, _)| **source != id);
                edges.extend(others.map(|(_, edge)| edge));
            }
        }
        edges
    }

    /// Gives a node a label. Returns whether it had it not.
    ///
    /// # Errors
    /// One of them is missing.
    pub fn add_label(&mut self, id: NodeId, label: LabelId) -> Result<bool, Refused> {
        let changed = self.edit(|view, ledger| view.set_label(ledger, (id, label), true))?;
        if changed {
            self.note(Change::AddLabel(id, label));
        }
        Ok(changed)
    }

    /// Takes a label from a node. Returns whether it had it.
    ///
    /// # Errors
    /// One of them is missing.
    pub fn remove_label(&mut self, id: NodeId, label: LabelId) -> Result<bool, Refused> {
        let changed = self.edit(|view, ledger| view.set_label(ledger, (id, label), false))?;
        if changed {
            self.note(Change::RemoveLabel(id, label));
        }
        Ok(changed)
    }

    /// Makes an edge.
    ///
    /// # Errors
    /// There are too many, or its type or a node is missing.
    pub fn create_edge(&mut self, ends: Ends) -> Result<EdgeId, Refused> {
        let id = self.edit(|view, ledger| view.create_edge(ledger, ends))?;
        self.note(Change::CreateEdge { id, ends });
        Ok(id)
    }

    /// Removes an edge with its properties. Returns what it connected.
    ///
    /// # Errors
    /// It is missing.
    pub fn delete_edge(&mut self, id: EdgeId) -> Result<Ends, Refused> {
        let ends = self.edit(|view, ledger| view.delete_edge(ledger, id))?;
        self.note(Change::DeleteEdge(id));
        Ok(ends)
    }

    /// Sets a property; null takes it away. Returns whether that changed anything.
    ///
    /// # Errors
    /// The node, the edge or the key is missing.
    pub fn set(
        &mut self,
        entity: Entity,
        key: KeyId,
        value: PropertyRef<'_>,
    ) -> Result<bool, Refused> {
        let changed = self.edit(|view, ledger| view.set_property(ledger, (entity, key), value))?;
        if changed {
            let value: Property = value.to_property();
            self.note(Change::Set(entity, key, value));
        }
        Ok(changed)
    }

    /// Sets a property of several nodes or edges, none of which has one of this key: as setting one
    /// after the other, but what lies together is written together.
    ///
    /// # Errors
    /// One of them or the key is missing, or a value is null.
    pub fn fill(
        &mut self,
        entity: fn(u32) -> Entity,
        key: KeyId,
        values: &[(u32, PropertyRef<'_>)],
    ) -> Result<(), Refused> {
        self.edit(|view, ledger| view.fill(ledger, entity, key, values))?;
        for &(id, value) in values {
            self.note(Change::Set(entity(id), key, value.to_property()));
        }
        Ok(())
    }
}
