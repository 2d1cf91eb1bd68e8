//! The nodes and relationships that rows name: each told once, in the order in which they came.
//!
//! ```text
//!   node           id: 8 bytes | labels, and so many places, 4 each | properties
//!   relationship   id | type: 4 bytes | source: 8 bytes | target: 8 bytes | properties
//!   properties     how many: 4 bytes | key: 4 bytes, value …
//!   labels, types, keys    how many: 4 bytes | texts
//! ```
//!
//! Labels, types and keys are places among those that are told behind them: the ones that are
//! needed. What the statement itself has deleted has no labels and no properties, and as a
//! relationship all bits set for its type and its ends.

use std::hash::Hash;

use ::graph::storage::{Entity, View};
use ::graph::value::stored::from_property;
use base::CmdError;
use hashbrown::HashMap;

use super::value::value;
use super::{Going, count, text};

/// Entities that are a piece of work, and their bytes.
const PIECE: usize = 256;
const BYTES: usize = 64 << 10;

/// Things by the order in which they came.
struct Places<T> {
    places: HashMap<T, u32>,
    all: Vec<T>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Places { places: HashMap::new(), all: Vec::new() }
    }
}

impl<T: Copy + Eq + Hash> Places<T> {
    fn of(&mut self, it: T) -> u32 {
        // The graph has no more of them than this holds.
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry(it).or_insert(next);
        if place == next {
            self.all.push(it);
        }
        place
    }

    fn memory(&self) -> usize {
        size_of::<T>() * self.all.capacity()
            + size_of::<(T, u32)>() * self.places.capacity() * 8 / 7
    }
}

/// What rows have named so far.
#[derive(Default)]
pub(super) struct Entities {
    nodes: Places<u64>,
    relationships: Places<u64>,
}

impl Entities {
    /// The place of a node.
    pub fn node(&mut self, id: u64) -> u32 {
        self.nodes.of(id)
    }

    /// The place of a relationship.
    pub fn relationship(&mut self, id: u64) -> u32 {
        self.relationships.of(id)
    }

    /// The bytes that are kept of them.
    pub fn memory(&self) -> usize {
        self.nodes.memory() + self.relationships.memory()
    }

    /// All of them.
    ///
    /// # Errors
    /// It is to end.
    pub fn packed(self, view: &View, going: &mut Going<'_>) -> Result<Vec<u8>, CmdError> {
        let memory = self.memory();
        let mut pack = Pack { view, names: Names::default(), out: Vec::new() };
        count(self.nodes.all.len(), &mut pack.out);
        count(self.relationships.all.len(), &mut pack.out);
        let mut done = (0, 0);
        let mut on = |pack: &Pack<'_>, going: &mut Going<'_>| {
            done.0 += 1;
            if done.0 % PIECE > 0 && pack.out.len() - done.1 < BYTES {
                return Ok(());
            }
            done.1 = pack.out.len();
            going.on(&pack.out, memory)
        };
        for &id in &self.nodes.all {
            pack.node(id);
            on(&pack, going)?;
        }
        for &id in &self.relationships.all {
            pack.relationship(id);
            on(&pack, going)?;
        }
        let Pack { names: Names { labels, types, keys }, mut out, .. } = pack;
        names(&labels, |label| view.label_name(label), &mut out);
        names(&types, |kind| view.type_name(kind), &mut out);
        names(&keys, |key| view.key_name(key), &mut out);
        going.on(&out, memory)?;
        Ok(out)
    }
}

/// Numbers of the graph's names that are needed.
#[derive(Default)]
struct Names {
    labels: Places<u16>,
    types: Places<u16>,
    keys: Places<u16>,
}

fn names<'v>(needed: &Places<u16>, name: impl Fn(u16) -> Option<&'v str>, out: &mut Vec<u8>) {
    count(needed.all.len(), out);
    needed.all.iter().for_each(|&number| text(name(number).unwrap_or_default(), out));
}

struct Pack<'v> {
    view: &'v View,
    names: Names,
    out: Vec<u8>,
}

impl Pack<'_> {
    fn place(&mut self, place: u32) {
        self.out.extend_from_slice(&place.to_le_bytes());
    }

    fn id(&mut self, id: u64) {
        self.out.extend_from_slice(&id.to_le_bytes());
    }

    fn node(&mut self, id: u64) {
        let number = u32::try_from(id).unwrap_or(u32::MAX);
        self.id(id);
        let labels: Vec<_> = self.view.labels_of(number).collect();
        count(labels.len(), &mut self.out);
        for label in labels {
            let place = self.names.labels.of(label);
            self.place(place);
        }
        self.properties(Entity::Node(number));
    }

    fn relationship(&mut self, id: u64) {
        let number = u32::try_from(id).unwrap_or(u32::MAX);
        self.id(id);
        match self.view.ends(number) {
            Some(ends) => {
                let place = self.names.types.of(ends.kind);
                self.place(place);
                self.id(ends.source.into());
                self.id(ends.target.into());
            }
            None => {
                self.place(u32::MAX);
                self.id(u64::MAX);
                self.id(u64::MAX);
            }
        }
        self.properties(Entity::Edge(number));
    }

    fn properties(&mut self, entity: Entity) {
        let at = self.out.len();
        count(0, &mut self.out);
        if !self.view.has(entity) {
            return;
        }
        let mut many = 0_u32;
        for (key, stored) in self.view.properties(entity) {
            let place = self.names.keys.of(key);
            self.place(place);
            // No property is an entity, nor has one inside.
            value(&from_property(stored), &mut Entities::default(), &mut self.out);
            many += 1;
        }
        if let Some(room) = self.out.get_mut(at..at + 4) {
            room.copy_from_slice(&many.to_le_bytes());
        }
    }
}
