//! Changes of a graph, each whole or refused.

use blocks::Ledger;

use super::chunk::Chunk;
use super::index::{Concern, Of};
use super::segment::{Ends, Segment};
use super::view::{Links, View, column_of};
use super::{EdgeId, Entity, KeyId, LabelId, NodeId, PropertyRef, TypeId, segment_of, slot_of};

/// Why a change was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such node, edge, label, type or key.
    Missing,
    /// The node has edges.
    HasEdges,
    /// There can be no more nodes, edges or names.
    Full,
    /// A change of another graph that does not fit this one.
    Differs,
}

impl View {
    pub(super) fn add_label_name(&mut self, ledger: &mut Ledger, name: &str) -> Option<LabelId> {
        let label = self.labels.edit(ledger, |names, _| names.add(name))?;
        self.label_counts.resize(self.labels.get().len(), 0);
        Some(label)
    }

    pub(super) fn add_type_name(&mut self, ledger: &mut Ledger, name: &str) -> Option<TypeId> {
        let kind = self.types.edit(ledger, |names, _| names.add(name))?;
        self.links.resize_with(self.types.get().len(), Links::default);
        Some(kind)
    }

    pub(super) fn add_key_name(&mut self, ledger: &mut Ledger, name: &str) -> Option<KeyId> {
        let key = self.keys.edit(ledger, |names, _| names.add(name))?;
        self.columns.resize_with(self.keys.get().len(), Default::default);
        Some(key)
    }

    /// Makes a node with these labels, which differ.
    pub(super) fn create_node(
        &mut self,
        ledger: &mut Ledger,
        labels: &[LabelId],
    ) -> Result<NodeId, Refused> {
        if labels.iter().any(|&label| usize::from(label) >= self.label_counts.len()) {
            return Err(Refused::Missing);
        }
        let counts = &mut self.label_counts;
        let taken = self.nodes.take(ledger, |segment, slot| {
            for &label in labels {
                counts[usize::from(label)] += u32::from(segment.add_label(slot, label));
            }
        });
        taken.ok_or(Refused::Full)
    }

    /// Removes a node that has no edges, with its labels and properties.
    pub(super) fn delete_node(&mut self, ledger: &mut Ledger, id: NodeId) -> Result<(), Refused> {
        if !self.nodes.has(id) {
            return Err(Refused::Missing);
        }
        let of = |links: &Links| links.out.degree(id) + links.into.degree(id);
        if self.links.iter().any(|links| of(links) > 0) {
            return Err(Refused::HasEdges);
        }
        self.withdraw(ledger, Entity::Node(id), Concern::All);
        self.clear_properties(ledger, Entity::Node(id));
        let labels: Vec<LabelId> = self.labels_of(id).collect();
        if !labels.is_empty() {
            self.nodes.segments.edit(ledger, segment_of(id), |segment| {
                for &label in &labels {
                    segment.remove_label(slot_of(id), label);
                }
            });
            labels.iter().for_each(|&label| self.label_counts[usize::from(label)] -= 1);
        }
        self.nodes.give_back(ledger, id);
        Ok(())
    }

    /// Gives a node a label or takes one away. Returns whether that changed anything.
    pub(super) fn set_label(
        &mut self,
        ledger: &mut Ledger,
        (id, label): (NodeId, LabelId),
        to: bool,
    ) -> Result<bool, Refused> {
        if !self.nodes.has(id) {
            return Err(Refused::Missing);
        }
        let Some(count) = self.label_counts.get_mut(usize::from(label)) else {
            return Err(Refused::Missing);
        };
        // What is so already copies nothing.
        let had = self.nodes.of(id).and_then(|nodes| nodes.label(label));
        if had.is_some_and(|bits| bits.has(slot_of(id))) == to {
            return Ok(false);
        }
        *count = if to { *count + 1 } else { *count - 1 };
        let indexes = Concern::Of(Of::Label(label));
        if !to {
            self.withdraw(ledger, Entity::Node(id), indexes);
        }
        self.nodes.segments.edit(ledger, segment_of(id), |segment| match to {
            true => segment.add_label(slot_of(id), label),
            false => segment.remove_label(slot_of(id), label),
        });
        if to {
            self.enter(ledger, Entity::Node(id), indexes);
        }
        Ok(true)
    }

    /// Makes an edge.
    pub(super) fn create_edge(
        &mut self,
        ledger: &mut Ledger,
        ends: Ends,
    ) -> Result<EdgeId, Refused> {
        if !self.nodes.has(ends.source) || !self.nodes.has(ends.target) {
            return Err(Refused::Missing);
        }
        if usize::from(ends.kind) >= self.links.len() {
            return Err(Refused::Missing);
        }
        let taken = self.edges.take(ledger, |segment, slot| segment.connect(slot, ends));
        let id = taken.ok_or(Refused::Full)?;
        self.link(ledger, id, ends)?;
        Ok(id)
    }

    /// Enters an edge in the lists of its nodes.
    pub(super) fn link(
        &mut self,
        ledger: &mut Ledger,
        id: EdgeId,
        ends: Ends,
    ) -> Result<(), Refused> {
        let links = self.links.get_mut(usize::from(ends.kind)).ok_or(Refused::Missing)?;
        links.out.insert(ledger, ends.source, (ends.target, id));
        links.into.insert(ledger, ends.target, (ends.source, id));
        links.count += 1;
        Ok(())
    }

    /// Removes an edge with its properties.
    pub(super) fn delete_edge(&mut self, ledger: &mut Ledger, id: EdgeId) -> Result<Ends, Refused> {
        let ends = self.ends(id).ok_or(Refused::Missing)?;
        self.withdraw(ledger, Entity::Edge(id), Concern::All);
        self.clear_properties(ledger, Entity::Edge(id));
        if let Some(links) = self.links.get_mut(usize::from(ends.kind)) {
            links.out.remove(ledger, ends.source, id);
            links.into.remove(ledger, ends.target, id);
            links.count -= 1;
        }
        self.edges.give_back(ledger, id);
        Ok(ends)
    }

    /// Sets a property; null takes it away. Returns whether that changed anything.
    pub(super) fn set_property(
        &mut self,
        ledger: &mut Ledger,
        (entity, key): (Entity, KeyId),
        value: PropertyRef<'_>,
    ) -> Result<bool, Refused> {
        if !self.has(entity) || usize::from(key) >= self.columns.len() {
            return Err(Refused::Missing);
        }
        let (segment, slot) = (segment_of(entity.id()), slot_of(entity.id()));
        let chunk = self.chunk(entity, key);
        let (is_there, old) = (chunk.is_some(), chunk.map(|chunk| chunk.get(slot)));
        if old.unwrap_or(PropertyRef::Null) == value {
            return Ok(false);
        }
        self.withdraw(ledger, entity, Concern::Key(key));
        let column = &mut self.columns[usize::from(key)][column_of(entity)];
        if value.is_null() {
            self.clear_property(ledger, entity, key);
        } else if is_there {
            column.edit(ledger, segment, |chunk| chunk.set(slot, value));
        } else {
            column.put(ledger, segment, Chunk::new(slot, value));
            self.note_key(ledger, entity, (key, true));
        }
        self.enter(ledger, entity, Concern::Key(key));
        Ok(true)
    }

    /// Sets a property of several nodes or edges, not to null.
    pub(super) fn fill(
        &mut self,
        ledger: &mut Ledger,
        entity: fn(u32) -> Entity,
        key: KeyId,
        values: &[(u32, PropertyRef<'_>)],
    ) -> Result<(), Refused> {
        let may_be =
            |&(id, value): &(u32, PropertyRef<'_>)| !value.is_null() && self.has(entity(id));
        if usize::from(key) >= self.columns.len() || !values.iter().all(may_be) {
            return Err(Refused::Missing);
        }
        let is_indexed = self.schema.get().indexes.iter().any(|on| on.keys.contains(&key));
        let indexed = if is_indexed { values } else { &[] };
        for &(id, _) in indexed {
            self.withdraw(ledger, entity(id), Concern::Key(key));
        }
        for part in values.chunk_by(|one, other| segment_of(one.0) == segment_of(other.0)) {
            self.fill_segment(ledger, (entity, key), part);
        }
        for &(id, _) in indexed {
            self.enter(ledger, entity(id), Concern::Key(key));
        }
        Ok(())
    }

    /// The same in one segment.
    fn fill_segment(
        &mut self,
        ledger: &mut Ledger,
        (entity, key): (fn(u32) -> Entity, KeyId),
        part: &[(u32, PropertyRef<'_>)],
    ) {
        let [(first, value), rest @ ..] = part else { return };
        let (segment, slot) = (segment_of(*first), slot_of(*first));
        let column = &mut self.columns[usize::from(key)][column_of(entity(*first))];
        let is_new = column.get(segment).is_none();
        if is_new {
            column.put(ledger, segment, Chunk::new(slot, *value));
        }
        let rest = if is_new { rest } else { part };
        column.edit(ledger, segment, |chunk| {
            rest.iter().for_each(|(id, value)| chunk.set(slot_of(*id), *value));
        });
        if is_new {
            self.note_key(ledger, entity(*first), (key, true));
        }
    }

    /// Puts the values of a key where there are none, of living nodes or edges that no index has.
    pub(super) fn put_chunk(
        &mut self,
        ledger: &mut Ledger,
        (entity, key): (Entity, KeyId),
        chunk: Chunk,
    ) {
        let column = &mut self.columns[usize::from(key)][column_of(entity)];
        column.put(ledger, segment_of(entity.id()), chunk);
        self.note_key(ledger, entity, (key, true));
    }

    fn clear_properties(&mut self, ledger: &mut Ledger, entity: Entity) {
        let keys: Vec<KeyId> = self.properties(entity).map(|(key, _)| key).collect();
        keys.iter().for_each(|&key| self.clear_property(ledger, entity, key));
    }

    fn clear_property(&mut self, ledger: &mut Ledger, entity: Entity, key: KeyId) {
        let (segment, slot) = (segment_of(entity.id()), slot_of(entity.id()));
        let column = &mut self.columns[usize::from(key)][column_of(entity)];
        let left = column.edit(ledger, segment, |chunk| {
            chunk.remove(slot);
            chunk.count()
        });
        if left == Some(0) {
            column.remove(ledger, segment);
            self.note_key(ledger, entity, (key, false));
        }
    }

    fn note_key(&mut self, ledger: &mut Ledger, entity: Entity, (key, is_there): (KeyId, bool)) {
        let segment = segment_of(entity.id());
        match entity {
            Entity::Node(_) => self.nodes.segments.edit(ledger, segment, |nodes| {
                nodes.slots_mut().note_key(key, is_there);
            }),
            Entity::Edge(_) => self.edges.segments.edit(ledger, segment, |edges| {
                edges.slots_mut().note_key(key, is_there);
            }),
        };
    }
}
