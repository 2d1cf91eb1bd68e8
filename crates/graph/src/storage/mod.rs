//! The property graph itself: nodes with labels, edges with a type, properties of both.
//!
//! ```text
//!   Graph ─► View ─┬─ names of labels, types, keys     dense numbers, in order of first use
//!                  ├─ segments of nodes, of edges      which ids live; labels; ends
//!                  ├─ columns: chunks, per key         1,024 values of one type, packed
//!                  ├─ adjacency: per type, both ways   neighbours and edges, in order of edges
//!                  └─ indexes: trees of keys and ids   and the schema that says on what
//!
//!   version ─► the View as it was      fork ─► a View of its own, sharing what it has not written
//! ```
//!
//! Everything is cut into parts of 1,024 consecutive ids, which hang in trees of the crate
//! `blocks`: an edit copies the few kilobytes that it changes, if a version or a fork shares them.
//! Both cost one reference.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `bits`, `segment` | sets of slots; which ids live, and which is used next |
//! | `chunk/` | the values of a property for 1,024 ids |
//! | `adjacency/` | which nodes are connected |
//! | `names` | dictionaries |
//! | `property` | a value as it is stored |
//! | `view`, `vector` | reading, one by one and in batches |
//! | `graph`, `edit` | changing |
//! | `change` | changes as data: to journal, to apply elsewhere |
//! | `index/` | range indexes and constraints |
//! | `slow_log` | the statements that took long |
//! | `usage` | what the parts of a graph take |
//! | `image` | a whole graph as data, part by part |
//!
//! Ids are decided by the changes alone, so a graph that applies the changes of another has the
//! same ids.

mod adjacency;
mod change;
mod chunk;
mod edit;
mod graph;
mod image;
mod index;
mod names;
mod property;
mod segment;
mod slot_set;
mod slow_log;
mod usage;
mod vector;
mod view;

pub use adjacency::{Neighbours, Pair};
pub use change::Change;
pub use chunk::{Bounds, Chunk};
pub use edit::Refused;
pub use graph::{FrozenGraph, Graph, Settled};
pub use image::Loader;
pub use index::{
    Broken, CHECK_EVERY, Constraint, ConstraintKind, Dropped, Found, Gathered, Index, MOST_KEYS,
    Of, On, Probe, Rejected,
};
pub use property::{Property, PropertyRef, text_units};
pub use segment::Ends;
pub use slot_set::{Slot, SlotSet};
pub use slow_log::{SlowLog, SlowStatement, beginning, cut_statement};
pub use usage::Usage;
pub use vector::{Values, Vector};
pub use view::{Direction, Entity, View};

/// The number of a node.
pub type NodeId = u32;
/// The number of an edge.
pub type EdgeId = u32;
/// The number of a label.
pub type LabelId = u16;
/// The number of a type of edges.
pub type TypeId = u16;
/// The number of a property's name.
pub type KeyId = u16;

/// How many consecutive ids are held together.
pub const SEGMENT: usize = 1024;

/// The segment that an id is in.
#[inline]
pub(crate) fn segment_of(id: u32) -> usize {
    id as usize / SEGMENT
}

/// The place of an id in its segment.
#[inline]
pub(crate) fn slot_of(id: u32) -> Slot {
    // Below 1,024.
    (id as usize % SEGMENT) as Slot
}

/// Bytes that a vector has taken.
#[inline]
pub(crate) fn vec_bytes<T>(vec: &Vec<T>) -> usize {
    table::size_class(vec.capacity() * size_of::<T>())
}

/// Makes room for one more element: a quarter more than there is, but no more than a segment has.
#[inline]
pub(crate) fn make_room<T>(vec: &mut Vec<T>) {
    if vec.len() == vec.capacity() {
        let quarter = (vec.len() / 4).max(4);
        let most = SEGMENT.saturating_sub(vec.len()).max(1);
        vec.reserve_exact(if vec.len() < SEGMENT { quarter.min(most) } else { quarter });
    }
}
