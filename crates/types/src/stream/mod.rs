//! Streams: entries with ids that only grow, and groups of consumers that read them.
//!
//! ```text
//!   nodes     +--------+--------+--------+      a ring of node headers, by id   (log.rs)
//!   (deque)   |   *    |   *    |   *    |
//!             +---|----+---|----+---|----+
//!                 v        v        v
//!             | names | e e e | names | e e |   packed entries             (node.rs, listpack.rs)
//!
//!   groups    by name: last id, what is pending, consumers        (group.rs, ordered.rs)
//! ```
//!
//! A node holds up to `stream-node-max-entries` entries and about `stream-node-max-bytes` bytes.
//! `XTRIM ~` removes whole nodes, so a client can see where they end: they end exactly where
//! Redis ends them, which is why a node has the very bytes of Redis. The nodes lie in a row
//! instead of a radix tree: they come at the end and go at the front, and a binary search finds
//! the rest.
//!
//! A stream without entries is a value like any other: it has a last id and groups.

mod copy;
mod group;
mod group_copy;
mod group_writer;
mod image;
mod listpack;
mod log;
mod node;
mod ordered;
mod portable;
mod pre_image;

use std::collections::VecDeque;

use base::codec::{Malformed, Source, put_framed};
use base::{DataType, Kind, PackLimits, StreamId};
use table::size_class;

pub use group::{Consumer, Group, Pending};
pub use log::{Keep, Log, Range, RangeBack, Refused, Trim};
pub use node::{Entry, Fields};

use self::group_copy::Walk;
use crate::pre_image::Trace;
use table::room;

/// The value of a key of type stream.
///
/// ```
/// use base::StreamId;
/// use kvist_types::Stream;
/// use kvist_types::stream::{Keep, Trim};
/// let limits = base::PackLimits::default();
/// let mut stream = Stream::default();
/// for seq in 1..=3 {
///     stream.push(StreamId { ms: 7, seq }, &[b"name", b"value"], &limits).unwrap();
/// }
/// stream.trim(&Trim { keep: Keep::Last(2), approximate: false, limit: 0 });
/// let ids = stream.log().range(StreamId::MIN, StreamId::MAX).map(|entry| entry.id.seq);
/// assert!(ids.eq([2, 3]));
/// ```
#[derive(Default)]
pub struct Stream {
    body: Box<Body>,
}

#[derive(Default)]
struct Body {
    log: Log,
    /// By name.
    groups: Vec<Group>,
    /// Heap bytes of the groups.
    group_bytes: usize,
    /// Groups that were destroyed and are still to be copied, by name. They are the copier's.
    gone: VecDeque<Group>,
    /// How far that has come among the groups.
    walk: Trace<Walk>,
}

/// What a file says of a stream beside its nodes and groups.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    /// The greatest id it ever had.
    pub last_id: StreamId,
    /// The smallest id it has; 0-0 if it is empty.
    pub first_id: StreamId,
    /// The greatest id that was deleted.
    pub max_deleted_id: StreamId,
    /// How many entries were ever added.
    pub entries_added: u64,
}

impl Stream {
    /// Its entries.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.body.log
    }

    /// Adds an entry; `fields` are names and values in turn.
    ///
    /// # Errors
    /// Nothing has changed then.
    pub fn push(
        &mut self,
        id: StreamId,
        fields: &[&[u8]],
        limits: &PackLimits,
    ) -> Result<(), Refused> {
        self.body.log.push(id, fields, limits)
    }

    /// Deletes entries; how many of them were there. O(log n) and a node's entries for each.
    pub fn delete(&mut self, ids: &[StreamId]) -> usize {
        self.body.log.delete(ids)
    }

    /// Removes entries at the beginning; how many. O(nodes that go), and a node's entries.
    pub fn trim(&mut self, trim: &Trim) -> usize {
        self.body.log.trim(trim)
    }

    /// Sets what `XSETID` sets. Nothing is checked.
    pub fn set_ids(
        &mut self,
        last_id: StreamId,
        entries_added: Option<u64>,
        max_deleted_id: Option<StreamId>,
    ) {
        self.body.log.set_ids(last_id, entries_added, max_deleted_id);
    }

    /// Appends a node from a file.
    ///
    /// # Errors
    /// It is none, or has entries that are not behind those before.
    pub fn adopt_node(&mut self, id: StreamId, bytes: &[u8]) -> Result<(), &'static str> {
        self.body.log.adopt(id, bytes)
    }

    /// Sets what a file says beside nodes and groups, after the nodes.
    ///
    /// # Errors
    /// There is an entry behind the last id.
    pub fn adopt_counters(&mut self, counters: Counters) -> Result<(), &'static str> {
        if self.log().greatest_id() > counters.last_id {
            return Err("a stream with an entry after its last id");
        }
        let Counters { last_id, first_id, max_deleted_id, entries_added } = counters;
        self.set_ids(last_id, Some(entries_added), Some(max_deleted_id));
        self.body.log.set_first_id(first_id);
        Ok(())
    }

    /// The groups, in the order of their names.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.body.groups
    }

    fn place(&self, name: &[u8]) -> Result<usize, usize> {
        self.body.groups.binary_search_by(|group| group.name().cmp(name))
    }

    /// The group of this name. O(log n).
    #[must_use]
    pub fn group(&self, name: &[u8]) -> Option<&Group> {
        self.place(name).ok().map(|at| &self.body.groups[at])
    }

    /// Makes a group; `false` if there is one of that name.
    pub fn create_group(
        &mut self,
        name: &[u8],
        last_id: StreamId,
        entries_read: Option<u64>,
    ) -> bool {
        let Err(at) = self.place(name) else { return false };
        self.note_new_group(name);
        let group = Group::new(name, last_id, entries_read);
        self.body.group_bytes += group.memory();
        room::reserve(&mut self.body.groups, 1);
        self.body.groups.insert(at, group);
        true
    }

    /// Removes a group; whether it was there.
    pub fn destroy_group(&mut self, name: &[u8]) -> bool {
        let Ok(at) = self.place(name) else { return false };
        let group = self.body.groups.remove(at);
        self.body.group_bytes -= group.memory();
        room::shrink(&mut self.body.groups);
        self.keep_gone(group);
        true
    }

    /// Edits a group, next to the entries it is about; `None` if there is no such group. The end
    /// of the closure is where its memory is accounted.
    pub fn edit_group<R>(
        &mut self,
        name: &[u8],
        edit: impl FnOnce(&Log, &mut Group) -> R,
    ) -> Option<R> {
        let at = self.place(name).ok()?;
        let follows = self.follow_group(at);
        let Body { log, groups, group_bytes, .. } = &mut *self.body;
        let group = &mut groups[at];
        let before = group.memory();
        let result = edit(log, group);
        *group_bytes = *group_bytes + group.memory() - before;
        self.settle_group(at, follows);
        Some(result)
    }
}

impl Clone for Stream {
    fn clone(&self) -> Self {
        let mut groups = Vec::new();
        room::reserve(&mut groups, self.body.groups.len());
        groups.extend(self.body.groups.iter().cloned());
        let group_bytes = groups.iter().map(Group::memory).sum();
        let log = self.body.log.clone();
        let (gone, walk) = (VecDeque::new(), Trace::default());
        Stream { body: Box::new(Body { log, groups, group_bytes, gone, walk }) }
    }
}

impl DataType for Stream {
    const KIND: Kind = Kind::Stream;
    type Context = ();
    type Copying = copy::StreamCopy;
    type Assembly = copy::StreamAssembly;

    /// Never: a stream without entries stays.
    fn is_empty(&self) -> bool {
        false
    }

    /// Its entries.
    fn elements(&self) -> usize {
        self.log().len()
    }

    fn memory(&self) -> usize {
        size_class(size_of::<Body>())
            + self.body.log.memory()
            + room::of_vec(&self.body.groups)
            + self.body.group_bytes
    }

    fn encoding(&self) -> &'static str {
        "stream"
    }

    fn free_effort(&self) -> usize {
        let groups = &self.body.groups;
        let pending: usize = groups.iter().map(|group| 1 + group.pending() / 64).sum();
        1 + self.body.log.node_count() + pending
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_framed(out, |out| image::encode(out, self));
    }

    fn decode(
        source: &mut Source<'_>,
        _limits: &PackLimits,
        _context: &mut (),
    ) -> Result<Self, Malformed> {
        image::decode(source.bytes()?)
    }
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
