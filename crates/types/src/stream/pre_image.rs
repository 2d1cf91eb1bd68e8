//! The nodes of a stream as they were, while they are copied in chunks. (Its groups:
//! `group_copy.rs`.)
//!
//! The copier goes through the nodes in the order of their ids. One that changes before he has come
//! to it is saved as it was, once; he passes over it, and over those that are new. Ids only grow,
//! but for a stream that has been emptied: what begins anew there is new whatever its id.

use std::collections::BTreeMap;

use base::{Copier, StreamId};

use super::node::Node;
use super::{Log, Stream};

/// So many nodes that have changed are passed over at once: they are taken together, too.
const PASSED: usize = 8;

/// Things by id, of which some have changed before they were copied.
pub(super) struct Items<T> {
    /// The last there was.
    until: StreamId,
    /// The last that was copied or passed over.
    copied: Option<StreamId>,
    /// Those that have changed, as they were; `None` for those that are new.
    saved: BTreeMap<StreamId, Option<T>>,
    /// Bytes saved.
    bytes: usize,
}

impl<T> Items<T> {
    /// Those up to `until`, none of them copied.
    pub fn up_to(until: StreamId) -> Items<T> {
        Items { until, copied: None, saved: BTreeMap::new(), bytes: 0 }
    }

    /// The one of this id is about to change, to go, or to come; `was` is asked for what it was,
    /// and how many heap bytes that owns. Bytes saved so far.
    pub fn note(&mut self, id: StreamId, was: impl FnOnce() -> Option<(T, usize)>) -> usize {
        let wanted = id <= self.until && self.copied.is_none_or(|copied| id > copied);
        if wanted && !self.saved.contains_key(&id) {
            let was = was();
            let owned = was.as_ref().map_or(0, |was| was.1);
            self.bytes += size_of::<(StreamId, Option<T>)>() + owned;
            self.saved.insert(id, was.map(|was| was.0));
        }
        self.bytes
    }

    /// Bytes saved.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last that was copied or passed over, and the last there was.
    pub fn open(&self) -> (Option<StreamId>, StreamId) {
        (self.copied, self.until)
    }

    /// The first of those that have changed.
    pub fn first_saved(&self) -> Option<StreamId> {
        self.saved.first_key_value().map(|(id, _)| *id)
    }

    /// Takes it, and passes over it.
    pub fn pop_saved(&mut self) -> Option<(StreamId, Option<T>)> {
        let (id, was) = self.saved.pop_first()?;
        self.copied = Some(id);
        Some((id, was))
    }

    /// Passes on to the one of this id; whether it is to be copied, `None` behind the last.
    pub fn pass(&mut self, id: StreamId) -> Option<bool> {
        if id > self.until {
            return None;
        }
        self.copied = Some(id);
        Some(!self.saved.contains_key(&id))
    }

    /// Takes those that were saved and passed over.
    fn take_passed(&mut self) -> BTreeMap<StreamId, Option<T>> {
        let mut taken = BTreeMap::new();
        while let Some(first) = self.saved.first_entry()
            && self.copied.is_some_and(|copied| *first.key() <= copied)
        {
            let (id, was) = first.remove_entry();
            taken.insert(id, was);
        }
        taken
    }

    /// Takes those that were saved.
    fn take(&mut self) -> BTreeMap<StreamId, Option<T>> {
        std::mem::take(&mut self.saved)
    }
}

/// Nodes that have changed since, as they were.
pub(super) struct SavedNodes(BTreeMap<StreamId, Option<Node>>);

impl SavedNodes {
    /// Their ids and bytes, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (StreamId, &[u8])> {
        self.0.iter().filter_map(|(id, node)| Some((*id, node.as_ref()?.bytes())))
    }
}

impl Log {
    /// See [`Stream::follow`].
    fn follow(&mut self, copier: &Copier, limit: usize) {
        // Where there are none, those that come are behind it.
        let last = self.nodes.back().map_or(StreamId::MIN, |last| last.first);
        self.pre_image.begin(copier, limit, Items::up_to(last));
    }

    /// See [`Stream::copy_past`].
    fn copy_past(
        &mut self,
        copier: &Copier,
        visit: &mut dyn FnMut(StreamId, &[u8]) -> bool,
    ) -> Option<bool> {
        let pre_image = self.pre_image.of(copier)?;
        let next = match pre_image.copied {
            Some(copied) => self.nodes.partition_point(|node| node.first <= copied),
            None => 0,
        };
        let mut passed = 0;
        for node in self.nodes.range(next..) {
            let Some(wanted) = pre_image.pass(node.first) else { break };
            passed += usize::from(!wanted);
            if passed > PASSED || (wanted && !visit(node.first, node.bytes())) {
                return Some(true);
            }
        }
        Some(false)
    }
}

impl Stream {
    /// Begins to keep what the nodes and the groups are now, for a copier that takes them in chunks
    /// by [`copy_past`](Self::copy_past) and [`copy_groups`](Self::copy_groups).
    pub(super) fn follow(&mut self, copier: &Copier) {
        let limit = self.body.log.memory();
        self.body.log.follow(copier, limit);
        self.follow_groups(copier);
    }

    /// Visits the next nodes that are as they were when this copier began to follow them, until
    /// `visit` answers `false`, or some that are not have been passed over; whether there may be
    /// more. The others it will have saved. `None` if the stream is not followed any more. O(log n)
    /// and the nodes.
    pub(super) fn copy_past(
        &mut self,
        copier: &Copier,
        visit: &mut dyn FnMut(StreamId, &[u8]) -> bool,
    ) -> Option<bool> {
        self.body.log.copy_past(copier, visit)
    }

    /// Takes the nodes that changed before [`copy_past`](Self::copy_past) came to where they were,
    /// and that it has passed since, as they were. `None` if the stream is not followed any more.
    pub(super) fn take_passed(&mut self, copier: &Copier) -> Option<SavedNodes> {
        self.body.log.pre_image.of(copier).map(Items::take_passed).map(SavedNodes)
    }

    /// Ends following, and gives out the other nodes that changed before they were copied, as they
    /// were. `None` if the stream is not followed any more.
    pub(super) fn unfollow(&mut self, copier: &Copier) -> Option<SavedNodes> {
        let saved = self.body.log.pre_image.of(copier).map(Items::take);
        self.body.log.pre_image.end();
        saved.map(SavedNodes)
    }
}
