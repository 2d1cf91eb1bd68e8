//! Consumer groups: how far a group has read, and what it has delivered but not seen acknowledged.
//!
//! What is pending stands twice: in the group, in order of ids and with everything that is known of
//! it, and as a bare id with the consumer it was delivered to. Consumers have numbers that stay
//! when others go, so that a pending entry needs four bytes for its owner.

use base::StreamId;
use table::size_class;

use super::Log;
use super::group_copy::GroupImage;
use super::ordered::{Keyed, Ordered};
use crate::pre_image::Trace;
use table::room;

/// An entry that was delivered but not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The entry.
    pub id: StreamId,
    /// When it was delivered last, in milliseconds since the Unix epoch.
    pub delivered: u64,
    /// How often it was delivered.
    pub deliveries: u64,
    /// The number of its consumer.
    pub consumer: u32,
}

impl Keyed for Pending {
    fn id(&self) -> StreamId {
        self.id
    }
}

/// A consumer of a group.
#[derive(Clone)]
pub struct Consumer {
    name: Box<[u8]>,
    /// When it last tried anything, in milliseconds since the Unix epoch.
    pub seen: u64,
    pending: Ordered<StreamId>,
}

impl Consumer {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// How many entries it has not acknowledged. O(1).
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// The entries it has not acknowledged, from `id` on.
    pub fn pending_from(&self, id: StreamId) -> impl Iterator<Item = StreamId> {
        self.pending.from(id).copied()
    }

    fn memory(&self) -> usize {
        size_class(self.name.len()) + self.pending.memory()
    }
}

/// A consumer group.
pub struct Group {
    pub(super) name: Box<[u8]>,
    /// The last id it delivered.
    pub last_id: StreamId,
    /// How many entries it has read, counted from the first ever; `None` if unknown.
    pub entries_read: Option<u64>,
    pub(super) pending: Ordered<Pending>,
    /// What it was, for a copier.
    pub(super) pre_image: Trace<GroupImage>,
    /// By number; the numbers of the deleted are free.
    pub(super) slots: Vec<Option<Consumer>>,
    /// Numbers in the order of names.
    pub(super) order: Vec<u32>,
    /// Heap bytes of the consumers.
    bytes: usize,
}

impl Group {
    pub(super) fn new(name: &[u8], last_id: StreamId, entries_read: Option<u64>) -> Self {
        Group {
            name: name.into(),
            last_id,
            entries_read,
            pending: Ordered::default(),
            pre_image: Trace::default(),
            slots: Vec::new(),
            order: Vec::new(),
            bytes: 0,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Heap bytes. O(1).
    pub(super) fn memory(&self) -> usize {
        size_class(self.name.len())
            + self.pending.memory()
            + room::of_vec(&self.slots)
            + room::of_vec(&self.order)
            + self.bytes
    }

    /// How many entries are pending. O(1).
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// What is pending from `id` on.
    pub fn pending_from(&self, id: StreamId) -> impl Iterator<Item = &Pending> {
        self.pending.from(id)
    }

    /// What is known of a pending entry. O(log n).
    #[must_use]
    pub fn pending_at(&self, id: StreamId) -> Option<&Pending> {
        self.pending.get(id)
    }

    /// The smallest and the greatest pending id.
    #[must_use]
    pub fn pending_ends(&self) -> Option<(StreamId, StreamId)> {
        let first = self.pending.from(StreamId::MIN).next()?;
        Some((first.id, self.pending.last()?.id))
    }

    /// The consumers, in the order of their names.
    pub fn consumers(&self) -> impl ExactSizeIterator<Item = &Consumer> {
        // Every number in `order` has its slot.
        self.order
            .iter()
            .filter_map(|&number| self.consumer(number))
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// The numbers of the consumers, in the order of their names.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.order
    }

    /// The consumer with this number.
    #[must_use]
    pub fn consumer(&self, number: u32) -> Option<&Consumer> {
        self.slots.get(number as usize)?.as_ref()
    }

    fn place(&self, name: &[u8]) -> Result<usize, usize> {
        let name_of = |number: &u32| self.consumer(*number).map_or(&[][..], Consumer::name);
        self.order.binary_search_by(|number| name_of(number).cmp(name))
    }

    /// Where in the order of names the first stands behind this one. O(log n).
    pub(super) fn behind(&self, name: &[u8]) -> usize {
        self.place(name).map_or_else(|at| at, |at| at + 1)
    }

    /// The number of the consumer of this name. O(log n).
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.place(name).ok().map(|at| self.order[at])
    }

    /// The consumer of this name, made if there is none, and whether it was. `now`: when it counts
    /// as seen if it is new.
    pub fn find_or_create(&mut self, name: &[u8], now: u64) -> (u32, bool) {
        let at = match self.place(name) {
            Ok(at) => return (self.order[at], false),
            Err(at) => at,
        };
        if self.pre_image.is_on() {
            self.pre_image.note(1, |image| image.note_consumer(name, None));
        }
        let consumer = Consumer { name: name.into(), seen: now, pending: Ordered::default() };
        self.bytes += consumer.memory();
        let any_free = self.order.len() < self.slots.len();
        let free = any_free.then(|| self.slots.iter().position(Option::is_none)).flatten();
        let slot = free.unwrap_or_else(|| {
            room::reserve(&mut self.slots, 1);
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[slot] = Some(consumer);
        // A group of four thousand million consumers does not fit a machine.
        let number = u32::try_from(slot).unwrap_or(u32::MAX);
        room::reserve(&mut self.order, 1);
        self.order.insert(at, number);
        (number, true)
    }

    /// The consumer has just tried something.
    pub fn see(&mut self, number: u32, now: u64) {
        if let Some(Some(consumer)) = self.slots.get_mut(number as usize) {
            if self.pre_image.is_on() {
                let was = Some((consumer.seen, number));
                self.pre_image.note(1, |image| image.note_consumer(&consumer.name, was));
            }
            consumer.seen = now;
        }
    }

    /// Removes a consumer and all that is pending for it; how much that was. O(pending).
    pub fn delete(&mut self, name: &[u8]) -> Option<usize> {
        let at = self.place(name).ok()?;
        let number = self.order.remove(at);
        let consumer = self.slots.get_mut(number as usize)?.take()?;
        self.bytes -= consumer.memory();
        if self.pre_image.is_on() {
            let was = Some((consumer.seen, number));
            // Too much that is pending is not noted one by one.
            let elements = consumer.pending();
            self.pre_image.note(elements, |image| image.note_consumer(name, was));
        }
        for id in consumer.pending_from(StreamId::MIN) {
            self.note(id);
            self.pending.remove(id);
        }
        while self.slots.last().is_some_and(Option::is_none) {
            self.slots.pop();
        }
        room::shrink(&mut self.slots);
        room::shrink(&mut self.order);
        Some(consumer.pending())
    }

    /// Notes an entry that is about to be pending in another way, or no longer, or at last.
    #[inline]
    fn note(&mut self, id: StreamId) {
        if self.pre_image.is_on() {
            let was = self.pending.get(id).copied();
            self.pre_image.note(1, |image| image.note_pending(id, was));
        }
    }

    fn edit_own(&mut self, number: u32, edit: impl FnOnce(&mut Ordered<StreamId>)) {
        if let Some(Some(consumer)) = self.slots.get_mut(number as usize) {
            let before = consumer.memory();
            edit(&mut consumer.pending);
            self.bytes = self.bytes - before + consumer.memory();
        }
    }

    /// Sets what is known of an entry: it is pending from now on, for this consumer, whichever
    /// consumer had it before. O(log n).
    pub fn deliver(&mut self, pending: Pending) {
        self.note(pending.id);
        let owner = self.pending.insert(pending).map(|before| before.consumer);
        if owner == Some(pending.consumer) {
            return;
        }
        if let Some(owner) = owner {
            self.edit_own(owner, |own| _ = own.remove(pending.id));
        }
        self.edit_own(pending.consumer, |own| _ = own.insert(pending.id));
    }

    /// An entry is no longer pending; whether it was. O(log n).
    pub fn acknowledge(&mut self, id: StreamId) -> bool {
        self.note(id);
        let Some(pending) = self.pending.remove(id) else { return false };
        self.edit_own(pending.consumer, |own| _ = own.remove(id));
        true
    }

    /// The group has read up to `id`, an entry of `log` behind all it has read.
    pub fn advance(&mut self, log: &Log, id: StreamId) {
        self.entries_read = match self.entries_read {
            Some(read) if !log.has_gaps_from(id) => Some(read.wrapping_add(1)),
            before if log.entries_added() == 0 => before,
            _ => log.entries_read_at(id),
        };
        self.last_id = id;
    }

    /// How many entries of `log` it has not read; `None` if unknown.
    #[must_use]
    pub fn lag(&self, log: &Log) -> Option<i64> {
        let added = log.entries_added();
        if added == 0 {
            return Some(0);
        }
        let read = match self.entries_read {
            Some(read) if !log.has_gaps_from(self.last_id) => read,
            _ => log.entries_read_at(self.last_id)?,
        };
        Some(added.wrapping_sub(read).cast_signed())
    }
}

impl Clone for Group {
    fn clone(&self) -> Self {
        let mut slots = Vec::new();
        room::reserve(&mut slots, self.slots.len());
        slots.extend(self.slots.iter().cloned());
        let mut order = Vec::new();
        room::reserve(&mut order, self.order.len());
        order.extend_from_slice(&self.order);
        Group {
            name: self.name.clone(),
            last_id: self.last_id,
            entries_read: self.entries_read,
            pending: self.pending.clone(),
            pre_image: Trace::default(),
            bytes: slots.iter().flatten().map(Consumer::memory).sum(),
            slots,
            order,
        }
    }
}
