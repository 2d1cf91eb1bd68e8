//! An entry: key, value and everything about them in one block.
//!
//! ```text
//!  0     1            4      5      6                    (short: key and value <= 255 bytes)
//! +-----+------------+------+------+- - - - - -+-------+-----------------+
//! |flags| access (24)| klen | vlen | deadline? | key   | value or object |
//! +-----+------------+------+------+- - - - - -+-------+-----------------+
//!  0     1            4             8            12      (wide)
//! +-----+------------+-------------+-------------+- - - - - -+-------+-----------------+
//! |flags| access (24)| klen (u32)  | vlen (u32)  | deadline? | key   | value or object |
//! +-----+------------+-------------+-------------+- - - - - -+-------+-----------------+
//!
//! flags:  bit 0 wide   bit 1 deadline   bit 2 object   bits 3..6 the caller's   6, 7 zero
//! ```
//!
//! `deadline` is 8 bytes (milliseconds), there only when its bit is set. An object is an 8-byte
//! pointer of a `Box<O>` in the place of the value, with a value length of 8. Nothing is aligned:
//! blocks are asked for with alignment 1, because some allocators take a bigger class for any
//! stricter wish, and every field is read and written unaligned, which costs nothing on the
//! processors we run on.
//!
//! A block has the size [`size_class()`] gives for its content. Content that changes within the
//! class stays where it is; otherwise the entry moves and its slot must be written anew. This file
//! knows neither slots nor the type of the object, and must never free an object.

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::slice;
use std::alloc::{alloc, dealloc, handle_alloc_error};

use crate::prefetch::prefetch;
use crate::size_class::size_class;
use crate::slot;

const WIDE: u8 = 1;
const DEADLINE: u8 = 1 << 1;
const OBJECT: u8 = 1 << 2;
const USER_SHIFT: u32 = 3;
const USER: u8 = 0b111 << USER_SHIFT;

const SHORT_HEADER: usize = 6;
const WIDE_HEADER: usize = 12;
const POINTER: usize = size_of::<*mut u8>();

/// Largest access word: it has 24 bits.
pub const MAX_ACCESS: u32 = (1 << 24) - 1;
/// Largest value of the caller's flags: they have 3 bits.
pub const MAX_USER_FLAGS: u8 = USER >> USER_SHIFT;

/// Lengths and flags of an entry: all that says where its parts lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    flags: u8,
    key_len: usize,
    value_len: usize,
}

impl Shape {
    /// # Panics
    /// If a length needs more than 32 bits.
    #[inline]
    fn new(flags: u8, key_len: usize, value_len: usize) -> Shape {
        let longest = key_len | value_len;
        assert!(u32::try_from(longest).is_ok(), "a key or value of 4 GiB or more");
        let wide = if longest > usize::from(u8::MAX) { WIDE } else { 0 };
        Shape { flags: (flags & !WIDE) | wide, key_len, value_len }
    }

    #[inline(always)]
    fn is_wide(self) -> bool {
        self.flags & WIDE != 0
    }

    #[inline(always)]
    pub(crate) fn has_deadline(self) -> bool {
        self.flags & DEADLINE != 0
    }

    #[inline(always)]
    pub(crate) fn is_object(self) -> bool {
        self.flags & OBJECT != 0
    }

    #[inline(always)]
    fn key_at(self) -> usize {
        let header = if self.is_wide() { WIDE_HEADER } else { SHORT_HEADER };
        header + if self.has_deadline() { 8 } else { 0 }
    }

    #[inline(always)]
    fn value_at(self) -> usize {
        self.key_at() + self.key_len
    }

    /// The size of the block.
    #[inline]
    pub(crate) fn class(self) -> usize {
        size_class(self.value_at() + self.value_len)
    }

    /// This shape with other content; its deadline and the caller's flags stay.
    #[inline]
    pub(crate) fn with_bytes(self, len: usize) -> Shape {
        Shape::new(self.flags & !OBJECT, self.key_len, len)
    }

    #[inline]
    pub(crate) fn with_object(self) -> Shape {
        Shape::new(self.flags | OBJECT, self.key_len, POINTER)
    }

    #[inline]
    pub(crate) fn with_deadline(self, has: bool) -> Shape {
        let flags = (self.flags & !DEADLINE) | if has { DEADLINE } else { 0 };
        Shape { flags, ..self }
    }
}

/// What goes where the value stands.
#[derive(Clone, Copy)]
pub(crate) enum Fill<'a> {
    /// The old value, cut or filled with zeros to the new length.
    Keep,
    Bytes(&'a [u8]),
    /// The pointer of an object.
    Object(*mut u8),
}

impl Fill<'_> {
    /// # Safety
    /// `at` may be written for the length that the shape of the entry gives its value.
    #[inline]
    unsafe fn write(self, at: *mut u8) {
        match self {
            Fill::Keep => {}
            // SAFETY: by the contract there is room, and the source cannot be part of the block:
            // who writes an entry holds it exclusively.
            Fill::Bytes(bytes) => unsafe {
                ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
            },
            // SAFETY: as above, for the 8 bytes of a pointer.
            Fill::Object(object) => unsafe { at.cast::<*mut u8>().write_unaligned(object) },
        }
    }
}

/// A living entry's block. A copy is a handle of the same block; the table decides who may write.
///
/// All methods rely on one promise, made where a handle is used: the block was made by
/// [`Entry::create`] and not yet freed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry(NonNull<u8>);

/// # Panics
/// If the allocator returns an address of more than 48 bits (then the block leaks).
fn allocate(class: usize) -> Entry {
    let Ok(layout) = Layout::from_size_align(class, 1) else {
        panic!("an entry larger than the address space");
    };
    // SAFETY: a class of a non-empty block is not 0: the header alone has 6 bytes.
    let pointer = unsafe { alloc(layout) };
    assert!(slot::fits(pointer), "an address beyond 48 bits");
    NonNull::new(pointer).map_or_else(|| handle_alloc_error(layout), Entry)
}

impl Entry {
    #[inline(always)]
    pub(crate) fn from_pointer(pointer: NonNull<u8>) -> Entry {
        Entry(pointer)
    }

    #[inline(always)]
    pub(crate) fn pointer(self) -> NonNull<u8> {
        self.0
    }

    /// A new entry without deadline, access word 0 and no flags of the caller.
    #[inline]
    pub(crate) fn create(key: &[u8], fill: Fill<'_>) -> Entry {
        let shape = match fill {
            Fill::Keep => Shape::new(0, key.len(), 0),
            Fill::Bytes(bytes) => Shape::new(0, key.len(), bytes.len()),
            Fill::Object(_) => Shape::new(OBJECT, key.len(), POINTER),
        };
        let entry = allocate(shape.class());
        // SAFETY: the block is new and has the size of the class of `shape`, so header, key and
        // value fit; it cannot overlap `key`.
        unsafe {
            entry.write_head(shape, 0);
            ptr::copy_nonoverlapping(key.as_ptr(), entry.at(shape.key_at()), key.len());
            fill.write(entry.at(shape.value_at()));
        }
        entry
    }

    /// # Safety
    /// The entry lives, is used by no other code, and is not used again.
    pub(crate) unsafe fn free(self) {
        // SAFETY: by the contract; the layout is that of `allocate`, as the class follows from
        // the shape and every change of the shape keeps the block in its class or replaces it.
        unsafe {
            let class = self.shape().class();
            dealloc(self.0.as_ptr(), Layout::from_size_align_unchecked(class, 1));
        }
    }

    /// # Safety
    /// `offset` lies in the block or at its end.
    #[inline(always)]
    unsafe fn at(self, offset: usize) -> *mut u8 {
        // SAFETY: by the contract.
        unsafe { self.0.as_ptr().add(offset) }
    }

    /// The flags and access bits: byte 0 is the lowest on every machine.
    ///
    /// # Safety
    /// The entry lives.
    #[inline(always)]
    unsafe fn word(self) -> u32 {
        // SAFETY: every block has at least the 6 bytes of a short header.
        u32::from_le(unsafe { self.0.as_ptr().cast::<u32>().read_unaligned() })
    }

    /// # Safety
    /// The entry lives and no other code is reading or writing its first 4 bytes.
    #[inline(always)]
    unsafe fn set_word(self, word: u32) {
        // SAFETY: as in `word`.
        unsafe { self.0.as_ptr().cast::<u32>().write_unaligned(word.to_le()) };
    }

    /// # Safety
    /// The block has room for the header of `shape`, and no other code uses it.
    #[inline]
    unsafe fn write_head(self, shape: Shape, access: u32) {
        // SAFETY: by the contract. The lengths fit by `Shape::new`, which chose the form.
        unsafe {
            self.set_word(u32::from(shape.flags) | (access << 8));
            if shape.is_wide() {
                self.at(4).cast::<u32>().write_unaligned(shape.key_len as u32);
                self.at(8).cast::<u32>().write_unaligned(shape.value_len as u32);
            } else {
                self.at(4).write(shape.key_len as u8);
                self.at(5).write(shape.value_len as u8);
            }
        }
    }

    /// # Safety
    /// The entry lives.
    #[inline(always)]
    pub(crate) unsafe fn shape(self) -> Shape {
        // SAFETY: the flags say which header was written.
        unsafe {
            let flags = self.0.as_ptr().read();
            if flags & WIDE == 0 {
                let (key_len, value_len) = (self.at(4).read(), self.at(5).read());
                Shape { flags, key_len: key_len.into(), value_len: value_len.into() }
            } else {
                let key_len = self.at(4).cast::<u32>().read_unaligned() as usize;
                let value_len = self.at(8).cast::<u32>().read_unaligned() as usize;
                Shape { flags, key_len, value_len }
            }
        }
    }

    /// # Safety
    /// The entry lives, and its key is neither moved nor freed during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn key<'a>(self) -> &'a [u8] {
        // SAFETY: by the contract, and the shape says where the initialised key lies.
        unsafe {
            let shape = self.shape();
            slice::from_raw_parts(self.at(shape.key_at()), shape.key_len)
        }
    }

    /// # Safety
    /// The entry lives.
    #[inline(always)]
    pub(crate) unsafe fn has_key(self, key: &[u8]) -> bool {
        // SAFETY: the slice is used only here.
        same(unsafe { self.key() }, key)
    }

    /// The inline value, or `None` for an object.
    ///
    /// # Safety
    /// The entry lives, and its value is neither written, moved nor freed during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn bytes<'a>(self) -> Option<&'a [u8]> {
        // SAFETY: by the contract, and the shape says where the initialised value lies.
        unsafe {
            let shape = self.shape();
            (!shape.is_object())
                .then(|| slice::from_raw_parts(self.at(shape.value_at()), shape.value_len))
        }
    }

    /// [`bytes`](Self::bytes), for writing.
    ///
    /// # Safety
    /// As there, and no other code reads the value during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn bytes_mut<'a>(self) -> Option<&'a mut [u8]> {
        // SAFETY: as in `bytes`.
        unsafe {
            let shape = self.shape();
            (!shape.is_object())
                .then(|| slice::from_raw_parts_mut(self.at(shape.value_at()), shape.value_len))
        }
    }

    /// The pointer of the object, or `None` for an inline value.
    ///
    /// # Safety
    /// The entry lives.
    #[inline(always)]
    pub(crate) unsafe fn object(self) -> Option<NonNull<u8>> {
        // SAFETY: the shape says that a pointer was written there, from a box, so it isn't null.
        unsafe {
            let shape = self.shape();
            shape.is_object().then(|| {
                let at = self.at(shape.value_at()).cast::<*mut u8>();
                NonNull::new_unchecked(at.read_unaligned())
            })
        }
    }

    /// # Safety
    /// The entry lives.
    #[inline(always)]
    pub(crate) unsafe fn has_deadline(self) -> bool {
        // SAFETY: by the contract.
        unsafe { self.0.as_ptr().read() & DEADLINE != 0 }
    }

    /// # Safety
    /// The entry lives.
    #[inline(always)]
    pub(crate) unsafe fn deadline(self) -> Option<u64> {
        // SAFETY: a deadline stands right before the key.
        unsafe {
            let shape = self.shape();
            shape.has_deadline().then(|| self.at(shape.key_at() - 8).cast::<u64>().read_unaligned())
        }
    }

    /// # Safety
    /// The entry lives.
    #[inline(always)]
    pub(crate) unsafe fn access(self) -> u32 {
        // SAFETY: by the contract.
        unsafe { self.word() >> 8 }
    }

    /// # Safety
    /// The entry lives and no other thread uses it.
    #[inline(always)]
    pub(crate) unsafe fn set_access(self, access: u32) {
        // SAFETY: by the contract; no reference ever covers the header.
        unsafe { self.set_word((self.word() & 0xff) | ((access & MAX_ACCESS) << 8)) };
    }

    /// # Safety
    /// The entry lives.
    #[inline(always)]
    pub(crate) unsafe fn user_flags(self) -> u8 {
        // SAFETY: by the contract.
        unsafe { (self.0.as_ptr().read() & USER) >> USER_SHIFT }
    }

    /// # Safety
    /// The entry lives and no other code uses it.
    #[inline(always)]
    pub(crate) unsafe fn set_user_flags(self, user: u8) {
        // SAFETY: by the contract.
        unsafe {
            let flags = self.0.as_ptr().read() & !USER;
            self.0.as_ptr().write(flags | ((user << USER_SHIFT) & USER));
        }
    }

    /// Overwrites a deadline that is there.
    ///
    /// # Safety
    /// The entry lives, has a deadline, and no other code uses it.
    #[inline]
    pub(crate) unsafe fn overwrite_deadline(self, deadline: u64) {
        // SAFETY: by the contract; it stands right before the key.
        unsafe {
            let at = self.at(self.shape().key_at() - 8);
            at.cast::<u64>().write_unaligned(deadline);
        }
    }

    /// Gives the entry another shape of the same key length, in place when the block stays in its
    /// class, else in a new block (the old one is freed). Key, access word and the caller's flags
    /// stay. `deadline` is written if the shape has one. An object that is overwritten is
    /// forgotten, not freed: the caller has taken it.
    ///
    /// # Safety
    /// The entry lives and no other code uses it; the result replaces it. `new` was made from its
    /// shape, and `fill` has the kind and length of value that `new` tells; `Fill::Keep` only
    /// for a shape of the same kind.
    pub(crate) unsafe fn reshape(self, new: Shape, deadline: u64, fill: Fill<'_>) -> Entry {
        // SAFETY: both blocks have room for what their shapes tell. Within one block the key, and
        // the value when kept, move by `ptr::copy`, which allows overlap, before anything is
        // written over them: header and deadline lie before the key's new place, the new value
        // behind it, and the zeros behind the kept value.
        unsafe {
            let old = self.shape();
            let access = self.access();
            let target = if old.class() == new.class() { self } else { allocate(new.class()) };
            let kept = match fill {
                Fill::Keep => old.value_len.min(new.value_len),
                _ => 0,
            };
            let (from, to) = (self.at(old.key_at()), target.at(new.key_at()));
            if from != to {
                ptr::copy(from, to, old.key_len + kept);
            }
            if matches!(fill, Fill::Keep) {
                target.at(new.value_at() + kept).write_bytes(0, new.value_len - kept);
            }
            fill.write(target.at(new.value_at()));
            target.write_head(new, access);
            if new.has_deadline() {
                target.overwrite_deadline(deadline);
            }
            if target != self {
                let layout = Layout::from_size_align_unchecked(old.class(), 1);
                dealloc(self.0.as_ptr(), layout);
            }
            target
        }
    }

    /// Asks for the first lines of the entry. Safe: the address is only a hint.
    #[inline(always)]
    pub(crate) fn prefetch(self, lines: usize) {
        for line in 0..lines {
            prefetch(self.0.as_ptr().wrapping_add(64 * line));
        }
    }
}

/// `a == b`, without a call for the lengths that keys mostly have.
#[inline(always)]
fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match (a.first_chunk::<8>(), b.first_chunk::<8>(), a.last_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(a0), Some(b0), Some(a1), Some(b1)) if a.len() <= 16 => {
            let first = u64::from_ne_bytes(*a0) ^ u64::from_ne_bytes(*b0);
            let last = u64::from_ne_bytes(*a1) ^ u64::from_ne_bytes(*b1);
            first | last == 0
        }
        _ => a == b,
    }
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
