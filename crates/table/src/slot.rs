//! A slot of a bucket: 16 bits of hash and 48 bits of pointer in one word.
//!
//! ```text
//!  63        48 47                                      0
//! +------------+-----------------------------------------+
//! | tag, != 0  | address of the entry                    |    all zero: empty
//! +------------+-----------------------------------------+
//! ```
//!
//! The word *is* a pointer and stays one through every change of its high bits, so the compiler
//! (and Miri, with strict provenance) always knows which allocation it may reach. An integer here
//! would lose that. A slot must never be dereferenced before [`Slot::entry`] has cleaned it.

use core::ptr::{self, NonNull};

use crate::entry::Entry;

const _: () = assert!(usize::BITS == 64, "tag and pointer share one 64-bit word");

const TAG_SHIFT: u32 = 48;
const ADDRESS: usize = (1 << TAG_SHIFT) - 1;

/// Whether a block's address leaves 16 bits for a tag. Every block that is pointed at from a tagged
/// word must be asked for it when it is allocated. It always does on the systems we run on, unless
/// a program hints at mappings beyond 48 bits.
#[inline]
pub(crate) fn fits(block: *const u8) -> bool {
    block.addr() <= ADDRESS
}

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Slot(*mut u8);

impl Slot {
    pub(crate) const EMPTY: Slot = Slot(ptr::null_mut());

    #[inline]
    pub(crate) fn new(tag: u16, entry: Entry) -> Slot {
        let pointer = entry.pointer().as_ptr();
        debug_assert!(fits(pointer));
        Slot(pointer.map_addr(|address| address | (usize::from(tag) << TAG_SHIFT)))
    }

    #[inline(always)]
    pub(crate) fn tag(self) -> u16 {
        // The shift leaves 16 bits.
        (self.0.addr() >> TAG_SHIFT) as u16
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_null()
    }

    /// # Safety
    /// The slot is not empty.
    #[inline(always)]
    pub(crate) unsafe fn entry(self) -> Entry {
        let pointer = self.0.map_addr(|address| address & ADDRESS);
        // SAFETY: a slot that is not empty was made from a non-null pointer by `new`.
        Entry::from_pointer(unsafe { NonNull::new_unchecked(pointer) })
    }
}
