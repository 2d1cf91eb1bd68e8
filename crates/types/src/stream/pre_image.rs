//! The nodes of a stream, and what is pending, as they were, while they are copied in chunks.
//!
//! The copier goes through the nodes in the order of their ids. One that changes before he has come
//! to it is saved as it was, once; he passes over it, and over those that are new. Ids only grow,
//! but for a stream that has been emptied: what begins anew there is new whatever its id. So it is
//! with what is pending in a group.

use std::collections::BTreeMap;

use base::StreamId;

use super::node::Node;
use super::{Body, Group, Log, Pending, Stream};
use crate::pre_image::Copier;

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
    fn up_to(until: StreamId) -> Items<T> {
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

    /// Passes on to the one of this id; whether it is to be copied, `None` behind the last.
    fn pass(&mut self, id: StreamId) -> Option<bool> {
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
pub struct SavedNodes(BTreeMap<StreamId, Option<Node>>);

impl SavedNodes {
    /// Their ids and bytes, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (StreamId, &[u8])> {
        self.0.iter().filter_map(|(id, node)| Some((*id, node.as_ref()?.bytes())))
    }
}

/// What was pending and is in another way since, as it was.
pub struct SavedPending(BTreeMap<StreamId, Option<Pending>>);

impl SavedPending {
    /// What was pending, in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = &Pending> {
        self.0.values().flatten()
    }
}

impl Log {
    /// See [`Stream::follow`].
    fn follow(&mut self, copier: &Copier, limit: usize) -> bool {
        let Some(last) = self.nodes.back() else { return false };
        self.pre_image.begin(copier, limit, Items::up_to(last.first));
        true
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
    /// Begins to keep what the nodes are now, for a copier that takes them in chunks by
    /// [`copy_past`](Self::copy_past); `false` if there are none.
    pub fn follow(&mut self, copier: &Copier) -> bool {
        let limit = self.body.log.memory();
        self.body.log.follow(copier, limit)
    }

    /// Visits the next nodes that are as they were when this copier began to follow them, until
    /// `visit` answers `false`, or some that are not have been passed over; whether there may be
    /// more. The others it will have saved. `None` if the stream is not followed any more. O(log n)
    /// and the nodes.
    pub fn copy_past(
        &mut self,
        copier: &Copier,
        visit: &mut dyn FnMut(StreamId, &[u8]) -> bool,
    ) -> Option<bool> {
        self.body.log.copy_past(copier, visit)
    }

    /// Takes the nodes that changed before [`copy_past`](Self::copy_past) came to where they were,
    /// and that it has passed since, as they were. `None` if the stream is not followed any more.
    pub fn take_passed(&mut self, copier: &Copier) -> Option<SavedNodes> {
        self.body.log.pre_image.of(copier).map(Items::take_passed).map(SavedNodes)
    }

    /// Ends following, and gives out the other nodes that changed before they were copied, as they
    /// were. `None` if the stream is not followed any more.
    pub fn unfollow(&mut self, copier: &Copier) -> Option<SavedNodes> {
        let saved = self.body.log.pre_image.of(copier).map(Items::take);
        self.body.log.pre_image.end();
        saved.map(SavedNodes)
    }

    /// As [`follow`](Self::follow) for what is pending in a group; `false` if nothing is.
    pub fn follow_pending(&mut self, group: &[u8], copier: &Copier) -> bool {
        self.let_go();
        let Ok(at) = self.place(group) else { return false };
        let group = &mut self.body.groups[at];
        let Some(until) = group.pending.last().map(|last| last.id) else { return false };
        group.pre_image.begin(copier, group.memory(), Items::up_to(until));
        true
    }

    /// As [`copy_past`](Self::copy_past) for what is pending in a group.
    pub fn copy_pending(
        &mut self,
        group: &[u8],
        copier: &Copier,
        visit: &mut dyn FnMut(Pending) -> bool,
    ) -> Option<bool> {
        let group = self.followed(group, copier)?;
        let pre_image = group.pre_image.of(copier)?;
        let copied = pre_image.copied;
        let behind = |one: &&Pending| copied.is_some_and(|copied| one.id <= copied);
        for one in group.pending.from(copied.unwrap_or(StreamId::MIN)).skip_while(behind) {
            let Some(wanted) = pre_image.pass(one.id) else { break };
            if wanted && !visit(*one) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// As [`take_passed`](Self::take_passed) for what is pending in a group.
    pub fn take_passed_pending(&mut self, group: &[u8], copier: &Copier) -> Option<SavedPending> {
        let group = self.followed(group, copier)?;
        group.pre_image.of(copier).map(Items::take_passed).map(SavedPending)
    }

    /// As [`unfollow`](Self::unfollow) for what is pending in a group.
    pub fn unfollow_pending(&mut self, group: &[u8], copier: &Copier) -> Option<SavedPending> {
        let group = self.followed(group, copier)?;
        let saved = group.pre_image.of(copier).map(Items::take);
        group.pre_image.end();
        self.let_go();
        saved.map(SavedPending)
    }

    /// The group that is followed under this name: one that was destroyed since, or one there is.
    fn followed(&mut self, name: &[u8], copier: &Copier) -> Option<&mut Group> {
        let at = self.place(name);
        let Body { groups, gone, .. } = &mut *self.body;
        let is_it =
            |group: &mut Group| group.name() == name && group.pre_image.of(copier).is_some();
        if let Some(at) = gone.iter_mut().position(is_it) {
            return gone.get_mut(at);
        }
        groups.get_mut(at.ok()?)
    }

    /// Keeps a group that was destroyed, if somebody copies what was pending in it.
    pub(super) fn keep_gone(&mut self, group: Group) {
        self.let_go();
        if group.pre_image.is_wanted() {
            self.body.gone.push(group);
        }
    }

    /// Frees groups that nobody copies any more. O(1) if there are none.
    #[inline]
    pub(super) fn let_go(&mut self) {
        let gone = &mut self.body.gone;
        if !gone.is_empty() {
            gone.retain(|group| group.pre_image.is_wanted());
            if gone.is_empty() {
                *gone = Vec::new();
            }
        }
    }
}
