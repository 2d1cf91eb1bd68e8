//! A graph as bytes, part by part: what a snapshot holds.
//!
//! ```text
//!   part 0      names of labels, types, keys; how many segments; the first with a free id;
//!               indexes and constraints
//!   part 1…     a segment of nodes each: which live, the next with a free id, labels, properties
//!   then        a segment of edges each: which live, the next with a free id, ends, properties
//! ```
//!
//! Lists of neighbours are not in it, as they follow from the edges, nor entries of indexes, as
//! they follow from the properties. A graph from an image gives the same ids next as the one that
//! the image is of. A part is some ten kilobytes, and long texts.

use base::codec::{Malformed, Source, put_bytes, put_number};
use blocks::Ledger;

use super::chunk::Chunk;
use super::graph::Graph;
use super::index::{Constraint, On, Schema};
use super::segment::{Ends, Segment, Slots};
use super::view::View;
use super::{
    EdgeId, Entity, KeyId, LabelId, NodeId, PropertyRef, Rejected, SEGMENT, Slot, SlotSet, TypeId,
};

const WRONG: Malformed = Malformed("an image of no graph");

impl View {
    /// How many parts its image has.
    #[must_use]
    pub fn image_parts(&self) -> usize {
        1 + self.node_segments() + self.edge_segments()
    }

    /// Appends a part of its image.
    pub fn put_image_part(&self, part: usize, out: &mut Vec<u8>) {
        let nodes = self.node_segments();
        match part.checked_sub(1) {
            None => self.put_names(out),
            Some(number) if number < nodes => self.put_nodes(number, out),
            Some(number) => self.put_edges(number - nodes, out),
        }
    }

    fn put_names(&self, out: &mut Vec<u8>) {
        for names in [&self.labels, &self.types, &self.keys] {
            put_number(out, names.get().len() as u64);
            names.get().iter().for_each(|name| put_bytes(out, name.as_bytes()));
        }
        put_number(out, self.node_segments() as u64);
        put_number(out, self.nodes.first_free().into());
        put_number(out, self.edge_segments() as u64);
        put_number(out, self.edges.first_free().into());
        let schema = self.schema.get();
        put_number(out, schema.indexes.len() as u64);
        schema.indexes.iter().for_each(|on| on.put(out));
        put_number(out, schema.constraints.len() as u64);
        schema.constraints.iter().for_each(|constraint| constraint.put(out));
    }

    fn put_nodes(&self, number: usize, out: &mut Vec<u8>) {
        let Some(segment) = self.nodes.segments.get(number) else { return };
        put_slots(segment.slots(), out);
        put_number(out, segment.labels().count() as u64);
        for (label, bits) in segment.labels() {
            put_number(out, label.into());
            bits.put(out);
        }
        let first = first_id(number);
        self.put_columns(Entity::Node, (first, segment.slots()), out);
    }

    fn put_edges(&self, number: usize, out: &mut Vec<u8>) {
        let Some(segment) = self.edges.segments.get(number) else { return };
        put_slots(segment.slots(), out);
        for ends in segment.slots().live.iter().filter_map(|slot| segment.ends(slot)) {
            put_number(out, ends.kind.into());
            put_number(out, ends.source.into());
            put_number(out, ends.target.into());
        }
        let first = first_id(number);
        self.put_columns(Entity::Edge, (first, segment.slots()), out);
    }

    fn put_columns(
        &self,
        entity: fn(u32) -> Entity,
        (first, slots): (u32, &Slots),
        out: &mut Vec<u8>,
    ) {
        put_number(out, slots.keys.len() as u64);
        for &key in &slots.keys {
            let Some(chunk) = self.chunk(entity(first), key) else { continue };
            put_number(out, key.into());
            put_number(out, chunk.count() as u64);
            for slot in chunk.slots() {
                put_number(out, slot.into());
                chunk.get(slot).put(out);
            }
        }
    }
}

/// The first id of a segment, of which there are fewer than ids.
fn first_id(number: usize) -> u32 {
    (number * SEGMENT) as u32
}

fn put_slots(slots: &Slots, out: &mut Vec<u8>) {
    slots.live.put(out);
    put_number(out, slots.next().into());
}

/// A graph that is made of the parts of an image, given in order.
#[derive(Default)]
pub struct Loader {
    graph: Graph,
    /// How many segments of nodes and of edges there will be; none is known before the first part.
    expected: Option<(usize, usize)>,
    /// The indexes and constraints that there will be: all else is there first.
    schema: Schema,
    links: Unlinked,
}

/// So many edges are entered in lists of neighbours at a time: to do that for each anew takes much
/// longer, and what waits is memory that is counted nowhere, 12 bytes for each.
const AT_A_TIME: usize = 1 << 20;

/// Edges that are to be entered in lists of neighbours, by their types.
struct Unlinked {
    of_types: Vec<Vec<(NodeId, NodeId, EdgeId)>>,
    /// How many there are.
    waiting: usize,
    /// How many there may be.
    most: usize,
}

impl Default for Unlinked {
    fn default() -> Self {
        Unlinked { of_types: Vec::new(), waiting: 0, most: AT_A_TIME }
    }
}

impl Unlinked {
    /// Enters all of them.
    fn enter(&mut self, graph: &mut Graph) {
        self.waiting = 0;
        for (kind, edges) in self.of_types.iter_mut().enumerate() {
            // What it took is given back: there may be many types.
            let edges = std::mem::take(edges);
            if !edges.is_empty() {
                graph.edit(|view, ledger| view.link_all(ledger, kind, edges));
            }
        }
    }
}

impl Loader {
    /// Takes the next part.
    ///
    /// # Errors
    /// It is no part of an image, or not the next one.
    pub fn take_part(&mut self, part: &[u8]) -> Result<(), Malformed> {
        let mut source = Source::new(part);
        match self.expected {
            None => {
                self.expected = Some(self.graph.edit(|view, l| view.take_names(l, &mut source))?);
                self.schema = take_schema(&mut source)?;
            }
            Some((nodes, _)) if self.graph.node_segments() < nodes => {
                self.graph.edit(|view, ledger| view.take_nodes(ledger, &mut source))?;
            }
            Some((_, edges)) if self.graph.edge_segments() < edges => {
                let links = &mut self.links;
                self.graph.edit(|view, ledger| view.take_edges(ledger, &mut source, links))?;
                if self.links.waiting >= self.links.most {
                    self.links.enter(&mut self.graph);
                }
            }
            Some(_) => return Err(WRONG),
        }
        if source.is_done() { Ok(()) } else { Err(WRONG) }
    }

    /// The graph, after the last part.
    ///
    /// # Errors
    /// Parts are missing, or do not fit together.
    pub fn finish(mut self) -> Result<Graph, Malformed> {
        let (nodes, edges) = self.expected.ok_or(WRONG)?;
        let is_whole = (self.graph.node_segments(), self.graph.edge_segments()) == (nodes, edges);
        let fits = self.graph.nodes.free_list_is_whole() && self.graph.edges.free_list_is_whole();
        if !is_whole || !fits {
            return Err(WRONG);
        }
        self.links.enter(&mut self.graph);
        let schema = &self.schema;
        let entered = self.graph.edit(|view, ledger| view.take_in(ledger, schema));
        entered.map_err(|_| WRONG)?;
        Ok(self.graph)
    }
}

impl View {
    /// Makes indexes and constraints over all that is there.
    fn take_in(&mut self, ledger: &mut Ledger, schema: &Schema) -> Result<(), Rejected> {
        schema.indexes.iter().try_for_each(|on| self.create_index(ledger, on))?;
        self.build_indexes(ledger, usize::MAX);
        schema.constraints.iter().try_for_each(|one| self.add_constraint(ledger, one))
    }

    fn take_names(
        &mut self,
        ledger: &mut Ledger,
        source: &mut Source<'_>,
    ) -> Result<(usize, usize), Malformed> {
        type Add = fn(&mut View, &mut Ledger, &str) -> Option<u16>;
        let adds: [Add; 3] = [View::add_label_name, View::add_type_name, View::add_key_name];
        for add in adds {
            for number in 0..source.length()? {
                let name = std::str::from_utf8(source.bytes()?).map_err(|_| WRONG)?;
                let added = add(self, ledger, name).map(usize::from);
                if added != Some(number) {
                    return Err(WRONG);
                }
            }
        }
        let nodes = source.length()?;
        self.nodes.set_first_free(small(source)?);
        let edges = source.length()?;
        self.edges.set_first_free(small(source)?);
        Ok((nodes, edges))
    }

    fn take_nodes(
        &mut self,
        ledger: &mut Ledger,
        source: &mut Source<'_>,
    ) -> Result<(), Malformed> {
        let (number, slots) = (self.node_segments(), take_slots(source)?);
        let live = slots.live.clone();
        let mut labels = Vec::new();
        for _ in 0..source.length()? {
            let (label, bits) = (small::<LabelId>(source)?, SlotSet::take_bits(source)?);
            let is_next = labels.last().is_none_or(|(last, _)| *last < label);
            let count = self.label_counts.get_mut(usize::from(label)).ok_or(WRONG)?;
            if !is_next || bits.is_empty() || bits.and(&live) != bits {
                return Err(WRONG);
            }
            // 1,024 at most.
            *count += bits.count() as u32;
            labels.push((label, Box::new(bits)));
        }
        self.nodes.restore(ledger, slots).ok_or(WRONG)?;
        self.nodes.segments.edit(ledger, number, |segment| segment.set_labels(labels));
        self.take_columns(ledger, (Entity::Node, first_id(number)), source)
    }

    fn take_edges(
        &mut self,
        ledger: &mut Ledger,
        source: &mut Source<'_>,
        links: &mut Unlinked,
    ) -> Result<(), Malformed> {
        let (number, slots) = (self.edge_segments(), take_slots(source)?);
        let live: Vec<Slot> = slots.live.iter().collect();
        self.edges.restore(ledger, slots).ok_or(WRONG)?;
        links.of_types.resize_with(self.links.len(), Vec::new);
        links.waiting += live.len();
        let mut all = Vec::with_capacity(live.len());
        for slot in live {
            let (kind, from, to) = (small::<TypeId>(source)?, small(source)?, small(source)?);
            let of_kind = links.of_types.get_mut(usize::from(kind)).ok_or(WRONG)?;
            if !self.nodes.has(from) || !self.nodes.has(to) {
                return Err(WRONG);
            }
            of_kind.push((from, to, first_id(number) + u32::from(slot)));
            all.push((slot, Ends { kind, source: from, target: to }));
        }
        self.edges.segments.edit(ledger, number, |segment| {
            all.into_iter().for_each(|(slot, ends)| segment.connect(slot, ends));
        });
        self.take_columns(ledger, (Entity::Edge, first_id(number)), source)
    }

    fn take_columns(
        &mut self,
        ledger: &mut Ledger,
        (entity, first): (fn(u32) -> Entity, u32),
        source: &mut Source<'_>,
    ) -> Result<(), Malformed> {
        for _ in 0..source.length()? {
            let key = small::<KeyId>(source)?;
            let mut chunk: Option<Chunk> = None;
            for _ in 0..source.length()? {
                let slot = small::<Slot>(source)?;
                let value = PropertyRef::take(source)?;
                let is_there = usize::from(slot) < SEGMENT;
                if !is_there || value.is_null() || !self.has(entity(first + u32::from(slot))) {
                    return Err(WRONG);
                }
                match &mut chunk {
                    Some(chunk) => chunk.set(slot, value),
                    None => chunk = Some(Chunk::new(slot, value)),
                }
            }
            let is_new = self.chunk(entity(first), key).is_none();
            if !is_new || usize::from(key) >= self.columns.len() {
                return Err(WRONG);
            }
            if let Some(chunk) = chunk {
                self.put_chunk(ledger, (entity(first), key), chunk);
            }
        }
        Ok(())
    }

    /// Enters edges of a type in the lists of their nodes, behind those that are there.
    fn link_all(
        &mut self,
        ledger: &mut Ledger,
        kind: usize,
        mut edges: Vec<(NodeId, NodeId, EdgeId)>,
    ) {
        let Some(links) = self.links.get_mut(kind) else { return };
        links.out.extend(ledger, &edges);
        edges.iter_mut().for_each(|(from, to, _)| std::mem::swap(from, to));
        links.into.extend(ledger, &edges);
        // There are fewer than ids.
        links.count += edges.len() as u32;
    }
}

fn take_schema(source: &mut Source<'_>) -> Result<Schema, Malformed> {
    let mut schema = Schema::default();
    for _ in 0..source.length()? {
        schema.indexes.push(On::take(source)?);
    }
    for _ in 0..source.length()? {
        schema.constraints.push(Constraint::take(source)?);
    }
    Ok(schema)
}

fn take_slots(source: &mut Source<'_>) -> Result<Slots, Malformed> {
    let live = SlotSet::take_bits(source)?;
    Ok(Slots::of(live, small(source)?))
}

fn small<T: TryFrom<u64>>(source: &mut Source<'_>) -> Result<T, Malformed> {
    T::try_from(source.number()?).map_err(|_| WRONG)
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;
