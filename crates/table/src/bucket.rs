//! A bucket: one cache line of seven slots and a word about them.
//!
//! ```text
//!  0        8        16       24       32       40       48       56  58  60      64
//! +--------+--------+--------+--------+--------+--------+--------+---+---+-------+
//! | slot 0 | slot 1 | slot 2 | slot 3 | slot 4 | slot 5 | slot 6 |ovf|hnt| epoch |
//! +--------+--------+--------+--------+--------+--------+--------+---+---+-------+
//! ```
//!
//! * `ovf`: how many entries whose home is this bucket or an earlier one were placed *past* it. A
//!   look-up goes on to the next bucket only while it is not 0, so almost every one, hit or miss,
//!   reads one line. It sticks at its largest value (then it may only say "go on" too often) and
//!   is counted afresh when the segment is rebuilt.
//! * `hnt`: bit 0 says that an entry whose *home* is here may have a deadline. It may be set
//!   needlessly, never missing.
//! * `epoch`: reserved for snapshots that walk buckets; always 0 now.
//!
//! Tags are compared all at once. The result has one bit per slot, at bit `4 * slot + 3`: that is
//! what SSE2's packed comparison yields with the least work; the scalar twin yields the same and
//! is its oracle in the tests.

use core::ptr;

use crate::slot::Slot;

/// Slots of a bucket.
pub(crate) const SLOTS: usize = 7;

const EXPIRING: u16 = 1;

#[repr(C, align(64))]
pub(crate) struct Bucket {
    slots: [Slot; SLOTS],
    overflow: u16,
    hints: u16,
    epoch: u32,
}

const _: () = assert!(size_of::<Bucket>() == 64);

/// A set of slots of one bucket, yielded in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Matches(u32);

/// Bit 3 of each of seven groups of four.
const SLOT_BITS: u32 = 0x0888_8888;

impl Matches {
    #[inline(always)]
    pub(crate) fn complement(self) -> Matches {
        Matches(!self.0 & SLOT_BITS)
    }

    #[inline(always)]
    pub(crate) fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The lowest slot, if any, without taking it out.
    #[inline(always)]
    pub(crate) fn first(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some((self.0.trailing_zeros() >> 2) as usize) }
    }
}

impl Iterator for Matches {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let slot = self.first()?;
        self.0 &= self.0 - 1;
        Some(slot)
    }
}

/// A bucket of a living segment. Copies are handles of the same bucket; the table that owns the
/// segment sees to it that only one of them writes at a time.
#[derive(Clone, Copy)]
pub(crate) struct BucketRef(*mut Bucket);

impl BucketRef {
    /// # Safety
    /// `pointer` is aligned and its bucket stays allocated and initialised, and is written by no
    /// other thread, as long as the handle is used.
    #[inline(always)]
    pub(crate) unsafe fn new(pointer: *mut Bucket) -> BucketRef {
        BucketRef(pointer)
    }

    #[inline(always)]
    pub(crate) fn pointer(self) -> *const Bucket {
        self.0
    }

    /// The slots whose tag is `tag`; the empty ones for tag 0.
    #[inline(always)]
    pub(crate) fn matches(self, tag: u16) -> Matches {
        #[cfg(target_feature = "sse2")]
        return self.matches_sse2(tag);
        #[cfg(not(target_feature = "sse2"))]
        self.matches_scalar(tag)
    }

    #[cfg(target_feature = "sse2")]
    #[inline(always)]
    fn matches_sse2(self, tag: u16) -> Matches {
        use core::arch::x86_64::{
            __m128i, _mm_cmpeq_epi16, _mm_load_si128, _mm_movemask_epi8, _mm_packs_epi16,
            _mm_set1_epi16,
        };
        let line = self.0.cast::<__m128i>();
        // SAFETY: SSE2 is there by the `cfg`; the four aligned loads cover exactly the 64 bytes
        // of the bucket, all initialised (see `new`).
        unsafe {
            let wanted = _mm_set1_epi16(tag.cast_signed());
            let equal = |part| _mm_cmpeq_epi16(_mm_load_si128(line.add(part)), wanted);
            // Each pack turns the sixteen 2-byte lanes of four slots into sixteen bytes, of which
            // every fourth is a tag; the others, and the word after slot 6, are masked away.
            let low = _mm_movemask_epi8(_mm_packs_epi16(equal(0), equal(1)));
            let high = _mm_movemask_epi8(_mm_packs_epi16(equal(2), equal(3)));
            Matches((low.cast_unsigned() | (high.cast_unsigned() << 16)) & SLOT_BITS)
        }
    }

    /// What [`matches`](Self::matches) means, one slot at a time.
    #[cfg(any(test, not(target_feature = "sse2")))]
    #[inline(always)]
    fn matches_scalar(self, tag: u16) -> Matches {
        let mut bits = 0;
        for slot in 0..SLOTS {
            bits |= u32::from(self.slot(slot).tag() == tag) << (4 * slot + 3);
        }
        Matches(bits)
    }

    #[inline(always)]
    pub(crate) fn free(self) -> Matches {
        self.matches(0)
    }

    #[inline(always)]
    pub(crate) fn used(self) -> Matches {
        self.matches(0).complement()
    }

    /// Where slot `slot` stands, for writing it later.
    #[inline(always)]
    pub(crate) fn slot_pointer(self, slot: usize) -> *mut Slot {
        debug_assert!(slot < SLOTS);
        // SAFETY: the bucket is allocated (see `new`) and `slot` is one of its seven.
        unsafe { ptr::addr_of_mut!((*self.0).slots).cast::<Slot>().add(slot) }
    }

    #[inline(always)]
    pub(crate) fn slot(self, slot: usize) -> Slot {
        // SAFETY: the slot is part of an initialised bucket (see `new`).
        unsafe { self.slot_pointer(slot).read() }
    }

    #[inline(always)]
    pub(crate) fn set_slot(self, slot: usize, value: Slot) {
        // SAFETY: as in `slot`; no other code reads or writes it now (see `new`).
        unsafe { self.slot_pointer(slot).write(value) }
    }

    #[inline(always)]
    pub(crate) fn overflow(self) -> u16 {
        // SAFETY: a field of an initialised bucket (see `new`).
        unsafe { (*self.0).overflow }
    }

    /// Notes that one more entry was placed past this bucket.
    #[inline]
    pub(crate) fn pass(self) {
        // SAFETY: as in `set_slot`.
        unsafe { (*self.0).overflow = (*self.0).overflow.saturating_add(1) }
    }

    /// Takes back one [`pass`](Self::pass), unless the count had run full and is unknown.
    #[inline]
    pub(crate) fn unpass(self) {
        let overflow = self.overflow();
        if overflow != u16::MAX {
            // SAFETY: as in `set_slot`. Saturating, as a hasher that changes its mind may make
            // an entry be removed by another way than the one it came.
            unsafe { (*self.0).overflow = overflow.saturating_sub(1) }
        }
    }

    #[inline(always)]
    pub(crate) fn may_expire(self) -> bool {
        // SAFETY: as in `overflow`.
        unsafe { (*self.0).hints & EXPIRING != 0 }
    }

    #[inline]
    pub(crate) fn set_may_expire(self, may: bool) {
        // SAFETY: as in `set_slot`.
        unsafe {
            if may {
                (*self.0).hints |= EXPIRING;
            } else {
                (*self.0).hints &= !EXPIRING;
            }
        }
    }
}

#[cfg(test)]
#[path = "bucket_tests.rs"]
mod tests;
