//! A tag's values over all records, and which records have which.

use std::hash::BuildHasher;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::ops::Range;
use std::sync::Arc;

use base::Versions;
use blocks::{Ledger, Tree};
use btree::{Fixed, Part};
use foldhash::quality::RandomState;
use haystack::{Cell, Value};

use crate::chunk::Chunk;
use crate::{SEGMENT, Slot, place_of, segment_of};

/// The hash of a value, and the record that has it.
type Postings = Part<Fixed<(u64, u32)>>;

/// Where the records of a hash lie among postings, from one on, to before another if it is given.
fn ranks(postings: &Postings, key: u64, first: Slot, end: Option<Slot>) -> Range<usize> {
    let behind = || key.checked_add(1).map_or(Unbounded, |next| Excluded((next, 0)));
    let end = end.map_or_else(behind, |end| Excluded((key, end)));
    postings.ranks(Included((key, first)), end)
}

#[derive(Clone, Default)]
pub struct Column {
    pub chunks: Tree<Chunk>,
    /// How many records have the tag.
    pub count: u32,
    /// For how many of them it is transient.
    pub transient: u32,
    /// Refs are always found by value; all other values if the column is indexed.
    postings: Option<Postings>,
    pub is_indexed: bool,
    /// Whether it is that of the tag `id`.
    pub owns_ids: bool,
}

impl Column {
    pub fn cell(&self, slot: Slot) -> Cell<'_> {
        let chunk = self.chunks.get(segment_of(slot));
        chunk.map_or(Cell::Null, |chunk| chunk.cell(place_of(slot)))
    }

    pub fn is_transient(&self, slot: Slot) -> bool {
        let chunk = self.chunks.get(segment_of(slot));
        chunk.is_some_and(|chunk| chunk.is_transient(place_of(slot)))
    }

    /// Gives a record a value; null takes it away. O(log n).
    pub fn set(
        &mut self,
        (ledger, hasher): (&mut Ledger, &RandomState),
        slot: Slot,
        value: &Value,
        is_transient: bool,
    ) {
        let (before, after) =
            (self.keys(hasher, &self.cell(slot)), self.keys(hasher, &value.cell()));
        let (had, was_transient) = (!self.cell(slot).is_null(), self.is_transient(slot));
        self.post(ledger, slot, &before, &after);
        if value.is_null() {
            self.take(ledger, slot);
        } else {
            self.put(ledger, slot, value, is_transient);
        }
        self.count = self.count + u32::from(!value.is_null()) - u32::from(had);
        let is_transient = is_transient && !value.is_null();
        self.transient = self.transient + u32::from(is_transient) - u32::from(was_transient);
    }

    fn put(&mut self, ledger: &mut Ledger, slot: Slot, value: &Value, is_transient: bool) {
        let (segment, place) = (segment_of(slot), place_of(slot));
        let set = |chunk: &mut Chunk| chunk.set(place, value, is_transient);
        if self.chunks.edit(ledger, segment, set).is_none() {
            let mut chunk = if self.owns_ids { Chunk::of_ids() } else { Chunk::default() };
            chunk.set(place, value, is_transient);
            self.chunks.put(ledger, segment, chunk);
        }
    }

    fn take(&mut self, ledger: &mut Ledger, slot: Slot) {
        let segment = segment_of(slot);
        if self.cell(slot).is_null() {
            return;
        }
        let is_empty = self.chunks.edit(ledger, segment, |chunk| {
            chunk.remove(place_of(slot));
            chunk.bits.is_empty()
        });
        if is_empty == Some(true) {
            self.chunks.remove(ledger, segment);
        }
    }

    /// The hashes under which a value is found.
    fn keys(&self, hasher: &RandomState, cell: &Cell<'_>) -> Vec<u64> {
        let mut keys: Vec<u64> = match cell {
            Cell::Null => Vec::new(),
            Cell::Ref(..) => vec![hasher.hash_one(cell)],
            Cell::List(list) => {
                let refs = list.iter().filter(|value| value.as_id().is_some());
                refs.map(|value| hasher.hash_one(value.cell())).collect()
            }
            cell if self.is_indexed => vec![hasher.hash_one(cell)],
            _ => Vec::new(),
        };
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Corrects the postings of a record.
    fn post(&mut self, ledger: &mut Ledger, slot: Slot, before: &[u64], after: &[u64]) {
        if before == after {
            return;
        }
        let postings = self.postings.get_or_insert_with(|| Part::new(ledger));
        for key in before {
            postings.remove(ledger, (*key, slot));
        }
        for key in after {
            postings.insert(ledger, (*key, slot));
        }
    }

    /// Whether all records with a value are found by it.
    pub fn has_postings(&self, value: &Value) -> bool {
        value.as_id().is_some() || self.is_indexed
    }

    /// The records that may have a value: those with its hash, in order.
    pub fn posted(&self, hasher: &RandomState, value: &Value) -> impl Iterator<Item = Slot> + '_ {
        self.posted_from(hasher.hash_one(value.cell()), 0, None)
    }

    /// Those of them in a segment. O(log n) to find the first.
    pub fn posted_in(
        &self,
        hasher: &RandomState,
        value: &Value,
        segment: usize,
    ) -> impl Iterator<Item = Slot> + '_ {
        let first = |segment: usize| Slot::try_from(segment * SEGMENT).ok();
        let key = hasher.hash_one(value.cell());
        self.posted_from(key, first(segment).unwrap_or(Slot::MAX), first(segment + 1))
    }

    fn posted_from(
        &self,
        key: u64,
        first: Slot,
        end: Option<Slot>,
    ) -> impl Iterator<Item = Slot> + '_ {
        let postings = self.postings.as_ref();
        let found = postings.map(|postings| postings.iter(ranks(postings, key, first, end)));
        found.into_iter().flatten().map(|(_, slot)| slot)
    }

    /// How many records may have a value. O(log n).
    pub fn count_posted(&self, hasher: &RandomState, value: &Value) -> usize {
        let key = hasher.hash_one(value.cell());
        self.postings.as_ref().map_or(0, |postings| ranks(postings, key, 0, None).len())
    }

    /// Finds all values from now on. O(n log n).
    pub fn index(&mut self, ledger: &mut Ledger, hasher: &RandomState, segments: usize) {
        self.is_indexed = true;
        let mut all = Vec::new();
        for segment in 0..segments {
            let Some(chunk) = self.chunks.get(segment) else { continue };
            for place in chunk.bits.iter() {
                let slot = (segment * SEGMENT) as Slot + Slot::from(place); // as it was made
                let keys = self.keys(hasher, &chunk.cell(place));
                all.extend(keys.into_iter().map(|key| (key, slot)));
            }
        }
        all.sort_unstable();
        let postings = self.postings.get_or_insert_with(|| Part::new(ledger));
        postings.fill(ledger, all.into_iter());
    }

    pub fn leave_whole(&self, versions: &Arc<Versions>, held: bool) {
        self.chunks.leave_whole(versions, held);
        if let Some(postings) = &self.postings {
            postings.leave_whole(versions, held);
        }
    }
}
