//! What callers hold of an entry: a reading view, a changing view, what `put` tells, and an entry
//! that has left its table.
//!
//! The views are the border between raw blocks and safe Rust. A view lives no longer than the
//! borrow of its table, so the block stays; a changing view borrows the table exclusively, so it
//! may move the block and write its slot. No reference ever covers the header of an entry: that
//! is why a reading view may write the access word while others read key and value.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::entry::{Entry, Fill, Shape};
use crate::segment::Segment;
use crate::slot::Slot;
use crate::table::{Accounts, Found};

pub use crate::entry::{MAX_ACCESS, MAX_USER_FLAGS};

/// The value of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a, O> {
    /// Bytes that stand in the entry itself.
    Bytes(&'a [u8]),
    /// An object that the entry owns.
    Object(&'a O),
}

/// An entry for reading (and for writing its access word).
pub struct EntryRef<'a, O> {
    entry: Entry,
    borrowed: PhantomData<&'a O>,
}

impl<O> Clone for EntryRef<'_, O> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for EntryRef<'_, O> {}

impl<'a, O> EntryRef<'a, O> {
    /// # Safety
    /// During `'a` the entry lives in a table with objects of type `O` and is changed by no code
    /// (but for its access word, by this thread).
    #[inline(always)]
    pub(crate) unsafe fn new(entry: Entry) -> EntryRef<'a, O> {
        EntryRef { entry, borrowed: PhantomData }
    }

    /// The key.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &'a [u8] {
        // SAFETY: see `new`.
        unsafe { self.entry.key() }
    }

    /// The value.
    #[inline]
    #[must_use]
    pub fn content(&self) -> Content<'a, O> {
        match (self.bytes(), self.object()) {
            (_, Some(object)) => Content::Object(object),
            (bytes, None) => Content::Bytes(bytes.unwrap_or_default()),
        }
    }

    /// The inline value, or `None` if the value is an object.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        // SAFETY: see `new`.
        unsafe { self.entry.bytes() }
    }

    /// The object, or `None` if the value is inline bytes.
    #[inline]
    #[must_use]
    pub fn object(&self) -> Option<&'a O> {
        // SAFETY: see `new`; the pointer came from a `Box<O>` that the entry owns.
        unsafe { self.entry.object().map(|object| object.cast::<O>().as_ref()) }
    }

    /// When the entry expires, in the unit of the caller (Kvist: milliseconds since 1970).
    #[inline]
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        // SAFETY: see `new`.
        unsafe { self.entry.deadline() }
    }

    /// The 24 bits kept for LRU or LFU; 0 for a new entry.
    #[inline]
    #[must_use]
    pub fn access(&self) -> u32 {
        // SAFETY: see `new`.
        unsafe { self.entry.access() }
    }

    /// Sets the access word; bits above 24 are dropped.
    #[inline]
    pub fn set_access(&self, access: u32) {
        // SAFETY: see `new`; views stay on the thread of the table.
        unsafe { self.entry.set_access(access) }
    }

    /// The caller's flags, at most [`MAX_USER_FLAGS`]; 0 for a new entry.
    #[inline]
    #[must_use]
    pub fn user_flags(&self) -> u8 {
        // SAFETY: see `new`.
        unsafe { self.entry.user_flags() }
    }

    /// Bytes of the entry's block, by [`size_class`](crate::size_class()); without the object.
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        // SAFETY: see `new`.
        unsafe { self.entry.shape() }.class()
    }
}

impl<O: fmt::Debug> fmt::Debug for EntryRef<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("key", &self.key().escape_ascii().to_string())
            .field("content", &self.content())
            .field("deadline", &self.deadline())
            .field("access", &self.access())
            .field("user_flags", &self.user_flags())
            .finish()
    }
}

/// An entry for changing.
pub struct EntryMut<'a, O> {
    entry: Entry,
    slot: *mut Slot,
    segment: Segment,
    home: u32,
    accounts: &'a mut Accounts,
    owned: PhantomData<&'a mut O>,
}

impl<'a, O> EntryMut<'a, O> {
    /// # Safety
    /// `found` is in the table whose accounts these are, its objects are of type `O`, and no
    /// other code uses the table during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(found: Found, accounts: &'a mut Accounts) -> EntryMut<'a, O> {
        let Found { segment, home, entry, .. } = found;
        EntryMut { entry, slot: found.slot(), segment, home, accounts, owned: PhantomData }
    }

    /// A reading view for as long as this one rests.
    #[inline]
    #[must_use]
    pub fn as_ref(&self) -> EntryRef<'_, O> {
        // SAFETY: the result borrows this view, which changes nothing meanwhile.
        unsafe { EntryRef::new(self.entry) }
    }

    /// Gives up changing: a reading view for the whole borrow of the table.
    #[inline]
    #[must_use]
    pub fn into_ref(self) -> EntryRef<'a, O> {
        // SAFETY: this view, the only one, ends here.
        unsafe { EntryRef::new(self.entry) }
    }

    /// The key.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.as_ref().key()
    }

    /// The value.
    #[inline]
    #[must_use]
    pub fn content(&self) -> Content<'_, O> {
        self.as_ref().content()
    }

    /// The inline value, or `None` if the value is an object.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        self.as_ref().bytes()
    }

    /// The object, or `None` if the value is inline bytes.
    #[inline]
    #[must_use]
    pub fn object(&self) -> Option<&O> {
        self.as_ref().object()
    }

    /// When the entry expires.
    #[inline]
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        self.as_ref().deadline()
    }

    /// The access word.
    #[inline]
    #[must_use]
    pub fn access(&self) -> u32 {
        self.as_ref().access()
    }

    /// Sets the access word; bits above 24 are dropped.
    #[inline]
    pub fn set_access(&self, access: u32) {
        self.as_ref().set_access(access);
    }

    /// The caller's flags.
    #[inline]
    #[must_use]
    pub fn user_flags(&self) -> u8 {
        self.as_ref().user_flags()
    }

    /// Bytes of the entry's block, without the object.
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.as_ref().memory()
    }

    /// The inline value for changes that keep its length; `None` for an object.
    #[inline]
    #[must_use]
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        // SAFETY: see `new`; the result borrows this view, so nothing moves it.
        unsafe { self.entry.bytes_mut() }
    }

    /// The object for changing; `None` for inline bytes.
    #[inline]
    #[must_use]
    pub fn object_mut(&mut self) -> Option<&mut O> {
        // SAFETY: see `new`; the pointer came from a `Box<O>` that the entry owns.
        unsafe { self.entry.object().map(|object| object.cast::<O>().as_mut()) }
    }

    /// [`object_mut`](Self::object_mut) for the whole borrow of the table.
    #[inline]
    #[must_use]
    pub fn into_object_mut(self) -> Option<&'a mut O> {
        // SAFETY: as in `object_mut`; this view, the only one, ends here.
        unsafe { self.entry.object().map(|object| object.cast::<O>().as_mut()) }
    }

    /// Makes `value` the inline value; returns the object that was there before, if any. In place
    /// if the block stays in its size class, else the entry moves to a new block.
    ///
    /// # Panics
    /// If the value is 4 GiB or longer.
    #[inline]
    pub fn set_bytes(&mut self, value: &[u8]) -> Option<Box<O>> {
        if let Some(here) = self.bytes_mut().filter(|here| here.len() == value.len()) {
            here.copy_from_slice(value);
            return None;
        }
        let old = self.shape();
        self.replace(old, old.with_bytes(value.len()), Fill::Bytes(value))
    }

    /// Makes `value` the content; returns the object that was there before, if any.
    #[inline]
    pub fn set_object(&mut self, value: Box<O>) -> Option<Box<O>> {
        let old = self.shape();
        self.replace(old, old.with_object(), Fill::Object(Box::into_raw(value).cast()))
    }

    /// Cuts the inline value, or lengthens it with zeros, to `len` bytes and returns it; `None`
    /// (and nothing done) for an object.
    ///
    /// # Panics
    /// If `len` is 4 GiB or more.
    #[inline]
    pub fn resize_bytes(&mut self, len: usize) -> Option<&mut [u8]> {
        let old = self.shape();
        if !old.is_object() {
            self.reshape(old, old.with_bytes(len), 0, Fill::Keep);
        }
        self.bytes_mut()
    }

    /// Sets or removes the deadline. Moves the entry if its block changes its size class.
    #[inline]
    pub fn set_deadline(&mut self, deadline: Option<u64>) {
        let old = self.shape();
        match (old.has_deadline(), deadline) {
            (false, None) => {}
            // SAFETY: see `new`; the entry has a deadline.
            (true, Some(deadline)) => unsafe { self.entry.overwrite_deadline(deadline) },
            (false, Some(deadline)) => {
                self.reshape(old, old.with_deadline(true), deadline, Fill::Keep);
                self.accounts.expiring += 1;
                self.segment.note_deadline(self.home);
            }
            (true, None) => {
                self.reshape(old, old.with_deadline(false), 0, Fill::Keep);
                self.accounts.expiring -= 1;
                self.segment.forget_deadline();
            }
        }
    }

    /// Sets the caller's flags; bits above [`MAX_USER_FLAGS`] are dropped.
    #[inline]
    pub fn set_user_flags(&mut self, flags: u8) {
        // SAFETY: see `new`.
        unsafe { self.entry.set_user_flags(flags) }
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        // SAFETY: see `new`.
        unsafe { self.entry.shape() }
    }

    /// Puts other content in the place of the old, and returns the old object, if it was one.
    #[inline]
    fn replace(&mut self, old: Shape, new: Shape, fill: Fill<'_>) -> Option<Box<O>> {
        // SAFETY: see `new`.
        let object = unsafe { self.entry.object() };
        self.reshape(old, new, 0, fill);
        self.accounts.objects += usize::from(new.is_object());
        self.accounts.objects -= usize::from(old.is_object());
        // SAFETY: the pointer came from a `Box<O>`, and the entry, now that its content has been
        // overwritten (not before: the overwriting might have panicked), knows it no more.
        object.map(|object| unsafe { owned_box(object) })
    }

    /// [`Entry::reshape`], with the accounts and the slot brought up to date. The deadline is
    /// kept if `new` has one and the entry had one, else it is `deadline`.
    #[inline]
    fn reshape(&mut self, old: Shape, new: Shape, deadline: u64, fill: Fill<'_>) {
        // SAFETY: see `new`: the view is the only user of the entry and may write its slot.
        // `new` was made from the entry's shape to fit `fill` by all callers.
        unsafe {
            let deadline = self.entry.deadline().unwrap_or(deadline);
            let entry = self.entry.reshape(new, deadline, fill);
            if entry != self.entry {
                self.slot.write(Slot::new(self.slot.read().tag(), entry));
                self.entry = entry;
            }
        }
        self.accounts.entry_bytes += new.class();
        self.accounts.entry_bytes -= old.class();
    }
}

impl<O: fmt::Debug> fmt::Debug for EntryMut<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

/// What [`Table::put_bytes`](crate::Table::put_bytes) and
/// [`Table::put_object`](crate::Table::put_object) did.
#[derive(Debug)]
pub struct Put<'a, O> {
    /// The entry, new or with its new value.
    pub entry: EntryMut<'a, O>,
    /// Whether the key was not there before.
    pub inserted: bool,
    /// The object that was the value before, for the caller to drop where it likes.
    pub replaced: Option<Box<O>>,
}

/// An entry that has left its table and is freed, with its object, when dropped.
pub struct Removed<O> {
    entry: Entry,
    owned: PhantomData<Box<O>>,
}

// SAFETY: it owns its block and object alone, so it may move as the object may.
unsafe impl<O: Send> Send for Removed<O> {}

impl<O> Removed<O> {
    /// # Safety
    /// The entry lives, its object (if any) is a `Box<O>`, and no other pointer to it is left.
    #[inline]
    pub(crate) unsafe fn new(entry: Entry) -> Removed<O> {
        Removed { entry, owned: PhantomData }
    }

    #[inline]
    fn view(&self) -> EntryRef<'_, O> {
        // SAFETY: see `new`; the result borrows this.
        unsafe { EntryRef::new(self.entry) }
    }

    /// The key.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.view().key()
    }

    /// The value.
    #[inline]
    #[must_use]
    pub fn content(&self) -> Content<'_, O> {
        self.view().content()
    }

    /// The inline value, or `None` if the value is an object.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        self.view().bytes()
    }

    /// The object, or `None` if the value is inline bytes.
    #[inline]
    #[must_use]
    pub fn object(&self) -> Option<&O> {
        self.view().object()
    }

    /// When the entry would have expired.
    #[inline]
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        self.view().deadline()
    }

    /// The access word.
    #[inline]
    #[must_use]
    pub fn access(&self) -> u32 {
        self.view().access()
    }

    /// The caller's flags.
    #[inline]
    #[must_use]
    pub fn user_flags(&self) -> u8 {
        self.view().user_flags()
    }

    /// Bytes of the entry's block, without the object.
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.view().memory()
    }

    /// Frees the entry and returns its object, or `None` if the value was inline bytes.
    #[inline]
    #[must_use]
    pub fn into_object(self) -> Option<Box<O>> {
        let this = core::mem::ManuallyDrop::new(self);
        // SAFETY: the entry is owned and, with `drop` out of the way, freed exactly here.
        unsafe {
            let object = this.entry.object().map(|object| owned_box(object));
            this.entry.free();
            object
        }
    }
}

/// # Safety
/// The pointer came from a `Box<O>`, and no other code will use it.
#[inline]
unsafe fn owned_box<O>(object: NonNull<u8>) -> Box<O> {
    // SAFETY: by the contract.
    unsafe { Box::from_raw(object.cast::<O>().as_ptr()) }
}

impl<O> Drop for Removed<O> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the entry is owned and freed exactly here; the block goes first, so that it
        // does not leak should the drop of the object panic.
        unsafe {
            let object = self.entry.object().map(|object| owned_box::<O>(object));
            self.entry.free();
            drop(object);
        }
    }
}

impl<O: fmt::Debug> fmt::Debug for Removed<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
