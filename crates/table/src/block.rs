//! A growable run of bytes that is one word to who holds it: the buffer of every small collection.
//!
//! ```text
//!   Block  | * |                                   8 bytes, at any address
//!            v
//!   +----------+-----+-------+-------+- - - - - - - - - - - - - +- - - - - - -+
//!   | capacity | len | start | count | bytes, all initialised   | spare       |
//!   +----------+-----+-------+-------+- - - - - - - - - - - - - +- - - - - - -+
//!   0          4     8       12      16                         16 + len      16 + capacity
//! ```
//!
//! A `Vec<u8>` is three words, which a value of forty bytes cannot afford; here length and capacity
//! stand before the bytes, on a line that is read anyway. `start` and `count` are two words for the
//! owner, who would otherwise need a place for them beside the pointer. A block that was never
//! written points to one header for all, so that reading a length needs no test for null.
//!
//! The handle has alignment 1 for the sake of enums: a tag and a block are 9 bytes, and an enum of
//! such enums 10. Loads that are not aligned cost nothing on the processors we run on.
//!
//! Blocks are as large as [`size_class()`](crate::size_class()) says, header included, so that
//! [`Block::memory`] is what the allocator gave away. They end below 4 GiB; asking for more panics
//! before anything is changed. Nothing may write to the header that all empty blocks share.

use core::fmt;
use core::ops::{Deref, DerefMut};
use core::ptr::{self, NonNull};
use core::slice;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};

use crate::size_class::{grown, size_class};

#[repr(C)]
struct Header {
    capacity: u32,
    len: u32,
    start: u32,
    count: u32,
}

const HEADER: usize = size_of::<Header>();
const ALIGN: usize = align_of::<Header>();
/// Largest size of a block, header included: the last class whose content a `u32` can count.
const MOST: usize = (1 << 32) - (64 << 10);

const _: () = assert!(size_class(MOST) == MOST && MOST - HEADER <= u32::MAX as usize);

/// What blocks without bytes of their own point to.
static EMPTY: Header = Header { capacity: 0, len: 0, start: 0, count: 0 };

/// A growable run of bytes behind one pointer, with two words for its owner: the head of `block.rs`
/// draws it.
///
/// ```
/// use kvist_table::Block;
/// let mut block = Block::new();
/// block.extend_from_slice(b"twig");
/// assert_eq!((&block[..], block.memory()), (&b"twig"[..], 32));
/// assert_eq!(size_of::<Block>(), 8);
/// ```
#[repr(Rust, packed)]
pub struct Block {
    header: NonNull<Header>,
}

// SAFETY: a block owns its allocation alone, and bytes may go anywhere. What empty blocks share is
// only read.
unsafe impl Send for Block {}
// SAFETY: as above; through a shared reference nothing is written.
unsafe impl Sync for Block {}

/// The size of the allocation, header included, for `bytes` of content.
///
/// # Panics
/// If that would be 4 GiB or more.
#[inline]
fn size_for(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    assert!(bytes <= MOST - HEADER, "a block of 4 GiB or more");
    grown(HEADER + bytes).min(MOST)
}

/// The layout of an allocation of `size` bytes.
#[inline]
fn layout(size: usize) -> Layout {
    debug_assert!((HEADER..=MOST).contains(&size));
    // SAFETY: the alignment is a power of two, and no size here reaches 4 GiB.
    unsafe { Layout::from_size_align_unchecked(size, ALIGN) }
}

impl Block {
    /// Bytes that a block takes beside its content.
    pub const OVERHEAD: usize = HEADER;

    /// An empty block; allocates nothing.
    #[inline]
    #[must_use]
    pub const fn new() -> Block {
        Block { header: NonNull::from_ref(&EMPTY) }
    }

    /// An empty block with room for `bytes`, and what its size class gives beyond.
    ///
    /// # Panics
    /// If that is 4 GiB or more.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Block {
        let mut block = Block::new();
        block.reserve(bytes);
        block
    }

    /// The capacity of a block that grows until it holds `bytes`. O(1).
    ///
    /// # Panics
    /// If that is 4 GiB or more.
    #[inline]
    #[must_use]
    pub fn capacity_for(bytes: usize) -> usize {
        size_for(bytes).saturating_sub(HEADER)
    }

    /// How many bytes there are. O(1).
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        // SAFETY: the pointer is of a living header, its own or the shared one.
        unsafe { (*self.header.as_ptr()).len as usize }
    }

    /// Whether there are none. O(1).
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes fit without moving. O(1).
    #[inline(always)]
    #[must_use]
    pub fn capacity(&self) -> usize {
        // SAFETY: as in `len`.
        unsafe { (*self.header.as_ptr()).capacity as usize }
    }

    /// Bytes allocated. O(1).
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        match self.capacity() {
            0 => 0,
            capacity => HEADER + capacity,
        }
    }

    /// The owner's first word; 0 in a new block. O(1).
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> u32 {
        // SAFETY: as in `len`.
        unsafe { (*self.header.as_ptr()).start }
    }

    /// The owner's second word; 0 in a new block. O(1).
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> u32 {
        // SAFETY: as in `len`.
        unsafe { (*self.header.as_ptr()).count }
    }

    /// Sets the owner's first word. A block without room keeps nothing, so nothing but 0 may be
    /// said of it. O(1).
    #[inline]
    pub fn set_start(&mut self, start: u32) {
        debug_assert!(self.capacity() > 0 || start == 0, "a block without room has no words");
        if self.capacity() > 0 {
            // SAFETY: the header is our own, as there is room behind it.
            unsafe { (*self.header.as_ptr()).start = start };
        }
    }

    /// Sets the owner's second word; as [`set_start`](Self::set_start).
    #[inline]
    pub fn set_count(&mut self, count: u32) {
        debug_assert!(self.capacity() > 0 || count == 0, "a block without room has no words");
        if self.capacity() > 0 {
            // SAFETY: as in `set_start`.
            unsafe { (*self.header.as_ptr()).count = count };
        }
    }

    /// # Safety
    /// There is room for `len` bytes, which are initialised; the block is not the shared one.
    #[inline(always)]
    unsafe fn set_len(&mut self, len: usize) {
        // SAFETY: by the contract; a length within the capacity has 32 bits.
        unsafe { (*self.header.as_ptr()).len = len as u32 };
    }

    /// Where the bytes begin.
    #[inline(always)]
    fn data(&self) -> *mut u8 {
        // SAFETY: the bytes stand behind the header in one allocation; the shared header has its
        // end there.
        unsafe { self.header.as_ptr().add(1).cast() }
    }

    /// Makes room for `more` bytes, growing by size classes. Amortised O(more).
    ///
    /// # Panics
    /// If the block would have 4 GiB or more; nothing has changed then.
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        if self.capacity() - self.len() < more {
            self.reallocate(size_for(self.len().saturating_add(more)));
        }
    }

    /// Whether the block is more than twice as large as one with `bytes` would be. O(1).
    #[inline]
    #[must_use]
    pub fn is_wasteful_for(&self, bytes: usize) -> bool {
        self.memory() > 2 * size_for(bytes)
    }

    /// Gives room back once less than half of it is used. A block that is then without room loses
    /// the owner's words. O(len) if it does.
    pub fn shrink(&mut self) {
        if self.is_wasteful_for(self.len()) {
            match size_for(self.len()) {
                0 => *self = Block::new(),
                // Allocators do not take back less than half in place, so this is a new block of
                // just this class.
                size => self.reallocate(size),
            }
        }
    }

    /// Moves the content to an allocation of `size` bytes, a class with room for it.
    #[cold]
    fn reallocate(&mut self, size: usize) {
        debug_assert!(size >= HEADER + self.len() && size_class(size) == size);
        // Fits: no size reaches 4 GiB.
        let capacity = (size - HEADER) as u32;
        let (header, old) = (self.header.as_ptr(), self.memory());
        // SAFETY: an old allocation was made here, with just the layout of its size; the new size
        // is neither 0 nor too large. What it has beyond the old content stays uninitialised, and
        // the length says so.
        let new = unsafe {
            match old {
                0 => alloc(layout(size)),
                _ => realloc(header.cast(), layout(old), size),
            }
        };
        let Some(new) = NonNull::new(new.cast::<Header>()) else {
            handle_alloc_error(layout(size))
        };
        // SAFETY: the allocation has room for a header, at its start and aligned; that of a new
        // one is not yet initialised and therefore written whole.
        unsafe {
            match old {
                0 => new.write(Header { capacity, len: 0, start: 0, count: 0 }),
                _ => (*new.as_ptr()).capacity = capacity,
            }
        }
        self.header = new;
    }

    /// Appends bytes. Amortised O(their number).
    ///
    /// # Panics
    /// As [`reserve`](Self::reserve).
    #[inline]
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.extend_from_parts([bytes]);
    }

    /// Appends several slices, one after the other. Amortised O(bytes).
    ///
    /// # Panics
    /// As [`reserve`](Self::reserve).
    #[inline]
    pub fn extend_from_parts<const N: usize>(&mut self, parts: [&[u8]; N]) {
        let more = parts.iter().fold(0_usize, |sum, part| sum.saturating_add(part.len()));
        if more == 0 {
            return;
        }
        self.reserve(more);
        let mut len = self.len();
        for part in parts {
            // SAFETY: there is room for all parts behind the present content, and they cannot lie
            // in it, as we hold it exclusively.
            unsafe {
                ptr::copy_nonoverlapping(part.as_ptr(), self.data().add(len), part.len());
            }
            len += part.len();
        }
        // SAFETY: just written; there is room, so the header is our own.
        unsafe { self.set_len(len) };
    }

    /// Cuts the content to `len` bytes, or fills it up with zeros. Amortised O(what is new).
    ///
    /// # Panics
    /// As [`reserve`](Self::reserve).
    pub fn resize(&mut self, len: usize) {
        let old = self.len();
        if len <= old {
            return self.truncate(len);
        }
        self.reserve(len - old);
        // SAFETY: there is room for `len` bytes, and they are all written now.
        unsafe {
            self.data().add(old).write_bytes(0, len - old);
            self.set_len(len);
        }
    }

    /// Cuts the content to `len` bytes, if it has more. O(1).
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            // SAFETY: fewer bytes than are initialised; as there are any, the header is our own.
            unsafe { self.set_len(len) };
        }
    }

    /// Moves what stands from `at` on back by `more` bytes. What the gap holds is not said, but
    /// initialised. O(bytes behind `at`), amortised.
    ///
    /// # Panics
    /// If `at` is beyond the end, and as [`reserve`](Self::reserve).
    #[inline]
    pub fn open(&mut self, at: usize, more: usize) {
        let len = self.len();
        assert!(at <= len, "a gap beyond the end");
        if more == 0 {
            return;
        }
        self.reserve(more);
        // SAFETY: there is room for `len + more` bytes. Of those, what lay behind `at` is moved,
        // and what the gap has beyond the old end is filled; the rest was initialised before.
        unsafe {
            let data = self.data();
            ptr::copy(data.add(at), data.add(at + more), len - at);
            if at + more > len {
                data.add(len).write_bytes(0, at + more - len);
            }
            self.set_len(len + more);
        }
    }
}

impl Drop for Block {
    #[inline]
    fn drop(&mut self) {
        let size = self.memory();
        if size > 0 {
            // SAFETY: allocated here with the layout of its size, and used no more.
            unsafe { dealloc(self.header.as_ptr().cast(), layout(size)) };
        }
    }
}

impl Default for Block {
    fn default() -> Self {
        Block::new()
    }
}

/// A copy with no more room than the content needs.
impl Clone for Block {
    fn clone(&self) -> Self {
        let mut copy = Block::new();
        if !self.is_empty() {
            copy.extend_from_slice(self);
            copy.set_start(self.start());
            copy.set_count(self.count());
        }
        copy
    }
}

impl Deref for Block {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        // SAFETY: that many bytes are initialised, and nothing writes to them while we are
        // borrowed.
        unsafe { slice::from_raw_parts(self.data(), self.len()) }
    }
}

impl DerefMut for Block {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and we are borrowed exclusively. Of an empty block it is an empty
        // slice, through which nothing can be written.
        unsafe { slice::from_raw_parts_mut(self.data(), self.len()) }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{} \"{}\"", self.start(), self.count(), self.escape_ascii())
    }
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
