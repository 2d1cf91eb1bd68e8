//! Changes of a graph, each whole or refused.

use blocks::Ledger;

use super::chunk::Chunk;
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
        self.nodes.segments.edit(ledger, segment_of(id), |segment| match to {
            true => segment.add_label(slot_of(id), label),
            false => segment.remove_label(slot_of(id), label),
        });
        *count = if to { *count + 1 } else { *count - 1 };
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
        let column = &mut self.columns[usize::from(key)][column_of(entity)];
        if value.is_null() {
            self.clear_property(ledger, entity, key);
        } else if is_there {
            column.edit(ledger, segment, |chunk| chunk.set(slot, value));
        } else {
            column.put(ledger, segment, Chunk::new(slot, value));
            self.note_key(ledger, entity, (key, true));
        }
        Ok(true)
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
