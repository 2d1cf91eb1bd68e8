//! The groups of a stream, as they were, while they are copied in chunks.
//!
//! ```text
//!   groups    a  b  c* d  e      in the order of their names: a, b are done, c is being copied
//!   in each   head | consumers, by name | how much is pending | what is pending, by id
//! ```
//!
//! A group keeps what it was from when it is first touched, or come to, after the copy began: the
//! copy begins in no time however many there are. One that is destroyed is kept until the copier
//! has come to it; one that is made is new, whatever its name. Consumers and what is pending are
//! noted before they change, unless they have been copied, and the copier is shown what was noted
//! in its place among what still is as it was.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use base::{Copier, StreamId};

use super::pre_image::Items;
use super::{Body, Group, Pending, Stream};
use crate::pre_image::Trace;

/// Notes of a group, beyond as much as it takes itself.
const NOTES: usize = 4 << 10;
/// Names of groups that are new, beyond as much as the stream takes.
const NEW: usize = 1 << 20;
/// So many that are new are passed over at once.
const PASSED: usize = 256;

/// What a copier of groups is shown, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupPart<'a> {
    /// A group begins.
    Head {
        /// Its name.
        name: &'a [u8],
        /// The last id it delivered.
        last_id: StreamId,
        /// How many entries it has read, if that is known.
        entries_read: Option<u64>,
        /// How many consumers follow.
        consumers: usize,
    },
    /// A consumer, in the order of their names.
    Consumer {
        /// Its name.
        name: &'a [u8],
        /// When it last tried anything.
        seen: u64,
        /// Its number.
        number: u32,
    },
    /// There are no more consumers, and so many entries are pending.
    Count(usize),
    /// A pending entry, in the order of their ids.
    Pending(Pending),
}

/// How far a copier has come among the groups of a stream.
#[derive(Default)]
pub(super) struct Walk {
    /// The group that is being copied.
    current: Option<Box<[u8]>>,
    /// Groups up to this name have been copied, or passed over.
    done: Option<Box<[u8]>>,
    /// Groups that were made since the copy began.
    new: BTreeSet<Box<[u8]>>,
    /// Bytes of their names.
    bytes: usize,
}

impl Walk {
    fn is_ahead(&self, name: &[u8]) -> bool {
        self.done.as_ref().is_none_or(|done| name > done)
    }

    /// Whether the group of this name is still to be copied, and is none that is new.
    fn wants(&self, name: &[u8]) -> bool {
        self.is_ahead(name) && !self.new.contains(name)
    }

    /// A group is made; how many bytes such names take.
    fn note_new(&mut self, name: &[u8]) -> usize {
        if self.is_ahead(name) && self.new.insert(name.into()) {
            self.bytes += size_of::<Box<[u8]>>() + name.len();
        }
        self.bytes
    }
}

/// What is shown next of a group.
#[derive(Clone, Copy)]
enum Next {
    Head,
    Consumers,
    Count,
    Pending,
}

/// What a group was.
pub(super) struct GroupImage {
    next: Next,
    last_id: StreamId,
    entries_read: Option<u64>,
    consumers: usize,
    pending: usize,
    /// Consumers up to this name have been shown.
    shown: Option<Box<[u8]>>,
    /// When those that have changed were seen, and their numbers; `None` for those that are new.
    names: BTreeMap<Box<[u8]>, Option<(u64, u32)>>,
    /// Bytes of these.
    bytes: usize,
    entries: Items<Pending>,
}

impl GroupImage {
    fn of(group: &Group) -> GroupImage {
        let last = group.pending.last().map_or(StreamId::MIN, |last| last.id);
        GroupImage {
            next: Next::Head,
            last_id: group.last_id,
            entries_read: group.entries_read,
            consumers: group.numbers().len(),
            pending: group.pending(),
            shown: None,
            names: BTreeMap::new(),
            bytes: 0,
            entries: Items::up_to(last),
        }
    }

    /// A consumer is about to come, to change or to go; bytes of all notes.
    pub fn note_consumer(&mut self, name: &[u8], was: Option<(u64, u32)>) -> usize {
        let wanted = matches!(self.next, Next::Head | Next::Consumers)
            && self.shown.as_ref().is_none_or(|shown| name > shown);
        if wanted && !self.names.contains_key(name) {
            self.bytes += size_of::<(Box<[u8]>, Option<(u64, u32)>)>() + name.len();
            self.names.insert(name.into(), was);
        }
        self.bytes + self.entries.bytes()
    }

    /// As [`Items::note`], of a pending entry; bytes of all notes.
    pub fn note_pending(&mut self, id: StreamId, was: Option<Pending>) -> usize {
        self.bytes + self.entries.note(id, || was.map(|was| (was, 0)))
    }
}

/// Shows a part; whether there is room for more.
type Visit<'v> = &'v mut dyn FnMut(GroupPart<'_>) -> bool;

impl Group {
    /// Keeps what it is now for the copier of the stream's groups, if it does not yet and is to be
    /// copied; whether it does.
    fn follow(&mut self, walk: &Trace<Walk>) -> bool {
        if !walk.wanted().is_some_and(|walk| walk.wants(self.name())) {
            return false;
        }
        if !self.pre_image.is_beside(walk) {
            let limit = self.memory().saturating_add(NOTES);
            self.pre_image.begin_beside(walk, limit, GroupImage::of(self));
        }
        true
    }

    /// Shows what comes next; whether there is more. `None` if it is not followed any more.
    fn copy(&mut self, copier: &Copier, visit: Visit<'_>) -> Option<bool> {
        loop {
            let image = self.pre_image.of(copier)?;
            let more = match image.next {
                Next::Head => {
                    image.next = Next::Consumers;
                    let (last_id, entries_read) = (image.last_id, image.entries_read);
                    let consumers = image.consumers;
                    !visit(GroupPart::Head { name: &self.name, last_id, entries_read, consumers })
                }
                Next::Consumers => self.copy_consumers(copier, visit)?,
                Next::Count => {
                    image.next = Next::Pending;
                    !visit(GroupPart::Count(image.pending))
                }
                Next::Pending => return self.copy_pending(copier, visit),
            };
            if more {
                return Some(true);
            }
        }
    }

    /// Shows consumers as they were; whether it stopped before the last.
    fn copy_consumers(&mut self, copier: &Copier, visit: Visit<'_>) -> Option<bool> {
        let shown = self.pre_image.of(copier)?.shown.take();
        let mut at = shown.map_or(0, |shown| self.behind(&shown));
        let mut passed = 0;
        let Group { pre_image, order, slots, .. } = self;
        let image = pre_image.of(copier)?;
        loop {
            let number = order.get(at).copied();
            let present =
                number.and_then(|number| Some((number, slots.get(number as usize)?.as_ref()?)));
            let saved = image.names.first_key_value().map(|(name, _)| &**name);
            let is_saved = match (&present, saved) {
                (Some((_, consumer)), Some(saved)) => saved <= consumer.name(),
                (_, saved) => saved.is_some(),
            };
            let more = if is_saved {
                let Some((name, was)) = image.names.pop_first() else { break };
                at += usize::from(present.is_some_and(|(_, consumer)| *consumer.name() == *name));
                let more = match was {
                    Some((seen, number)) => {
                        visit(GroupPart::Consumer { name: &name, seen, number })
                    }
                    None => {
                        passed += 1;
                        passed < PASSED
                    }
                };
                if !more {
                    image.shown = Some(name);
                }
                more
            } else {
                let Some((number, consumer)) = present else { break };
                at += 1;
                let (name, seen) = (consumer.name(), consumer.seen);
                let more = visit(GroupPart::Consumer { name, seen, number });
                if !more {
                    image.shown = Some(name.into());
                }
                more
            };
            if !more {
                return Some(true);
            }
        }
        image.next = Next::Count;
        Some(false)
    }

    /// Shows what was pending; whether there is more.
    fn copy_pending(&mut self, copier: &Copier, visit: Visit<'_>) -> Option<bool> {
        let Group { pending, pre_image, .. } = self;
        let items = &mut pre_image.of(copier)?.entries;
        let (from, until) = items.open();
        let behind = |one: &&Pending| from.is_some_and(|from| one.id <= from);
        let mut present = pending.from(from.unwrap_or(StreamId::MIN)).skip_while(behind);
        let mut next = present.next();
        let mut passed = 0;
        loop {
            next = next.filter(|one| one.id <= until);
            let saved = items.first_saved();
            let is_saved = saved.is_some_and(|saved| next.is_none_or(|next| saved <= next.id));
            let was = if is_saved {
                let Some((id, was)) = items.pop_saved() else { return Some(false) };
                if next.is_some_and(|next| next.id == id) {
                    next = present.next();
                }
                was
            } else {
                let Some(one) = next else { return Some(false) };
                items.pass(one.id);
                next = present.next();
                Some(*one)
            };
            let more = match was {
                Some(one) => visit(GroupPart::Pending(one)),
                None => {
                    passed += 1;
                    passed < PASSED
                }
            };
            if !more {
                return Some(true);
            }
        }
    }
}

impl Stream {
    /// Begins to keep what the groups are now. O(1).
    pub(super) fn follow_groups(&mut self, copier: &Copier) {
        self.body.gone = VecDeque::new();
        let limit = self.body.group_bytes.saturating_add(NEW);
        self.body.walk.begin(copier, limit, Walk::default());
    }

    /// Shows the next parts of the groups, as they were when this copier began to follow the
    /// stream, until `visit` answers `false`, or some that are not have been passed over; whether
    /// there may be more. `None` if they are not followed any more. O(log n) and the parts.
    pub(super) fn copy_groups(&mut self, copier: &Copier, visit: Visit<'_>) -> Option<bool> {
        loop {
            self.body.walk.of(copier)?;
            let Some(name) = self.next_group() else { return Some(true) };
            let Some(name) = name else {
                self.body.walk.end();
                self.body.gone = VecDeque::new();
                return Some(false);
            };
            let Body { groups, gone, walk, .. } = &mut *self.body;
            let in_gone = gone.binary_search_by(|group| group.name().cmp(&name));
            let group = match in_gone {
                Ok(at) => gone.get_mut(at)?,
                Err(_) => {
                    let at = groups.binary_search_by(|group| group.name().cmp(&name)).ok()?;
                    groups.get_mut(at)?
                }
            };
            // One that is gone is followed, and may have a successor of its name that is new.
            if in_gone.is_err() && !group.follow(walk) {
                return None;
            }
            let more = group.copy(copier, visit)?;
            if !more {
                group.pre_image.end();
                if let Ok(at) = in_gone {
                    gone.remove(at);
                }
            }
            let walk = walk.of(copier)?;
            if more {
                walk.current = Some(name);
                return Some(true);
            }
            (walk.current, walk.done) = (None, Some(name));
        }
    }

    /// The group that is copied next: `Some(None)` if there is none, `None` if some that are new
    /// have been passed over first.
    fn next_group(&mut self) -> Option<Option<Box<[u8]>>> {
        let Body { groups, gone, walk, .. } = &mut *self.body;
        let walk = walk.wanted_mut()?;
        if walk.current.is_some() {
            return Some(walk.current.take());
        }
        let start = match &walk.done {
            Some(done) => groups.partition_point(|group| group.name() <= &**done),
            None => 0,
        };
        let gone = gone.front().map(Group::name);
        for (passed, group) in groups.iter().skip(start).enumerate() {
            if gone.is_some_and(|gone| gone <= group.name()) {
                break;
            }
            if walk.wants(group.name()) {
                return Some(Some(group.name().into()));
            }
            if passed >= PASSED {
                walk.done = Some(group.name().into());
                return None;
            }
        }
        Some(gone.map(Box::from))
    }

    /// A group is made.
    #[inline]
    pub(super) fn note_new_group(&mut self, name: &[u8]) {
        self.let_go();
        if self.body.walk.is_on() {
            self.body.walk.note(1, |walk| walk.note_new(name));
        }
    }

    /// Keeps a group that was destroyed, if it is still to be copied.
    pub(super) fn keep_gone(&mut self, mut group: Group) {
        self.let_go();
        let Body { gone, walk, .. } = &mut *self.body;
        if walk.is_on() && group.follow(walk) {
            let at = gone.partition_point(|other| other.name() < group.name());
            gone.insert(at, group);
        }
    }

    /// A group is about to be edited: whether it then keeps what it was.
    #[inline]
    pub(super) fn follow_group(&mut self, at: usize) -> bool {
        self.let_go();
        let Body { groups, walk, .. } = &mut *self.body;
        walk.is_on() && groups.get_mut(at).is_some_and(|group| group.follow(walk))
    }

    /// It has been. If it has noted too much, what it was is not known any more.
    #[inline]
    pub(super) fn settle_group(&mut self, at: usize, follows: bool) {
        let Body { groups, walk, .. } = &mut *self.body;
        if follows && groups.get(at).is_none_or(|group| !group.pre_image.is_on()) {
            walk.end();
        }
    }

    /// Frees groups that no copier will come to any more. O(1) if there are none.
    #[inline]
    fn let_go(&mut self) {
        let Body { gone, walk, .. } = &mut *self.body;
        if !gone.is_empty() && !walk.is_wanted() {
            *gone = VecDeque::new();
        }
    }
}
