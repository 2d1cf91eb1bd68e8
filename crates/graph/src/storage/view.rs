//! A graph to read: as it is, or as it was.

use std::sync::Arc;

use base::Versions;
use blocks::{Block, Ledger, Root, Tree};

use super::adjacency::{Lists, Neighbours};
use super::chunk::Chunk;
use super::index::{Entries, Schema};
use super::names::{Names, hash_of_all};
use super::segment::{EdgeSegment, Ends, Ids, NodeSegment, Segment};
use super::{EdgeId, KeyId, LabelId, NodeId, PropertyRef, TypeId, segment_of, slot_of, vec_bytes};

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From where they begin.
    Out,
    /// From where they end.
    In,
}

impl Direction {
    /// The other one.
    #[must_use]
    pub fn back(self) -> Direction {
        match self {
            Direction::Out => Direction::In,
            Direction::In => Direction::Out,
        }
    }
}

/// A node or an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entity {
    /// A node.
    Node(NodeId),
    /// An edge.
    Edge(EdgeId),
}

impl Entity {
    /// Its number.
    #[must_use]
    pub fn id(self) -> u32 {
        match self {
            Entity::Node(id) | Entity::Edge(id) => id,
        }
    }
}

/// The edges of one type, both ways.
#[derive(Clone, Default)]
pub(super) struct Links {
    pub out: Lists,
    pub into: Lists,
    pub count: u32,
}

/// A graph to read.
#[derive(Clone)]
pub struct View {
    pub(super) labels: Root<Names>,
    pub(super) types: Root<Names>,
    pub(super) keys: Root<Names>,
    pub(super) nodes: Ids<NodeSegment>,
    pub(super) edges: Ids<EdgeSegment>,
    /// How many nodes have each label.
    pub(super) label_counts: Vec<u32>,
    pub(super) links: Vec<Links>,
    /// Of each key the values of nodes, by segment, and those of edges.
    pub(super) columns: Vec<[Tree<Chunk>; 2]>,
    pub(super) schema: Root<Schema>,
    /// Those of each index of the schema.
    pub(super) entries: Vec<Entries>,
}

impl Block for View {
    fn memory(&self) -> usize {
        let (links, columns) = (vec_bytes(&self.links), vec_bytes(&self.columns));
        vec_bytes(&self.label_counts) + links + columns + vec_bytes(&self.entries)
    }
}

/// Which of a key's two columns.
pub(super) fn column_of(entity: Entity) -> usize {
    usize::from(matches!(entity, Entity::Edge(_)))
}

impl View {
    pub(super) fn new(ledger: &mut Ledger) -> Self {
        View {
            labels: Root::new(Names::default(), ledger),
            types: Root::new(Names::default(), ledger),
            keys: Root::new(Names::default(), ledger),
            nodes: Ids::default(),
            edges: Ids::default(),
            label_counts: Vec::new(),
            links: Vec::new(),
            columns: Vec::new(),
            schema: Root::new(Schema::default(), ledger),
            entries: Vec::new(),
        }
    }

    /// The value goes, and leaves to versions what they hold of this. `held`: they hold this.
    pub(super) fn leave_whole(&self, versions: &Arc<Versions>, held: bool) {
        for names in [&self.labels, &self.types, &self.keys] {
            names.leave_below(versions, held);
        }
        self.nodes.segments.leave_whole(versions, held);
        self.edges.segments.leave_whole(versions, held);
        for links in &self.links {
            links.out.leave_whole(versions, held);
            links.into.leave_whole(versions, held);
        }
        for column in self.columns.iter().flatten() {
            column.leave_whole(versions, held);
        }
        self.schema.leave_below(versions, held);
        for entries in &self.entries {
            entries.part.leave_whole(versions, held);
        }
    }

    /// Bytes of the tables by label, type and name, which the first change of a fork copies,
    /// whatever it changes. O(1).
    #[must_use]
    pub fn tables(&self) -> usize {
        let names = [&self.labels, &self.types, &self.keys].map(|names| names.get().memory());
        self.memory() + names.iter().sum::<usize>()
    }

    /// How many nodes there are.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.count as usize
    }

    /// How many edges there are.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.count as usize
    }

    /// How many nodes have a label.
    #[must_use]
    pub fn label_count(&self, label: LabelId) -> usize {
        self.label_counts.get(usize::from(label)).map_or(0, |&count| count as usize)
    }

    /// How many edges have a type.
    #[must_use]
    pub fn type_count(&self, kind: TypeId) -> usize {
        self.links.get(usize::from(kind)).map_or(0, |links| links.count as usize)
    }

    /// The number of a label.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<LabelId> {
        self.labels.get().number(name)
    }

    /// The number of a type of edges.
    #[must_use]
    pub fn edge_type(&self, name: &str) -> Option<TypeId> {
        self.types.get().number(name)
    }

    /// The number of a property's name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<KeyId> {
        self.keys.get().number(name)
    }

    /// All labels, in order of their numbers.
    pub fn label_names(&self) -> impl Iterator<Item = &str> {
        self.labels.get().iter()
    }

    /// All types of edges, in order of their numbers.
    pub fn type_names(&self) -> impl Iterator<Item = &str> {
        self.types.get().iter()
    }

    /// All names of properties, in order of their numbers.
    pub fn key_names(&self) -> impl Iterator<Item = &str> {
        self.keys.get().iter()
    }

    /// A hash of all names and their numbers. Names never go, so it is another one when there are
    /// new ones, but for one time of four billion; the same names made in the same order have the
    /// same on every server. O(1).
    ///
    /// ```
    /// use kvist_graph::storage::Graph;
    /// let mut graph = Graph::default();
    /// let before = graph.names_version();
    /// let label = graph.make_label("Person").unwrap();
    /// assert_ne!(graph.names_version(), before);
    /// let named = graph.names_version();
    /// graph.create_node(&[label]).unwrap();
    /// assert_eq!(graph.names_version(), named);
    /// ```
    #[must_use]
    pub fn names_version(&self) -> u32 {
        hash_of_all([self.labels.get(), self.types.get(), self.keys.get()])
    }

    /// The name of a label.
    #[must_use]
    pub fn label_name(&self, label: LabelId) -> Option<&str> {
        self.labels.get().name(label)
    }

    /// The name of a type of edges.
    #[must_use]
    pub fn type_name(&self, kind: TypeId) -> Option<&str> {
        self.types.get().name(kind)
    }

    /// The name of a property.
    #[must_use]
    pub fn key_name(&self, key: KeyId) -> Option<&str> {
        self.keys.get().name(key)
    }

    /// Whether there is such a node or edge.
    #[must_use]
    pub fn has(&self, entity: Entity) -> bool {
        match entity {
            Entity::Node(id) => self.nodes.has(id),
            Entity::Edge(id) => self.edges.has(id),
        }
    }

    /// Whether all of these are there, but for `u32::MAX`, which is no id.
    #[must_use]
    pub fn has_all(&self, entity: fn(u32) -> Entity, ids: &[u32]) -> bool {
        match entity(0) {
            Entity::Node(_) => self.nodes.has_all(ids),
            Entity::Edge(_) => self.edges.has_all(ids),
        }
    }

    /// How many segments of nodes there are: what [`append_nodes`](Self::append_nodes) takes.
    #[must_use]
    pub fn node_segments(&self) -> usize {
        self.nodes.segments.len()
    }

    /// How many segments of edges there are: what [`append_edges`](Self::append_edges) takes.
    #[must_use]
    pub fn edge_segments(&self) -> usize {
        self.edges.segments.len()
    }

    /// Appends the nodes of a segment that have all of these labels: 1,024 at most, in order.
    pub fn append_nodes(&self, segment: usize, labels: &[LabelId], ids: &mut Vec<NodeId>) {
        let Some(nodes) = self.nodes.segments.get(segment) else { return };
        let Some((&first, more)) = labels.split_first() else {
            return nodes.slots.live.append_ids(segment, ids);
        };
        let Some(bits) = nodes.label(first) else { return };
        if more.is_empty() {
            return bits.append_ids(segment, ids);
        }
        let mut bits = bits.clone();
        for &label in more {
            let Some(other) = nodes.label(label) else { return };
            bits = bits.and(other);
        }
        bits.append_ids(segment, ids);
    }

    /// Appends the edges of a segment, of whatever type: 1,024 at most, in order.
    pub fn append_edges(&self, segment: usize, ids: &mut Vec<EdgeId>) {
        if let Some(edges) = self.edges.segments.get(segment) {
            edges.slots.live.append_ids(segment, ids);
        }
    }

    /// Whether a node has a label.
    #[must_use]
    pub fn has_label(&self, node: NodeId, label: LabelId) -> bool {
        let bits = self.nodes.of(node).and_then(|nodes| nodes.label(label));
        bits.is_some_and(|bits| bits.has(slot_of(node)))
    }

    /// The labels of a node, in order of their numbers.
    pub fn labels_of(&self, node: NodeId) -> impl Iterator<Item = LabelId> + '_ {
        self.nodes.of(node).into_iter().flat_map(move |nodes| nodes.labels_of(slot_of(node)))
    }

    /// What an edge connects.
    #[inline]
    #[must_use]
    pub fn ends(&self, edge: EdgeId) -> Option<Ends> {
        self.edges.of(edge)?.ends(slot_of(edge))
    }

    /// The edges of a type that a node has in one direction, and what they lead to, as slices, in
    /// order of the edges' numbers. An edge from a node to itself is there both ways.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, node: NodeId, kind: TypeId, direction: Direction) -> Neighbours<'_> {
        match (self.links.get(usize::from(kind)), direction) {
            (Some(links), Direction::Out) => links.out.of(node),
            (Some(links), Direction::In) => links.into.of(node),
            (None, _) => Neighbours::none(),
        }
    }

    /// How many edges of a type a node has in one direction.
    #[inline]
    #[must_use]
    pub fn degree(&self, node: NodeId, kind: TypeId, direction: Direction) -> usize {
        match (self.links.get(usize::from(kind)), direction) {
            (Some(links), Direction::Out) => links.out.degree(node),
            (Some(links), Direction::In) => links.into.degree(node),
            (None, _) => 0,
        }
    }

    /// The value of a property.
    #[inline]
    #[must_use]
    pub fn property(&self, entity: Entity, key: KeyId) -> PropertyRef<'_> {
        let chunk = self.chunk(entity, key);
        chunk.map_or(PropertyRef::Null, |chunk| chunk.get(slot_of(entity.id())))
    }

    /// All properties of a node or an edge, in order of their keys.
    pub fn properties(&self, entity: Entity) -> impl Iterator<Item = (KeyId, PropertyRef<'_>)> {
        let all = self.keys_near(entity).iter().map(move |&key| (key, self.property(entity, key)));
        all.filter(|(_, value)| !value.is_null())
    }

    /// Where the values of a key lie that the neighbours by number of this node or edge have, too.
    #[inline]
    #[must_use]
    pub fn chunk(&self, entity: Entity, key: KeyId) -> Option<&Chunk> {
        self.column(entity, key)?.get(segment_of(entity.id()))
    }

    /// Whether some node or edge has a property of this name. O(1) for each 1024 of them.
    #[must_use]
    pub fn is_used(&self, key: KeyId) -> bool {
        let columns = self.columns.get(usize::from(key)).map_or(&[][..], |columns| columns);
        columns.iter().any(|column| (0..column.len()).any(|at| column.get(at).is_some()))
    }

    /// The keys of which there are values in the segment of a node or an edge.
    pub(super) fn keys_near(&self, entity: Entity) -> &[KeyId] {
        let slots = match entity {
            Entity::Node(id) => self.nodes.of(id).map(Segment::slots),
            Entity::Edge(id) => self.edges.of(id).map(Segment::slots),
        };
        slots.map_or(&[], |slots| &slots.keys)
    }

    pub(super) fn column(&self, entity: Entity, key: KeyId) -> Option<&Tree<Chunk>> {
        Some(&self.columns.get(usize::from(key))?[column_of(entity)])
    }
}
