//! What documents share: the shapes of objects, and strings that were seen before.
//!
//! ```text
//!   registry   slots: | Arc | Arc |   | Arc | …      found by hash: lists of names, strings
//!                        │      └─ page: 4 KiB of strings
//!                        └─ shape: names in order
//!   document   shared: | Arc | Arc |                 its cells say "string 7 of my page 1"
//! ```
//!
//! Nothing is shared that was not met twice: a filter remembers fingerprints of what was met once.
//! So documents that have nothing in common leave nothing here but the filter, whatever a client
//! sends. What no document uses any more goes when the registry has doubled since it last looked.
//!
//! A document holds what it uses by itself. It can be read, copied, moved to another registry and
//! dropped on any thread without its registry, which is only needed to make documents: each
//! transaction has one.

use std::sync::Arc;

use hashbrown::HashTable;
use table::size_class;

use crate::cell::{Cell, PAGE_STRINGS, PAGES};
use crate::hash::hash;
use crate::scratch::{Buffers, KEPT, Scratch, trim};
use crate::seen::Seen;
use crate::shape::Shape;
use crate::shared::{Page, Shared, What, string_of};

/// Strings shorter than this are not worth sharing: a cell and a block are hardly more.
const SHORTEST: usize = 12;
/// Strings longer than this are seldom equal, and would not fit into a page.
const LONGEST: usize = 1024;
/// A page is closed when it is larger than this.
const PAGE: usize = 4096;

#[derive(Debug, Default)]
struct Slot {
    shared: Option<Arc<Shared>>,
    /// The session that used it last, and its place in the list of the document made in it.
    session: u32,
    place: u32,
}

/// Where a string is.
#[derive(Clone, Copy, Debug)]
struct Found {
    hash: u64,
    id: u32,
    number: u32,
}

/// The page that is being filled.
#[derive(Debug, Default)]
struct Filling {
    id: Option<u32>,
    text: Vec<u8>,
    ends: Vec<u32>,
}

/// Makes and finds what documents share. Each transaction has one; it allocates nothing before it
/// is used. Documents do not need it to be read, copied or dropped.
#[derive(Debug, Default)]
pub struct Registry {
    slots: Vec<Slot>,
    vacant: Vec<u32>,
    shapes: HashTable<(u64, u32)>,
    strings: HashTable<Found>,
    seen: Seen,
    /// The shape that last began with a name of this hash.
    guesses: Box<[u32]>,
    filling: Filling,
    making: Making,
    pub(crate) scratch: Scratch,
    /// Bytes of what is in the slots.
    owned: usize,
    sweep_at: usize,
    gauge: Gauge,
}

/// The document that is being made.
#[derive(Debug, Default)]
struct Making {
    /// Its number.
    session: u32,
    /// Its list: slots, or foreign shapes.
    used: Vec<u32>,
    /// What it has from another registry.
    foreign: Vec<Arc<Shared>>,
}

/// How many of the strings that are looked up are found: a client that stores nothing twice should
/// not pay for those who do.
#[derive(Debug, Default)]
struct Gauge {
    /// Strings looked up since the gauge was set back, and those that were found.
    looked_up: u32,
    found: u32,
    /// Strings not to be looked up, as few of those before them were found.
    skip: u32,
}

impl Gauge {
    /// Whether the next string is looked up; fewer are while few are found.
    #[inline]
    fn looks_up(&mut self) -> bool {
        const SAMPLE: u32 = 4096;
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.looked_up += 1;
        if self.looked_up == SAMPLE {
            if self.found < SAMPLE / 64 {
                self.skip = 3 * SAMPLE;
            }
            self.looked_up = 0;
            self.found = 0;
        }
        true
    }
}

const GUESSES: usize = 64;
/// Numbers of foreign shapes begin here; there are never as many slots.
const FOREIGN: u32 = 1 << 31;

impl Registry {
    /// An empty registry, which allocates nothing before it is used.
    #[must_use]
    pub fn new() -> Registry {
        Registry::default()
    }

    /// A number that is another one whenever [`memory`](Registry::memory) may be since it was last
    /// asked for: a document was made, or what is kept from one to the next was changed.
    #[inline]
    #[must_use]
    pub fn session(&self) -> u32 {
        self.making.session
    }

    /// Bytes allocated. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.owned
            + size_class(self.slots.capacity() * size_of::<Slot>())
            + size_class(self.vacant.capacity() * 4)
            + size_class(self.shapes.allocation_size())
            + size_class(self.strings.allocation_size())
            + self.seen.memory()
            + size_class(self.guesses.len() * 4)
            + size_class(self.filling.text.capacity())
            + size_class(self.filling.ends.capacity() * 4)
            + size_class(self.making.used.capacity() * 4)
            + size_class(self.making.foreign.capacity() * size_of::<Arc<Shared>>())
            + self.scratch.memory()
    }

    /// Bytes of the shapes and pages of strings, used or not. O(1).
    #[must_use]
    pub fn shared_memory(&self) -> usize {
        self.owned
    }

    /// How many shapes and pages of strings there are, used or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len() - self.vacant.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Begins a document, whose list begins with `shared`. What it takes from here is at a place
    /// in the list, which [`finish`](Registry::finish) tells.
    pub(crate) fn begin(&mut self, shared: &[Arc<Shared>]) {
        if self.len() >= self.sweep_at {
            self.sweep();
        }
        self.next_session();
        self.making.used.clear();
        self.making.foreign.clear();
        for (place, shared) in shared.iter().enumerate() {
            let place = place as u32;
            self.making.used.push(u32::MAX); // not looked at
            if let Some(slot) = self.slot_of(shared) {
                slot.place = place;
                let session = self.making.session;
                self.slots[shared.id as usize].session = session;
            }
        }
    }

    fn next_session(&mut self) {
        self.making.session = self.making.session.wrapping_add(1);
        if self.making.session == 0 {
            self.slots.iter_mut().for_each(|slot| slot.session = 0);
            self.making.session = 1;
        }
    }

    /// Lends out the buffers for texts that are only checked.
    pub(crate) fn lend_buffers(&mut self) -> Buffers {
        std::mem::take(&mut self.scratch.check)
    }

    /// Takes them back.
    pub(crate) fn take_buffers(&mut self, mut buffers: Buffers, had: usize) {
        buffers.trim(KEPT);
        if buffers.memory() != had {
            self.next_session();
        }
        self.scratch.check = buffers;
    }

    fn slot_of(&mut self, shared: &Arc<Shared>) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(shared.id as usize)?;
        let is_same = slot.shared.as_ref().is_some_and(|mine| Arc::ptr_eq(mine, shared));
        is_same.then_some(slot)
    }

    /// Ends a document: adds to its list what it took.
    pub(crate) fn finish(&mut self, shared: &mut Vec<Arc<Shared>>) {
        self.close_page();
        let new = &self.making.used[shared.len()..];
        if !new.is_empty() {
            let capacity = size_class((shared.len() + new.len()) * 8) / 8;
            shared.reserve_exact(capacity - shared.len());
            let (slots, foreign) = (&self.slots, &self.making.foreign);
            shared.extend(new.iter().filter_map(|&id| match id.checked_sub(FOREIGN) {
                Some(number) => foreign.get(number as usize).cloned(),
                None => slots[id as usize].shared.clone(),
            }));
        }
        self.making.foreign.clear();
        self.trim_scratch();
    }

    /// Ends what came to nothing.
    pub(crate) fn abandon(&mut self) {
        self.close_page();
        self.trim_scratch();
    }

    fn trim_scratch(&mut self) {
        self.scratch.trim();
        trim(&mut self.making.used);
    }

    /// The place of a slot in the list of the document that is being made.
    #[inline]
    pub(crate) fn place_of(&mut self, id: u32) -> u32 {
        let slot = &mut self.slots[id as usize];
        if slot.session != self.making.session {
            slot.session = self.making.session;
            slot.place = self.making.used.len() as u32;
            self.making.used.push(id);
        }
        slot.place
    }

    /// The place of something that another document has, in the list that began with `shared`.
    pub(crate) fn adopt(&mut self, other: &Arc<Shared>, shared: &[Arc<Shared>]) -> u32 {
        if self.slot_of(other).is_some() {
            return self.place_of(other.id);
        }
        let is_it = |mine: &Arc<Shared>| Arc::ptr_eq(mine, other);
        if let Some(place) = shared.iter().position(is_it) {
            return place as u32;
        }
        let number = self.making.foreign.iter().position(is_it).unwrap_or_else(|| {
            self.making.foreign.push(Arc::clone(other));
            self.making.used.push(FOREIGN + self.making.foreign.len() as u32 - 1);
            self.making.foreign.len() - 1
        }) as u32;
        let place = self.making.used.iter().position(|&id| id == FOREIGN + number);
        place.unwrap_or_default() as u32
    }

    /// The shape that last began with a name of this hash.
    #[inline]
    pub(crate) fn guess(&self, first: u64) -> Option<(u32, Arc<Shared>)> {
        let id = *self.guesses.get(first as usize % GUESSES)?;
        let shared = self.slots.get(id as usize)?.shared.as_ref()?;
        matches!(shared.what, What::Shape(_)).then(|| (id, Arc::clone(shared)))
    }

    /// The shape of a list of names, if there is one.
    pub(crate) fn find_shape<'a>(
        &self,
        list_hash: u64,
        len: usize,
        name: impl Fn(usize) -> &'a [u8],
    ) -> Option<u32> {
        let is_it = |&(hash, id): &(u64, u32)| {
            hash == list_hash
                && self.shape(id).is_some_and(|shape| {
                    shape.len() == len && (0..len).all(|n| shape.name(n).as_bytes() == name(n))
                })
        };
        self.shapes.find(list_hash, is_it).map(|&(_, id)| id)
    }

    fn shape(&self, id: u32) -> Option<&Shape> {
        match &self.slots.get(id as usize)?.shared.as_ref()?.what {
            What::Shape(shape) => Some(shape),
            What::Page(_) => None,
        }
    }

    /// Remembers which shape to expect.
    pub(crate) fn expect(&mut self, first: u64, id: u32) {
        if self.guesses.is_empty() {
            self.guesses = vec![u32::MAX; GUESSES].into_boxed_slice();
        }
        self.guesses[first as usize % GUESSES] = id;
    }

    /// Whether a hash was met before; if not it will have been.
    pub(crate) fn met(&mut self, hash: u64) -> bool {
        self.seen.met(hash)
    }

    /// Adds a shape, whose names must be distinct and not in a shape already.
    pub(crate) fn add_shape(&mut self, shape: Shape) -> u32 {
        let hash = shape.list_hash;
        let id = self.vacant_slot();
        self.fill_slot(id, What::Shape(shape));
        self.shapes.insert_unique(hash, (hash, id), |&(hash, _)| hash);
        id
    }

    /// A string as a cell, if it is shared or was met before.
    #[inline]
    pub(crate) fn intern(&mut self, text: &[u8], clean: bool) -> Option<Cell> {
        if text.len() < SHORTEST || text.len() > LONGEST {
            return None;
        }
        if !self.gauge.looks_up() {
            return None;
        }
        let hash = hash(text);
        let found = self.strings.find(hash, |found| {
            found.hash == hash && self.string(found.id, found.number as usize) == text
        });
        let Found { id, number, .. } = match found {
            Some(&found) => found,
            None if self.seen.met(hash) => self.add_string(hash, text, clean),
            None => return None,
        };
        self.gauge.found += 1;
        let place = self.place_of(id);
        (place < PAGES).then(|| Cell::paged(place, number as usize))
    }

    fn string(&self, id: u32, number: usize) -> &[u8] {
        if self.filling.id == Some(id) {
            return string_of(&self.filling.text, &self.filling.ends, number).0;
        }
        match self.slots[id as usize].shared.as_ref().map(|shared| &shared.what) {
            Some(What::Page(page)) => page.get(number).0,
            _ => b"",
        }
    }

    fn add_string(&mut self, hash: u64, text: &[u8], clean: bool) -> Found {
        if self.filling.text.len() + text.len() > PAGE || self.filling.ends.len() == PAGE_STRINGS {
            self.close_page();
        }
        let id = match self.filling.id {
            Some(id) => id,
            None => self.vacant_slot(),
        };
        let filling = &mut self.filling;
        filling.id = Some(id);
        filling.text.extend_from_slice(text);
        filling.ends.push((filling.text.len() as u32) << 1 | u32::from(clean));
        let found = Found { hash, id, number: filling.ends.len() as u32 - 1 };
        self.strings.insert_unique(hash, found, |found| found.hash);
        found
    }

    fn close_page(&mut self) {
        if let Some(id) = self.filling.id.take() {
            let page = Page {
                text: self.filling.text.as_slice().into(),
                ends: self.filling.ends.as_slice().into(),
            };
            self.filling.text.clear();
            self.filling.ends.clear();
            self.fill_slot(id, What::Page(page));
        }
    }

    fn vacant_slot(&mut self) -> u32 {
        self.vacant.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        })
    }

    fn fill_slot(&mut self, id: u32, what: What) {
        let shared = Arc::new(Shared { id, what });
        self.owned += shared.memory();
        self.slots[id as usize].shared = Some(shared);
    }

    /// Lets go of everything that no document uses. O(n), and done by itself whenever there is
    /// twice as much as after the last time.
    pub fn sweep(&mut self) {
        /// Fewer slots than this are not worth the look.
        const FEWEST: usize = 64;
        for (id, slot) in self.slots.iter_mut().enumerate() {
            if let Some(shared) = slot.shared.take_if(|shared| Arc::strong_count(shared) == 1) {
                self.owned -= shared.memory();
                self.vacant.push(id as u32);
                slot.session = 0;
            }
        }
        let slots = &self.slots;
        let is_kept = |id: u32| slots[id as usize].shared.is_some();
        self.shapes.retain(|&mut (_, id)| is_kept(id));
        self.strings.retain(|found| is_kept(found.id));
        self.shapes.shrink_to(self.shapes.len() * 2, |&(hash, _)| hash);
        self.strings.shrink_to(self.strings.len() * 2, |found| found.hash);
        if self.is_empty() {
            self.slots = Vec::new();
            self.vacant = Vec::new();
        }
        self.sweep_at = (self.len() * 2).max(FEWEST);
    }
}
