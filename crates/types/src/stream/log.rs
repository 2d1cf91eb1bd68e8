//! The entries of a stream.

use std::collections::VecDeque;

use base::{PackLimits, StreamId};
use table::size_class;

use super::node::{Entry, NODE_MAX, Node};
use super::pre_image::Items;
use crate::pre_image::Trace;

/// The entries of a stream, in nodes, and the counters about them.
#[derive(Default)]
pub struct Log {
    pub(super) nodes: VecDeque<Node>,
    /// Bytes allocated by the nodes.
    bytes: usize,
    len: usize,
    last_id: StreamId,
    first_id: StreamId,
    max_deleted_id: StreamId,
    entries_added: u64,
    /// What the nodes were, for an incremental copy.
    pub(super) pre_image: Trace<Items<Node>>,
}

/// Why an entry cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Its id is not greater than the last.
    NotGreater,
    /// Its names and values are more than a gigabyte.
    TooLarge,
}

/// What a trimmed stream keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// So many entries, the last ones.
    Last(u64),
    /// The entries from this id on.
    From(StreamId),
}

/// How to trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trim {
    /// What stays.
    pub keep: Keep,
    /// Only whole nodes go.
    pub approximate: bool,
    /// No more entries than these go; 0: no limit.
    pub limit: u64,
}

impl Log {
    /// How many entries there are. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The greatest id it ever had.
    #[must_use]
    pub fn last_id(&self) -> StreamId {
        self.last_id
    }

    /// The smallest id it has; 0-0 if it is empty.
    #[must_use]
    pub fn first_id(&self) -> StreamId {
        self.first_id
    }

    /// The greatest id that was deleted.
    #[must_use]
    pub fn max_deleted_id(&self) -> StreamId {
        self.max_deleted_id
    }

    /// How many entries were ever added.
    #[must_use]
    pub fn entries_added(&self) -> u64 {
        self.entries_added
    }

    /// How many nodes there are.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes as files hold them: an id each, and the bytes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (StreamId, &[u8])> {
        self.nodes.iter().map(|node| (node.first, node.bytes()))
    }

    /// Heap bytes. O(1).
    pub(super) fn memory(&self) -> usize {
        size_class(self.nodes.capacity() * size_of::<Node>()) + self.bytes
    }

    /// Adds an entry; `fields` are names and values in turn. Amortised O(bytes of the entry and of
    /// its node's names).
    ///
    /// # Errors
    /// Nothing has changed then.
    pub(super) fn push(
        &mut self,
        id: StreamId,
        fields: &[&[u8]],
        limits: &PackLimits,
    ) -> Result<(), Refused> {
        if id <= self.last_id {
            return Err(Refused::NotGreater);
        }
        let content: usize = fields.iter().map(|word| word.len()).sum();
        if content > NODE_MAX {
            return Err(Refused::TooLarge);
        }
        if !self.nodes.back().is_some_and(|node| node.takes(content, limits)) {
            self.edit_last(Node::fill);
            let node = Node::new(id, fields);
            if self.pre_image.is_on() {
                self.pre_image.note(0, |pre_image| pre_image.note(id, || None));
            }
            self.bytes += node.memory();
            self.nodes.push_back(node);
        }
        self.edit_last(|node| node.push(id, fields));
        self.len += 1;
        self.entries_added = self.entries_added.wrapping_add(1);
        self.last_id = id;
        if self.len == 1 {
            self.first_id = id;
        }
        Ok(())
    }

    fn edit_last(&mut self, edit: impl FnOnce(&mut Node)) {
        if let Some(last) = self.nodes.len().checked_sub(1) {
            self.edit_node(last, edit);
        }
    }

    fn edit_node(&mut self, at: usize, edit: impl FnOnce(&mut Node)) {
        let node = &mut self.nodes[at];
        if self.pre_image.is_on() {
            let was = || Some((node.clone(), node.memory()));
            self.pre_image.note(0, |pre_image| pre_image.note(node.first, was));
        }
        let before = node.memory();
        edit(node);
        self.bytes = self.bytes - before + node.memory();
    }

    fn drop_node(&mut self, at: usize) {
        if let Some(node) = self.nodes.remove(at) {
            self.bytes -= node.memory();
            if self.pre_image.is_on() {
                let (first, bytes) = (node.first, node.memory());
                self.pre_image.note(0, |pre_image| pre_image.note(first, || Some((node, bytes))));
            }
        }
        if self.nodes.is_empty() {
            self.nodes = VecDeque::new();
        } else if self.nodes.len() * 4 < self.nodes.capacity() {
            self.nodes.shrink_to(self.nodes.len() * 2);
        }
    }

    /// The entries with ids from `from` to `to`, ascending. O(log n) and part of a node to get to
    /// the first.
    #[must_use]
    pub fn range(&self, from: StreamId, to: StreamId) -> Range<'_> {
        let node = self.nodes.partition_point(|node| node.first <= from).saturating_sub(1);
        Range { log: self, node, at: None, from, to }
    }

    /// The same entries, descending.
    #[must_use]
    pub fn range_back(&self, from: StreamId, to: StreamId) -> RangeBack<'_> {
        let node = self.nodes.partition_point(|node| node.first <= to);
        RangeBack { log: self, node, at: None, from, to }
    }

    /// The entry with this id.
    #[must_use]
    pub fn get(&self, id: StreamId) -> Option<Entry<'_>> {
        self.range(id, id).next()
    }

    /// The greatest id it has; 0-0 if it is empty.
    #[must_use]
    pub fn greatest_id(&self) -> StreamId {
        let last = self.range_back(StreamId::MIN, StreamId::MAX).next();
        last.map_or(StreamId::MIN, |entry| entry.id)
    }

    fn find_first_id(&mut self) {
        let first = self.range(StreamId::MIN, StreamId::MAX).next().map(|entry| entry.id);
        self.first_id = first.unwrap_or(StreamId::MIN);
    }

    /// Deletes an entry; whether it was there. O(log n) and a node's entries.
    fn delete_one(&mut self, id: StreamId) -> bool {
        let Some(at) = self.nodes.partition_point(|node| node.first <= id).checked_sub(1) else {
            return false;
        };
        let node = &self.nodes[at];
        let mut next = node.start();
        let place = loop {
            let Some(place) = node.at(next) else { return false };
            if place.id == id && !place.is_deleted() {
                break place;
            }
            if place.id > id {
                return false;
            }
            next = place.end;
        };
        if node.live() == 1 {
            self.drop_node(at);
        } else {
            self.edit_node(at, |node| {
                node.mark(&place);
                node.bury(1);
            });
        }
        self.len -= 1;
        true
    }

    /// Deletes entries; how many of them were there.
    pub(super) fn delete(&mut self, ids: &[StreamId]) -> usize {
        let (mut deleted, mut first) = (0, false);
        for &id in ids {
            if self.delete_one(id) {
                first |= id == self.first_id;
                self.max_deleted_id = self.max_deleted_id.max(id);
                deleted += 1;
            }
        }
        if self.is_empty() {
            self.first_id = StreamId::MIN;
        } else if first {
            self.find_first_id();
        }
        deleted
    }

    /// Removes entries at the beginning; how many. Whole nodes cost O(1) each.
    pub(super) fn trim(&mut self, trim: &Trim) -> usize {
        let mut deleted = 0;
        while let Some(node) = self.nodes.front() {
            if let Keep::Last(most) = trim.keep
                && self.len as u64 <= most
            {
                break;
            }
            let entries = node.live();
            if trim.limit > 0 && (deleted + entries) as u64 > trim.limit {
                break;
            }
            let whole = match trim.keep {
                Keep::Last(most) => self.len.saturating_sub(entries) as u64 >= most,
                Keep::From(id) => node.last() < id,
            };
            if whole {
                self.drop_node(0);
                self.len -= entries;
                deleted += entries;
                continue;
            }
            if !trim.approximate {
                deleted += self.trim_first_node(trim.keep);
            }
            break;
        }
        if self.is_empty() {
            self.first_id = StreamId::MIN;
        } else if deleted > 0 {
            self.find_first_id();
        }
        deleted
    }

    fn trim_first_node(&mut self, keep: Keep) -> usize {
        let (before, mut left) = (self.len, self.len);
        self.edit_node(0, |node| {
            let mut next = node.start();
            while let Some(place) = node.at(next) {
                let stop = match keep {
                    Keep::Last(most) => left as u64 <= most,
                    Keep::From(id) => place.id >= id,
                };
                if stop {
                    break;
                }
                if !place.is_deleted() {
                    node.mark(&place);
                    left -= 1;
                }
                next = place.end;
            }
            node.bury(before - left);
        });
        self.len = left;
        before - left
    }

    /// Sets what `XSETID` sets. Nothing is checked.
    pub(super) fn set_ids(
        &mut self,
        last_id: StreamId,
        entries_added: Option<u64>,
        max_deleted_id: Option<StreamId>,
    ) {
        self.last_id = last_id;
        self.entries_added = entries_added.unwrap_or(self.entries_added);
        self.max_deleted_id = max_deleted_id.unwrap_or(self.max_deleted_id);
    }

    pub(super) fn set_first_id(&mut self, id: StreamId) {
        self.first_id = id;
    }

    /// Appends a node from a file.
    ///
    /// # Errors
    /// It is none, or has entries that are not behind those before.
    pub(super) fn adopt(&mut self, id: StreamId, bytes: &[u8]) -> Result<(), &'static str> {
        let node = Node::adopt(id, bytes)?;
        let before = self.nodes.back().map(Node::last);
        let first = node.at(node.start()).map_or(id, |place| place.id);
        if before.is_some_and(|before| before >= first || before >= id) || first < id {
            return Err("a stream with nodes out of order");
        }
        self.len += node.live();
        self.bytes += node.memory();
        self.nodes.push_back(node);
        Ok(())
    }

    /// Whether an entry behind `id` may have been deleted.
    #[must_use]
    pub fn has_gaps_from(&self, id: StreamId) -> bool {
        !self.is_empty()
            && self.max_deleted_id != StreamId::MIN
            && self.first_id <= self.max_deleted_id
            && id <= self.max_deleted_id
    }

    /// How many entries had been added when the one with this id was: what a group that has read
    /// up to there has read. `None` where deletions leave it open.
    #[must_use]
    pub fn entries_read_at(&self, id: StreamId) -> Option<u64> {
        let (added, len) = (self.entries_added, self.len as u64);
        if added == 0 {
            return Some(0);
        }
        if id == self.last_id || len == 0 && id < self.last_id {
            return Some(added);
        }
        if id > self.last_id {
            return None;
        }
        let whole = self.max_deleted_id == StreamId::MIN || self.max_deleted_id < self.first_id;
        match id.cmp(&self.first_id) {
            std::cmp::Ordering::Less if whole => Some(added.wrapping_sub(len)),
            std::cmp::Ordering::Equal if whole => Some(added.wrapping_sub(len).wrapping_add(1)),
            _ => None,
        }
    }

    /// How many nodes the radix tree would have in which Redis keeps what we keep in a row: one
    /// below each place where ids part, and one at each end. O(nodes).
    #[must_use]
    pub fn radix_nodes(&self) -> usize {
        let keys: Vec<[u8; 16]> = self.nodes.iter().map(|node| node.first.to_bytes()).collect();
        1 + radix_below(&keys, 0)
    }
}

/// Nodes of a compressed radix tree of these keys, which agree in their first `depth` bytes; the
/// node at the top itself is not counted.
fn radix_below(keys: &[[u8; 16]], depth: usize) -> usize {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return 0 };
    let parts = (depth..16).find(|&at| first[at] != last[at]);
    let Some(at) = parts else {
        // One key: its rest in one node, which is the top itself, and the end.
        return usize::from(depth < 16);
    };
    // The bytes they share are in the top node, and the parting is then a node of its own.
    let shared = usize::from(at > depth);
    let branches = keys.chunk_by(|a, b| a[at] == b[at]);
    shared + branches.map(|branch| 1 + radix_below(branch, at + 1)).sum::<usize>()
}

impl Clone for Log {
    fn clone(&self) -> Self {
        let nodes: VecDeque<Node> = self.nodes.iter().cloned().collect();
        let bytes = nodes.iter().map(Node::memory).sum();
        Log { bytes, nodes, pre_image: Trace::default(), ..*self }
    }
}

/// Entries of a [`Log`], ascending.
pub struct Range<'a> {
    log: &'a Log,
    node: usize,
    /// Where in the node the next entry is; `None` before its first.
    at: Option<usize>,
    from: StreamId,
    to: StreamId,
}

impl<'a> Iterator for Range<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        loop {
            let node = self.log.nodes.get(self.node)?;
            let at = self.at.unwrap_or_else(|| node.start());
            let Some(place) = node.at(at) else {
                (self.node, self.at) = (self.node + 1, None);
                continue;
            };
            self.at = Some(place.end);
            if place.id > self.to {
                self.node = self.log.nodes.len();
                return None;
            }
            if place.id >= self.from && !place.is_deleted() {
                return Some(node.entry(&place));
            }
        }
    }
}

/// Entries of a [`Log`], descending.
pub struct RangeBack<'a> {
    log: &'a Log,
    /// The node behind the one that is walked.
    node: usize,
    /// Where in the node the next entry ends; `None` before its last.
    at: Option<usize>,
    from: StreamId,
    to: StreamId,
}

impl<'a> Iterator for RangeBack<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        loop {
            let node = self.log.nodes.get(self.node.checked_sub(1)?)?;
            let at = self.at.unwrap_or_else(|| node.end());
            let Some(place) = node.ending(at) else {
                (self.node, self.at) = (self.node - 1, None);
                continue;
            };
            self.at = Some(place.start);
            if place.id < self.from {
                self.node = 0;
                return None;
            }
            if place.id <= self.to && !place.is_deleted() {
                return Some(node.entry(&place));
            }
        }
    }
}
