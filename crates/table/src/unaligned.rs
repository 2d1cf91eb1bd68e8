//! A box that may lie at any address.
//!
//! ```text
//!   | tag | * * * * * * * * |     an enum of blocks and unaligned boxes: 9 bytes
//!           ^ 8 bytes, not aligned
//! ```
//!
//! Only the pointer may be anywhere; what it points to is allocated by `Box` and lies as it must.
//! Enums whose variants are blocks and such boxes nest without padding, so that the value of a key,
//! an enum of types that are enums of forms, is a tag, a tag and a pointer.

use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// A `Box<T>` of alignment 1.
///
/// ```
/// use kvist_table::{Block, UnalignedBox};
/// enum Value { Small(Block), Large(UnalignedBox<[u64; 8]>) }
/// assert_eq!(size_of::<Value>(), 9);
/// let mut large = UnalignedBox::new([0; 8]);
/// large[3] = 7;
/// assert_eq!(large.into_inner(), [0, 0, 0, 7, 0, 0, 0, 0]);
/// # let _ = (Value::Small(Block::new()), Value::Large(UnalignedBox::new([0; 8])));
/// ```
#[repr(Rust, packed)]
pub struct UnalignedBox<T> {
    pointer: NonNull<T>,
    owned: PhantomData<T>,
}

// SAFETY: it owns its value alone, as `Box` does.
unsafe impl<T: Send> Send for UnalignedBox<T> {}
// SAFETY: through a shared reference there is only a shared reference to the value.
unsafe impl<T: Sync> Sync for UnalignedBox<T> {}

impl<T> UnalignedBox<T> {
    /// Allocates and puts `value` there.
    #[must_use]
    pub fn new(value: T) -> Self {
        Box::new(value).into()
    }

    /// Takes the value out.
    #[must_use]
    pub fn into_inner(self) -> T {
        let this = ManuallyDrop::new(self);
        // SAFETY: the pointer came from a `Box`; it is used no more, as `self` is not dropped.
        *unsafe { Box::from_raw(this.pointer.as_ptr()) }
    }
}

impl<T> From<Box<T>> for UnalignedBox<T> {
    fn from(boxed: Box<T>) -> Self {
        // SAFETY: the pointer of a `Box` is not null.
        let pointer = unsafe { NonNull::new_unchecked(Box::into_raw(boxed)) };
        UnalignedBox { pointer, owned: PhantomData }
    }
}

impl<T> Drop for UnalignedBox<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a `Box` and is used no more.
        drop(unsafe { Box::from_raw(self.pointer.as_ptr()) });
    }
}

impl<T> Deref for UnalignedBox<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the value lives and is ours; nothing writes to it while we are borrowed.
        unsafe { &*self.pointer.as_ptr() }
    }
}

impl<T> DerefMut for UnalignedBox<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and we are borrowed exclusively.
        unsafe { &mut *self.pointer.as_ptr() }
    }
}

impl<T: Clone> Clone for UnalignedBox<T> {
    fn clone(&self) -> Self {
        Self::new(T::clone(self))
    }
}

impl<T: Default> Default for UnalignedBox<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: fmt::Debug> fmt::Debug for UnalignedBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    enum Form {
        Small(crate::Block),
        Large(UnalignedBox<Vec<u64>>),
    }

    enum Value {
        A(Form),
        B(Form),
    }

    #[test]
    fn nests_without_padding() {
        assert_eq!((size_of::<Form>(), size_of::<Value>(), align_of::<Value>()), (9, 10, 1));
        let small = || Form::Small(crate::Block::new());
        let large = || Form::Large(UnalignedBox::new(vec![1, 2, 3]));
        // At odd addresses, too.
        let mut values =
            vec![Value::A(small()), Value::B(large()), Value::A(large()), Value::B(small())];
        let mut seen = Vec::new();
        for value in &mut values {
            match value {
                Value::A(Form::Large(large)) | Value::B(Form::Large(large)) => {
                    large.push(4);
                    seen.push(large.iter().sum::<u64>());
                }
                Value::A(Form::Small(block)) => {
                    block.extend_from_slice(b"abc");
                    seen.push(block.len() as u64);
                }
                Value::B(Form::Small(block)) => seen.push(block.len() as u64),
            }
        }
        assert_eq!(seen, [3, 10, 10, 0]);
    }

    #[test]
    fn drops_its_value_once() {
        let witness = Rc::new(());
        let boxed = UnalignedBox::new(Rc::clone(&witness));
        let copy = boxed.clone();
        assert_eq!(Rc::strong_count(&witness), 3);
        drop(boxed);
        assert_eq!(Rc::strong_count(&witness), 2);
        let inner = copy.into_inner();
        assert_eq!(Rc::strong_count(&inner), 2);
        drop(inner);
        assert_eq!(Rc::strong_count(&witness), 1);
        assert!(UnalignedBox::<Vec<u8>>::default().is_empty());
        assert_eq!(format!("{:?}", UnalignedBox::new(7)), "7");
    }

    #[test]
    fn moves_between_threads() {
        let boxed = UnalignedBox::new(vec![1]);
        let sum = std::thread::spawn(move || boxed.iter().sum::<i32>()).join();
        assert_eq!(sum.ok(), Some(1));
    }
}
