//! The allocator of one state: counts bytes and refuses more than a limit.
//!
//! Lua turns a refusal into the error `not enough memory`. Code that cannot bear an error makes the
//! allocator lenient meanwhile; then only the machine itself can refuse, which ends the process as
//! it does everywhere else in Rust.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::cell::Cell;
use std::ffi::c_void;

/// Bytes in use, the limit, and whether it holds now.
#[derive(Debug)]
pub struct Memory {
    used: Cell<usize>,
    limit: Cell<usize>,
    lenient: Cell<bool>,
}

/// What `malloc` would give: enough for every C type.
const ALIGN: usize = 16;

impl Memory {
    pub fn new(limit: usize) -> Self {
        Memory { used: Cell::new(0), limit: Cell::new(limit), lenient: Cell::new(true) }
    }

    /// Bytes allocated now.
    pub fn used(&self) -> usize {
        self.used.get()
    }

    pub fn limit(&self) -> usize {
        self.limit.get()
    }

    pub fn set_limit(&self, limit: usize) {
        self.limit.set(limit);
    }

    /// Whether more is allocated than the limit says, which lenience allows.
    pub fn is_over(&self) -> bool {
        self.used.get() > self.limit.get()
    }

    /// Lets allocations pass the limit or not; what it was before.
    pub fn set_lenient(&self, lenient: bool) -> bool {
        self.lenient.replace(lenient)
    }

    /// `realloc` with the old size given; null when refused.
    ///
    /// # Safety
    /// `block` is null or came from here with the size `old`, and is not used afterwards.
    pub unsafe fn resize(&self, block: *mut c_void, old: usize, new: usize) -> *mut c_void {
        let old = if block.is_null() { 0 } else { old };
        let Ok(before) = Layout::from_size_align(old, ALIGN) else { return std::ptr::null_mut() };
        let Ok(after) = Layout::from_size_align(new, ALIGN) else { return std::ptr::null_mut() };
        let used = self.used.get() - old + new;
        if new > old && used > self.limit.get() && !self.lenient.get() {
            return std::ptr::null_mut();
        }
        let given = match (old, new) {
            (0, 0) => std::ptr::null_mut(),
            // SAFETY: the size is not zero.
            (0, _) => unsafe { alloc(after) },
            (_, 0) => {
                // SAFETY: the caller says that the block is ours and of this size.
                unsafe { dealloc(block.cast(), before) };
                std::ptr::null_mut()
            }
            // SAFETY: as above, and the new size is not zero.
            _ => unsafe { realloc(block.cast(), before, new) },
        };
        if given.is_null() && new > 0 {
            if self.lenient.get() {
                handle_alloc_error(after);
            }
            return given.cast();
        }
        self.used.set(used);
        given.cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_unless_lenient() {
        let memory = Memory::new(100);
        // SAFETY: blocks are given back with their sizes.
        unsafe {
            let block = memory.resize(std::ptr::null_mut(), 4, 90);
            assert_eq!(memory.used(), 90);
            memory.set_lenient(false);
            assert!(memory.resize(block, 90, 101).is_null());
            assert_eq!(memory.used(), 90);
            memory.set_lenient(true);
            let block = memory.resize(block, 90, 1000);
            assert!(!block.is_null() && memory.is_over());
            memory.resize(block, 1000, 0);
            assert_eq!(memory.used(), 0);
        }
    }
}
