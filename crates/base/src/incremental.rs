//! Large values, copied and put together a part at a time: no lock is held for as long as millions
//! of elements take, and nowhere is there memory for all of them.
//!
//! ```text
//!   under the lock    begin: count | read, notes | read, notes | ... | last read, notes
//!   outside of it                  | settle      | settle      | ... | settle, finish
//! ```
//!
//! Parts are read at different moments. What changed in between the value noted before it did, so
//! that the elements of a part that were not noted, and those that were as they were, are that part
//! of the value as it was when the copy began. Once a part is settled nothing of it is kept.

use std::sync::{Arc, Weak};

use crate::codec::{Malformed, Source};
use crate::{DataType, PackLimits, Versions};

/// A thread that copies values a part at a time. Values notice when it is dropped.
#[derive(Default)]
pub struct Copier {
    mark: Arc<()>,
    versions: Arc<Versions>,
}

impl Copier {
    /// One that copies values of which versions may be there, counted among these.
    #[must_use]
    pub fn new(versions: &Arc<Versions>) -> Self {
        Copier { mark: Arc::default(), versions: Arc::clone(versions) }
    }

    /// What a value keeps to know it by. It has no strong count once the copier is dropped.
    #[must_use]
    pub fn mark(&self) -> Weak<()> {
        Arc::downgrade(&self.mark)
    }

    /// Whether this is its mark.
    #[must_use]
    pub fn has_mark(&self, mark: &Weak<()>) -> bool {
        std::ptr::eq(mark.as_ptr(), Arc::as_ptr(&self.mark))
    }

    /// Where a version counts that the copy of a value is read from.
    #[must_use]
    pub fn versions(&self) -> &Arc<Versions> {
        &self.versions
    }
}

/// A value cannot be completed as it was when its copy began.
#[derive(Debug, PartialEq, Eq)]
pub struct Changed;

/// Bytes of notes that a copy may gather, beyond as much as the value takes itself.
pub const NOTES: usize = 16 << 20;

/// The copy of a large value of type `T` on its way. The count of elements and all parts, one after
/// the other, are what [`DataType::encode`] writes (without the length before it, if that has one).
pub trait IncrementalCopy<T>: Sized + Send {
    /// Whether there are such copies at all.
    const EXISTS: bool = true;

    /// Begins to copy a value as it is now. From here on it keeps notes for `copier`. `None` if it
    /// is not divisible after all.
    fn begin(value: &mut T, copier: &Copier) -> Option<Self>;

    /// How many elements there were, or what else stands for the size of the value.
    fn count(&self) -> usize;

    /// Makes room for a part of so many bytes. Not under the lock: growing may copy all there is.
    fn make_room(&mut self, bytes: usize);

    /// Reads the next part, which ends after so many bytes; whether there is more. It is still to
    /// be [`settle`](Self::settle)d.
    ///
    /// # Errors
    /// The value does not keep notes for this copier any more.
    fn read(&mut self, value: &mut T, copier: &Copier, bytes: usize) -> Result<bool, Changed>;

    /// Appends the elements of the last part as they were when the copy began.
    ///
    /// # Errors
    /// Too much was noted.
    fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed>;

    /// Appends what stands behind all parts.
    ///
    /// # Errors
    /// It did not come to as many elements as there were; never, unless a value changes without a
    /// note.
    fn finish(self, out: &mut Vec<u8>) -> Result<(), Changed>;

    /// Bytes that were read in the last part.
    fn last_read(&self) -> usize;

    /// Bytes of notes that are kept about elements to come, where they are kept by name.
    fn noted(&self) -> usize;
}

/// A value of type `T` that comes in the parts that an [`IncrementalCopy`] has made.
pub trait Assembly<T>: Sized {
    /// One of which nothing has come but how many elements there will be.
    ///
    /// # Errors
    /// Values of the type have no parts.
    fn begin(count: usize) -> Result<Self, Malformed>;

    /// Takes all that is there: elements, none of them divided.
    ///
    /// # Errors
    /// There is something else.
    fn add(&mut self, source: &mut Source<'_>, limits: &PackLimits) -> Result<(), Malformed>;

    /// The value, when everything has come, and how many elements that were.
    ///
    /// # Errors
    /// Something is missing, or it is a value that no key may hold.
    fn finish(self) -> Result<(T, usize), Malformed>;
}

/// Stands for the copy of values that have no parts, and for their assembly: there is none.
#[derive(Debug)]
pub enum Indivisible {}

impl<T> IncrementalCopy<T> for Indivisible {
    const EXISTS: bool = false;

    fn begin(_value: &mut T, _copier: &Copier) -> Option<Self> {
        None
    }

    fn count(&self) -> usize {
        match *self {}
    }

    fn make_room(&mut self, _bytes: usize) {
        match *self {}
    }

    fn read(&mut self, _value: &mut T, _copier: &Copier, _bytes: usize) -> Result<bool, Changed> {
        match *self {}
    }

    fn settle(&mut self, _out: &mut Vec<u8>) -> Result<(), Changed> {
        match *self {}
    }

    fn finish(self, _out: &mut Vec<u8>) -> Result<(), Changed> {
        match self {}
    }

    fn last_read(&self) -> usize {
        match *self {}
    }

    fn noted(&self) -> usize {
        match *self {}
    }
}

impl<T> Assembly<T> for Indivisible {
    fn begin(_count: usize) -> Result<Self, Malformed> {
        Err(Malformed("a value that has no pieces"))
    }

    fn add(&mut self, _source: &mut Source<'_>, _limits: &PackLimits) -> Result<(), Malformed> {
        match *self {}
    }

    fn finish(self) -> Result<(T, usize), Malformed> {
        match self {}
    }
}

/// Types whose values are a count and so many elements, which may come one by one.
pub trait Elements: DataType {
    /// Reads the next one, and adds it.
    ///
    /// # Errors
    /// There is something else.
    fn add_element(
        &mut self,
        source: &mut Source<'_>,
        limits: &PackLimits,
    ) -> Result<(), Malformed>;
}

/// The assembly of such a value.
#[derive(Debug)]
pub struct Growing<T>(T);

impl<T: Elements> Assembly<T> for Growing<T> {
    fn begin(_count: usize) -> Result<Self, Malformed> {
        Ok(Growing(T::default()))
    }

    fn add(&mut self, source: &mut Source<'_>, limits: &PackLimits) -> Result<(), Malformed> {
        while !source.is_done() {
            self.0.add_element(source, limits)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(T, usize), Malformed> {
        match self.0.elements() {
            0 => Err(Malformed("pieces that are not the whole")),
            elements => Ok((self.0, elements)),
        }
    }
}
