//! Growing, splitting, shrinking and merging: always one segment (or one and its buddy) at a time.
//!
//! ```text
//!   1 -> 2 -> 3 -> 5 -> 7 -> ... -> 95 -> 127 buckets --full--> split by the next bit of P
//!                                                              /                          \
//!                                                        95 buckets                  95 buckets
//! ```
//!
//! Each change first gathers the segment's slots with their hashes (computed anew from the keys,
//! which are prefetched some buckets ahead), then builds the new segments from that list, then
//! puts them into the directory, then frees the old ones. Nothing is changed before the last call
//! of the hasher has returned, so a hasher that panics leaves the table whole.
//!
//! A segment splits only if that separates its entries, and only if the directory is allowed to
//! be that deep for the number of entries; else it grows beyond its usual size. So keys chosen
//! to collide cost time, but neither correctness nor memory.

use crate::bucket::SLOTS;
use crate::directory::{DEEPEST, Directory, Link};
use crate::place;
use crate::segment::{self, Segment};
use crate::slot::Slot;
use crate::table::{KeyHash, Place, Table};

/// How many buckets ahead entries are prefetched while gathering: enough to cover a memory
/// access by hashing, few enough for the processor's queue of outstanding lines.
const AHEAD: u32 = 2;
/// Largest share of a full segment, in percent, that two buddies may have to be merged.
const MERGE: usize = 35;

/// Share of their slots, in percent, that segments are sized for where the number of entries is
/// known beforehand: few of them get so many more than the others that they must grow.
const RESERVED: usize = 80;

/// A slot on its way, with its hash.
#[derive(Clone, Copy)]
struct Moved {
    hash: u64,
    slot: Slot,
}

fn prefetch_entries(segment: Segment, bucket: u32) {
    if bucket < segment.buckets() {
        // SAFETY: below the bucket count.
        let bucket = unsafe { segment.bucket(bucket) };
        for slot in bucket.used() {
            // SAFETY: the slot is used.
            unsafe { bucket.slot(slot).entry() }.prefetch(1);
        }
    }
}

/// Appends every slot of `segment` with its hash to `moved`.
fn gather<H: KeyHash>(segment: Segment, hasher: &H, moved: &mut Vec<Moved>) {
    for bucket in 0..AHEAD {
        prefetch_entries(segment, bucket);
    }
    for at in 0..segment.buckets() {
        prefetch_entries(segment, at.saturating_add(AHEAD));
        // SAFETY: below the bucket count.
        let bucket = unsafe { segment.bucket(at) };
        for slot in bucket.used() {
            let slot = bucket.slot(slot);
            // SAFETY: the slot is used and its entry lives; the key is used only here.
            let hash = hasher.hash(unsafe { slot.entry().key() });
            moved.push(Moved { hash, slot });
        }
    }
}

/// A segment of `buckets` buckets and local depth `depth` with the given slots, which must be
/// fewer than its limit.
fn build(
    slots: impl Iterator<Item = Moved>,
    depth: u32,
    buckets: u32,
    any_deadline: bool,
) -> Segment {
    let segment = Segment::allocate(buckets);
    for Moved { hash, slot } in slots {
        let home = place::home(place::aligned(hash), depth, buckets);
        // SAFETY: the home is of this segment, and all callers size it for what it gets; the
        // slot is used and its entry lives.
        unsafe {
            segment.insert(home, slot);
            if any_deadline && slot.entry().has_deadline() {
                segment.note_deadline(home);
            }
        }
    }
    segment
}

impl<O, H: KeyHash> Table<O, H> {
    /// Makes sure that the segment of `hash` takes one more entry, and tells where that would go.
    #[inline]
    pub(crate) fn make_room(&mut self, hash: u64) -> Place {
        loop {
            match self.place(hash) {
                None => self.plant(),
                Some(place) if place.segment.is_full() => self.grow(hash),
                Some(place) => return place,
            }
        }
    }

    /// Makes a table that has few entries yet as large as it becomes with so many: they are added
    /// without growing anything, in any order. Without it a table that gets its entries in the
    /// order of their positions piles them up in its first buckets, as no segment is split beyond
    /// what the number of entries allows. O(entries / 512) and what is there already.
    pub fn reserve(&mut self, entries: usize) {
        let most = segment::MOST_BUCKETS as usize * SLOTS * RESERVED / 100;
        let depth = entries.div_ceil(most).next_power_of_two().ilog2().min(DEEPEST);
        if self.directory.depth() >= depth || self.len() > entries / 4 {
            return;
        }
        let old: Vec<Segment> =
            self.directory.segments_from(0).map(|(link, _)| link.segment()).collect();
        let moved = self.gather(&old);
        let buckets = segment::buckets_for(entries >> depth, RESERVED).min(segment::MOST_BUCKETS);
        let segments: Vec<Segment> =
            (0..1usize << depth).map(|_| self.count(Segment::allocate(buckets))).collect();
        self.directory = Directory::with_segments(depth, &segments);
        for Moved { hash, slot } in moved {
            let Place { segment, home, .. } = self.make_room(hash);
            // SAFETY: the home is of this segment, in which there is room; the slot is used and its
            // entry lives.
            unsafe {
                segment.insert(home, slot);
                if slot.entry().has_deadline() {
                    segment.note_deadline(home);
                }
            }
        }
        old.into_iter().for_each(|segment| self.discard(segment));
    }

    /// The first segment of a table.
    #[cold]
    fn plant(&mut self) {
        let segment = self.count(Segment::allocate(1));
        self.directory = Directory::with_root(segment);
    }

    fn count(&mut self, segment: Segment) -> Segment {
        self.accounts.segment_bytes += segment::bytes(segment.buckets());
        segment
    }

    /// Frees a segment that is no longer linked and whose slots have moved.
    fn discard(&mut self, segment: Segment) {
        self.accounts.segment_bytes -= segment::bytes(segment.buckets());
        // SAFETY: every caller has just unlinked it, and uses its handle no more.
        unsafe { segment.free() };
    }

    fn gather(&self, segments: &[Segment]) -> Vec<Moved> {
        let entries = segments.iter().map(|segment| segment.entries()).sum();
        let mut moved = Vec::with_capacity(entries);
        for &segment in segments {
            gather(segment, &self.hasher, &mut moved);
        }
        moved
    }

    /// Grows or splits the full segment of `hash`.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, hash: u64) {
        let aligned = place::aligned(hash);
        let Some(link) = self.directory.link(aligned) else { return };
        let moved = self.gather(&[link.segment()]);
        let full_size = link.buckets() >= segment::MOST_BUCKETS;
        if full_size
            && self.directory.may_split(link.depth(), self.accounts.entries)
            && self.split(aligned, link, &moved)
        {
            return;
        }
        let buckets = segment::next_buckets(link.buckets());
        self.rebuild(aligned, link, buckets, moved);
    }

    /// Replaces the segment behind `link` by one of `buckets` buckets.
    fn rebuild(&mut self, aligned: u64, link: Link, buckets: u32, moved: Vec<Moved>) {
        let old = link.segment();
        let new = build(moved.into_iter(), link.depth(), buckets, old.expiring() > 0);
        let new = self.count(new);
        self.directory.set(aligned, link.depth(), new);
        self.discard(old);
    }

    /// Splits the segment behind `link` in two, unless all of it would go to one side.
    fn split(&mut self, aligned: u64, link: Link, moved: &[Moved]) -> bool {
        let (old, depth) = (link.segment(), link.depth());
        let upper = |moved: &Moved| place::split_bit(place::aligned(moved.hash), depth);
        let high = moved.iter().filter(|moved| upper(moved)).count();
        if high == 0 || high == moved.len() {
            return false;
        }
        let halves = [(false, moved.len() - high), (true, high)].map(|(side, entries)| {
            let buckets = segment::buckets_for(entries, segment::AFTER_SPLIT);
            let slots = moved.iter().copied().filter(|moved| upper(moved) == side);
            self.count(build(slots, depth + 1, buckets, old.expiring() > 0))
        });
        self.directory.split(aligned, depth, halves);
        self.discard(old);
        true
    }

    /// Merges the sparse segment of `hash` with its buddy, or makes it smaller.
    #[cold]
    #[inline(never)]
    pub(crate) fn shrink(&mut self, hash: u64) {
        let aligned = place::aligned(hash);
        let Some(link) = self.directory.link(aligned) else { return };
        let old = link.segment();
        if let Some(buddy) = self.directory.buddy(aligned, link.depth()) {
            let entries = old.entries() + buddy.entries();
            let buckets = segment::buckets_for(entries, segment::AFTER_SHRINK);
            if segment::buckets_for(entries, MERGE) <= segment::MOST_BUCKETS {
                return self.merge(aligned, link.depth(), [old, buddy], buckets);
            }
        }
        let buckets = segment::buckets_for(old.entries(), segment::AFTER_SHRINK);
        if buckets < link.buckets() {
            let moved = self.gather(&[old]);
            self.rebuild(aligned, link, buckets, moved);
        }
    }

    fn merge(&mut self, aligned: u64, depth: u32, halves: [Segment; 2], buckets: u32) {
        let moved = self.gather(&halves);
        let any_deadline = halves.iter().any(|half| half.expiring() > 0);
        let whole = build(moved.into_iter(), depth - 1, buckets, any_deadline);
        let whole = self.count(whole);
        self.directory.merge(aligned, depth, whole);
        for half in halves {
            self.discard(half);
        }
    }
}

#[cfg(test)]
#[path = "grow_tests.rs"]
mod tests;
