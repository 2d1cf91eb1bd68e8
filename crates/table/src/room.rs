//! How much room buffers take and get: growth by the allocator's own size classes.
//!
//! Every vector that grows by these asks for exactly a size class, so that nothing of what the
//! allocator hands out is wasted and a count of memory adds up what it really gave. The classes are
//! 12 to 25 % apart, which makes growth geometric, hence amortised, without spare room beyond the
//! class. Only beyond the last bin, where classes are pages, a share is added.
//!
//! This file must never hand out less than it was asked for.

use crate::size_class::{grown, size_class};

/// Heap bytes of a vector.
#[inline]
#[must_use]
pub fn of_vec<T>(vec: &Vec<T>) -> usize {
    size_class(vec.capacity() * size_of::<T>())
}

/// Makes room for `more` items, growing by size classes.
#[inline]
pub fn reserve<T>(vec: &mut Vec<T>, more: usize) {
    if vec.capacity() - vec.len() < more {
        let items = grown((vec.len() + more) * size_of::<T>()) / size_of::<T>();
        vec.reserve_exact(items - vec.len());
    }
}

/// Gives room back once less than half of it is used.
#[inline]
pub fn shrink<T>(vec: &mut Vec<T>) {
    let bytes = vec.len() * size_of::<T>();
    if size_class(bytes) * 2 < vec.capacity() * size_of::<T>() {
        vec.shrink_to(size_class(bytes) / size_of::<T>());
    }
}
