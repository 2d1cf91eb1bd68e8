//! A segment: one allocation of a header line and some buckets, which grows, splits and shrinks by
//! itself.
//!
//! ```text
//! +--------+----------+----------+-- ... --+--------------+
//! | header | bucket 0 | bucket 1 |         | bucket n - 1 |      64 bytes each
//! +--------+----------+----------+-- ... --+--------------+
//! ```
//!
//! The bucket counts are chosen so that header and buckets together fill a size class of the
//! allocator: 1, 2, 3, 5, 7, 11 ... 127 (8 KiB). Only a segment that cannot be split goes beyond.
//!
//! Overflow wraps from the last bucket to the first. A segment is never filled beyond
//! its [`limit`], so a free slot is always found; and no walk takes more than one round, so
//! look-ups end even when every bucket says "go on".
//!
//! This file must not know keys or values: it deals in slots and homes.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::alloc::{alloc_zeroed, dealloc, handle_alloc_error};

use crate::bucket::{Bucket, BucketRef, Matches, SLOTS};
use crate::size_class::size_class;
use crate::slot::{self, Slot};

/// Bucket counts a segment grows through; the last is where it splits.
const STEPS: [u32; 14] = [1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 79, 95, 127];
/// Bucket count from which a segment splits instead of growing.
pub(crate) const MOST_BUCKETS: u32 = 127;

/// Percentages of used slots. Above `FULL` a segment grows.
const FULL: usize = 90;
/// What the halves of a split are sized for, at most: room to grow by a quarter or more.
pub(crate) const AFTER_SPLIT: usize = 72;
/// What a shrunken segment is sized for: far from both growing and shrinking again.
pub(crate) const AFTER_SHRINK: usize = 50;
/// Below this a segment shrinks.
const SPARSE: usize = 20;

#[repr(C, align(64))]
struct Header {
    entries: usize,
    expiring: usize,
    limit: usize,
    buckets: u32,
}

const _: () = assert!(size_of::<Header>() == size_of::<Bucket>());
const LINE: usize = size_of::<Bucket>();

/// A handle of a segment; a copy is a handle of the same. All methods rely on one promise: it was
/// made by [`Segment::allocate`] and not yet freed, and only one thread uses it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment(NonNull<u8>);

/// Where a slot went or was found: the bucket, and the slot in it.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) bucket: u32,
    pub(crate) slot: usize,
}

fn layout(buckets: u32) -> Layout {
    match Layout::from_size_align(LINE * (buckets as usize + 1), LINE) {
        Ok(layout) => layout,
        Err(_) => panic!("a segment larger than the address space"),
    }
}

/// Entries a segment of that many buckets holds before it must grow: all slots of a single
/// bucket, else [`FULL`] percent, so that at least one slot is always free.
fn limit(buckets: u32) -> usize {
    if buckets == 1 { SLOTS } else { buckets as usize * SLOTS * FULL / 100 }
}

/// The smallest bucket count that holds `entries` at `percent` of its slots.
pub(crate) fn buckets_for(entries: usize, percent: usize) -> u32 {
    let wanted = (entries * 100).div_ceil(SLOTS * percent).max(1);
    if let Some(&step) = STEPS.iter().find(|&&step| step as usize >= wanted) {
        return step;
    }
    let bytes = size_class((wanted + 1) * LINE);
    u32::try_from(bytes / LINE - 1).unwrap_or(u32::MAX)
}

/// The next bucket count after `buckets`: from the list, beyond it about half as many again.
pub(crate) fn next_buckets(buckets: u32) -> u32 {
    match STEPS.iter().find(|&&step| step > buckets) {
        Some(&step) => step,
        None => {
            let bytes = size_class((buckets as usize + buckets as usize / 2 + 1) * LINE);
            u32::try_from(bytes / LINE - 1).unwrap_or(u32::MAX)
        }
    }
}

/// Bytes of a segment of that many buckets, as the allocator counts them.
pub(crate) fn bytes(buckets: u32) -> usize {
    size_class(layout(buckets).size())
}

impl Segment {
    /// A segment of empty buckets.
    ///
    /// # Panics
    /// If the allocator returns an address of more than 48 bits (then the block leaks).
    pub(crate) fn allocate(buckets: u32) -> Segment {
        let layout = layout(buckets);
        // SAFETY: the size is at least that of a header.
        let pointer = unsafe { alloc_zeroed(layout) };
        assert!(slot::fits(pointer), "an address beyond 48 bits");
        let Some(pointer) = NonNull::new(pointer) else { handle_alloc_error(layout) };
        let header = Header { entries: 0, expiring: 0, limit: limit(buckets), buckets };
        // SAFETY: the block is new, begins with room for a header and is aligned to a line.
        // Zeros are empty buckets.
        unsafe { pointer.cast::<Header>().write(header) };
        Segment(pointer)
    }

    /// Frees the segment, not what its slots point at.
    ///
    /// # Safety
    /// The segment lives, and neither this handle nor a copy is used again.
    pub(crate) unsafe fn free(self) {
        // SAFETY: by the contract; the layout is that of `allocate`.
        unsafe { dealloc(self.0.as_ptr(), layout(self.buckets())) };
    }

    /// # Safety
    /// `pointer` came from [`pointer`](Self::pointer) of a living segment.
    #[inline(always)]
    pub(crate) unsafe fn from_pointer(pointer: NonNull<u8>) -> Segment {
        Segment(pointer)
    }

    #[inline(always)]
    pub(crate) fn pointer(self) -> NonNull<u8> {
        self.0
    }

    #[inline(always)]
    fn header(self) -> *mut Header {
        self.0.as_ptr().cast()
    }

    #[inline(always)]
    pub(crate) fn buckets(self) -> u32 {
        // SAFETY: the segment lives, so its header is initialised.
        unsafe { (*self.header()).buckets }
    }

    #[inline(always)]
    pub(crate) fn entries(self) -> usize {
        // SAFETY: as in `buckets`.
        unsafe { (*self.header()).entries }
    }

    /// Entries with a deadline.
    #[inline(always)]
    pub(crate) fn expiring(self) -> usize {
        // SAFETY: as in `buckets`.
        unsafe { (*self.header()).expiring }
    }

    #[inline(always)]
    pub(crate) fn is_full(self) -> bool {
        // SAFETY: as in `buckets`.
        unsafe { (*self.header()).entries >= (*self.header()).limit }
    }

    /// Whether so few slots are used that the segment should shrink.
    #[inline(always)]
    pub(crate) fn is_sparse(self) -> bool {
        self.entries() * 100 < self.buckets() as usize * SLOTS * SPARSE
    }

    /// # Safety
    /// `bucket` is below [`buckets`](Self::buckets).
    #[inline(always)]
    pub(crate) unsafe fn bucket(self, bucket: u32) -> BucketRef {
        // SAFETY: the buckets follow the header line; they live and are initialised as long as
        // the segment, which only one thread uses.
        unsafe { BucketRef::new(self.0.as_ptr().cast::<Bucket>().add(bucket as usize + 1)) }
    }

    /// Counts an entry with a deadline whose home is `home` (already in the segment).
    #[inline]
    pub(crate) fn note_deadline(self, home: u32) {
        debug_assert!(home < self.buckets());
        // SAFETY: homes are below the bucket count by `place::home`, and the segment lives.
        unsafe {
            self.bucket(home).set_may_expire(true);
            (*self.header()).expiring += 1;
        }
    }

    /// Uncounts an entry with a deadline. The hint of its home stays until a scan clears it.
    #[inline]
    pub(crate) fn forget_deadline(self) {
        // SAFETY: as in `buckets`; `note_deadline` counted it.
        unsafe { (*self.header()).expiring -= 1 };
    }

    /// Puts `slot` into the first free place from `home` on.
    ///
    /// # Safety
    /// `home` is below the bucket count, and the segment is not full.
    #[inline]
    pub(crate) unsafe fn insert(self, home: u32, slot: Slot) -> Spot {
        // SAFETY: `at` stays below the bucket count. The loop ends: a segment below its limit
        // has a free slot.
        unsafe {
            debug_assert!(!self.is_full());
            let buckets = self.buckets();
            let mut at = home;
            loop {
                let bucket = self.bucket(at);
                if let Some(free) = bucket.free().first() {
                    bucket.set_slot(free, slot);
                    (*self.header()).entries += 1;
                    return Spot { bucket: at, slot: free };
                }
                bucket.pass();
                at = if at + 1 == buckets { 0 } else { at + 1 };
            }
        }
    }

    /// Empties the slot at `spot`, which holds an entry that was inserted with `home`.
    ///
    /// # Safety
    /// Both are of this segment.
    #[inline]
    pub(crate) unsafe fn remove(self, home: u32, spot: Spot) {
        // SAFETY: the walk from `home` to `spot.bucket` stays below the bucket count.
        unsafe {
            let buckets = self.buckets();
            let mut at = home;
            while at != spot.bucket {
                self.bucket(at).unpass();
                at = if at + 1 == buckets { 0 } else { at + 1 };
            }
            self.bucket(at).set_slot(spot.slot, Slot::EMPTY);
            (*self.header()).entries -= 1;
        }
    }

    /// Every used slot, in the order of the buckets.
    pub(crate) fn slots(self) -> Slots {
        Slots { segment: self, bucket: 0, buckets: self.buckets(), used: None }
    }

    /// The `nth` used slot from bucket `start` on, wrapping: O(buckets).
    ///
    /// # Safety
    /// `start` is below the bucket count.
    pub(crate) unsafe fn nth_from(self, start: u32, mut nth: usize) -> Option<Slot> {
        let buckets = self.buckets();
        for step in 0..buckets {
            let at = (u64::from(start) + u64::from(step)) % u64::from(buckets);
            // SAFETY: the remainder is below the bucket count, which is a u32.
            let bucket = unsafe { self.bucket(at as u32) };
            let mut used = bucket.used();
            let here = used.len() as usize;
            if nth < here {
                return used.nth(nth).map(|slot| bucket.slot(slot));
            }
            nth -= here;
        }
        None
    }
}

/// The used slots of a segment. The segment must outlive it unchanged.
pub(crate) struct Slots {
    segment: Segment,
    bucket: u32,
    buckets: u32,
    used: Option<(BucketRef, Matches)>,
}

impl Iterator for Slots {
    type Item = Slot;

    #[inline]
    fn next(&mut self) -> Option<Slot> {
        loop {
            if let Some((bucket, used)) = &mut self.used
                && let Some(slot) = used.next()
            {
                return Some(bucket.slot(slot));
            }
            if self.bucket == self.buckets {
                return None;
            }
            // SAFETY: below the bucket count.
            let bucket = unsafe { self.segment.bucket(self.bucket) };
            self.bucket += 1;
            self.used = Some((bucket, bucket.used()));
        }
    }
}

#[cfg(test)]
#[path = "segment_tests.rs"]
mod tests;
